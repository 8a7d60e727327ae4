// Reads an ECMAScript pattern into a tree. It accepts only what can be matched in linear time: no look-around and no back-references.

export type PatternNode =
  /** One code point; `source` is the part of the pattern that says which. */
  | { kind: 'point'; source: string }
  | { kind: 'sequence'; parts: PatternNode[] }
  | { kind: 'either'; first: PatternNode; others: PatternNode[] }
  | { kind: 'repeat'; of: PatternNode; min: number; max: number }
  | { kind: 'assert'; what: Assertion }

export type Assertion = 'start' | 'end' | 'word' | 'notWord'

/** The text is not a pattern that this service matches; the message ends a sentence about it. */
export class BadPattern extends Error {}

export function parsePattern(source: string): PatternNode {
  try {
    // this parses without compiling, so every pattern below is well formed and the reader needs no errors of its own
    void new RegExp(source, 'u')
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new BadPattern(`is not a regular expression: ${error.message.split(': ').at(-1)}`, { cause: error })
  }
  return new Reader(source).either()
}

const lookAround =
  'uses look-ahead or look-behind, which this service does not match: it would take too long with some texts'
const backReference = 'uses a back-reference, which this service does not match: it would take too long with some texts'
const flags = 'sets flags inside the pattern, which this service does not match'

class Reader {
  readonly #source: string
  #at = 0

  constructor(source: string) {
    this.#source = source
  }

  either(): PatternNode {
    const first = this.#sequence()
    const others: PatternNode[] = []
    while (this.#takes('|')) others.push(this.#sequence())
    return others.length === 0 ? first : { kind: 'either', first, others }
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = []
    while (this.#at < this.#source.length && !'|)'.includes(this.#source.charAt(this.#at))) parts.push(this.#repeated())
    return { kind: 'sequence', parts }
  }

  #repeated(): PatternNode {
    const of = this.#atom()
    const bounds = this.#quantifier()
    if (!bounds) return of
    // a lazy quantifier finds other ends of a match, but it matches exactly where the greedy one does
    this.#takes('?')
    return { kind: 'repeat', of, ...bounds }
  }

  #quantifier(): { min: number; max: number } | undefined {
    if (this.#takes('*')) return { min: 0, max: Number.POSITIVE_INFINITY }
    if (this.#takes('+')) return { min: 1, max: Number.POSITIVE_INFINITY }
    if (this.#takes('?')) return { min: 0, max: 1 }
    if (!this.#takes('{')) return undefined
    const [min, max] = this.#through('}').slice(0, -1).split(',')
    return {
      min: Number(min),
      max: max === undefined ? Number(min) : max === '' ? Number.POSITIVE_INFINITY : Number(max),
    }
  }

  #atom(): PatternNode {
    if (this.#takes('^')) return { kind: 'assert', what: 'start' }
    if (this.#takes('$')) return { kind: 'assert', what: 'end' }
    if (this.#takes('(')) return this.#group()
    if (this.#takes('\\b')) return { kind: 'assert', what: 'word' }
    if (this.#takes('\\B')) return { kind: 'assert', what: 'notWord' }
    const from = this.#at
    const sign = String.fromCodePoint(this.#source.codePointAt(from) ?? 0)
    this.#at += sign.length
    if (sign === '[') this.#passClass()
    else if (sign === '\\') this.#passEscape()
    return { kind: 'point', source: this.#source.slice(from, this.#at) }
  }

  #group(): PatternNode {
    if (this.#takes('?')) {
      if (this.#takes('=') || this.#takes('!') || this.#takes('<=') || this.#takes('<!'))
        throw new BadPattern(lookAround)
      if (this.#takes('<')) this.#through('>')
      else if (!this.#takes(':')) throw new BadPattern(flags)
    }
    const inside = this.either()
    this.#takes(')')
    return inside
  }

  #passClass(): void {
    for (; this.#source[this.#at] !== ']'; this.#at += 1) if (this.#source[this.#at] === '\\') this.#at += 1
    this.#at += 1
  }

  #passEscape(): void {
    const sign = this.#source.charAt(this.#at)
    if (/[1-9k]/.test(sign)) throw new BadPattern(backReference)
    this.#at += 1
    if (sign === 'c') this.#at += 1
    else if (sign === 'x') this.#at += 2
    else if (sign === 'p' || sign === 'P') this.#through('}')
    else if (sign === 'u' && this.#source[this.#at] === '{') this.#through('}')
    else if (sign === 'u') {
      this.#at += 4
      // two escapes of a surrogate pair are one code point
      const pair = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}/y
      pair.lastIndex = this.#at - 6
      if (pair.test(this.#source)) this.#at += 6
    }
  }

  #takes(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false
    this.#at += text.length
    return true
  }

  /** Reads up to and including the next `end`. */
  #through(end: string): string {
    const from = this.#at
    this.#at = this.#source.indexOf(end, from) + end.length
    return this.#source.slice(from, this.#at)
  }
}
