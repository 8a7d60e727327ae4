// Reads a backup as a stream, section by section, and refuses a file that is not a whole backup.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { endOfData, formatVersion, type ArchiveEnd, type ArchiveHeader, type ArchiveSection } from './archive.ts'

export interface WholeArchive {
  header: ArchiveHeader
  end: ArchiveEnd
  sha256: string
}

/** The file is not a backup, is damaged, or cannot be read by this code. The operator gets the message unchanged. */
export class ArchiveRefused extends Error {}

/** Takes the rows of a section, all of them, before the next section comes. */
type TakeSection = (section: ArchiveSection, rows: AsyncIterable<Buffer>) => Promise<void>

/** Reads the file to its end without storing its rows: if it returns, the file is whole. */
export const verifyArchive = (file: string, signal?: AbortSignal): Promise<WholeArchive> =>
  readArchive(file, (_section, rows) => passOver(rows), signal)

export async function passOver(rows: AsyncIterable<Buffer>): Promise<void> {
  for await (const chunk of rows) void chunk
}

export async function readArchive(file: string, take: TakeSection, signal?: AbortSignal): Promise<WholeArchive> {
  const plain = createGunzip({ chunkSize: 64 * 1024 })
  // a failure of either stream, or the signal, ends the iteration over the last one with that error
  pipeline(createReadStream(file), plain, () => undefined)
  const stop = () => plain.destroy(signal?.reason as Error)
  signal?.addEventListener('abort', stop)
  try {
    signal?.throwIfAborted()
    const reader = readerOf(plain)
    const header = headerFrom(file, await reader.line())
    for (const section of header.sections) {
      if ((parse(await reader.line()) as { section?: unknown }).section !== section.name) {
        throw new Damage(`the section ${section.name} is not where it should be`)
      }
      await take(section, reader.rows())
    }
    const end = parse(await reader.line()) as ArchiveEnd
    const sha256 = reader.hashSoFar()
    const promised = (parse(await reader.line()) as { sha256?: unknown }).sha256
    if (promised !== sha256) throw new Damage('its SHA-256 does not match')
    if (!(await reader.isAtEnd())) throw new Damage('something follows its end')
    return { header, end, sha256 }
  } catch (error) {
    const reason = damageOf(error)
    if (reason === undefined) throw error
    throw new ArchiveRefused(`${file} is not a complete Runyard backup: ${reason}.`, { cause: error })
  } finally {
    signal?.removeEventListener('abort', stop)
    plain.destroy()
  }
}

class Damage extends Error {}

/**
 * Why the file is not a backup; undefined: the error has another cause. Errors of zlib have codes that begin with Z_; a file that cannot be
 * opened has a code of the system.
 */
function damageOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (error instanceof Damage) return error.message
  const { code } = error as { code?: unknown }
  if (typeof code === 'string' && code.startsWith('Z_')) return error.message
  if (code === 'ENOENT') return 'there is no such file'
  if (code === 'EISDIR') return 'it is a folder'
  return undefined
}

function parse(line: string): object {
  try {
    const record: unknown = JSON.parse(line)
    if (typeof record === 'object' && record !== null) return record
  } catch (cause) {
    throw new Damage('a line of it is not readable', { cause })
  }
  throw new Damage('a line of it is not readable')
}

/** The header steers the reading before the hash has proved it, so its shape is looked at first. */
function headerFrom(file: string, line: string): ArchiveHeader {
  const header = parse(line) as Partial<ArchiveHeader>
  const { runyard_backup: version, sections, migrations, encryption_key_ids: keyIds } = header
  if (typeof version !== 'number') throw new Damage('it begins with something else')
  if (version > formatVersion) {
    throw new ArchiveRefused(
      `${file} has format ${version}; this Runyard reads up to ${formatVersion}. Use a newer one.`,
    )
  }
  const isWellMade =
    Array.isArray(sections) &&
    sections.every((one) => typeof one.name === 'string' && Array.isArray(one.columns)) &&
    Array.isArray(migrations) &&
    Array.isArray(keyIds)
  if (!isWellMade) throw new Damage('its header lacks something')
  return header as ArchiveHeader
}

const newline = 0x0a
const endAfterRows = Buffer.concat([Buffer.of(newline), endOfData])
/** The columns of hundreds of tables fit in it a hundred times; a longer line is not one of ours. */
const lineBytesMax = 16 * 1024 * 1024

function readerOf(source: AsyncIterable<Buffer>) {
  const chunks = source[Symbol.asyncIterator]()
  const hash = createHash('sha256')
  let ahead: Buffer = Buffer.alloc(0)

  async function readMore(): Promise<boolean> {
    const next = await chunks.next()
    if (next.done) return false
    ahead = ahead.length === 0 ? next.value : Buffer.concat([ahead, next.value])
    return true
  }

  function consume(bytes: number): Buffer {
    const taken = ahead.subarray(0, bytes)
    ahead = ahead.subarray(bytes)
    hash.update(taken)
    return taken
  }

  async function line(): Promise<string> {
    for (;;) {
      const end = ahead.indexOf(newline)
      if (end >= 0) return consume(end + 1).toString('utf8', 0, end)
      if (ahead.length > lineBytesMax) throw new Damage('a line of it has no end')
      if (!(await readMore())) throw new Damage('it breaks off')
    }
  }

  /** Pieces of any size: a row of a gigabyte never stands in memory whole. */
  async function* rows(): AsyncGenerator<Buffer> {
    while (ahead.length < endOfData.length) if (!(await readMore())) throw new Damage('it breaks off')
    if (ahead.subarray(0, endOfData.length).equals(endOfData)) {
      consume(endOfData.length)
      return
    }
    for (;;) {
      const end = ahead.indexOf(endAfterRows)
      if (end >= 0) {
        yield consume(end + 1)
        consume(endOfData.length)
        return
      }
      // the mark may be split over two chunks, so the last bytes are held back
      const sure = ahead.length - endAfterRows.length + 1
      if (sure > 0) yield consume(sure)
      if (!(await readMore())) throw new Damage('it breaks off')
    }
  }

  return {
    line,
    rows,
    hashSoFar: () => hash.copy().digest('hex'),
    isAtEnd: async () => ahead.length === 0 && !(await readMore()),
  }
}
