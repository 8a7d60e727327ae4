// Files of a team, of any size up and down.
import { getFile, putFile, type TransferOptions, type UploadSource } from './files.ts'
import { TeamFilesGroup } from './generated/groups.ts'

export class TeamFiles extends TeamFilesGroup {
  /** Stores a file of up to 1 GiB, new or in place of the one with this name. A text as `source` is the path of a file of this machine. */
  async upload(name: string, source: UploadSource, options: TransferOptions = {}): Promise<{ name: string }> {
    const { signal } = options
    const { upload_url, name: stored } = await this.createUploadUrl({ name }, signal ? { signal } : {})
    await putFile(this.client.fetch, upload_url, source, options)
    return { name: stored }
  }

  async download(fileId: string, options: TransferOptions = {}): Promise<Blob> {
    const { signal } = options
    const { download_url } = await this.get(fileId, signal ? { signal } : {})
    return new Response(await getFile(this.client.fetch, download_url, options)).blob()
  }
}
