// Opens what is inside a folder without ever leaving it: segment by segment, through descriptors, following no link.
import { constants } from 'node:fs'
import { lstat, mkdir, open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants

/** Linux names an open folder as a path: what is opened below that cannot be moved elsewhere in between. */
const hasDescriptorPaths = process.platform === 'linux'

/** A folder that is held open. */
export interface Folder {
  /** The path of a name in it, for calls that do not follow links. */
  at(name: string): string
  path: string
  close(): Promise<void>
}

async function opened(path: string): Promise<Folder> {
  if (!hasDescriptorPaths) {
    const { isDirectory } = await lstat(path).then((stat) => ({ isDirectory: stat.isDirectory() }))
    if (!isDirectory) throw Object.assign(new Error(`${path} is not a folder`), { code: 'ENOTDIR' })
    return { at: (name) => join(path, name), path, close: async () => undefined }
  }
  const handle: FileHandle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  const held = `/proc/self/fd/${handle.fd}`
  return { at: (name) => `${held}/${name}`, path: held, close: () => handle.close() }
}

export const openRoot = (root: string): Promise<Folder> => opened(root)

/** The folder of this name in another; undefined: there is none, or something else has the name. */
export async function openFolder(parent: Folder, name: string): Promise<Folder | undefined> {
  try {
    return await opened(parent.at(name))
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EMLINK')) return undefined
    throw error
  }
}

/** The folder at the end of these names below the root, made where it is not there; `onMade` is called for each folder that was made. */
export async function reachFolder(
  root: string,
  names: string[],
  onMade: (path: string) => Promise<void>,
): Promise<Folder> {
  let folder = await openRoot(root)
  for (const name of names) {
    let next = await openFolder(folder, name)
    if (!next) {
      try {
        next = await makeFolder(folder.at(name), onMade)
      } catch (error) {
        await folder.close()
        throw error
      }
    }
    await folder.close()
    folder = next
  }
  return folder
}

/** Another call may make the same folder at the same time: then it is there. */
async function makeFolder(path: string, onMade: (path: string) => Promise<void>): Promise<Folder> {
  try {
    await mkdir(path, { mode: 0o755 })
    await onMade(path)
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  }
  return opened(path)
}

export function isCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code ?? '')
}
