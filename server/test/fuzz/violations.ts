// For every constraint of a schema, values that break it: the proof that a schema is as tight as it claims.
import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import type { ApiDocument, Schema } from './document.ts'
import { valueOf } from './valid.ts'

export interface Violation {
  /** Where in the body: field names and list positions. */
  path: (string | number)[]
  keyword: string
  /** What stands there instead; `undefined`: nothing. */
  value: unknown
  /** The field names that a refusal must mention. */
  naming: string[]
  /** What must be there first, for the path to lead into. */
  inside?: { path: (string | number)[]; value: unknown }
}

const constraints = [
  ['type', 'enum', 'const', 'pattern', 'format', 'minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum'],
  ['exclusiveMaximum', 'multipleOf', 'minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'],
].flat() as (keyof Schema)[]

/** Of every JSON type one or two, and those that a lenient reader would take for another. */
const ofEveryType = [null, true, false, 0, 1.5, 'some text', '5', 'true', '', [], [0], {}, { a: 1 }]

/** Of these each place gets some. One reader reads them all, so each has its turn at many places instead of all at each. */
const typesEach = 4

/** So many of them, beginning where the last taker ended. */
function inTurn<T>(from: T[], count: number): T[] {
  return Array.from({ length: Math.min(count, from.length) }, () => from[turn++ % from.length]!)
}
let turn = 0

/** All that can be broken in a body, given one that is good. */
export function violationsOf(document: ApiDocument, schema: Schema, good: unknown): Violation[] {
  return below(document, document.resolve(schema), good, [], []).filter(({ path, keyword }) => {
    // a body that is no object at all is another case
    return path.length > 0 || keyword.startsWith('required')
  })
}

function below(
  document: ApiDocument,
  schema: Schema,
  good: unknown,
  path: Violation['path'],
  naming: string[],
): Violation[] {
  const own = breaking(document, schema, good).map(({ keyword, value }) => ({ path, keyword, value, naming }))
  if (path.length > 6) return own
  const branch = schema.anyOf?.map(document.resolve).find((one) => document.fits(one, good))
  if (branch) {
    // which of several objects was meant is anybody's guess, so a refusal need not name what is missing in one of them
    const inside = below(document, branch, good, path, naming).filter((one) => one.path.length > path.length)
    const breaks = ({ path: at, value }: Violation) =>
      !document.fits(schema, changed(good, at.slice(path.length), value))
    return [...own, ...inside.filter(breaks).map((one) => ({ ...one, naming }))]
  }
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, of]) => {
    const field = document.resolve(of)
    const given = (good as Record<string, unknown> | undefined)?.[name]
    const goodField = given ?? sampleOf(document, field)
    const at = [...path, name]
    const found = below(document, field, goodField, at, [...naming, name])
    // what is broken in an object that the good body does not have is broken in a good one of its kind
    const inside = { path: at, value: goodField }
    return given === undefined ? found.map((one) => (one.path.length > at.length ? { ...one, inside } : one)) : found
  })
  const missing = (schema.required ?? []).map((name) => ({
    path: [...path, name],
    keyword: `required ${name}`,
    value: undefined,
    naming: [...naming, name],
  }))
  const items =
    schema.items && Array.isArray(good) && good.length > 0
      ? below(document, document.resolve(schema.items), good[0], [...path, 0], naming)
      : []
  const open = Object.values(schema.patternProperties ?? {})[0] ?? schema.additionalProperties
  const [key] = schema.properties || typeof good !== 'object' || good === null ? [] : Object.keys(good)
  const entries =
    typeof open === 'object' && key !== undefined
      ? below(
          document,
          document.resolve(open),
          (good as Record<string, unknown>)[key],
          [...path, key],
          [...naming, key],
        )
      : []
  return [...own, ...fields, ...missing, ...items, ...entries]
}

const sampleOf = (document: ApiDocument, schema: Schema): unknown =>
  fc.sample(valueOf(document, schema, 3), { seed: 1, numRuns: 1 })[0]

interface Breaking {
  keyword: string
  value: unknown
}

function breaking(document: ApiDocument, schema: Schema, good: unknown): Breaking[] {
  const parts = schema.anyOf?.map(document.resolve) ?? [schema]
  const claimed = parts.flatMap((part) => constraints.filter((keyword) => part[keyword] !== undefined))
  const values = parts.flatMap((part) => candidates(document, part, good))
  const found = [
    ...values.filter(({ value }) => !document.fits(schema, value)),
    ...inTurn(
      ofEveryType.filter((value) => !document.fits(schema, value)),
      typesEach,
    ).map((value) => ({ keyword: 'type', value })),
  ]
  for (const keyword of claimed) {
    assert.ok(
      found.some((one) => one.keyword === keyword),
      `fuzz/violations.ts cannot break ${keyword} of ${JSON.stringify(schema)}`,
    )
  }
  return found
}

/** Values that break one constraint each and keep the others where that is possible. */
function candidates(document: ApiDocument, schema: Schema, good: unknown): Breaking[] {
  const found: Breaking[] = []
  const add = (keyword: string, ...values: unknown[]) => found.push(...values.map((value) => ({ keyword, value })))
  const { minLength, maxLength, minimum, maximum, multipleOf, minItems, maxItems } = schema
  const text = typeof good === 'string' && document.fits(schema, good) ? good : ''
  if (schema.enum) add('enum', 'no such member', ...schema.enum.flatMap(misspelled))
  if (schema.const !== undefined) add('const', 'no such member', ...misspelled(schema.const))
  if (minLength !== undefined && minLength > 0) add('minLength', 'x'.repeat(minLength - 1))
  if (minLength === 0) add('minLength', null)
  if (maxLength !== undefined) {
    // counted in characters (code points): neither in bytes nor in what an eye takes for one letter
    add('maxLength', 'x'.repeat(maxLength + 1 - text.length) + text, '😀'.repeat(maxLength + 1))
    add('maxLength', `e${'\u0301'.repeat(maxLength)}`, 'x'.repeat(1024 * 1024))
  }
  if (schema.pattern !== undefined) add('pattern', '', ' ', 'x', '😀', '@', `${text}\n`, ` ${text}`, `${text} `)
  if (schema.format !== undefined) add('format', ...(misformatted[schema.format] ?? []), 'x', '', ' ')
  if (minimum !== undefined) add('minimum', minimum - 1, -1e300, Number.MIN_SAFE_INTEGER)
  if (maximum !== undefined) add('maximum', maximum + 1, 1e300, Number.MAX_SAFE_INTEGER)
  if (schema.exclusiveMinimum !== undefined) add('exclusiveMinimum', schema.exclusiveMinimum)
  if (schema.exclusiveMaximum !== undefined) add('exclusiveMaximum', schema.exclusiveMaximum)
  if (multipleOf !== undefined) add('multipleOf', multipleOf / 2)
  const item = Array.isArray(good) && good.length > 0 ? good[0] : null
  if (minItems !== undefined) add('minItems', minItems === 0 ? null : Array(minItems - 1).fill(item))
  // about as many as the cap on bodies lets through
  const itemsMany = Math.floor(1_500_000 / (Buffer.byteLength(JSON.stringify(item)) + 1))
  if (maxItems !== undefined) add('maxItems', Array(maxItems + 1).fill(item), Array(itemsMany).fill(item))
  if (schema.uniqueItems) add('uniqueItems', [item, item])
  const fieldsNamed = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, item]))
  if (schema.minProperties !== undefined) add('minProperties', fieldsNamed(schema.minProperties - 1))
  if (schema.maxProperties !== undefined) add('maxProperties', fieldsNamed(schema.maxProperties + 1))
  if (schema.additionalProperties === false && typeof good === 'object') {
    add('additionalProperties', { ...good, no_such_field: 1 })
  }
  return found
}

const misspelled = (member: unknown): unknown[] =>
  typeof member === 'string' ? inTurn([`${member} `, member.toUpperCase(), `${member}\n`], 1) : [String(member)]

const misformatted: Record<string, string[]> = {
  'date-time': [
    'tomorrow',
    '2100-02-30T00:00:00Z',
    '2100-01-01T00:00:00',
    '2100-13-01T00:00:00Z',
    '2100-01-01T25:00:00Z',
    '2100-01-01 00:00:00Z',
    '+010000-01-01T00:00:00Z',
    '4102444800',
  ],
  uuid: ['00000000-0000-0000-0000-00000000000', '{01981c5e-7a40-7c8e-9d7a-4f5b6c7d8e9f}'],
  uri: ['example.com', 'http//example.com', '//example.com'],
  email: ['nobody', 'a@', '@b'],
}

/** A copy of a value with another one at a place inside it. */
export function changed(whole: unknown, path: Violation['path'], value: unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return value
  if (Array.isArray(whole)) return whole.map((item, index) => (index === step ? changed(item, rest, value) : item))
  const copy = { ...(whole as Record<string, unknown> | undefined) }
  const inner = changed(copy[step], rest, value)
  if (inner === undefined) delete copy[step]
  else copy[step] = inner
  return copy
}
