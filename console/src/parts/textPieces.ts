// Where a long text is cut: a beginning that everybody sees, then as much at a time as a page draws without stopping.

/** A longer text is cut until somebody wants more of it. */
export const textShown = 2000
/** Up to here the rest comes at once; what is longer comes in pieces of this size. */
const pieceSize = 100_000
const wholeMax = 200_000

/** Where the next piece ends. A character of two halves stays whole. */
export function endOfPiece(text: string, from: number): number {
  const end = from === 0 ? textShown : text.length <= wholeMax ? text.length : from + pieceSize
  if (end >= text.length) return text.length
  const last = text.charCodeAt(end - 1)
  return last >= 0xd8_00 && last <= 0xdb_ff ? end - 1 : end
}
