// What the service asks of a store for bytes: it stores each content once, under its SHA-256, and returns it by that hash.

export interface Blobs {
  /**
   * Stores each content once, however often it is given; returns their SHA-256 in hexadecimal, in the same order. In a transaction, they exist
   * exactly if it commits. What `bring` stored before is found and not sent again.
   */
  put(contents: Uint8Array[]): Promise<string[]>
  /**
   * Stores what is large of these contents where large contents go, so that a transaction that follows need not. Call it outside of
   * transactions. It may store none of them; `put` then does.
   */
  bring(contents: Uint8Array[]): Promise<void>
  /** Stores a content that arrives in pieces, each as it comes. A later transaction that refers to it finds it whole. */
  putStream(pieces: AsyncIterable<Uint8Array>): Promise<StoredBlob>
  /** The same for a content that can be read a second time, so that an object store that is away stops nobody. */
  putReadable(read: () => AsyncIterable<Uint8Array>): Promise<StoredBlob>
  /** The bytes of those that exist, at most the first `bytesMax` of each. In a transaction, at most `beginningBytes`. */
  get(sha256s: string[], bytesMax?: number): Promise<Map<string, Buffer>>
  /** The bytes of one blob, piece by piece, or a part of them; none if it does not exist. */
  read(sha256: string, range?: ByteRange): AsyncIterable<Buffer>
  /** Which of these blobs exist. */
  has(sha256s: string[]): Promise<Set<string>>
  /** The same, and the sweep leaves them to a transaction that follows and refers to them. */
  keep(sha256s: string[]): Promise<Set<string>>
  /** A URL by which anybody gets the bytes straight from an object store for a short time; undefined: there is none, read them. */
  link(sha256: string, answer: LinkAnswer): Promise<string | undefined>
}

export interface StoredBlob {
  sha256: string
  size_bytes: number
}

/** From the byte `from` to before the byte `to`. */
export interface ByteRange {
  from: number
  to: number
}

/** What the store answers with beside the bytes. */
interface LinkAnswer {
  contentType: string
  disposition: string
}

/** This much of every blob is in PostgreSQL, wherever the rest is: what a model reads of a file, and what tells what a file is. */
export const beginningBytes = 64 * 1024
