// The filters of the expression language. Null passes through those that have nothing to say about it.
import { parseBounded } from '../../../base/boundedJson.ts'
import type { FilterName } from './expression.ts'
import { isRecord } from './scope.ts'
import { CannotRender, charactersMax, jsonOf, textOf } from './text.ts'

type Filter = (value: unknown, argument: unknown) => unknown

const filters: Record<Exclude<FilterName, 'default' | 'json' | 'length'>, Filter> = {
  upper: (value) => text(value, 'upper').toUpperCase(),
  lower: (value) => text(value, 'lower').toLowerCase(),
  trim: (value) => text(value, 'trim').trim(),
  lines: (value) =>
    text(value, 'lines')
      .replace(/\r?\n$/, '')
      .split(/\r?\n/),
  parse: (value) => parsed(text(value, 'parse')),
  number: numberOf,
  join: (value, argument) => joined(list(value, 'join'), text(argument, 'join')),
  first: (value) => list(value, 'first')[0] ?? null,
  last: (value) => list(value, 'last').at(-1) ?? null,
  sum: (value) => list(value, 'sum').reduce<number>((sum, item) => sum + summand(item), 0),
}

export function applyFilter(name: Exclude<FilterName, 'default'>, value: unknown, argument: unknown): unknown {
  if (name === 'json') return jsonOf(value)
  if (name === 'length') return lengthOf(value)
  return value === null ? null : filters[name](value, argument)
}

function text(value: unknown, filter: FilterName): string {
  if (typeof value === 'string') return value
  throw new CannotRender(`The filter ${filter} takes a text, not ${jsonOf(value).slice(0, 40)}.`)
}

function list(value: unknown, filter: FilterName): unknown[] {
  if (Array.isArray(value)) return value
  throw new CannotRender(`The filter ${filter} takes a list, not ${jsonOf(value).slice(0, 40)}.`)
}

function lengthOf(value: unknown): number {
  if (value === null) return 0
  if (Array.isArray(value)) return value.length
  if (isRecord(value)) return Object.keys(value).length
  let count = 0
  for (const _ of text(value, 'length')) count += 1
  return count
}

function parsed(source: string): unknown {
  try {
    return parseBounded(source)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new CannotRender(`${JSON.stringify(source.slice(0, 40))} is no JSON, so | parse cannot read it.`, {
      cause: error,
    })
  }
}

function numberOf(value: unknown): number {
  if (typeof value === 'number') return value
  const written = typeof value === 'string' ? value.trim() : ''
  const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(written) ? Number(written) : Number.NaN
  if (Number.isFinite(number)) return number
  throw new CannotRender(`${jsonOf(value).slice(0, 40)} is no number, so | number cannot read it.`)
}

function summand(item: unknown): number {
  if (typeof item === 'number') return item
  throw new CannotRender(`The filter sum takes a list of numbers; ${jsonOf(item).slice(0, 40)} is none.`)
}

function joined(items: unknown[], separator: string): string {
  const parts = items.map(textOf)
  const length = parts.reduce((sum, part) => sum + part.length, separator.length * Math.max(parts.length - 1, 0))
  if (length > charactersMax) throw new CannotRender(`The joined text is longer than ${charactersMax} characters.`)
  return parts.join(separator)
}
