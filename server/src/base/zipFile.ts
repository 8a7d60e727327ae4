// Zip archives (APPNOTE 6.3): read with every bound checked before anything is unpacked, and written as plain as can be.
import { crc32, deflateRawSync, inflateRaw } from 'node:zlib'
import { promisify } from 'node:util'
import { plainPath, foldersOf } from './plainPath.ts'

const inflate = promisify(inflateRaw)

export interface ZipEntry {
  path: string
  bytes: Buffer
  is_executable: boolean
}

interface ZipBounds {
  entriesMax: number
  /** How many bytes all files have together when they are unpacked. */
  bytesMax: number
}

/** The archive is refused as a whole; the message says why. */
export class ZipRefused extends Error {}

const signatures = { local: 0x04034b50, central: 0x02014b50, end: 0x06054b50 }
const endBytes = 22
const centralBytes = 46
const localBytes = 30

interface Listed {
  path: string
  method: number
  crc: number
  packedBytes: number
  bytes: number
  at: number
  mode: number
  isFolder: boolean
}

/** Every file of the archive. One entry that is not plain refuses all: nothing of a hostile archive is taken. */
export async function readZip(archive: Buffer, bounds: ZipBounds): Promise<ZipEntry[]> {
  const listed = readList(archive, bounds)
  const files = listed.filter(({ isFolder }) => !isFolder)
  requirePlain(listed, files)
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  if (total > bounds.bytesMax) {
    throw new ZipRefused(`The archive holds ${total} bytes when it is unpacked; at most ${bounds.bytesMax} are taken.`)
  }
  const entries: ZipEntry[] = []
  for (const one of files) {
    entries.push({ path: one.path, bytes: await unpack(archive, one), is_executable: (one.mode & 0o111) !== 0 })
  }
  return entries
}

function readList(archive: Buffer, { entriesMax }: ZipBounds): Listed[] {
  const end = findEnd(archive)
  const count = archive.readUInt16LE(end + 10)
  const from = archive.readUInt32LE(end + 16)
  if (archive.readUInt16LE(end + 4) !== 0 || archive.readUInt16LE(end + 8) !== count) {
    throw new ZipRefused('The archive is one of several parts. Send it as one file.')
  }
  if (count === 0xffff || from === 0xffffffff)
    throw new ZipRefused('The archive is in the format Zip64. Send a smaller one.')
  if (count > entriesMax) throw new ZipRefused(`The archive has ${count} entries; at most ${entriesMax} are taken.`)
  const listed: Listed[] = []
  let at = from
  for (let n = 0; n < count; n += 1) {
    if (at + centralBytes > end || archive.readUInt32LE(at) !== signatures.central) throw broken()
    const next =
      at + centralBytes + archive.readUInt16LE(at + 28) + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
    if (next > end) throw broken()
    listed.push(readEntry(archive, at))
    at = next
  }
  return listed
}

const broken = (): ZipRefused => new ZipRefused('The archive is damaged, or is not a zip file.')

/** It is the last record, before a comment that may be there. */
function findEnd(archive: Buffer): number {
  for (let at = archive.length - endBytes; at >= Math.max(0, archive.length - endBytes - 0xffff); at -= 1) {
    if (
      archive.readUInt32LE(at) === signatures.end &&
      at + endBytes + archive.readUInt16LE(at + 20) === archive.length
    ) {
      return at
    }
  }
  throw broken()
}

const fileTypeMask = 0o170000
const plainTypes = new Set([0, 0o100000, 0o040000])

function readEntry(archive: Buffer, at: number): Listed {
  const flags = archive.readUInt16LE(at + 8)
  const nameBytes = archive.subarray(at + centralBytes, at + centralBytes + archive.readUInt16LE(at + 28))
  const name = nameBytes.toString('utf8')
  if (flags & 1) throw new ZipRefused(`${quoted(name)} is encrypted. Send an archive without a password.`)
  if (!Buffer.from(name).equals(nameBytes)) throw new ZipRefused('The archive has a name that is not UTF-8.')
  const isFolder = name.endsWith('/')
  const checked = plainPath(isFolder ? name.slice(0, -1) : name)
  if ('problem' in checked) throw new ZipRefused(`${quoted(name)} cannot be taken. ${checked.problem}`)
  // the host is in the upper byte of "made by": 3 is Unix, which alone says what kind of file it is
  const mode = archive.readUInt16LE(at + 4) >> 8 === 3 ? archive.readUInt16LE(at + 40) : 0
  if (!plainTypes.has(mode & fileTypeMask))
    throw new ZipRefused(`${quoted(name)} is not a plain file: links are not taken.`)
  return {
    path: checked.path,
    method: archive.readUInt16LE(at + 10),
    crc: archive.readUInt32LE(at + 16),
    packedBytes: archive.readUInt32LE(at + 20),
    bytes: archive.readUInt32LE(at + 24),
    at: archive.readUInt32LE(at + 42),
    mode,
    isFolder,
  }
}

const quoted = (name: string): string => JSON.stringify(name.slice(0, 80))

/** Two names that some disk takes for one, or a file where a folder must be, would lay out something else than the list says. */
function requirePlain(listed: Listed[], files: Listed[]): void {
  const seen = new Set<string>()
  for (const { path } of listed) {
    const key = path.toLowerCase()
    if (seen.has(key)) throw new ZipRefused(`${quoted(path)} is in the archive twice.`)
    seen.add(key)
  }
  const names = new Set(files.map(({ path }) => path.toLowerCase()))
  const inside = listed.find(({ path }) => foldersOf(path.toLowerCase()).some((folder) => names.has(folder)))
  if (inside) throw new ZipRefused(`${quoted(inside.path)} lies in what is a file too.`)
}

async function unpack(archive: Buffer, { path, method, crc, packedBytes, bytes, at }: Listed): Promise<Buffer> {
  if (at + localBytes > archive.length || archive.readUInt32LE(at) !== signatures.local) throw broken()
  const from = at + localBytes + archive.readUInt16LE(at + 26) + archive.readUInt16LE(at + 28)
  const packed = archive.subarray(from, from + packedBytes)
  if (packed.length !== packedBytes) throw broken()
  const content = method === 0 ? Buffer.from(packed) : method === 8 ? await inflated(packed, bytes) : undefined
  if (!content) throw new ZipRefused(`${quoted(path)} is packed in a way that is not known here. Use deflate.`)
  if (content.length !== bytes || crc32(content) !== crc) throw broken()
  return content
}

/** Stops as soon as there is more than the archive said. */
async function inflated(packed: Buffer, bytes: number): Promise<Buffer> {
  try {
    return await inflate(packed, { maxOutputLength: Math.max(1, bytes) })
  } catch {
    throw broken()
  }
}

/** 1980-01-01, the first day that the format knows: the same files give the same bytes. */
const date = 0x21

export function writeZip(entries: ZipEntry[]): Buffer {
  const parts: Buffer[] = []
  const list: Buffer[] = []
  let at = 0
  for (const { path, bytes, is_executable } of entries) {
    const name = Buffer.from(path)
    const packed = deflateRawSync(bytes)
    const shared = Buffer.alloc(26)
    shared.writeUInt16LE(20, 0)
    // bit 11: the name is UTF-8
    shared.writeUInt16LE(0x0800, 2)
    shared.writeUInt16LE(8, 4)
    shared.writeUInt16LE(0, 6)
    shared.writeUInt16LE(date, 8)
    shared.writeUInt32LE(crc32(bytes), 10)
    shared.writeUInt32LE(packed.length, 14)
    shared.writeUInt32LE(bytes.length, 18)
    shared.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([word(signatures.local), shared, name])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(((is_executable ? 0o100755 : 0o100644) << 16) >>> 0, 6)
    rest.writeUInt32LE(at, 10)
    list.push(Buffer.concat([word(signatures.central), Buffer.of(20, 3), shared, rest, name]))
    parts.push(local, packed)
    at += local.length + packed.length
  }
  const central = Buffer.concat(list)
  const end = Buffer.alloc(endBytes)
  end.writeUInt32LE(signatures.end, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, central, end])
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
