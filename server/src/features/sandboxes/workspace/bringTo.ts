// Makes the folder of a workspace match the manifest: removes what is not in it, and writes what is missing.
import { constants } from 'node:fs'
import { open, symlink } from 'node:fs/promises'
import { basename } from 'node:path/posix'
import { foldersAbove } from './changes.ts'
import { isCode } from '../../../base/openWithin.ts'
import { removeTree } from '../../../base/removeTree.ts'
import { markOf, smallBytesMax, type SeenPath } from './scan.ts'
import { sideBySide } from '../../../base/sideBySide.ts'
import { readManifest, type WorkspaceEntry } from './workspace.ts'
import {
  batchBytesMax,
  batchFilesMax,
  bytesOf,
  clearFolder,
  giveToOwner,
  isSame,
  openFolder,
  openParent,
  type WorkspaceFolder,
} from './workspaceFolder.ts'

type FileEntry = Extract<WorkspaceEntry, { kind: 'file' }>

/** Does nothing if the folder holds this version already. */
export async function bringTo(at: WorkspaceFolder, wanted: string): Promise<void> {
  if (at.proposal?.version === wanted) acceptProposal(at, at.proposal)
  at.proposal = undefined
  if (wanted === at.version && !at.isChanged) return
  const now = await readManifest(at.sql, at.workspace)
  const left = [...at.disk.keys()].filter((path) => !now.manifest.has(path))
  // where most entries go, emptying the folder takes one listing, and removing each path takes many calls
  if (left.length > now.manifest.size) await clearFolder(at)
  else {
    await at.charge(left.length, 0)
    await sideBySide(left, (path) => remove(at, path))
  }
  at.disk = new Map([...at.disk].filter(([path, { entry }]) => isSame(now.manifest.get(path), entry)))
  const missing = [...now.manifest].filter(([path]) => !at.disk.has(path))
  for (const batch of batchesOf(missing)) {
    const small = batch.map(([, entry]) => entry).filter(isSmall)
    await at.charge(batch.length, bytesOf(small))
    const fetched = await at.blobs.get(small.map(({ sha256 }) => sha256))
    await sideBySide(batch, async ([path, entry]) => void at.disk.set(path, await put(at, path, entry, fetched)))
  }
  at.manifest = now.manifest
  at.version = now.version
  at.isChanged = false
}

function acceptProposal(at: WorkspaceFolder, { changes, version }: NonNullable<WorkspaceFolder['proposal']>): void {
  for (const { path, entry } of changes) {
    if (entry) at.manifest.set(path, entry)
    else at.manifest.delete(path)
  }
  at.version = version
  at.isChanged = false
}

async function remove(at: WorkspaceFolder, path: string): Promise<void> {
  const parent = await openParent(at, path)
  try {
    await removeTree(parent.at(basename(path)))
  } finally {
    await parent.close()
  }
}

/** The write itself shows whether something is in the way: a check before each file would cost most of the time. */
async function put(
  at: WorkspaceFolder,
  path: string,
  entry: WorkspaceEntry,
  fetched: Map<string, Buffer>,
): Promise<SeenPath> {
  try {
    return await putThere(at, path, entry, fetched)
  } catch (error) {
    if (!isCode(error, 'EEXIST', 'ENOTDIR', 'ELOOP')) throw error
    await clearPath(at, path)
    return putThere(at, path, entry, fetched)
  }
}

async function putThere(
  at: WorkspaceFolder,
  path: string,
  entry: WorkspaceEntry,
  fetched: Map<string, Buffer>,
): Promise<SeenPath> {
  const parent = await openParent(at, path)
  const target = parent.at(basename(path))
  try {
    if (entry.kind === 'file') return { entry, mark: await putFile(at, target, entry, fetched.get(entry.sha256)) }
    if (entry.kind === 'link') {
      await symlink(entry.link_target, target)
      await giveToOwner(at, target)
    } else await (await openFolder(at, path)).close()
    return { entry, mark: '' }
  } finally {
    await parent.close()
  }
}

/** Removes what is where this entry, or a folder above it, must be. */
async function clearPath(at: WorkspaceFolder, path: string): Promise<void> {
  for (const above of foldersAbove(path)) {
    const seen = at.disk.get(above)
    if (seen && seen.entry.kind !== 'dir') await remove(at, above)
  }
  await remove(at, path)
}

async function putFile(
  { blobs, owner, charge }: WorkspaceFolder,
  target: string,
  entry: FileEntry,
  bytes: Buffer | undefined,
): Promise<string> {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
  const file = await open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644)
  try {
    if (bytes) await file.writeFile(bytes)
    else {
      for await (const piece of blobs.read(entry.sha256)) {
        await charge(0, piece.length)
        await file.writeFile(piece)
      }
    }
    if (owner) await file.chown(owner.uid, owner.gid)
    await file.chmod(entry.is_executable ? 0o755 : 0o644)
    return markOf(await file.stat({ bigint: true }))
  } finally {
    await file.close()
  }
}

const isSmall = (entry: WorkspaceEntry): entry is FileEntry =>
  entry.kind === 'file' && entry.size_bytes <= smallBytesMax

/** Small files come many at a time; each batch fits into memory. */
function* batchesOf(entries: [string, WorkspaceEntry][]): Generator<[string, WorkspaceEntry][]> {
  let batch: [string, WorkspaceEntry][] = []
  let bytes = 0
  for (const one of entries) {
    batch.push(one)
    bytes += isSmall(one[1]) ? one[1].size_bytes : 0
    if (bytes < batchBytesMax && batch.length < batchFilesMax) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}
