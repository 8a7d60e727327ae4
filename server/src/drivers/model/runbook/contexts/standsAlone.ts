// Whether a literal put into a hole of a program touches nothing that it could merge with.
import type { MarkedText } from '../../../../base/expression/holes.ts'

// another hole is drawn as a character that is not among these
const neutral = /^[\s()[\]{},:;=+\-*/%<>!&|^~?]?$/

export function standsAlone({ text, positions }: MarkedText, hole: number): boolean {
  const at = positions[hole]!
  return neutral.test(text[at - 1] ?? '') && neutral.test(text[at + 1] ?? '')
}
