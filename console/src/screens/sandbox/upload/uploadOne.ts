// Sends one file of an upload. A file that has arrived is not sent again, also after a reload.
import { runyard } from '../../../app/client.ts'
import { arrived, keepToSend, keptToSend } from '../../../app/workFiles.ts'
import { onThisOrigin } from '../../../parts/files/saveFile.ts'
import { inHand } from './inHand.ts'
import { putFile } from './putFile.ts'
import { noteProgress, noteEnd } from './underWay.ts'

export interface UploadInput {
  sandbox: string
  /** Under which the files are kept. */
  upload: string
}

export async function uploadOne(path: string, input: unknown, _options: unknown, signal: AbortSignal): Promise<void> {
  const { sandbox, upload } = input as UploadInput
  const file = inHand.get(`${upload}:${path}`) ?? (await keptToSend(upload, path))
  if (file === arrived) return
  if (!file) throw new Error('The browser no longer has this file. Drop it here again.')
  try {
    // an address takes one file and ends after a while, so each try has its own
    const { upload_url } = await runyard.sandboxes.createUploadUrl(sandbox, { path }, { signal })
    await putFile(onThisOrigin(upload_url), file, {
      signal,
      onProgress: (sent) => noteProgress({ sandbox, path, sent, total: file.size }),
    })
  } finally {
    noteEnd({ sandbox, path })
  }
  inHand.delete(`${upload}:${path}`)
  await keepToSend(upload, path, arrived)
}
