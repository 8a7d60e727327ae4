// Opens up what a command closed to everyone, its owner too: whoever runs commands as root is not kept out, but anyone else is.
import { constants, type BigIntStats } from 'node:fs'
import { chmod, lstat, open } from 'node:fs/promises'

/** Opens what the path names without using it, so it needs no rights on it. Node does not name it; it is the same on all machines of Linux. */
const O_PATH = 0o10000000

/** What has this path, link or not. From now on its owner may read it and, if it is a folder, change what is in it. */
export async function lstatReadable(path: string | Buffer): Promise<BigIntStats> {
  const stat = await lstat(path, { bigint: true })
  const rights = stat.isDirectory() ? 0o700n : 0o400n
  if ((stat.mode & rights) === rights) return stat
  await addRights(path, Number((stat.mode & 0o7777n) | rights))
  return lstat(path, { bigint: true })
}

/** chmod follows links. A descriptor that was opened without following one stays with what was looked at. */
async function addRights(path: string | Buffer, mode: number): Promise<void> {
  if (process.platform !== 'linux') return chmod(path, mode)
  const held = await open(path, O_PATH | constants.O_NOFOLLOW)
  try {
    await chmod(`/proc/self/fd/${held.fd}`, mode)
  } finally {
    await held.close()
  }
}
