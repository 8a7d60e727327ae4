// What the service asks of a place for bytes: it keeps them once, under their SHA-256, and gives them back by it.

export interface Blobs {
  /** Stores each content, once however often it comes; gives their SHA-256 in hexadecimal, in the same order. */
  put(contents: Uint8Array[]): Promise<string[]>
  /** Stores what arrives in pieces, which are kept as they come: whoever names it in a transaction of theirs finds it whole. */
  putStream(pieces: AsyncIterable<Uint8Array>): Promise<StoredBlob>
  /** The bytes of those that are there, each at most its first `bytesMax`. */
  get(sha256s: string[], bytesMax?: number): Promise<Map<string, Buffer>>
  /** The bytes of one, piece by piece; what is not there has none. */
  read(sha256: string): AsyncIterable<Buffer>
  /** The blobs that are there. */
  has(sha256s: string[]): Promise<Set<string>>
}

export interface StoredBlob {
  sha256: string
  size_bytes: number
}
