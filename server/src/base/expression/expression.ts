// The language inside {{ }}: reads its text into a tree. Nothing of it is ever run as code.
import { nearestWord } from '../nearestWord.ts'

interface FilterWords {
  /** What it gives, for people who write expressions. */
  says: string
  /** It takes a value in parentheses. */
  takesValue?: true
}

export const filterWords = {
  default: { says: 'The value in parentheses where this one is null.', takesValue: true },
  first: { says: 'The first of a list.' },
  join: { says: 'A list as text, with the text in parentheses between its items.', takesValue: true },
  json: { says: 'The value as JSON text.' },
  last: { says: 'The last of a list.' },
  length: { says: 'How long a list, a text or an object is.' },
  lines: { says: 'The lines of a text, as a list.' },
  lower: { says: 'A text in lower case.' },
  number: { says: 'A text as a number.' },
  parse: { says: 'JSON text as a value.' },
  sum: { says: 'The sum of a list of numbers.' },
  trim: { says: 'A text without the spaces around it.' },
  upper: { says: 'A text in upper case.' },
} as const satisfies Record<string, FilterWords>
export type FilterName = keyof typeof filterWords
export const filterNames = Object.keys(filterWords) as FilterName[]
const takesValue = (name: FilterName): boolean => 'takesValue' in filterWords[name]

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'contains'

export type Node =
  | { kind: 'literal'; value: string | number | boolean | null }
  | { kind: 'path'; root: string; keys: Node[] }
  | { kind: 'get'; of: Node; keys: Node[] }
  | { kind: 'not'; of: Node }
  | { kind: 'and' | 'or'; left: Node; right: Node }
  | { kind: 'compare'; operator: Comparison; left: Node; right: Node }
  | { kind: 'filter'; name: FilterName; of: Node; argument: Node | null }

/** A name that a path may begin with, and what it demands of the key after it. A demand is the sentence for a path without it. */
interface Root {
  /** What it holds, for people who write expressions. */
  says?: string
  /** The keys after it that are known before any value is there, each with what it is. */
  fields?: Readonly<Record<string, string>>
  /** A key must follow. */
  keyed?: string
  /** A key that follows is written out, so what the path reads is known before any value is there. */
  named?: string
}

export type Roots = Readonly<Record<string, Root>>

export interface Expression {
  node: Node
  /** The roots that it reads, each with the keys that are written out after it, where its root demands that. */
  reads: ReadonlyMap<string, ReadonlySet<string>>
}

/** The text is not an expression; the message says why. */
export class ExpressionProblem extends Error {
  /** The token that was most likely meant to be another word. */
  readonly #misspelt: { token: Token; meant: string } | undefined

  constructor(message: string, token?: Token, known: readonly string[] = []) {
    super(message)
    const meant = token?.kind === 'name' ? nearestWord(token.text, known) : undefined
    this.#misspelt = token && meant !== undefined ? { token, meant } : undefined
  }

  /** `opening`: what stands before the source in its line. */
  misspellingAfter(opening: string, source: string): { after: string[]; word: string; meant: string } | undefined {
    if (!this.#misspelt) return undefined
    const { token, meant } = this.#misspelt
    return { after: [opening + source.slice(0, token.at)], word: token.text, meant }
  }
}

const lengthMax = 2000
const depthMax = 32

interface Token {
  kind: 'number' | 'string' | 'name' | 'sign' | 'end'
  text: string
  /** Where it begins in the source. */
  at: number
}

const tokenPattern =
  /\s*(?:(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\p{L}\p{N}_.])|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|([\p{L}_][\p{L}\p{N}_-]*)|(==|!=|<=|>=|[<>|()[\].,]))/uy

function tokensOf(source: string): Token[] {
  const tokens: Token[] = []
  const end = source.trimEnd().length
  tokenPattern.lastIndex = 0
  while (tokenPattern.lastIndex < end) {
    const from = tokenPattern.lastIndex
    const match = tokenPattern.exec(source)
    if (!match) throw new ExpressionProblem(strange(source.slice(from).trimStart()))
    const [, number, string, name, sign] = match
    const add = (kind: Token['kind'], text: string): number =>
      tokens.push({ kind, text, at: tokenPattern.lastIndex - text.length })
    if (number !== undefined) add('number', number)
    else if (string !== undefined) add('string', string)
    else if (name !== undefined) add('name', name)
    else add('sign', sign!)
  }
  tokens.push({ kind: 'end', text: 'the end', at: end })
  return tokens
}

function strange(rest: string): string {
  if (rest.startsWith('&&')) return 'Write "and" instead of "&&".'
  if (rest.startsWith('!')) return 'Write "not" instead of "!".'
  if (rest.startsWith('=')) return 'Write "==" to compare.'
  if (rest.startsWith('"') || rest.startsWith("'")) return 'A text in quotes is never closed.'
  return `${JSON.stringify(rest.slice(0, 20))} cannot stand here.`
}

/** `roots`: the names that a path may begin with. */
export function parseExpression(source: string, roots: Roots): Expression {
  if (source.length > lengthMax) throw new ExpressionProblem(`It is longer than ${lengthMax} characters.`)
  if (source.trim() === '') throw new ExpressionProblem('It is empty.')
  const parser = new Parser(tokensOf(source), roots)
  const node = parser.either()
  parser.expectEnd()
  return { node, reads: parser.reads }
}

/** Recursive descent; loosest first: or, and, not, comparison, filters, value. */
class Parser {
  readonly reads = new Map<string, Set<string>>()
  readonly #tokens: Token[]
  readonly #roots: Roots
  #at = 0
  #depth = 0

  constructor(tokens: Token[], roots: Roots) {
    this.#tokens = tokens
    this.#roots = roots
  }

  either(): Node {
    this.#depth += 1
    if (this.#depth > depthMax) throw new ExpressionProblem(`It is nested deeper than ${depthMax} levels.`)
    let left = this.#both()
    while (this.#takes('name', 'or')) left = { kind: 'or', left, right: this.#both() }
    this.#depth -= 1
    return left
  }

  expectEnd(): void {
    const { kind, text } = this.#peek()
    if (kind === 'end') return
    throw new ExpressionProblem(
      text === '|' ? 'Write "or" instead of "||".' : `${JSON.stringify(text)} cannot stand here.`,
    )
  }

  #both(): Node {
    let left = this.#negated()
    while (this.#takes('name', 'and')) left = { kind: 'and', left, right: this.#negated() }
    return left
  }

  #negated(): Node {
    let times = 0
    while (this.#takes('name', 'not')) times += 1
    const of = this.#compared()
    if (times === 0) return of
    const once: Node = { kind: 'not', of }
    return times % 2 === 1 ? once : { kind: 'not', of: once }
  }

  #compared(): Node {
    const left = this.#filtered()
    const { kind, text } = this.#peek()
    if (kind === 'sign' && /^(?:[=!<>]=|[<>])$/.test(text)) {
      this.#at += 1
      return { kind: 'compare', operator: text as Comparison, left, right: this.#filtered() }
    }
    if (kind === 'name' && (text === 'in' || text === 'contains')) {
      this.#at += 1
      return { kind: 'compare', operator: text, left, right: this.#filtered() }
    }
    if (kind === 'name' && text === 'not' && this.#tokens[this.#at + 1]?.text === 'in') {
      this.#at += 2
      return { kind: 'not', of: { kind: 'compare', operator: 'in', left, right: this.#filtered() } }
    }
    return left
  }

  #filtered(): Node {
    let of = this.#value()
    while (this.#takes('sign', '|')) of = this.#filter(of)
    return of
  }

  #filter(of: Node): Node {
    const token = this.#next()
    const { kind, text } = token
    if (kind === 'sign' && text === '|') throw new ExpressionProblem('Write "or" instead of "||".')
    const name = filterNames.find((filter) => kind === 'name' && filter === text)
    if (!name)
      throw new ExpressionProblem(
        `There is no filter ${JSON.stringify(text)}. There are: ${filterNames.join(', ')}.`,
        token,
        filterNames,
      )
    if (!takesValue(name)) return { kind: 'filter', name, of, argument: null }
    if (!this.#takes('sign', '(')) throw new ExpressionProblem(`The filter ${name} needs a value: ${name}("…").`)
    const argument = this.either()
    this.#expect(')')
    return { kind: 'filter', name, of, argument }
  }

  #value(): Node {
    const token = this.#next()
    const { kind, text } = token
    if (kind === 'number') return { kind: 'literal', value: finite(text) }
    if (kind === 'string') return { kind: 'literal', value: unquoted(text) }
    if (kind === 'sign' && text === '(') {
      const of = this.either()
      this.#expect(')')
      const keys = this.#keys()
      return keys.length === 0 ? of : { kind: 'get', of, keys }
    }
    if (kind !== 'name')
      throw new ExpressionProblem(`A value is missing before ${text === 'the end' ? text : JSON.stringify(text)}.`)
    if (text === 'true' || text === 'false') return { kind: 'literal', value: text === 'true' }
    if (text === 'null') return { kind: 'literal', value: null }
    return this.#path(token)
  }

  #path(token: Token): Node {
    const root = token.text
    const demands = Object.hasOwn(this.#roots, root) ? this.#roots[root] : undefined
    if (!demands) {
      const known = Object.keys(this.#roots)
      throw new ExpressionProblem(
        `${JSON.stringify(root)} is not known. An expression reads ${known.join(', ')}; a text stands in quotes.`,
        token,
        known,
      )
    }
    const keys = this.#keys()
    this.#note(root, keys[0], demands)
    return { kind: 'path', root, keys }
  }

  #keys(): Node[] {
    const keys: Node[] = []
    for (;;) {
      if (this.#takes('sign', '.')) keys.push(this.#property())
      else if (this.#takes('sign', '[')) {
        keys.push(this.either())
        this.#expect(']')
      } else return keys
    }
  }

  #property(): Node {
    const { kind, text } = this.#next()
    if (kind === 'name') return { kind: 'literal', value: text }
    throw new ExpressionProblem(`A name is missing after ".". Write .name, [0] or ["any name"].`)
  }

  /** What a path needs before it can be read is known without reading it. */
  #note(root: string, key: Node | undefined, { keyed, named }: Root): void {
    const names = this.reads.get(root) ?? new Set()
    this.reads.set(root, names)
    if (!key && keyed !== undefined) throw new ExpressionProblem(keyed)
    if (!key || named === undefined) return
    if (key.kind !== 'literal' || typeof key.value !== 'string') throw new ExpressionProblem(named)
    names.add(key.value)
  }

  #peek(): Token {
    return this.#tokens[this.#at]!
  }

  #next(): Token {
    const token = this.#peek()
    if (token.kind !== 'end') this.#at += 1
    return token
  }

  #takes(kind: Token['kind'], text: string): boolean {
    const token = this.#peek()
    if (token.kind !== kind || token.text !== text) return false
    this.#at += 1
    return true
  }

  #expect(sign: string): void {
    if (!this.#takes('sign', sign)) throw new ExpressionProblem(`A "${sign}" is missing before ${this.#peek().text}.`)
  }
}

function finite(text: string): number {
  const value = Number(text)
  if (!Number.isFinite(value)) throw new ExpressionProblem(`The number ${text} is too large.`)
  return value
}

const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', '\\': '\\', '"': '"', "'": "'", '/': '/' }

function unquoted(text: string): string {
  return text.slice(1, -1).replaceAll(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (whole, hex?: string, sign?: string) => {
    if (hex) return String.fromCharCode(Number.parseInt(hex, 16))
    const meant = escapes[sign!]
    if (meant === undefined)
      throw new ExpressionProblem(`${whole} means nothing in a text. Write \\\\ for a backslash.`)
    return meant
  })
}
