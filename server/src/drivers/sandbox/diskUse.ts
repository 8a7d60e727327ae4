// Whether a command may be what fills the disk: the files of its folder, and those that it deleted while it had them open or in memory.
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { lstat, opendir, statfs } from 'node:fs/promises'
import { join } from 'node:path'

/** A folder with more files than this is not counted to its end: it is taken for large. */
const entriesMax = 20_000

export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Half of what was free always stays, whoever takes it: a database may live there. */
export const isHalfGone = (freeAtStart: number, free: number): boolean => free < freeAtStart / 2

/**
 * False only if all that it can have written is less than `bytes`: then somebody else fills the disk. Where that cannot be looked at, it is
 * true. The files of earlier commands count too.
 */
export async function mayHoldBytes(
  { folder, pids }: { folder: string; pids: number[] },
  bytes: number,
): Promise<boolean> {
  if (process.platform !== 'linux') return true
  // a command can close a folder to hide what is in it
  const ofFolder = await folderBytes(folder, bytes).catch(() => Infinity)
  return ofFolder + pids.reduce((sum, pid) => sum + deletedFileBytes(pid), 0) > bytes
}

/** Counted no further than to `enough`. */
async function folderBytes(folder: string, enough: number): Promise<number> {
  let bytes = 0
  let entries = 0
  const folders = [folder]
  for (const each of folders) {
    for await (const entry of (await opendir(each).catch(unlessGone)) ?? []) {
      entries += 1
      if (entries > entriesMax || bytes > enough) return Infinity
      const path = join(each, entry.name)
      if (entry.isDirectory()) folders.push(path)
      else bytes += ((await lstat(path).catch(unlessGone))?.blocks ?? 0) * 512
    }
  }
  return bytes
}

/** What is gone again holds nothing. */
function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

/**
 * A file that is deleted while it is open, or mapped into memory, has no name to find it by and keeps its place on the disk. Of one that is
 * only mapped nobody is told the size.
 */
function deletedFileBytes(pid: number): number {
  try {
    if (deletedMapping.test(readFileSync(`/proc/${pid}/maps`, 'latin1'))) return Infinity
    return readdirSync(`/proc/${pid}/fd`).reduce((sum, fd) => sum + bytesIfDeleted(`/proc/${pid}/fd/${fd}`), 0)
  } catch (error) {
    // a process that has ended holds nothing
    return ['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '') ? 0 : Infinity
  }
}

/** Memory that processes share is shown as a deleted file too, and is on no disk. */
const deletedMapping = /^\S+ \S+ \S+ \S+ \d+ +(?!\/memfd:|\/dev\/zero |\/SYSV)\S.* \(deleted\)$/m

function bytesIfDeleted(fd: string): number {
  try {
    return readlinkSync(fd).endsWith(' (deleted)') ? statSync(fd).blocks * 512 : 0
  } catch {
    // closed between the listing and here
    return 0
  }
}
