// All files below a folder: of this machine, or of a sandbox, whose names are not trusted.
import { lstat, readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { Runyard } from '../../../sdk/src/index.ts'
import { CommandFailed } from '../command.ts'

export interface FoundFile {
  /** Below the folder, with `/` between its parts. */
  path: string
  bytes: number
}

/** How many files and folders a sandbox may hold. */
const entriesMax = 10_000
const levelsMax = 64

/** `leftOut` counts links, pipes and devices: a link may lead out of the folder, and a pipe never ends. */
export async function localFiles(root: string): Promise<{ files: FoundFile[]; leftOut: number }> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const others = entries.filter((entry) => !entry.isDirectory())
  const files: FoundFile[] = []
  for (const entry of others.filter((one) => one.isFile())) {
    const file = join(entry.parentPath, entry.name)
    files.push({ path: relative(root, file).split(sep).join('/'), bytes: (await lstat(file)).size })
  }
  return { files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)), leftOut: others.length - files.length }
}

/** What is below a folder of a sandbox, listed whole before anything is written here. */
export async function remoteFiles(
  runyard: Runyard,
  { sandbox, path: root }: { sandbox: string; path: string },
  signal: AbortSignal,
): Promise<{ files: FoundFile[]; folders: string[] }> {
  const files: FoundFile[] = []
  const folders: string[] = []
  const look = async (folder: string, level: number): Promise<void> => {
    const path = [root.replace(/\/+$/, ''), folder].filter((part) => part !== '').join('/')
    const listed = await runyard.sandboxes.listFiles(sandbox, path === '' ? {} : { path }, { signal })
    for (const { name, type, size_bytes } of listed.files) {
      requireSafe(name)
      const below = folder === '' ? name : `${folder}/${name}`
      if (type === 'file') files.push({ path: below, bytes: size_bytes })
      else folders.push(below)
      if (files.length + folders.length > entriesMax || level > levelsMax)
        throw new CommandFailed(`The folder has more than ${entriesMax} files, or more than ${levelsMax} levels.`)
      if (type !== 'file') await look(below, level + 1)
    }
  }
  await look('', 1)
  return { files, folders }
}

/** A name is one part of a path: whoever wrote it in a sandbox does not choose a folder here. */
function requireSafe(name: string): void {
  const isUnsafe = name === '' || name === '.' || name === '..' || /[/\\\0]/.test(name)
  // a colon names a stream or a drive there, and an end of dots or blanks is dropped
  const isUnsafeOnWindows = process.platform === 'win32' && /[<>:"|?*]|[. ]$/.test(name)
  if (isUnsafe || isUnsafeOnWindows)
    throw new CommandFailed(
      `The sandbox has the name ${JSON.stringify(name)}, which is not safe here. Nothing was copied.`,
    )
}
