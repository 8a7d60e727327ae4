// The bytes around the files of a bundle. Zip leaves choices; here every byte follows from paths and contents, so a change of any is found.

/** A bundle with more entries or bytes would need Zip64. */
export const archiveBounds = { entriesMax: 65_534, bytesMax: 0xffff_ffff }

export const localBytes = 30
export const descriptorBytes = 16
export const centralBytes = 46
export const endBytes = 22

/** One file in the archive: where its header begins, and what its content is. */
export interface Entry {
  path: string
  at: number
  bytes: number
}

export const nameBytes = (path: string): number => Buffer.byteLength(path)

/** How many bytes an entry has with all that is around its content. */
export const entryBytes = (path: string, bytes: number): number =>
  localBytes + nameBytes(path) + bytes + descriptorBytes

export const contentAt = ({ path, at }: Entry): number => at + localBytes + nameBytes(path)

export const centralRecordBytes = (path: string): number => centralBytes + nameBytes(path)

const signatures = { local: 0x04034b50, descriptor: 0x08074b50, central: 0x02014b50, end: 0x06054b50 }
const version = 20
/** The sizes follow the content, which can be written before they are known; names are UTF-8. */
const flags = 0x0808
/** 1980-01-01, the first day that the format knows: the same files give the same bytes. */
const date = 0x21
/** Version 20, made on Unix, which alone says what kind of file an entry is. */
const madeBy = 0x0314
const plainFile = 0o100644 * 0x10000

/** Version, flags, method (stored), time and date. */
function writeKind(bytes: Buffer, at: number): void {
  bytes.writeUInt16LE(version, at)
  bytes.writeUInt16LE(flags, at + 2)
  bytes.writeUInt16LE(date, at + 8)
}

export function localHeader(path: string): Buffer {
  const name = Buffer.from(path)
  const header = Buffer.alloc(localBytes)
  header.writeUInt32LE(signatures.local, 0)
  writeKind(header, 4)
  header.writeUInt16LE(name.length, 26)
  return Buffer.concat([header, name])
}

export function descriptor(crc: number, bytes: number): Buffer {
  const record = Buffer.alloc(descriptorBytes)
  record.writeUInt32LE(signatures.descriptor, 0)
  record.writeUInt32LE(crc, 4)
  record.writeUInt32LE(bytes, 8)
  record.writeUInt32LE(bytes, 12)
  return record
}

export function centralRecord({ path, at, bytes }: Entry, crc: number): Buffer {
  const name = Buffer.from(path)
  const record = Buffer.alloc(centralBytes)
  record.writeUInt32LE(signatures.central, 0)
  record.writeUInt16LE(madeBy, 4)
  writeKind(record, 6)
  record.writeUInt32LE(crc, 16)
  record.writeUInt32LE(bytes, 20)
  record.writeUInt32LE(bytes, 24)
  record.writeUInt16LE(name.length, 28)
  record.writeUInt32LE(plainFile, 38)
  record.writeUInt32LE(at, 42)
  return Buffer.concat([record, name])
}

/** What a central record says, as far as one must know it to find the entry; undefined if it is not one. */
export function readCentral(record: Buffer): { nameBytes: number; at: number; bytes: number } | undefined {
  if (record.length < centralBytes || record.readUInt32LE(0) !== signatures.central) return undefined
  return { nameBytes: record.readUInt16LE(28), at: record.readUInt32LE(42), bytes: record.readUInt32LE(24) }
}

export function endRecord(entries: number, centralSize: number, centralFrom: number): Buffer {
  const record = Buffer.alloc(endBytes)
  record.writeUInt32LE(signatures.end, 0)
  record.writeUInt16LE(entries, 8)
  record.writeUInt16LE(entries, 10)
  record.writeUInt32LE(centralSize, 12)
  record.writeUInt32LE(centralFrom, 16)
  return record
}
