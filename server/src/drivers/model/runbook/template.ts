// Text with {{ }} in it, taken apart: what is written, and the holes that values will fill.
import { ExpressionProblem, parseExpression, type Expression } from './expression.ts'

/** Where a text goes decides how a value is written into it (render.ts). */
export type TextKind =
  | 'bash'
  | 'python'
  | 'js'
  | 'url'
  | 'header'
  | 'form'
  | 'line'
  | 'json_text'
  | 'json_value'
  | 'text'
  | 'value'

export interface Hole {
  /** Null if the text is not an expression; a runbook with such a hole has a problem and is never run. */
  expression: Expression | null
  line: number
  /** A narrower context inside the context, e.g. within a JSON string. */
  part: 'json_string' | 'path' | 'query' | 'target' | null
}

/** `literals[0] holes[0] literals[1] … literals[n]`. */
export interface Template {
  place: TextKind
  literals: string[]
  holes: Hole[]
}

/** A template with one character in the place of each hole, for code that reads the text around it. */
export interface MarkedText {
  text: string
  /** Where in `text` each hole is. */
  positions: number[]
  /** Whether the value of each is a number, or null, whatever it reads. */
  areNumbers: boolean[]
}

/** Why a value is not allowed in this hole; `why` continues the sentence "A value cannot stand ". */
export type Refuse = (hole: number, why: string) => void

export type Tell = (line: number, message: string) => void

const literalHint = 'Write \\{{ where you mean the two braces themselves.'

export function splitHoles(text: string, firstLine: number, place: TextKind, tell: Tell): Template {
  const template: Template = { place, literals: [], holes: [] }
  const known = new Map<string, Expression>()
  let literal = ''
  let taken = 0
  let at = 0
  let line = firstLine
  let feed = text.indexOf('\n')
  for (;;) {
    const open = text.indexOf('{{', at)
    if (open === -1) break
    for (; feed !== -1 && feed < open; feed = text.indexOf('\n', feed + 1)) line += 1
    if (open > taken && text[open - 1] === '\\') {
      literal += `${text.slice(taken, open - 1)}{{`
      taken = at = open + 2
      continue
    }
    const close = endOfHole(text, open + 2)
    if (close.isOpen) {
      tell(line, `A {{ is not closed by }} on its line. ${literalHint}`)
      at = close.at
      continue
    }
    template.literals.push(literal + text.slice(taken, open))
    const source = text.slice(open + 2, close.at)
    const expression = known.get(source) ?? readHole(source, line, tell)
    if (expression) known.set(source, expression)
    template.holes.push({ expression, line, part: null })
    literal = ''
    taken = at = close.at + 2
  }
  template.literals.push(literal + text.slice(taken))
  return template
}

/** The next `}}` outside quotes, or the end of the line. */
function endOfHole(text: string, from: number): { at: number; isOpen: boolean } {
  let quote = ''
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at]!
    if (sign === '\n') return { at, isOpen: true }
    if (quote !== '') {
      if (sign === '\\' && text[at + 1] !== '\n') at += 1
      else if (sign === quote) quote = ''
    } else if (sign === '"' || sign === "'") quote = sign
    else if (sign === '}' && text[at + 1] === '}') return { at, isOpen: false }
  }
  return { at: text.length, isOpen: true }
}

function readHole(source: string, line: number, tell: Tell): Expression | null {
  try {
    return parseExpression(source)
  } catch (error) {
    if (!(error instanceof ExpressionProblem)) throw error
    tell(line, `{{${source.slice(0, 60)}}} cannot be read: ${error.message} ${literalHint}`)
    return null
  }
}

export function markHoles({ literals, holes }: Template): MarkedText {
  const positions: number[] = []
  let length = 0
  for (let hole = 0; hole < holes.length; hole += 1) {
    length += literals[hole]!.length
    positions.push(length)
    length += 1
  }
  return { text: literals.join('\uFFFC'), positions, areNumbers: holes.map(isNumber) }
}

const numberFilters = new Set(['length', 'number', 'sum'])

function isNumber({ expression }: Hole): boolean {
  const node = expression?.node
  return node?.kind === 'filter' && numberFilters.has(node.name)
}

/** The first position of a character outside {{ }}, or -1. */
export function indexOutsideHoles(text: string, sign: string): number {
  let at = 0
  let index = text.indexOf(sign)
  for (;;) {
    if (index !== -1 && index < at) index = text.indexOf(sign, at)
    const open = text.indexOf('{{', at)
    if (index === -1 || open === -1 || index < open) return index
    if (open > 0 && text[open - 1] === '\\') at = open + 2
    else at = endOfHole(text, open + 2).at + 2
  }
}
