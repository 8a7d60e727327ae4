// The text of a command's output: at most a given number of bytes, whole characters only, and nothing a database would refuse.

/** NUL becomes U+FFFD, like bytes that are not UTF-8: PostgreSQL's text cannot hold it. */
export function boundedText(bytes: Uint8Array, bytesMax: number): { text: string; truncated: boolean } {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(wholeCharacters(bytes, bytesMax))
  const clean = text.replaceAll('\0', '\uFFFD')
  // a replacement takes three bytes where there was one
  const encoded = new TextEncoder().encode(clean)
  if (encoded.length <= bytesMax) return { text: clean, truncated: bytes.length > bytesMax }
  return { text: new TextDecoder().decode(wholeCharacters(encoded, bytesMax)), truncated: true }
}

function wholeCharacters(bytes: Uint8Array, bytesMax: number): Uint8Array {
  if (bytes.length <= bytesMax) return bytes
  let end = bytesMax
  // the byte after the cut is the middle of a character (10xxxxxx, RFC 3629 §3): go back to its beginning
  while (end > 0 && end > bytesMax - 4 && ((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end -= 1
  return bytes.subarray(0, end)
}

interface Collected {
  add(chunk: Uint8Array): void
  /** What comes now is dropped. */
  isFull(): boolean
  result(): { text: string; truncated: boolean }
}

/** Holds the beginning of a stream and drops the rest as it comes. */
export function collectOutput(bytesMax: number): Collected {
  const chunks: Uint8Array[] = []
  let kept = 0
  return {
    add(chunk) {
      // one byte more than may be shown, so that a cut is noticed
      const part = chunk.subarray(0, Math.max(0, bytesMax + 1 - kept))
      if (part.length === 0) return
      // a copy: the pool behind a small chunk is larger than the chunk
      chunks.push(Uint8Array.from(part))
      kept += part.length
    },
    isFull: () => kept > bytesMax,
    result: () => boundedText(Buffer.concat(chunks), bytesMax),
  }
}
