// Turns raw query strings and bodies into what a declaration asks for, or says in one sentence what does not fit.
import { Compile, type Validator } from 'typebox/compile'
import { Fault } from '../base/errors.ts'
import { readInstant } from './instant.ts'
import { checkText } from './json.ts'
import type { TObject, TSchema } from './schema.ts'

const validators = new WeakMap<object, Validator>()

export function validatorOf(schema: TSchema): Validator {
  let validator = validators.get(schema)
  if (!validator) validators.set(schema, (validator = Compile(schema)))
  return validator
}

/** Known fields only: what the caller sent beside them is ignored, and never reaches a handler. */
export function validateBody(schema: TObject | undefined, body: Record<string, unknown>): Record<string, unknown> {
  const known: Record<string, unknown> = {}
  if (!schema) return known
  for (const name of Object.keys(schema.properties)) {
    if (Object.hasOwn(body, name)) known[name] = body[name]
  }
  requireFit(schema, known, 'body')
  return known
}

/** Unknown names are ignored, an empty value is an absent one, a repeated name is refused, numbers and booleans are read. */
export function validateQuery(schema: TObject | undefined, search: string): Record<string, unknown> {
  const known: Record<string, unknown> = {}
  if (!schema) return known
  const given = new URLSearchParams(search)
  for (const [name, property] of Object.entries(schema.properties) as [string, QueryProperty][]) {
    const values = given.getAll(name)
    if (values.length > 1) throw new Fault('invalid_request', `The query parameter ${name} is given more than once.`)
    const text = values[0]
    if (text === undefined || text === '') {
      if (property.default !== undefined) known[name] = property.default
    } else {
      checkText(text, `The query parameter ${name}`)
      known[name] = readQueryValue(property, text)
    }
  }
  requireFit(schema, known, 'query parameter')
  return known
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

function requireFit(schema: TSchema, value: unknown, where: string): void {
  const validator = validatorOf(schema)
  if (validator.Check(value)) return
  throw new Fault('invalid_request', explain(validator, value, where))
}

interface Problem {
  keyword: string
  instancePath: string
  message: string
  params: { requiredProperties?: string[]; allowedValues?: unknown[]; additionalProperties?: string[] }
}

/** The first problem, named by its field and in words; further ones show up when that one is mended. */
function explain(validator: Validator, value: unknown, where: string): string {
  const problems = validator.Errors(value) as unknown as Problem[]
  const problem = problems.find(({ keyword }) => keyword !== 'anyOf') ?? problems[0]
  if (!problem) return `The ${where} does not fit this operation.`
  const field = problem.instancePath.split('/').slice(1).join('.')
  const { requiredProperties, allowedValues } = problem.params
  if (requiredProperties) {
    const missing = requiredProperties.map((name) => (field ? `${field}.${name}` : name)).join(', ')
    return `${missing} is missing in the ${where}.`
  }
  const place = field || `the ${where}`
  if (allowedValues) return `${place} must be one of: ${allowedValues.join(', ')}.`
  const alternatives = problems.filter(
    ({ keyword, instancePath }) => keyword === 'type' && instancePath === problem.instancePath,
  )
  if (alternatives.length > 1) return `${place} ${alternatives.map(({ message }) => message).join(' or ')}.`
  return `${place} ${problem.message}.`
}
