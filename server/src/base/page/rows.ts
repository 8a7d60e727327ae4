// Rows of data as charts and tables take them: which columns they have, and what each column holds.
import { isRecord } from '../isRecord.ts'
import { numberOf, timeOf } from './figures.ts'
import { columnKinds, type Column, type ColumnKind } from './pageTable.ts'

export type Row = Record<string, unknown>

/** A list of objects, or of plain values; an object of plain values can be shown too. The first `limit` rows, and how many there are. */
export function rowsOf(value: unknown, limit: number): { rows: Row[]; total: number } {
  if (Array.isArray(value)) {
    const shown = value.slice(0, limit) as unknown[]
    return { rows: shown.map((item) => (isRecord(item) ? item : { value: item })), total: value.length }
  }
  if (!isRecord(value)) return { rows: [], total: 0 }
  const names = Object.keys(value)
  return { rows: names.slice(0, limit).map((name) => ({ name, value: value[name] })), total: names.length }
}

/** An own property, or a path of them such as agent.name; missing ones are null. */
export function cellOf(row: Row, key: string): unknown {
  if (Object.hasOwn(row, key)) return row[key] ?? null
  let value: unknown = row
  for (const part of key.split('.')) value = isRecord(value) && Object.hasOwn(value, part) ? value[part] : null
  return value ?? null
}

export interface KeyedColumn extends Column {
  key: string
}

/** How many columns a table may have. */
const columnsMax = 50

/** Reads `name: Agent, cost_usd: Cost (usd)`: the key of each column, its name, its kind. */
export function readColumns(text: string): { key: string; name: string; kind: ColumnKind | undefined }[] {
  const parts = text.split(',').slice(0, columnsMax)
  return parts.flatMap((part) => {
    const match = /^([^:()]{1,200})(?::([^()]{0,200}))?(?:\(\s*([a-z]{1,20})\s*\))?$/.exec(part.trim())
    const key = match?.[1]?.trim() ?? ''
    if (key === '') return []
    return [{ key, name: match?.[2]?.trim() || titled(key), kind: columnKinds.find((kind) => kind === match?.[3]) }]
  })
}

/** How many rows are looked at to know what a column holds. */
const sampleSize = 100

export function columnsOf(text: string, rows: Row[]): KeyedColumn[] {
  const sample = rows.slice(0, sampleSize)
  const given = readColumns(text)
  const columns = given.length > 0 ? given : keysOf(sample).map((key) => ({ key, name: titled(key), kind: undefined }))
  return columns.map(({ key, name, kind }) => ({ key, name, kind: kind ?? kindOf(key, sample) }))
}

function keysOf(rows: Row[]): string[] {
  const keys = new Set<string>()
  for (const row of rows) {
    for (const key of Object.keys(row)) {
      keys.add(key)
      if (keys.size >= columnsMax) return [...keys]
    }
  }
  return [...keys]
}

/** What is wrong with the names of columns: a name that no row has is most likely misspelled. */
export function unknownColumns(keys: string[], rows: Row[]): string | undefined {
  const sample = rows.slice(0, sampleSize)
  const isKnown = (key: string, row: Row) => Object.hasOwn(row, key) || Object.hasOwn(row, key.split('.')[0]!)
  const unknown = keys.filter((key) => !sample.some((row) => isKnown(key, row)))
  if (unknown.length === 0) return undefined
  const known = keysOf(sample).map((key) => key.slice(0, 60))
  return `No row has ${unknown.map((key) => key.slice(0, 60)).join(', ')}. The rows have ${known.join(', ')}.`
}

/** The kind that fits all values; the name of a column says more than they do. */
export function kindOf(key: string, rows: Row[]): ColumnKind {
  const values = rows.map((row) => cellOf(row, key)).filter((value) => value !== null)
  if (values.length === 0) return 'text'
  if (values.every((value) => numberOf(value) !== null && (typeof value === 'number' || key.endsWith('_usd')))) {
    if (/(?:^|_)(?:usd|cost|price)$/.test(key)) return 'usd'
    if (/(?:^|_)(?:share|percent|ratio|rate)$/.test(key)) return 'percent'
    return /_s$|(?:^|_)(?:duration|seconds)$/.test(key) ? 'duration' : 'number'
  }
  return values.every((value) => timeOf(value) !== null) ? 'time' : 'text'
}

/** created_at becomes Created at, cost_usd becomes Cost. */
function titled(key: string): string {
  const words = key
    .replace(/(.)_(?:usd|s)$/, '$1')
    .replaceAll(/[_.]+/g, ' ')
    .trim()
  return words === '' ? key : words[0]!.toUpperCase() + words.slice(1)
}
