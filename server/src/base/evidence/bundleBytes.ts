// The bytes of a bundle on disk, read a piece at a time.
import type { FileHandle } from 'node:fs/promises'
import { rowBytesMax } from './manifest.ts'

/** A whole number of lines of the files beside rows. */
const pieceBytes = 512 * 130

const windowBytes = 16 * 1024

/** The file cannot be read as far as it should: somebody changes it, or its disk fails. */
export class BundleUnreadable extends Error {}

/** One line of a file with rows. */
export interface Row {
  /** Without its line break; undefined if it has more bytes than a row may have. */
  bytes: Buffer | undefined
  /** False for a last row without a line break. */
  isEnded: boolean
}

export class BundleBytes {
  readonly size: number
  readonly #file: FileHandle
  readonly #signal: AbortSignal | undefined
  /** What was read last: most parts of a bundle are small, and lie one behind the other. */
  #window: { from: number; bytes: Buffer } = { from: 0, bytes: Buffer.alloc(0) }

  constructor(file: FileHandle, size: number, signal: AbortSignal | undefined) {
    this.#file = file
    this.size = size
    this.#signal = signal
  }

  async read(at: number, length: number): Promise<Buffer> {
    if (length > windowBytes) return this.#readFile(at, length)
    const { from, bytes } = this.#window
    if (at >= from && at + length <= from + bytes.length) return bytes.subarray(at - from, at - from + length)
    const ahead = Math.max(length, Math.min(windowBytes, this.size - at))
    this.#window = { from: at, bytes: await this.#readFile(at, ahead) }
    return this.#window.bytes.subarray(0, length)
  }

  async #readFile(at: number, length: number): Promise<Buffer> {
    this.#signal?.throwIfAborted()
    const bytes = Buffer.allocUnsafe(length)
    let filled = 0
    while (filled < length) {
      const { bytesRead } = await this.#file.read(bytes, filled, length - filled, at + filled)
      if (bytesRead === 0) throw new BundleUnreadable('The file became shorter while it was read.')
      filled += bytesRead
    }
    return bytes
  }

  async *pieces(at: number, length: number): AsyncGenerator<Buffer> {
    for (let done = 0; done < length; done += pieceBytes) {
      yield await this.read(at + done, Math.min(pieceBytes, length - done))
    }
  }

  /** Parts of the same length; the last may be shorter. */
  async *parts(at: number, length: number, partBytes: number): AsyncGenerator<Buffer> {
    for await (const piece of this.pieces(at, length)) {
      for (let from = 0; from < piece.length; from += partBytes) yield piece.subarray(from, from + partBytes)
    }
  }

  /** `seen` gets every piece, also of what is too long for a row. */
  async *rows(at: number, length: number, seen?: (piece: Buffer) => void): AsyncGenerator<Row> {
    let begun = new BegunRow()
    for await (const piece of this.pieces(at, length)) {
      seen?.(piece)
      let from = 0
      for (let to = piece.indexOf(lineBreak); to !== -1; to = piece.indexOf(lineBreak, from)) {
        begun.add(piece.subarray(from, to))
        yield { bytes: begun.whole(), isEnded: true }
        begun = new BegunRow()
        from = to + 1
      }
      begun.add(piece.subarray(from))
    }
    if (begun.length > 0) yield { bytes: begun.whole(), isEnded: false }
  }
}

const lineBreak = 0x0a

/** The parts of a row that are read so far. */
class BegunRow {
  length = 0
  #parts: Buffer[] = []

  add(part: Buffer): void {
    this.length += part.length
    if (this.length > rowBytesMax) this.#parts = []
    else if (part.length > 0) this.#parts.push(part)
  }

  whole(): Buffer | undefined {
    if (this.length > rowBytesMax) return undefined
    const [first] = this.#parts
    return first && this.#parts.length === 1 ? first : Buffer.concat(this.#parts)
  }
}
