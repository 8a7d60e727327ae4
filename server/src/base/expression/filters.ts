// The filters of the expression language. A filter that has no rule for null returns null.
import { parseBounded } from '../boundedJson.ts'
import { isRecord } from '../isRecord.ts'
import type { StepBudget } from '../stepBudget.ts'
import { payFor } from '../valueSize.ts'
import type { FilterName } from './expression.ts'
import { CannotRender, charactersMax, jsonOf, quoted, textOf } from './text.ts'

type Filter = (value: unknown, argument: unknown, budget: StepBudget) => unknown

const filters: Record<Exclude<FilterName, 'default' | 'json' | 'length'>, Filter> = {
  upper: (value) => text(value, 'upper').toUpperCase(),
  lower: (value) => text(value, 'lower').toLowerCase(),
  trim: (value) => text(value, 'trim').trim(),
  lines: (value) =>
    text(value, 'lines')
      .replace(/\r?\n$/, '')
      .split(/\r?\n/),
  parse: (value, _argument, budget) => parsed(text(value, 'parse'), budget),
  number: numberOf,
  join: (value, argument, budget) => joined(list(value, 'join'), text(argument, 'join'), budget),
  first: (value) => list(value, 'first')[0] ?? null,
  last: (value) => list(value, 'last').at(-1) ?? null,
  sum: (value, _argument, budget) => {
    const items = list(value, 'sum')
    budget.spend(items.length)
    return items.reduce<number>((sum, item) => sum + summand(item), 0)
  },
}

/** This is larger than any message. A text that is written as JSON again and again would double each time. */
const resultCharactersMax = 4_000_000

export function applyFilter(
  name: Exclude<FilterName, 'default'>,
  value: unknown,
  argument: unknown,
  budget: StepBudget,
): unknown {
  // every filter that takes a text reads all of it
  if (typeof value === 'string') budget.spend(value.length)
  const result = filtered(name, value, argument, budget)
  if (typeof result === 'string' && result.length > resultCharactersMax) {
    throw new CannotRender(`The filter ${name} gives a text of more than ${resultCharactersMax} characters.`)
  }
  return result
}

function filtered(
  name: Exclude<FilterName, 'default'>,
  value: unknown,
  argument: unknown,
  budget: StepBudget,
): unknown {
  if (name === 'json') {
    payFor(value, budget)
    return jsonOf(value)
  }
  if (name === 'length') return lengthOf(value, budget)
  return value === null ? null : filters[name](value, argument, budget)
}

function text(value: unknown, filter: FilterName): string {
  if (typeof value === 'string') return value
  throw new CannotRender(`The filter ${filter} takes a text, not ${quoted(value)}.`)
}

function list(value: unknown, filter: FilterName): unknown[] {
  if (Array.isArray(value)) return value
  throw new CannotRender(`The filter ${filter} takes a list, not ${quoted(value)}.`)
}

function lengthOf(value: unknown, budget: StepBudget): number {
  if (value === null) return 0
  if (Array.isArray(value)) return value.length
  if (isRecord(value)) {
    const { length } = Object.keys(value)
    budget.spend(length)
    return length
  }
  let count = 0
  for (const _ of text(value, 'length')) count += 1
  return count
}

function parsed(source: string, budget: StepBudget): unknown {
  // a value takes more time and memory than its text
  budget.spend(source.length * 2)
  try {
    return parseBounded(source)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new CannotRender(`${JSON.stringify(source.slice(0, 40))} is not JSON, so | parse cannot read it.`, {
      cause: error,
    })
  }
}

const digitsMax = 400

function numberOf(value: unknown): number {
  if (typeof value === 'number') return value
  const written = typeof value === 'string' ? value.trim() : ''
  // each digit fits in one position of the pattern only, and no number in a text can be longer
  const isNumber = written.length <= digitsMax && /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(written)
  const number = isNumber ? Number(written) : Number.NaN
  if (Number.isFinite(number)) return number
  throw new CannotRender(`${quoted(value)} is not a number, so | number cannot read it.`)
}

function summand(item: unknown): number {
  if (typeof item === 'number') return item
  throw new CannotRender(`The filter sum takes a list of numbers; ${quoted(item)} is none.`)
}

function joined(items: unknown[], separator: string, budget: StepBudget): string {
  const between = separator.length * Math.max(items.length - 1, 0)
  if (between <= charactersMax) {
    payFor(items, budget)
    const parts = items.map(textOf)
    if (parts.reduce((sum, part) => sum + part.length, between) <= charactersMax) return parts.join(separator)
  }
  throw new CannotRender(`The joined text is longer than ${charactersMax} characters.`)
}
