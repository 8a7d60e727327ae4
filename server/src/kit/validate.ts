// Turns raw query strings and bodies into what a declaration asks for, and collects everything that does not fit.
import { Compile } from 'typebox/schema'
import { readInstant } from './instant.ts'
import { checkText } from './json.ts'
import { misfitsOf, type Validator } from './misfits.ts'
import { refuseFor } from './problems.ts'
import type { TObject, TSchema } from './schema.ts'
import { asSpelled, differing, inOwnWords, respell, spellingsOf, type Used } from './spellings.ts'

const validators = new WeakMap<object, Validator>()

export function validatorOf(schema: TSchema): Validator {
  let validator = validators.get(schema)
  if (!validator) validators.set(schema, (validator = compile(schema)))
  return validator
}

function compile(schema: TSchema): Validator {
  const compiled = Compile(schema)
  return { Check: (value) => compiled.Check(value), Errors: (value) => compiled.Errors(value)[1] }
}

/** Refuses a body with everything that does not fit. */
export function validateBody(schema: TObject | undefined, body: Record<string, unknown>): Record<string, unknown> {
  const problems: string[] = []
  const known = readFields(schema, body, problems)
  refuseFor(problems)
  return known
}

/** Known fields only: what the caller sent beside them is ignored, and never reaches a handler. */
export function readFields(
  schema: TObject | undefined,
  body: Record<string, unknown>,
  problems: string[],
): Record<string, unknown> {
  const known: Record<string, unknown> = {}
  if (!schema) return known
  const used: Used = new Map()
  respell(schema, body, problems, used)
  for (const name of Object.keys(schema.properties)) {
    if (Object.hasOwn(body, name)) known[name] = body[name]
  }
  readInstants(schema, known)
  const misfits: string[] = []
  collectMisfits(schema, known, 'body', misfits)
  problems.push(...misfits.map((misfit) => asSpelled(misfit, used)))
  return known
}

interface Part {
  format?: string
  anyOf?: Part[]
  items?: Part
  properties?: Record<string, Part>
}

/** Times in a body are read like those in a query, in place: a handler sees the one spelling that can be stored. */
function readInstants(schema: Part, value: unknown): unknown {
  if (!holdsInstants(schema)) return value
  if (typeof value === 'string') return isInstant(schema) ? (readInstant(value) ?? value) : value
  for (const part of schema.anyOf ?? []) readInstants(part, value)
  if (Array.isArray(value) && schema.items) {
    for (const [index, item] of value.entries()) value[index] = readInstants(schema.items, item)
  } else if (typeof value === 'object' && value !== null && schema.properties) {
    const fields = value as Record<string, unknown>
    for (const [name, part] of Object.entries(schema.properties)) {
      if (Object.hasOwn(fields, name)) fields[name] = readInstants(part, fields[name])
    }
  }
  return value
}

const isInstant = ({ format, anyOf }: Part): boolean => format === 'date-time' || (anyOf?.some(isInstant) ?? false)

const instantHolders = new WeakMap<Part, boolean>()

function holdsInstants(schema: Part): boolean {
  let holds = instantHolders.get(schema)
  if (holds === undefined) {
    const parts = [
      ...(schema.anyOf ?? []),
      ...(schema.items ? [schema.items] : []),
      ...Object.values(schema.properties ?? {}),
    ]
    holds = schema.format === 'date-time' || parts.some(holdsInstants)
    instantHolders.set(schema, holds)
  }
  return holds
}

/** Unknown names are ignored, an empty value is an absent one, a repeated name is refused, numbers and booleans are read. */
export function readQuery(schema: TObject | undefined, search: string, problems: string[]): Record<string, unknown> {
  const known: Record<string, unknown> = {}
  if (!schema) return known
  const given = readPairs(search)
  for (const [name, property] of Object.entries(schema.properties) as [string, QueryProperty][]) {
    const text = givenText(given, name, property, problems)
    if (text === undefined || text === '') {
      if (property.default !== undefined) known[name] = property.default
      continue
    }
    // an impossible path leads to nothing: the operation says so, as for any other path
    if (property.format !== 'path') checkText(text, `The query parameter ${name}`, problems)
    known[name] = readQueryValue(property, inOwnWords(property, text))
  }
  collectMisfits(schema, known, 'query parameter', problems)
  return known
}

/** The text under the parameter's name or under another spelling of that name. */
function givenText(
  given: Map<string, (string | null)[]>,
  name: string,
  property: TSchema,
  problems: string[],
): string | undefined {
  let found: string | undefined
  for (const one of [name, ...(spellingsOf(property).names ?? [])]) {
    const values = given.get(one) ?? []
    if (values.length > 1) problems.push(`The query parameter ${one} is given more than once.`)
    const [text] = values
    if (text === null) {
      problems.push(`The query parameter ${one} has a % that is not followed by two hexadecimal digits of UTF-8.`)
    } else if (text !== undefined && text !== '') {
      if (found !== undefined && found !== text) problems.push(differing(name, one))
      found ??= text
    }
  }
  return found
}

/** The values under each name; null is one that cannot be decoded, where URLSearchParams would guess. */
function readPairs(search: string): Map<string, (string | null)[]> {
  const given = new Map<string, (string | null)[]>()
  for (const pair of search === '' ? [] : search.split('&')) {
    const end = pair.indexOf('=')
    const name = decode(end < 0 ? pair : pair.slice(0, end))
    if (name === null) continue
    const values = given.get(name) ?? []
    values.push(end < 0 ? '' : decode(pair.slice(end + 1)))
    given.set(name, values)
  }
  return given
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}

type QueryProperty = TSchema & { type?: string; format?: string; default?: unknown }

/** What cannot be read stays text, so that the check against the schema refuses it with its own words. */
function readQueryValue(property: QueryProperty, text: string): unknown {
  if (property.type === 'integer') return /^\d{1,15}$/.test(text) ? Number(text) : text
  if (property.type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  // an unescaped + of an offset arrives as a space
  if (property.format === 'date-time') return readInstant(text.replace(' ', '+')) ?? text
  return text
}

function collectMisfits(schema: TSchema, value: unknown, where: string, problems: string[]): void {
  const validator = validatorOf(schema)
  if (!validator.Check(value)) problems.push(...misfitsOf(validator, value, where))
}
