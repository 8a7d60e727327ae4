// What the service asks of a store for bytes: it stores each content once, under its SHA-256, and returns it by that hash.

export interface Blobs {
  /** Stores each content once, however often it is given; returns their SHA-256 in hexadecimal, in the same order. */
  put(contents: Uint8Array[]): Promise<string[]>
  /** Stores a content that arrives in pieces, each as it comes. A later transaction that refers to it finds it whole. */
  putStream(pieces: AsyncIterable<Uint8Array>): Promise<StoredBlob>
  /** The bytes of those that exist, at most the first `bytesMax` of each. */
  get(sha256s: string[], bytesMax?: number): Promise<Map<string, Buffer>>
  /** The bytes of one blob, piece by piece; none if it does not exist. */
  read(sha256: string): AsyncIterable<Buffer>
  /** Which of these blobs exist. */
  has(sha256s: string[]): Promise<Set<string>>
}

export interface StoredBlob {
  sha256: string
  size_bytes: number
}
