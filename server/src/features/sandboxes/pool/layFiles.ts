// Lays the files that a build names beside the workspace: in a folder of this machine that a sandbox shows and does not let change.
import { chmod, mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Blobs } from '../../../drivers/blobs/blobs.ts'
import type { LaidFile } from '../../../kit/given.ts'

/** The paths come from rows whose names were checked when they were saved. */
export async function layFiles(blobs: Blobs, folder: string, files: LaidFile[]): Promise<void> {
  const made = new Set<string>()
  for (const { path, sha256, is_executable } of files) {
    const target = join(folder, path)
    await makeFolders(folder, dirname(target), made)
    const file = await open(target, 'wx', 0o444)
    try {
      for await (const piece of blobs.read(sha256)) await file.writeFile(piece)
      await file.chmod(is_executable ? 0o555 : 0o444)
    } finally {
      await file.close()
    }
  }
}

/** Commands may run as another user, who must be able to enter. */
async function makeFolders(root: string, folder: string, made: Set<string>): Promise<void> {
  if (made.has(folder)) return
  if (folder !== root) await makeFolders(root, dirname(folder), made)
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o755)
  made.add(folder)
}
