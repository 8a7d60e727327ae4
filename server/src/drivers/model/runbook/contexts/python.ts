// Finds the holes of a Python program where a literal would not be a value of its own: in texts and comments, or against a word.
import type { MarkedText } from '../../../../base/expression/holes.ts'
import type { Refuse } from '../template.ts'
import { standsAlone } from './standsAlone.ts'

const inText = 'in a text. Join it: "text " + str({{ … }}) + " text", or set a name before it: name = {{ … }}.'
const inComment = 'in a comment. Take it out.'
const inFormatted =
  'in or after an f-string that holds quotes. Set a name at the top of the block, name = {{ … }}, and use that.'

const encoding = /^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)/

export function checkPython(drawing: MarkedText, refuse: Refuse): void {
  const { text, positions } = drawing
  let hole = 0
  const refuseTo = (end: number, why: string): void => {
    for (; hole < positions.length && positions[hole]! < end; hole += 1) refuse(hole, why)
  }
  if (hasOtherEncoding(text))
    refuseTo(text.length, 'in a program with another encoding than UTF-8. Take the coding line out.')
  let at = 0
  while (at < text.length && hole < positions.length) {
    const sign = text[at]!
    if (positions[hole] === at) {
      if (!standsAlone(drawing, hole))
        refuse(hole, 'right beside a word, a text or another value. Put a space or an operator between.')
      hole += 1
      at += 1
    } else if (sign === '#') {
      const feed = text.indexOf('\n', at)
      at = feed === -1 ? text.length : feed
      refuseTo(at, inComment)
    } else if (sign === '"' || sign === "'") {
      const end = endOfText(text, at)
      if (end === -1) return refuseTo(text.length, inFormatted)
      refuseTo(end, inText)
      at = end
    } else at += 1
  }
}

/** Another encoding would read the bytes of a value as other characters. */
function hasOtherEncoding(text: string): boolean {
  return text
    .split('\n', 2)
    .map((line) => encoding.exec(line)?.[1]?.toLowerCase())
    .some((name) => name !== undefined && !/^utf-?8$/.test(name))
}

/** After the closing quotes of the text that opens at `at`; -1 where versions of Python disagree about it. */
function endOfText(text: string, at: number): number {
  const quote = text[at]!
  const closing = text.startsWith(quote.repeat(3), at) ? quote.repeat(3) : quote
  const isFormatted = /[ft]/i.test(prefixOf(text, at))
  let depth = 0
  for (let next = at + closing.length; next < text.length; next += 1) {
    const sign = text[next]!
    if (depth > 0 && `'"\\#\n`.includes(sign)) return -1
    if (sign === '\\') next += 1
    else if (text.startsWith(closing, next)) return next + closing.length
    else if (sign === '\n' && closing.length === 1) return next
    else if (isFormatted && sign === '{') {
      if (depth === 0 && text[next + 1] === '{') next += 1
      else depth += 1
    } else if (depth > 0 && sign === '}') depth -= 1
  }
  return text.length
}

function prefixOf(text: string, quoteAt: number): string {
  let from = quoteAt
  while (quoteAt - from < 2 && /[a-zA-Z]/.test(text[from - 1] ?? '')) from -= 1
  return text.slice(from, quoteAt)
}
