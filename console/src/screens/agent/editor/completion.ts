// What can stand at a place of a procedure: a kind of block, an option, its value, or a part of an expression.
import { blockAt, findBlocks } from './blocks.ts'
import type { Language, Word } from './language.ts'

export interface Offered {
  /** Where in the text what is replaced begins. */
  from: number
  options: Choice[]
}

export interface Choice {
  label: string
  detail?: string
  /** What is written, if it is more than the label. */
  apply?: string
}

/** A step that the server has found. */
export interface KnownStep {
  id: string
  line: number
}

const choices = (words: readonly Word[], end = ''): Choice[] =>
  words.map(({ name, says }) => ({ label: name, detail: says, ...(end !== '' && { apply: name + end }) }))

export function completionsAt(
  text: string,
  at: number,
  { blocks, ...words }: Language,
  steps: readonly KnownStep[],
): Offered | undefined {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1
  const before = text.slice(lineStart, at)
  const lines = text.split('\n')
  const line = text.slice(0, at).split('\n').length
  const block = blockAt(findBlocks(lines), line)
  const isOpening = block === undefined || block.openLine === line
  const fence = isOpening ? /^ {0,3}(?:`{3,}|~{3,})\s*([a-z]*)$/.exec(before) : null
  if (fence) return { from: at - (fence[1] ?? '').length, options: choices(blocks) }
  const earlier = steps.filter((step) => step.line < (block?.openLine ?? line))
  const known = blocks.find(({ name }) => name === block?.kind)
  const expression = expressionBefore(before, isOpening)
  if (expression !== undefined) {
    const own = isOpening ? [] : (known?.own_roots ?? [])
    return inExpression(expression, at, own.length > 0 ? { ...words, roots: own, step_fields: [] } : words, earlier)
  }
  if (!known || !block) return undefined
  return isOpening ? inOptions(before, at, known.options) : inBody(before, at, known, line - block.openLine)
}

/** What stands between the last open braces, or inside `if="…`, and the place. */
function expressionBefore(before: string, isOpening: boolean): string | undefined {
  const hole = /\{\{((?:(?!\}\}).)*)$/.exec(before)
  if (hole && before[hole.index - 1] !== '\\') return hole[1]
  return isOpening ? /\bif="((?:[^"\\]|\\.)*)$/.exec(before)?.[1] : undefined
}

function inExpression(
  expression: string,
  at: number,
  { filters, roots, step_fields }: Omit<Language, 'blocks'>,
  steps: readonly KnownStep[],
): Offered | undefined {
  const filter = /\|\s*([a-z]*)$/.exec(expression)
  if (filter) return { from: at - (filter[1] ?? '').length, options: filters.flatMap(filterChoice) }
  const path = /(?:^|[^\w.\])"'])((?:[A-Za-z_][\w-]*\.)*)([A-Za-z_][\w-]*|)$/.exec(expression)
  if (!path || isInText(expression)) return undefined
  const [, above = '', typed = ''] = path
  const from = at - typed.length
  const [root = '', second, third] = above.split('.')
  if (above === '') return { from, options: choices(roots) }
  const begun = roots.find(({ name }) => name === root)
  if (begun?.names_step && second === '')
    return { from, options: steps.map(({ id, line }) => ({ label: id, detail: `the step of line ${line}` })) }
  const fields = begun?.names_step ? third === '' && step_fields : second === '' && begun?.fields
  return fields && fields.length > 0 ? { from, options: choices(fields) } : undefined
}

const filterChoice = ({ takes_value, ...word }: Language['filters'][number]): Choice[] =>
  choices([word], takes_value ? '(' : '')

/** A verb at the beginning of a line: of any in a browser block, of the first in others. */
function inBody(
  before: string,
  at: number,
  { name, verbs }: Language['blocks'][number],
  line: number,
): Offered | undefined {
  const typed = /^\s*([A-Za-z]*)$/.exec(before)?.[1]
  if (typed === undefined || verbs.length === 0 || (line > 1 && name !== 'browser')) return undefined
  return { from: at - typed.length, options: choices(verbs) }
}

/** An odd number of quotes before the place: it is inside a text. */
const isInText = (expression: string): boolean => [`"`, `'`].some((quote) => expression.split(quote).length % 2 === 0)

function inOptions(before: string, at: number, options: Language['blocks'][number]['options']): Offered | undefined {
  const value = /\b([a-z_]+)=([^\s"]*)$/.exec(before)
  if (value) {
    const [, name, typed = ''] = value
    const known = options.find((option) => option.name === name)?.values ?? []
    return known.length === 0 ? undefined : { from: at - typed.length, options: known.map((label) => ({ label })) }
  }
  const word = /\s([a-z_]*)$/.exec(before)
  if (!word || isInText(before)) return undefined
  const used = new Set([...before.matchAll(/\b([a-z_]+)=/g)].map(([, name]) => name))
  const free = options.filter(({ name }) => !used.has(name))
  return { from: at - (word[1] ?? '').length, options: choices(free, '=') }
}
