// A folder that appears whole or not at all, even if a process is killed in the middle or several make it at once.
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * Builds `<folder>.tmp-<random>` and renames it. rename(2) refuses a target with content, so of two processes one wins
 * and the other discards its own. Returns whether this call made it.
 */
export async function makeWholeFolder(folder: string, build: (staging: string) => Promise<void>): Promise<boolean> {
  if (existsSync(folder)) {
    await removeLeftovers(folder)
    return false
  }
  const staging = `${folder}.tmp-${randomBytes(6).toString('hex')}`
  let made = false
  try {
    await mkdir(staging)
    await build(staging)
    await rename(staging, folder)
    await syncFolder(dirname(folder))
    made = true
  } catch (error) {
    // Another process was faster (and may have removed our staging folder): the folder is there, which is success.
    if (!existsSync(folder)) {
      await remove(staging)
      throw error
    }
  }
  await removeLeftovers(folder)
  return made
}

/**
 * Removes every staging folder (and file beside it) of `folder`. Called only when the folder itself exists: then no staging folder is
 * needed any more, whether or not its process still lives.
 */
async function removeLeftovers(folder: string): Promise<void> {
  const prefix = `${basename(folder)}.tmp-`
  const names = await readdir(dirname(folder))
  for (const name of names.filter((each) => each.startsWith(prefix))) {
    try {
      await remove(join(dirname(folder), name))
    } catch (error) {
      // It is still being written to after all the retries. Nobody needs it, and the next start sweeps again.
      if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error
    }
  }
}

/** The maker of a leftover may have been killed while its initdb still writes: that is what the retries are for. */
async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
}

/** Makes a new name inside the folder survive a power cut. Windows cannot open folders, and need not. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  await using handle = await open(folder, 'r')
  await handle.sync()
}
