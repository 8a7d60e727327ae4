// Pieces of any size, collected into parts of one size, each with its hash; the hash of all of them grows along.
import { createHash, type Hash } from 'node:crypto'
import type { HashedBytes } from './objectStore.ts'

/** What is shorter than this is put together when it is whole; for more, the memory of a whole part is taken at once. */
const smallBytes = 1024 * 1024

/** Every part but the last has `size` bytes; a last one may be shorter, and there is none for no bytes. */
export async function* collectParts(
  pieces: AsyncIterable<Uint8Array>,
  size: number,
  whole: Hash,
): AsyncGenerator<HashedBytes> {
  let part = newPart(size)
  for await (const piece of pieces) {
    whole.update(piece)
    for (let at = 0; at < piece.length;) {
      at += part.take(piece.subarray(at, at + size - part.length))
      if (part.length < size) continue
      yield part.end()
      part = newPart(size)
    }
  }
  if (part.length > 0) yield part.end()
}

function newPart(size: number) {
  const digest = createHash('sha256')
  let small: Uint8Array[] = []
  let large: Buffer | undefined
  const part = {
    length: 0,
    take(bytes: Uint8Array): number {
      digest.update(bytes)
      if (!large && part.length + bytes.length > smallBytes) {
        large = Buffer.allocUnsafeSlow(size)
        let at = 0
        for (const one of small) {
          large.set(one, at)
          at += one.length
        }
        small = []
      }
      if (large) large.set(bytes, part.length)
      else small.push(bytes)
      part.length += bytes.length
      return bytes.length
    },
    end(): HashedBytes {
      const bytes = large ? large.subarray(0, part.length) : Buffer.concat(small, part.length)
      return { bytes, sha256: digest.digest('hex') }
    },
  }
  return part
}
