// Writes a bundle as a stream: what it remembers of a row is 32 bytes, and of a file its line in the manifest.
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import {
  archiveBounds,
  centralRecord,
  centralRecordBytes,
  descriptor,
  endBytes,
  endRecord,
  entryBytes,
  localHeader,
  type Entry,
} from './archive.ts'
import type { BundleKey } from './keys.ts'
import { digestOf, linkAfter, linkBytes, sumLine, zeroLink } from './links.ts'
import {
  firstWrongPath,
  manifestBytesMax,
  manifestPath,
  manifestText,
  rowBytesMax,
  rowsEnding,
  signaturePath,
  sumsEnding,
  type BundleSubject,
  type ListedFile,
  type RunInBundle,
} from './manifest.ts'

type Some<T> = AsyncIterable<T> | Iterable<T>

/** Rows get a file with their digests and links beside them. */
export type BundleFile = { path: string; rows: Some<string> } | { path: string; bytes: Buffer | AsyncIterable<Buffer> }

export interface NewBundle {
  /** Each is read to its end before the next is asked for. */
  files: Some<BundleFile>
  subject: BundleSubject
  /** Asked for when all files are written. */
  runs: () => RunInBundle[]
  key: BundleKey
  madeAt?: Date
  /** Smaller in tests. */
  bounds?: typeof archiveBounds
}

/** The bundle cannot be written. Whatever was written of it has no manifest, so nobody takes it for one. */
export class BundleRefused extends Error {}

/** Small rows are handed on together. */
const pieceBytes = 64 * 1024

export async function* writeBundle(bundle: NewBundle): AsyncGenerator<Buffer> {
  const { files, subject, runs, key, madeAt = new Date(), bounds = archiveBounds } = bundle
  const archive = new ArchiveWriter(bounds)
  const listed: ListedFile[] = []
  for await (const file of files) {
    if ('rows' in file) yield* writeRows(archive, file.path, file.rows, listed)
    else {
      if (/\.jsonl(\.sha256)?$/.test(file.path)) throw new BundleRefused(`${file.path} must be written as rows.`)
      listed.push(yield* archive.file(file.path, Buffer.isBuffer(file.bytes) ? [file.bytes] : file.bytes))
    }
  }
  const wrongPath = firstWrongPath(listed.map(({ path }) => path))
  if (wrongPath !== undefined) throw new BundleRefused(wrongPath)
  const manifest = Buffer.from(manifestText({ madeAt, subject, publicKey: key.publicKey, runs: runs(), files: listed }))
  if (manifest.length > manifestBytesMax)
    throw new BundleRefused(`The manifest has more than ${manifestBytesMax} bytes.`)
  yield* archive.file(manifestPath, [manifest])
  yield* archive.file(signaturePath, [Buffer.from(`${key.sign(manifest).toString('base64')}\n`)])
  yield* archive.end()
}

async function* writeRows(
  archive: ArchiveWriter,
  path: string,
  rows: Some<string>,
  listed: ListedFile[],
): AsyncGenerator<Buffer, void> {
  if (!path.endsWith(rowsEnding)) throw new BundleRefused(`${path} has rows, so its name ends with ${rowsEnding}.`)
  const digests = new Digests()
  listed.push(yield* archive.file(path, rowPieces(path, rows, digests)))
  listed.push(yield* archive.file(`${path}${sumsEnding}`, digests.lines()))
}

async function* rowPieces(path: string, rows: Some<string>, digests: Digests): AsyncGenerator<Buffer> {
  let lines: string[] = []
  let length = 0
  for await (const row of rows) {
    if (row.includes('\n')) throw new BundleRefused(`A row of ${path} has a line break.`)
    if (Buffer.byteLength(row) > rowBytesMax)
      throw new BundleRefused(`A row of ${path} has more than ${rowBytesMax} bytes.`)
    digests.add(digestOf(row))
    lines.push(row, '\n')
    length += row.length
    if (length >= pieceBytes) {
      yield Buffer.from(lines.join(''))
      lines = []
      length = 0
    }
  }
  if (lines.length > 0) yield Buffer.from(lines.join(''))
}

/** The digests of the rows that were written, until the file beside them is written too. */
class Digests {
  #bytes = Buffer.alloc(64 * linkBytes)
  #length = 0

  add(digest: Buffer): void {
    if (this.#length === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#length)])
    digest.copy(this.#bytes, this.#length)
    this.#length += linkBytes
  }

  *lines(): Generator<Buffer> {
    let link = zeroLink
    let lines: string[] = []
    for (let at = 0; at < this.#length; at += linkBytes) {
      const digest = this.#bytes.subarray(at, at + linkBytes)
      link = linkAfter(link, digest)
      lines.push(sumLine(digest, link))
      if (lines.length === 512) {
        yield Buffer.from(lines.join(''))
        lines = []
      }
    }
    if (lines.length > 0) yield Buffer.from(lines.join(''))
  }
}

class ArchiveWriter {
  readonly #bounds: typeof archiveBounds
  readonly #entries: { entry: Entry; crc: number }[] = []
  #at = 0
  /** What the list of entries at the end will have. */
  #centralBytes = 0

  constructor(bounds: typeof archiveBounds) {
    this.#bounds = bounds
  }

  async *file(path: string, content: Some<Buffer>): AsyncGenerator<Buffer, ListedFile> {
    const sha256 = createHash('sha256')
    const at = this.#at
    let crc = 0
    let bytes = 0
    this.#requireRoom(path)
    yield this.#taken(localHeader(path))
    for await (const piece of content) {
      crc = crc32(piece, crc)
      sha256.update(piece)
      bytes += piece.length
      yield this.#taken(piece)
    }
    yield this.#taken(descriptor(crc, bytes))
    this.#entries.push({ entry: { path, at, bytes }, crc })
    return { path, bytes, sha256: sha256.digest('hex') }
  }

  *end(): Generator<Buffer> {
    const from = this.#at
    for (const { entry, crc } of this.#entries) yield centralRecord(entry, crc)
    yield endRecord(this.#entries.length, this.#centralBytes, from)
  }

  #requireRoom(path: string): void {
    const wrongPath = path === manifestPath || path === signaturePath ? undefined : firstWrongPath([path])
    if (wrongPath !== undefined) throw new BundleRefused(wrongPath)
    if (this.#entries.length === this.#bounds.entriesMax)
      throw new BundleRefused(`A bundle has at most ${this.#bounds.entriesMax} entries.`)
    this.#centralBytes += centralRecordBytes(path)
    if (this.#at + entryBytes(path, 0) + this.#afterEntries() > this.#bounds.bytesMax) throw this.#tooLarge()
  }

  /** Counts a piece before it is written. */
  #taken(piece: Buffer): Buffer {
    this.#at += piece.length
    if (this.#at + this.#afterEntries() > this.#bounds.bytesMax) throw this.#tooLarge()
    return piece
  }

  #afterEntries = (): number => this.#centralBytes + endBytes

  #tooLarge = (): BundleRefused =>
    new BundleRefused(
      `The bundle would have more than ${this.#bounds.bytesMax} bytes. Ask for one without the contents of files, or for single runs.`,
    )
}
