// A workspace laid out in a folder of this machine: brought to what the manifest says, and looked through for what changed since.
import { constants } from 'node:fs'
import { lchown, open, readdir, rm, symlink, unlink, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { basename, dirname } from 'node:path/posix'
import type { Database } from '../../../base/db.ts'
import { postgresBlobs } from '../../../drivers/blobs/postgres.ts'
import { isCode, reachFolder, type Folder } from './openWithin.ts'
import { foldersAbove } from './changes.ts'
import { entriesMax, markOf, openForReading, scanFolder, type Disk, type Seen } from './scan.ts'
import { sideBySide } from './sideBySide.ts'
import { readManifest, type Entry, type Manifest, type Place } from './workspace.ts'

/** So much goes to the database in one statement; a file that is larger goes alone, in pieces. */
const batchBytesMax = 8 * 1024 * 1024
const batchFilesMax = 500
const smallBytesMax = 1024 * 1024

type FileEntry = Extract<Entry, { kind: 'file' }>

export interface Layout {
  folder: string
  /** Brings the folder to what the manifest says in this version, unless it is there already. */
  bringTo(version: string): Promise<void>
  /** What is different from the manifest; the bytes are stored, but nothing names them yet. */
  findChanges(signal: AbortSignal): Promise<{ changes: PathChange[]; unkept: string[] }>
  /** Empties the folder: what a command that was cut off left there is nobody's. */
  clear(): Promise<void>
  /** These changes are the manifest's if it comes to be of this version: whether it did, the next look shows. */
  proposed(changes: PathChange[], version: string): void
}

export interface PathChange {
  path: string
  /** What is there now; null: nothing. */
  entry: Entry | null
  /** Something was there before. */
  wasThere: boolean
}

/** To whom files must belong so that commands can change them. */
interface Owner {
  uid: number
  gid: number
}

/** `most` is how many entries a command may leave. */
export function createLayout(
  db: Database,
  place: Place,
  folder: string,
  owner: Owner | undefined,
  most = entriesMax,
): Layout {
  let version: string | undefined
  let manifest: Manifest = new Map()
  let disk: Disk = new Map()
  /** The folder was looked at after a command, and has not been brought to the manifest since. */
  let isChanged = false
  let proposal: { changes: PathChange[]; version: string } | undefined

  const own = async (at: string) => {
    if (owner) await lchown(at, owner.uid, owner.gid)
  }
  const folderOf = (path: string): Promise<Folder> => reachFolder(folder, dirname(path).split('/').slice(2), own)

  async function remove(path: string): Promise<void> {
    const parent = await folderOf(path)
    try {
      await rm(parent.at(basename(path)), { recursive: true, force: true })
    } finally {
      await parent.close()
    }
  }

  /** The attempt itself finds what is in the way: a new folder has nothing there, and asking for each file would cost most. */
  async function put(path: string, entry: Entry, fetched: Map<string, Buffer>): Promise<Seen> {
    try {
      return await putThere(path, entry, fetched)
    } catch (error) {
      if (!isCode(error, 'EEXIST', 'ENOTDIR', 'ELOOP')) throw error
      await clearWay(path)
      return putThere(path, entry, fetched)
    }
  }

  async function putThere(path: string, entry: Entry, fetched: Map<string, Buffer>): Promise<Seen> {
    const parent = await folderOf(path)
    const at = parent.at(basename(path))
    try {
      if (entry.kind === 'file') return { entry, mark: await putFile(at, entry, fetched.get(entry.sha256)) }
      if (entry.kind === 'link') await symlink(entry.link_target, at)
      else await (await reachFolder(folder, path.split('/').slice(2), own)).close()
      if (entry.kind === 'link') await own(at)
      return { entry, mark: '' }
    } finally {
      await parent.close()
    }
  }

  /** What stands where a folder or this entry must be goes first. */
  async function clearWay(path: string): Promise<void> {
    for (const above of foldersAbove(path))
      if (disk.get(above) && disk.get(above)!.entry.kind !== 'dir') await remove(above)
    await remove(path)
  }

  async function putFile(at: string, entry: FileEntry, bytes: Buffer | undefined): Promise<string> {
    const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
    const file = await open(at, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644)
    try {
      if (bytes) await file.writeFile(bytes)
      else for await (const piece of postgresBlobs(db.sql).read(entry.sha256)) await file.writeFile(piece)
      if (owner) await file.chown(owner.uid, owner.gid)
      await file.chmod(entry.is_executable ? 0o755 : 0o644)
      return markOf(await file.stat({ bigint: true }))
    } finally {
      await file.close()
    }
  }

  async function clear(): Promise<void> {
    await sideBySide(await readdir(folder, { withFileTypes: true }), async (one) => {
      const at = join(folder, one.name)
      // a plain unlink is several times as fast as rm, which first looks at what it removes
      await (one.isDirectory() ? rm(at, { recursive: true, force: true }) : unlink(at))
    })
    disk = new Map()
    version = undefined
  }

  return {
    folder,

    async bringTo(wanted) {
      if (proposal?.version === wanted) {
        for (const { path, entry } of proposal.changes) {
          if (entry) manifest.set(path, entry)
          else manifest.delete(path)
        }
        version = wanted
        isChanged = false
      }
      proposal = undefined
      if (wanted === version && !isChanged) return
      const now = await readManifest(db.sql, place)
      const left = [...disk.keys()].filter((path) => !now.manifest.has(path))
      // most entries are things that a command left and that are not kept: emptying the folder is one look, removing each path is many
      if (left.length > now.manifest.size) await clear()
      else await sideBySide(left, remove)
      disk = new Map([...disk].filter(([path, { entry }]) => isSame(now.manifest.get(path), entry)))
      const missing = [...now.manifest].filter(([path]) => !disk.has(path))
      for (const batch of batchesOf(missing)) {
        const fetched = await postgresBlobs(db.sql).get(
          batch.flatMap(([, entry]) => (isSmall(entry) ? entry.sha256 : [])),
        )
        await sideBySide(batch, async ([path, entry]) => void disk.set(path, await put(path, entry, fetched)))
      }
      manifest = now.manifest
      version = now.version
      isChanged = false
    },

    async findChanges(signal) {
      isChanged = true
      const scan = await scanFolder(folder, disk, { most, signal })
      disk = scan.disk
      const gone = [...manifest.keys()].filter((path) => !disk.has(path))
      const fresh = [...disk]
        .filter(([path, { entry }]) => !isSame(manifest.get(path), entry))
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
      const changes = [
        ...gone.map((path): PathChange => ({ path, entry: null, wasThere: true })),
        ...fresh.map(([path, { entry }]): PathChange => ({ path, entry, wasThere: manifest.has(path) })),
      ]
      await storeContents(changes, scan.contents, signal)
      return { changes, unkept: scan.unkept }
    },

    clear,

    proposed(changes, at) {
      proposal = { changes, version: at }
    },
  }

  /** Before anything names them: many small ones in one statement, a large one in pieces. */
  async function storeContents(
    changes: PathChange[],
    contents: Map<string, Buffer>,
    signal: AbortSignal,
  ): Promise<void> {
    const blobs = postgresBlobs(db.sql)
    const files = changes.flatMap(({ path, entry }) => (entry?.kind === 'file' ? [{ path, entry }] : []))
    const known = await blobs.has(files.map(({ entry }) => entry.sha256))
    let batch: Buffer[] = []
    let bytes = 0
    const flush = async () => {
      await blobs.put(batch)
      batch = []
      bytes = 0
    }
    for (const { path, entry } of files.filter((file) => !known.has(file.entry.sha256))) {
      signal.throwIfAborted()
      if (entry.size_bytes > smallBytesMax) await blobs.putStream(piecesOf(path, signal))
      else {
        batch.push(contents.get(entry.sha256) ?? (await readSmall(path)))
        bytes += entry.size_bytes
        if (bytes >= batchBytesMax || batch.length >= batchFilesMax) await flush()
      }
    }
    if (batch.length > 0) await flush()
  }

  async function* piecesOf(path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
    const file = await openFile(path)
    yield* file.createReadStream({ highWaterMark: smallBytesMax, signal }) as AsyncIterable<Buffer>
  }

  async function readSmall(path: string): Promise<Buffer> {
    const file = await openFile(path)
    try {
      return await file.readFile()
    } finally {
      await file.close()
    }
  }

  async function openFile(path: string): Promise<FileHandle> {
    const parent = await folderOf(path)
    try {
      return await openForReading(parent.at(basename(path)))
    } finally {
      await parent.close()
    }
  }
}

const isSmall = (entry: Entry): entry is FileEntry => entry.kind === 'file' && entry.size_bytes <= smallBytesMax

/** Small files come many at a time; each batch fits into memory. */
function* batchesOf(entries: [string, Entry][]): Generator<[string, Entry][]> {
  let batch: [string, Entry][] = []
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

const isSame = (one: Entry | undefined, other: Entry): boolean => {
  if (one?.kind !== other.kind) return false
  if (one.kind === 'file' && other.kind === 'file') {
    return one.sha256 === other.sha256 && one.is_executable === other.is_executable
  }
  return one.kind === 'dir' || (other.kind === 'link' && one.kind === 'link' && one.link_target === other.link_target)
}
