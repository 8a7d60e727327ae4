// Finds the holes of a JavaScript program where a literal would not be a value of its own: in texts, patterns and comments, or against a word.
import type { MarkedText } from '../../../../base/expression/holes.ts'
import type { Refuse } from '../template.ts'
import { standsAlone } from './standsAlone.ts'

interface Reader {
  drawing: MarkedText
  at: number
  hole: number
  refuse: Refuse
  /** The last word or character before this position, to tell a division from a pattern. */
  before: string
  /** The end of the line that was searched for last. */
  lineEnd: number
}

const inText = 'in a text. Join it: "text " + {{ … }} + " text".'
const inTemplate = 'in a template literal. Set a name before it, const name = {{ … }}, and write ${name}.'
const inComment = 'in a comment. Take it out.'
const unsure =
  'after a place that can be read in two ways. Set a name at the top of the block, const name = {{ … }}, and use that.'

const lineBreaks = /[\n\r\u2028\u2029]/g
const word = /[\p{L}\p{N}\p{M}_$#]+/uy
/** Words after which a slash begins a pattern. */
const expecting = new Set(['case', 'delete', 'do', 'else', 'instanceof', 'new', 'return', 'throw', 'typeof', 'void'])
/** Signs after which a slash may begin a pattern or divide. */
const ambiguous = new Set([')', '}', '++', '--', '.', 'await', 'in', 'of', 'yield'])

export function checkJs(drawing: MarkedText, refuse: Refuse): void {
  const { text, positions } = drawing
  const reader: Reader = { drawing, at: 0, hole: 0, refuse, before: '', lineEnd: -1 }
  if (text.startsWith('#!')) passTo(reader, endOfLine(reader), inComment)
  while (reader.at < text.length && reader.hole < positions.length) {
    const end = step(reader)
    if (end === -1) return passTo(reader, text.length, unsure)
  }
}

function passTo(reader: Reader, end: number, why: string): void {
  const { positions } = reader.drawing
  for (; reader.hole < positions.length && positions[reader.hole]! < end; reader.hole += 1)
    reader.refuse(reader.hole, why)
  reader.at = end
}

/** Reads one thing; -1 where its end is not certain. */
function step(reader: Reader): number {
  const { text, positions } = reader.drawing
  const { at } = reader
  const sign = text[at]!
  if (positions[reader.hole] === at) return takeHole(reader)
  if (/\s/.test(sign)) return (reader.at += 1)
  if (sign === '"' || sign === "'") return takeRegion(reader, endOfText(text, at), inText)
  if (sign === '`') return takeRegion(reader, endOfTemplate(text, at), inTemplate)
  if (sign === '\\' || text.startsWith('<!--', at) || text.startsWith('-->', at)) return -1
  if (text.startsWith('//', at)) return takeComment(reader, endOfLine(reader))
  if (text.startsWith('/*', at)) {
    const end = text.indexOf('*/', at + 2)
    return takeComment(reader, end === -1 ? text.length : end + 2)
  }
  if (sign === '/') return takeSlash(reader)
  word.lastIndex = at
  const name = word.exec(text)?.[0]
  reader.before = name ?? (text[at - 1] === sign && (sign === '+' || sign === '-') ? sign + sign : sign)
  return (reader.at += name?.length ?? 1)
}

function takeHole(reader: Reader): number {
  if (!standsAlone(reader.drawing, reader.hole)) {
    reader.refuse(reader.hole, 'right beside a word, a text or another value. Put a space or an operator between.')
  }
  reader.hole += 1
  reader.before = 'value'
  return (reader.at += 1)
}

function takeRegion(reader: Reader, end: number, why: string): number {
  if (end === -1) return -1
  passTo(reader, end, why)
  reader.before = 'value'
  return end
}

function takeComment(reader: Reader, end: number): number {
  passTo(reader, end, inComment)
  return end
}

/** A division, or a pattern that ends on the same line. */
function takeSlash(reader: Reader): number {
  const { before } = reader
  const next = reader.drawing.text.indexOf('/', reader.at + 1)
  if (next !== -1 && next < endOfLine(reader)) {
    if (ambiguous.has(before)) return -1
    const followsValue = before === ']' || (/^[\p{L}\p{N}_$]/u.test(before) && !expecting.has(before))
    if (!followsValue) return takePattern(reader)
  }
  reader.before = '/'
  return (reader.at += 1)
}

function takePattern(reader: Reader): number {
  const { text } = reader.drawing
  const lineEnd = endOfLine(reader)
  let inClass = false
  for (let at = reader.at + 1; at < lineEnd; at += 1) {
    const sign = text[at]!
    if (sign === '\\') at += 1
    else if (sign === '[') inClass = true
    else if (sign === ']') inClass = false
    else if (sign === '/' && !inClass) return takeRegion(reader, at + 1, 'in a pattern. Use new RegExp({{ … }}).')
  }
  return -1
}

function endOfLine(reader: Reader): number {
  if (reader.lineEnd >= reader.at) return reader.lineEnd
  lineBreaks.lastIndex = reader.at
  reader.lineEnd = lineBreaks.exec(reader.drawing.text)?.index ?? reader.drawing.text.length
  return reader.lineEnd
}

function endOfText(text: string, from: number): number {
  const quote = text[from]
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === quote) return at + 1
    else if (text[at] === '\n' || text[at] === '\r') return at
  }
  return text.length
}

/** Code inside `${ }` may hold braces and quotes of its own; with any of those, or another template, the end is not certain. */
function endOfTemplate(text: string, from: number): number {
  let inCode = false
  for (let at = from + 1; at < text.length; at += 1) {
    const sign = text[at]!
    if (inCode) {
      if (sign === '}') inCode = false
      else if ('`\'"/\\{'.includes(sign)) return -1
    } else if (sign === '\\') at += 1
    else if (sign === '`') return at + 1
    else if (sign === '$' && text[at + 1] === '{') {
      inCode = true
      at += 1
    }
  }
  return text.length
}
