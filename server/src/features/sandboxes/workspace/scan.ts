// What a folder holds, as a manifest would say it: only files that look changed are read.
import { createHash, hash } from 'node:crypto'
import { constants, type BigIntStats } from 'node:fs'
import { open, readdir, readlink } from 'node:fs/promises'
import { CannotSave } from '../../../kit/tool.ts'
import { openFolder, openRoot, type Folder } from '../../../base/openWithin.ts'
import { lstatReadable } from '../../../base/readable.ts'
import { removeTree } from '../../../base/removeTree.ts'
import { sideBySide } from '../../../base/sideBySide.ts'
import type { WorkspaceEntry } from './workspace.ts'
import { workspacePath, workspaceRoot } from './workspacePath.ts'

/** What was seen of a path, with the marks that show a change of it. */
export interface SeenPath {
  entry: WorkspaceEntry
  /** The size, times and inode of a file. Whoever changes a file cannot set the time of the inode's last change. */
  mark: string
}

export type Disk = Map<string, SeenPath>

interface Scan {
  disk: Disk
  /** Names that no path of ours may have, and what is neither file, folder nor link: it cannot be stored, and was removed. */
  unkept: string[]
  /** Bytes of small files that were read for their hash, by hash, so that nobody reads them twice; their sum is bounded. */
  contents: Map<string, Buffer>
}

/** The number of files, links and empty folders that can be laid out and scanned in a moment. */
export const entriesMax = 10_000

/** A file up to this size is read at once; a stream would take a buffer of its own size for each (3,500 of them: 4 s for the collector). */
export const smallBytesMax = 1024 * 1024
/** A larger file is read so much at a time: to hash it takes the main thread less than a millisecond. */
export const pieceBytes = 256 * 1024

/** How many bytes a scan holds for the code that stores them. */
const contentsBytesMax = 16 * 1024 * 1024

interface ScanOptions {
  signal: AbortSignal
  /** How many entries there may be. */
  most: number
  /** Charges the team for files that were looked at, and for bytes that are read. It waits for its turn if it used more than its share. */
  charge: (files: number, bytes: number) => Promise<void> | undefined
}

interface Scanning extends Scan, ScanOptions {
  before: Disk
  entries: number
  contentsBytes: number
}

export const markOf = ({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string => `${size} ${mtimeNs} ${ctimeNs} ${ino}`

/** `before` is what was known of it: a file with the same marks has the same bytes. Rejects as soon as there is more than can be stored. */
export async function scanFolder(root: string, before: Disk, options: ScanOptions): Promise<Scan> {
  const scan: Scanning = {
    ...options,
    disk: new Map(),
    unkept: [],
    contents: new Map(),
    before,
    entries: 0,
    contentsBytes: 0,
  }
  await lstatReadable(root)
  await scanInto(scan, await openRoot(root), workspaceRoot)
  return scan
}

/** This happens before anything is read: a command that left a million files costs only a look at their names. */
function count(scan: Scanning, entries: number): void {
  scan.entries += entries
  if (scan.entries <= scan.most) return
  const says = `The command left more than ${scan.most} files and empty folders, and a workspace holds no more than that.`
  throw new CannotSave(
    `${says} Nothing that it wrote is saved. Remove some before it ends, or pack them into an archive.`,
  )
}

/** Closes the folder that it is given. */
async function scanInto(scan: Scanning, folder: Folder, path: string): Promise<number> {
  let kept = 0
  try {
    const found = await readdir(folder.path, { withFileTypes: true })
    count(scan, found.filter((one) => !one.isDirectory()).length)
    await sideBySide(found, async ({ name }) => {
      scan.signal.throwIfAborted()
      const checked = workspacePath(`${path}/${name}`)
      // another spelling in the manifest than on the disk would be another file
      const isOurs = !('problem' in checked) && checked.path === `${path}/${name}`
      if (isOurs && (await scanEntry(scan, folder, name, checked.path))) kept += 1
      else {
        scan.unkept.push(`${path}/${name}`)
        await removeTree(folder.at(name))
      }
    })
  } finally {
    await folder.close()
  }
  return kept
}

/** False: it cannot be stored. */
async function scanEntry(scan: Scanning, folder: Folder, name: string, path: string): Promise<boolean> {
  await scan.charge(1, 0)
  const stat = await lstatReadable(folder.at(name))
  if (stat.isDirectory()) {
    const inner = await openFolder(folder, name)
    if (inner && (await scanInto(scan, inner, path)) === 0) {
      count(scan, 1)
      scan.disk.set(path, { entry: { kind: 'dir' }, mark: '' })
    }
    return inner !== undefined
  }
  if (stat.isSymbolicLink()) {
    const target = await readlink(folder.at(name))
    scan.disk.set(path, { entry: { kind: 'link', link_target: target }, mark: '' })
    return true
  }
  if (!stat.isFile()) return false
  scan.disk.set(path, await seenFile(scan, folder.at(name), stat, scan.before.get(path)))
  return true
}

async function seenFile(scan: Scanning, at: string, stat: BigIntStats, known: SeenPath | undefined): Promise<SeenPath> {
  const mark = markOf(stat)
  const is_executable = (stat.mode & 0o100n) !== 0n
  if (known?.mark === mark && known.entry.kind === 'file') return { mark, entry: { ...known.entry, is_executable } }
  const { sha256, size_bytes, bytes } = await hashFile(scan, at, stat)
  if (bytes && scan.contentsBytes + bytes.length <= contentsBytesMax) {
    scan.contentsBytes += bytes.length
    scan.contents.set(sha256, bytes)
  }
  return { mark, entry: { kind: 'file', sha256, size_bytes, is_executable } }
}

/** Neither through a link nor waiting for the other end of a pipe that took the file's place. */
export const openForReading = (at: string) => open(at, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)

async function hashFile(
  { signal, charge }: Scanning,
  at: string,
  stat: BigIntStats,
): Promise<{ sha256: string; size_bytes: number; bytes?: Buffer }> {
  if (stat.size <= smallBytesMax) await charge(0, Number(stat.size))
  const file = await openForReading(at)
  if (stat.size <= smallBytesMax) {
    try {
      const bytes = await file.readFile()
      return { sha256: hash('sha256', bytes, 'hex'), size_bytes: bytes.length, bytes }
    } finally {
      await file.close()
    }
  }
  const digest = createHash('sha256')
  let size_bytes = 0
  for await (const piece of file.createReadStream({ highWaterMark: pieceBytes, signal }) as AsyncIterable<Buffer>) {
    await charge(0, piece.length)
    digest.update(piece)
    size_bytes += piece.length
  }
  return { sha256: digest.digest('hex'), size_bytes }
}
