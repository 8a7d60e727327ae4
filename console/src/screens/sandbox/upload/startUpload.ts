// Begins to upload files as long work: it continues after a reload with the files that the browser keeps until then.
import { newId, startWork } from '../../../app/work.ts'
import { keepToSend } from '../../../app/workFiles.ts'
import type { DroppedFile } from './droppedFiles.ts'
import { inHand } from './inHand.ts'
import type { UploadInput } from './uploadOne.ts'

interface UploadTo {
  sandbox: string
  /** Below which folder of the workspace: `/workspace/in`. */
  folder: string | undefined
  member: string
}

export function startUpload(files: DroppedFile[], { sandbox, folder, member }: UploadTo): void {
  const upload = newId()
  const below = folder === undefined ? '' : `${folder.replace(/^\/workspace\/?/, '')}/`
  const items = files.map(({ path, file }) => ({ path: `${below}${path}`, file }))
  for (const { path, file } of items) {
    inHand.set(`${upload}:${path}`, file)
    keepToSend(upload, path, file).catch((error: unknown) => {
      // this tab sends it all the same; after a reload it must be dropped again
      console.warn('The browser cannot keep this file.', error)
    })
  }
  const input: UploadInput = { sandbox, upload }
  startWork('uploadFiles', member, { id: upload, over: upload, input, items: items.map(({ path }) => path) })
}
