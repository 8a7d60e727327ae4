// Pieces of SQL with their values: set into one another, and flattened into a named statement once per shape.
import { hash } from 'node:crypto'

/** A piece of a statement: sql`select … where ${part`team_id = ${id}`}`. */
export class Part {
  readonly strings: TemplateStringsArray
  readonly values: readonly unknown[]
  constructor(strings: TemplateStringsArray, values: readonly unknown[]) {
    this.strings = strings
    this.values = values
  }
}

export const part = (strings: TemplateStringsArray, ...values: unknown[]): Part => new Part(strings, values)

/** Stands where a condition is left out. */
export const empty = part``

/** Adds no text: a statement with it calls the database's listeners after its commit, if it wrote something (Database.onAnnounced). */
export const announcing = part``

/** Parts with commas between them. There must be at least one. */
export const joined = (parts: readonly Part[]): Part => parts.reduce((all, one) => part`${all}, ${one}`)

const fixed = new Map<string, Part>()

/** A word of the program's own as text of a statement, such as the name of a column. A caller's text never comes here: it becomes a parameter. */
export function word(name: string): Part {
  if (!/^[a-z_]+$/.test(name)) throw new Error(`${JSON.stringify(name)} is not a word of a statement`)
  return fixedText(name)
}

/** Words of the program's own as texts in SQL: `'pending', 'postponed'`. */
export const literals = (words: readonly string[]): Part => {
  if (words.length === 0) throw new Error('a list of words of a statement is empty')
  words.forEach(word)
  return fixedText(words.map((one) => `'${one}'`).join(', '))
}

/** SQL for `in`: a list of such words, in parentheses. */
export const wordList = (words: readonly string[]): Part => part`(${literals(words)})`

/** The same part each time, so that a statement keeps its shape. */
function fixedText(text: string): Part {
  let known = fixed.get(text)
  if (!known) fixed.set(text, (known = part(Object.assign([text], { raw: [text] }))))
  return known
}

interface Statement {
  text: string
  /** The name of the prepared statement; undefined: run it unnamed. */
  name: string | undefined
  /** Whether it holds `announcing`. */
  isAnnounced: boolean
}

/**
 * A template literal has the same strings object for ever, so a statement is known by the sequence of those that it is made
 * of; no text is built or compared after the first time. (Building and hashing the text cost a keyed write 5 % of its time.)
 */
interface Shape {
  statement: Statement | undefined
  /** The next shape by what stands in the next hole: a part's strings, or undefined for a value. */
  next: Map<TemplateStringsArray | undefined, Shape>
}

const shapes = new WeakMap<TemplateStringsArray, Shape>()
const newShape = (): Shape => ({ statement: undefined, next: new Map() })

export function flatten(
  strings: TemplateStringsArray,
  values: readonly unknown[],
): { statement: Statement; parameters: unknown[] } {
  let shape = shapes.get(strings)
  if (!shape) shapes.set(strings, (shape = newShape()))
  const parameters: unknown[] = []
  const found = follow(shape, values, parameters)
  if (!found.statement) {
    const seen = { count: 0, isAnnounced: false }
    found.statement = { ...named(textOf(strings, values, seen)), isAnnounced: seen.isAnnounced }
  }
  return { statement: found.statement, parameters }
}

function follow(from: Shape, values: readonly unknown[], parameters: unknown[]): Shape {
  let shape = from
  for (const value of values) {
    if (value instanceof Part) shape = follow(step(shape, value.strings), value.values, parameters)
    else {
      parameters.push(value)
      shape = step(shape, undefined)
    }
  }
  return shape
}

function step(shape: Shape, hole: TemplateStringsArray | undefined): Shape {
  let next = shape.next.get(hole)
  if (!next) shape.next.set(hole, (next = newShape()))
  return next
}

interface Seen {
  /** How many values there were so far. */
  count: number
  isAnnounced: boolean
}

function textOf([first = '', ...others]: readonly string[], values: readonly unknown[], seen: Seen): string {
  let text = first
  for (const [index, after] of others.entries()) {
    const value = values[index]
    if (value === announcing) seen.isAnnounced = true
    text += (value instanceof Part ? textOf(value.strings, value.values, seen) : `$${++seen.count}`) + after
  }
  return text
}

/** How many statements are named. Beyond that, some code makes new templates all the time: these run unnamed instead of filling every connection. */
const namedMax = 2000
let namedCount = 0

function named(text: string): Pick<Statement, 'text' | 'name'> {
  namedCount += 1
  return { text, name: namedCount <= namedMax ? hash('sha256', text, 'base64url').slice(0, 24) : undefined }
}
