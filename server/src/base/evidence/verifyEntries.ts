// Checks every byte of the archive in its order: headers, contents and rows, the list of entries, the end.
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import {
  centralRecord,
  centralRecordBytes,
  contentAt,
  descriptor,
  descriptorBytes,
  endBytes,
  endRecord,
  localBytes,
  localHeader,
  nameBytes,
  type Entry,
} from './archive.ts'
import type { BundleBytes } from './bundleBytes.ts'
import type { Layout } from './layout.ts'
import { rowsEnding, sumsEnding, type ListedFile } from './manifest.ts'
import type { Problems } from './problems.ts'
import { verifyRows, type CheckedRows } from './verifyRows.ts'

interface CheckedEntries {
  /** How many rows each file of them has. */
  rows: Map<string, number>
  /** The SHA-256 of the content of each file. */
  sha256: Map<string, string>
}

interface Work {
  bytes: BundleBytes
  problems: Problems
  /** What a signed manifest says; undefined if nothing is signed. */
  listed: Map<string, ListedFile> | undefined
  checked: CheckedEntries
}

export async function verifyEntries(
  bytes: BundleBytes,
  { entries, listAt }: Layout,
  listed: ListedFile[] | undefined,
  problems: Problems,
): Promise<CheckedEntries> {
  const checked: CheckedEntries = { rows: new Map(), sha256: new Map() }
  const byPath = listed && new Map(listed.map((file) => [file.path, file]))
  const work: Work = { bytes, problems, listed: byPath, checked }
  const crcs = new Uint32Array(entries.length)
  for (const [index, entry] of entries.entries()) {
    await requireSame(work, entry.at, localHeader(entry.path), `${entry.path} header`)
    const crc = await verifyContent(work, entry, entries[index - 1], entries[index + 1])
    crcs[index] = await verifyDescriptor(work, entry, crc)
  }
  let at = listAt
  for (const [index, entry] of entries.entries()) {
    await requireSame(work, at, centralRecord(entry, crcs[index] ?? 0), `${entry.path} central record`)
    at += centralRecordBytes(entry.path)
  }
  await requireSame(work, bytes.size - endBytes, endRecord(entries.length, at - listAt, listAt), 'end record')
  return checked
}

async function requireSame({ bytes, problems }: Work, at: number, expected: Buffer, where: string): Promise<void> {
  const found = await bytes.read(at, Math.min(expected.length, Math.max(0, bytes.size - at)))
  if (!found.equals(expected)) problems.add(where, 'These bytes of the archive are not as a bundle has them.')
}

/** Answers the checksum of the content. */
async function verifyContent(
  work: Work,
  entry: Entry,
  before: Entry | undefined,
  behind: Entry | undefined,
): Promise<number> {
  const { problems, checked } = work
  const { path } = entry
  if (path.endsWith(`${rowsEnding}${sumsEnding}`) && `${before?.path}${sumsEnding}` !== path)
    problems.addIn(path, 'It does not lie behind the file whose digests it has.')
  const sums = path.endsWith(rowsEnding) && behind?.path === `${path}${sumsEnding}` ? behind : undefined
  if (path.endsWith(rowsEnding) && !sums) problems.addIn(path, `Behind it is no ${sumsEnding} file with its digests.`)
  const rows = sums && (await verifyRows(work.bytes, entry, sums))
  const content = rows ?? (await sumOf(work.bytes, entry))
  checked.sha256.set(path, content.sha256)
  if (rows) noteRows(work, path, sums.path, rows)
  const listed = work.listed?.get(path)
  const isListed = !listed || (listed.sha256 === content.sha256 && listed.bytes === entry.bytes)
  if (!isListed && !problems.wrongFiles.has(path)) problems.addIn(path, 'Its content is not what the manifest says.')
  const named = /^runs\/[^/]+\/files\/([^/]+)$/.exec(path)?.[1]
  if (named !== undefined && named !== content.sha256 && !problems.wrongFiles.has(path))
    problems.addIn(path, 'Its name is not the SHA-256 of its content.')
  return content.crc
}

function noteRows({ problems, listed, checked }: Work, path: string, sums: string, content: CheckedRows): void {
  checked.rows.set(path, content.rows)
  const { fault } = content
  if (!fault) return
  // rows that are as they were signed are not the mistake
  const isAsSigned = listed?.get(path)?.sha256 === content.sha256
  const isInSums = fault.isIn === 'sums' || (fault.isIn === 'unclear' && isAsSigned)
  problems.addIn(isInSums ? sums : path, fault.what, fault.row)
}

async function sumOf(bytes: BundleBytes, entry: Entry): Promise<{ sha256: string; crc: number }> {
  const sha256 = createHash('sha256')
  let crc = 0
  for await (const piece of bytes.pieces(contentAt(entry), entry.bytes)) {
    sha256.update(piece)
    crc = crc32(piece, crc)
  }
  return { sha256: sha256.digest('hex'), crc }
}

/** Answers the checksum that the list must have. A content that is wrong leaves the checksum of what it was. */
async function verifyDescriptor(work: Work, entry: Entry, crc: number): Promise<number> {
  const { path, at, bytes } = entry
  const from = at + localBytes + nameBytes(path) + bytes
  if (work.problems.wrongFiles.has(path)) return (await work.bytes.read(from, descriptorBytes)).readUInt32LE(4)
  await requireSame(work, from, descriptor(crc, bytes), `${path} descriptor`)
  return crc
}
