// What the blobs ask of an object store: objects by their keys, whole or in parts, and how its absence is told from its refusal.

export interface ObjectStore {
  /** The name that rows of objects have: `s3://bucket/prefix`. */
  readonly name: string
  put(key: string, content: HashedBytes): Promise<void>
  /** Begins an upload in parts; returns its id. */
  beginParts(key: string): Promise<string>
  /** Returns what `finishParts` needs to know of the part. Parts are numbered from 1; all but the last have `partBytes`. */
  putPart(key: string, uploadId: string, number: number, content: HashedBytes): Promise<string>
  /** Makes the parts one object, and checks that it has this size. */
  finishParts(key: string, uploadId: string, parts: string[], sizeBytes: number): Promise<void>
  /** Ends uploads of this key that were never finished. */
  abortParts(key: string, uploadId: string | null): Promise<void>
  /** The bytes from `from` to before `to`, in pieces; goes on by itself where a connection broke. */
  read(key: string, range: { from: number; to: number }, options?: { patienceMs?: number }): AsyncIterable<Buffer>
  /** Undefined: there is no such object. */
  size(key: string): Promise<number | undefined>
  remove(key: string): Promise<void>
  /** A URL that answers with the object for so many seconds. */
  link(key: string, answer: { contentType: string; disposition: string; validS: number }): string
}

/** The store checks the hash of what arrives. Who has the bytes has hashed them already, piece by piece as they came. */
export interface HashedBytes {
  bytes: Uint8Array
  /** In hexadecimal. */
  sha256: string
}

/** The store does not answer, or says that it cannot at the moment: the same may succeed later. */
export class StoreAway extends Error {
  override name = 'StoreAway'
}

/** The store answers and refuses: a wrong key, a missing bucket, a clock that is off. */
export class StoreRefused extends Error {
  override name = 'StoreRefused'
}

/** There is no object with this key. */
export class NoSuchObject extends Error {
  override name = 'NoSuchObject'
}

/** The bytes of one content are missing or changed, wherever they are stored. Others may be as they were. */
export class BytesDamaged extends Error {
  override name = 'BytesDamaged'
}

/** Every part but the last has this size. S3 takes 5 MiB to 5 GiB and 10,000 parts, so an object has at most 80 GiB. */
export const partBytes = 8 * 1024 * 1024
