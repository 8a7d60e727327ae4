// Carries the changes of a folder to the other side, where all of them are staged before the first one is applied.
import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { chmod, lchown, lstat, mkdir, open, readlink, rename, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path/posix'
import { isCode, reachFolder } from '../../../base/openWithin.ts'
import { removeTree } from '../../../base/removeTree.ts'
import { freeBytes, isHalfGone } from '../diskUse.ts'
import type { SandboxDriver } from '../sandbox.ts'
import { seeEntry, type FolderChanges, type FolderState } from './folderState.ts'
import { BrokenStream, lineOf, type FrameReader } from './frames.ts'
import { entriesCarriedMax } from './protocol.ts'

const pathBytesMax = 4096
const pieceBytes = 256 * 1024
const zeros = Buffer.alloc(pieceBytes)
/** A change of everything: each entry is gone, and another one is there. */
const linesMax = 2 * entriesCarriedMax + 1

/** The lines of a change, each with one of these names; `file` is followed by its bytes. */
interface ChangeLines {
  gone: string
  dir: string
  link: string
  file: string
  end: true
}

export async function* changesOf(
  root: string,
  state: FolderState,
  { gone, present }: FolderChanges,
): AsyncGenerator<Buffer> {
  for (const path of gone) yield lineOf({ gone: path } satisfies Partial<ChangeLines>)
  for (const path of present) {
    const kind = state.get(path)?.kind
    if (kind === 'dir') yield lineOf({ dir: path } satisfies Partial<ChangeLines>)
    else if (kind === 'link') yield lineOf({ link: path, target: await readlink(join(root, path)) })
    else yield* fileOf(root, path)
  }
  yield lineOf({ end: true } satisfies Partial<ChangeLines>)
}

async function* fileOf(root: string, path: string): AsyncGenerator<Buffer> {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
  const file = await open(join(root, path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const { size, mode, mtimeMs } = await file.stat()
    yield lineOf({ file: path, size, mode: mode & 0o777, mtime_ms: mtimeMs })
    for (let left = size; left > 0;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(left, pieceBytes)))
      if (bytesRead === 0) throw new Error(`${path} became shorter while it was read`)
      left -= bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

/** What comes does not fit on the disk. */
export class NoRoom extends Error {
  constructor() {
    super('The files would take more than half of what is free on the disk.')
  }
}

interface Target {
  root: string
  state: FolderState
  /** The user to whom everything must belong; undefined: this process's. */
  owner: SandboxDriver['owner']
}

type Staged = { path: string } & ({ kind: 'gone' | 'dir' | 'file' } | { kind: 'link'; target: string })

/**
 * Makes the folder, and what is known of it, as the other side says. Rejects with BrokenStream if its words end too early or are wrong: then
 * nothing is changed; so it is with NoRoom. Any other error may leave some of the changes.
 */
export async function receiveChanges(reader: FrameReader, target: Target, bytesMax: number): Promise<void> {
  const stage = `${target.root}-incoming`
  await removeTree(stage)
  await mkdir(stage, { mode: 0o700 })
  try {
    const staged = await readChanges(reader, stage, bytesMax)
    for (const [index, one] of staged.entries()) await apply(target, one, join(stage, String(index)))
  } finally {
    await removeTree(stage)
  }
}

async function readChanges(reader: FrameReader, stage: string, bytesMax: number): Promise<Staged[]> {
  const staged: Staged[] = []
  const freeAtStart = await freeBytes(stage)
  let bytes = 0
  for (;;) {
    const line = await reader.line()
    if (line['end'] === true) return staged
    if (staged.length >= linesMax) throw new BrokenStream('the other side sends too many files')
    const { file, size, link, target } = line
    if (file !== undefined) {
      if (!isCount(size) || (bytes += size) > bytesMax) throw new BrokenStream('the other side sends too large a file')
      // also what is all zeros: whoever stores it may write them
      if (isHalfGone(freeAtStart, (await freeBytes(stage)) - size)) throw new NoRoom()
      const at = join(stage, String(staged.length))
      staged.push({ path: checkedPath(file), kind: 'file' })
      await writeStaged(reader, at, { size, mode: line['mode'], mtimeMs: line['mtime_ms'] })
    } else if (link !== undefined) {
      if (typeof target !== 'string' || target === '' || target.includes('\0'))
        throw new BrokenStream('a link is wrong')
      staged.push({ path: checkedPath(link), kind: 'link', target })
    } else if (line['dir'] !== undefined) staged.push({ path: checkedPath(line['dir']), kind: 'dir' })
    else staged.push({ path: checkedPath(line['gone']), kind: 'gone' })
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** Below the folder in one spelling: no part is empty, a dot or two dots. */
function checkedPath(path: unknown): string {
  const isPath =
    typeof path === 'string' &&
    path.isWellFormed() &&
    Buffer.byteLength(path) <= pathBytesMax &&
    !path.includes('\0') &&
    path.split('/').every((name) => name !== '' && name !== '.' && name !== '..')
  if (!isPath) throw new BrokenStream('a path is wrong')
  return path
}

async function writeStaged(
  reader: FrameReader,
  at: string,
  { size, mode, mtimeMs }: { size: number; mode: unknown; mtimeMs: unknown },
): Promise<void> {
  if (!isCount(mode) || mode > 0o777 || typeof mtimeMs !== 'number') throw new BrokenStream('a file is wrong')
  const file = await open(at, 'wx', 0o600)
  try {
    let position = 0
    for await (const piece of reader.bytes(size)) {
      // zeros are left out: a file that has blocks for little of its size has no more of them here
      if (!piece.equals(zeros.subarray(0, piece.length))) await writeAt(file, piece, position)
      position += piece.length
    }
    await file.truncate(size)
    // whoever stores it must be able to read it
    await file.chmod(mode | 0o400)
    await file.utimes(mtimeMs / 1000, mtimeMs / 1000)
  } finally {
    await file.close()
  }
}

async function writeAt(file: FileHandle, piece: Buffer, position: number): Promise<void> {
  for (let done = 0; done < piece.length;) {
    done += (await file.write(piece, done, piece.length - done, position + done)).bytesWritten
  }
}

async function apply({ root, state, owner }: Target, one: Staged, from: string): Promise<void> {
  const { path } = one
  const give = async (at: string): Promise<void> => {
    if (owner) await lchown(at, owner.uid, owner.gid)
  }
  const names = dirname(path)
    .split('/')
    .filter((name) => name !== '.')
  // follows no link, whoever made it
  const parent = await reachFolder(root, names, give)
  try {
    const at = parent.at(basename(path))
    const isThere = one.kind === 'dir' && (await isFolder(at))
    if (!isThere) await removeTree(at)
    state.delete(path)
    if (one.kind === 'gone') return
    if (one.kind === 'file') await rename(from, at)
    else if (one.kind === 'link') await symlink(one.target, at)
    else if (!isThere) await makeFolder(at)
    await give(at)
    state.set(path, await seeEntry(at))
  } finally {
    await parent.close()
  }
}

/** Commands may run as another user, who must be able to enter it. */
async function makeFolder(at: string): Promise<void> {
  await mkdir(at)
  await chmod(at, 0o755)
}

async function isFolder(at: string): Promise<boolean> {
  try {
    return (await lstat(at)).isDirectory()
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false
    throw error
  }
}
