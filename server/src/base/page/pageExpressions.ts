// The expressions of a template: in holes, and without braces in each= and if=.
import { ExpressionProblem, parseExpression, type Expression, type Roots } from '../expression/expression.ts'
import { readHole, type Tell } from '../expression/holes.ts'
import { hasMark, splitMarks, withoutMarks, type MarkedHtml } from './holeMarks.ts'
import type { Filling, PageHole, Repeat } from './pageTemplate.ts'

/** The names that expressions may read. */
export interface Names {
  roots: Roots
  /** The expressions that were read with these names. */
  known: Map<string, Expression>
}

export const dataAlone = (): Names => ({
  roots: {
    data: {
      says: 'What earlier steps gave, by their ids.',
      keyed: 'Say which step: data.fetch.',
      named: 'Name the step: data.fetch or data["fetch"].',
    },
  },
  known: new Map(),
})

export const withName = ({ roots }: Names, name: string): Names => ({
  roots: { ...roots, [name]: {} },
  known: new Map(),
})

const reserved = new Set(['data', 'and', 'or', 'not', 'in', 'contains', 'true', 'false', 'null'])

const nothing: Expression = { node: { kind: 'literal', value: null }, reads: new Map() }

export class PageExpressions {
  /** The steps that are read, each with the line where that is done first. */
  readonly readAt = new Map<string, number>()
  readonly #sources: MarkedHtml['sources']
  readonly #tell: Tell

  constructor({ sources }: MarkedHtml, tell: Tell) {
    this.#sources = sources
    this.#tell = tell
  }

  filling(text: string, { roots, known }: Names): Filling {
    const { literals, indexes } = splitMarks(text)
    const holes: PageHole[] = []
    for (const index of indexes) {
      const { source, line } = this.#sources[index] ?? { source: '', line: 1 }
      const expression = known.get(source) ?? readHole(source, line, roots, this.#tell)
      if (expression) {
        known.set(source, expression)
        this.#note(expression, line)
      }
      // a page with such a hole has a problem and is never shown
      holes.push({ expression: expression ?? nothing, line })
    }
    return { literals, holes }
  }

  repeat(text: string, names: Names, line: number): Repeat | null {
    const [, name, source] = /^\s*([A-Za-z_]\w{0,39})\s+in\s+(\S.*)$/s.exec(text) ?? []
    if (name === undefined || source === undefined) {
      const shown = withoutMarks(text).slice(0, 60)
      this.#tell(line, `each="${shown}" cannot be read. Write each="row in data.fetch.rows".`)
      return null
    }
    if (reserved.has(name)) {
      this.#tell(line, `each= cannot name its row ${name}. Choose another name, e.g. row.`)
      return null
    }
    const list = this.bare('each', source, names, line)
    return list && { name, list, source: source.trim().slice(0, 100) }
  }

  /** An expression without braces. */
  bare(attribute: string, source: string, { roots }: Names, line: number): PageHole | null {
    try {
      if (hasMark(source)) throw new ExpressionProblem('Write the expression without {{ }}.')
      const expression = parseExpression(source, roots)
      this.#note(expression, line)
      return { expression, line }
    } catch (error) {
      if (!(error instanceof ExpressionProblem)) throw error
      this.#tell(line, `${attribute}="${withoutMarks(source).slice(0, 60)}" cannot be read: ${error.message}`)
      return null
    }
  }

  #note({ reads }: Expression, line: number): void {
    for (const step of reads.get('data') ?? []) this.readAt.set(step, Math.min(line, this.readAt.get(step) ?? line))
  }
}
