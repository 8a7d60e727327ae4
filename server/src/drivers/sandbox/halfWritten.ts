// What just-bash leaves when it is killed while it writes: files beside the real ones, which no user made.
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { lstatReadable } from '../../base/readable.ts'

/** just-bash writes a file under such a name and renames it when it is whole. */
const temporaryName = /^\.just-bash-write-[0-9a-f]+$/

/** Follows no link: the names below are the command's own choice. */
export async function removeHalfWritten(folder: string): Promise<void> {
  await lstatReadable(folder)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await removeHalfWritten(path)
    else if (entry.isFile() && temporaryName.test(entry.name)) await rm(path)
  }
}
