// Sandboxes, with files of any size up and down.
import type { CallOptions } from './call.ts'
import { getFile, putFile, writeToPath, type TransferOptions, type UploadSource } from './files.ts'
import { SandboxesGroup } from './generated/groups.ts'

export class Sandboxes extends SandboxesGroup {
  /** Stores a file of up to 1 GiB. A text as `source` is the path of a file of this machine. */
  async upload(
    sandboxId: string,
    path: string,
    source: UploadSource,
    options: TransferOptions = {},
  ): Promise<{ path: string }> {
    const { upload_url, path: stored } = await this.createUploadUrl(sandboxId, { path }, signalOf(options))
    await putFile(this.client.fetch, upload_url, source, options)
    return { path: stored }
  }

  async downloadStream(
    sandboxId: string,
    path: string,
    options: TransferOptions = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const { download_url } = await this.getFileContent(sandboxId, { path }, signalOf(options))
    return getFile(this.client.fetch, download_url, options)
  }

  async download(sandboxId: string, path: string, options: TransferOptions = {}): Promise<Blob> {
    return new Response(await this.downloadStream(sandboxId, path, options)).blob()
  }

  /** Writes the file to a path of this machine. Nothing is there before the file is whole. */
  async downloadTo(sandboxId: string, path: string, to: string, options: TransferOptions = {}): Promise<void> {
    await writeToPath(await this.downloadStream(sandboxId, path, options), to)
  }
}

const signalOf = ({ signal }: TransferOptions): CallOptions => (signal ? { signal } : {})
