// A text with {{ }} in it, split into what is written and the holes that values will fill.
import { ExpressionProblem, parseExpression, type Expression, type Roots } from './expression.ts'

export interface Hole {
  /** Null if the text is not an expression; such a text has a problem, and its holes are never filled. */
  expression: Expression | null
  line: number
}

/** `literals[0] holes[0] literals[1] … literals[n]`. */
export interface SplitText<H = Hole> {
  literals: string[]
  holes: H[]
}

/** A word of the line that was most likely meant to be another: it stands right after one of the texts of `after`. */
export interface Misspelling {
  after: readonly string[]
  word: string
  meant: string
}

export type Tell = (line: number, message: string, misspelling?: Misspelling) => void

const literalHint = 'Write \\{{ where you mean the two braces themselves.'

/** The holes with their expressions. */
export function splitHoles(text: string, firstLine: number, roots: Roots, tell: Tell): SplitText {
  const { literals, holes } = splitText(text, firstLine, tell)
  const known = new Map<string, Expression | null>()
  const expressionOf = (source: string, line: number): Expression | null => {
    const expression = known.get(source) ?? readHole(source, line, roots, tell)
    known.set(source, expression)
    return expression
  }
  return { literals, holes: holes.map(({ source, line }) => ({ expression: expressionOf(source, line), line })) }
}

/** The holes with the text between their braces. */
export function splitText(text: string, firstLine: number, tell: Tell): SplitText<{ source: string; line: number }> {
  const split: SplitText<{ source: string; line: number }> = { literals: [], holes: [] }
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
    split.literals.push(literal + text.slice(taken, open))
    split.holes.push({ source: text.slice(open + 2, close.at), line })
    literal = ''
    taken = at = close.at + 2
  }
  split.literals.push(literal + text.slice(taken))
  return split
}

/** The next `}}` outside quotes, or the end of the line. */
export function endOfHole(text: string, from: number): { at: number; isOpen: boolean } {
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

export function readHole(source: string, line: number, roots: Roots, tell: Tell): Expression | null {
  try {
    return parseExpression(source, roots)
  } catch (error) {
    if (!(error instanceof ExpressionProblem)) throw error
    const misspelling = error.misspellingAfter('{{', source)
    tell(line, `{{${source.slice(0, 60)}}} cannot be read: ${error.message} ${literalHint}`, misspelling)
    return null
  }
}

/** A split text with one character for each hole, for code that reads the text around it. */
export interface MarkedText {
  text: string
  /** Where in `text` each hole is. */
  positions: number[]
  /** Whether the value of each is a number, or null, whatever it reads. */
  areNumbers: boolean[]
}

export function markHoles({ literals, holes }: SplitText): MarkedText {
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
