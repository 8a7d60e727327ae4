// The users that parts of the service run as where it runs as root itself, and which folders they can enter.
import { chmod, lstat, mkdir, realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

export type Account = { uid: number; gid: number }

export const isRoot = (): boolean => process.getuid?.() === 0

/**
 * A folder outside the data dir may have been planted by somebody. It is used only if it is not a link, belongs to us, and nobody else can
 * write to it.
 */
export async function makePrivateFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder)
    await chmod(folder, 0o711)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const found = await lstat(folder)
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o022) !== 0) {
    throw new Error(`${folder} is not a folder that only this user can write: remove it`)
  }
}

/** The first folder on the way from the root to `folder` that the account cannot enter. */
export async function closedFolder(folder: string, account: Account): Promise<string | undefined> {
  const way: string[] = []
  for (let step = await realpath(folder); ; step = dirname(step)) {
    way.unshift(step)
    if (step === dirname(step)) break
  }
  for (const step of way) if (!(await mayUse(step, account, 0o1))) return step
  return undefined
}

/** Whether the mode bits (4 read, 2 write, 1 execute or enter) let the account in. */
export async function mayUse(path: string, account: Account, bits: number): Promise<boolean> {
  const { uid, gid, mode } = await stat(path)
  const granted = uid === account.uid ? mode >> 6 : gid === account.gid ? mode >> 3 : mode
  return (granted & bits) === bits
}
