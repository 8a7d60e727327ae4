// The value of a form while a person fills it in: how it begins, what is wrong with it, and what is sent.
import {
  formOf,
  type ChoiceField,
  type Field,
  type GroupField,
  type ListField,
  type NumberField,
  type TextField,
} from './schemaFields.ts'

/** What was typed where it cannot be read as the number or JSON that it should be. */
export class Unreadable {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Sentences by the path of the field: `tax.number`, `items.0`; the empty path is the whole form. */
export type Problems = Record<string, string>

export const pathOf = (above: string, key: string | number): string => (above === '' ? String(key) : `${above}.${key}`)

/** A property of the value itself, never of its prototype. */
export const propertyOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined

/** Texts and numbers that the agent proposes stand there to be changed. A choice is never made beforehand. */
export const emptyForm = (schema: unknown): unknown => beginningOf(formOf(schema))

function beginningOf(field: Field): unknown {
  const { proposed } = field
  if (field.kind === 'group') {
    const entries = field.fields.map((one) => [one.name, beginningOf(one)] as const)
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
  }
  if (field.kind === 'text') return typeof proposed === 'string' ? proposed : undefined
  if (field.kind === 'number') return typeof proposed === 'number' ? proposed : undefined
  if (field.kind === 'list') return Array.isArray(proposed) ? proposed.slice(0, field.max) : undefined
  return field.kind === 'json' ? proposed : undefined
}

const isNothing = (value: unknown): boolean => value === undefined || value === null || value === ''

/** Whether nobody filled anything in. */
function isEmpty(field: Field, value: unknown): boolean {
  if (value instanceof Unreadable) return value.text.trim() === ''
  if (field.kind === 'group') return field.fields.every((one) => isEmpty(one, propertyOf(value, one.name)))
  if (field.kind === 'list' || (field.kind === 'choice' && field.several))
    return !Array.isArray(value) || value.length === 0
  return isNothing(value)
}

/** Everything that can be seen without the service. It checks again, and also what is not checked here. */
export function checkForm(schema: unknown, value: unknown): Problems {
  const problems: Problems = {}
  const form = formOf(schema)
  if (form.kind === 'json' && isEmpty(form, value)) problems[''] = 'Give a JSON object.'
  else check(form, value, '', problems)
  return problems
}

function check(field: Field, value: unknown, path: string, problems: Problems): void {
  if (isEmpty(field, value) && !(field.kind === 'group' && field.isRequired)) {
    if (field.isRequired && !field.mayBeNull && !mayBeEmpty(field)) problems[path] = missingWords(field)
    return
  }
  if (field.kind === 'group') {
    for (const one of field.fields) check(one, propertyOf(value, one.name), pathOf(path, one.name), problems)
    return
  }
  if (field.kind === 'list' && Array.isArray(value)) {
    for (const [at, item] of value.entries()) check(field.item, item, pathOf(path, at), problems)
  }
  const problem = problemOf(field, value)
  if (problem !== undefined) problems[path] ??= problem
}

/** A required list may have no entries. A text that may be empty cannot be told from one that was not filled in: it must be. */
const mayBeEmpty = (field: Field): boolean =>
  (field.kind === 'list' || (field.kind === 'choice' && field.several)) && field.min === 0

function missingWords(field: Field): string {
  if (field.kind === 'choice') return field.several ? 'Choose at least one.' : 'Choose one.'
  if (field.kind === 'list') return `Add at least ${Math.max(1, field.min)}.`
  return 'This is needed.'
}

function problemOf(field: Exclude<Field, GroupField>, value: unknown): string | undefined {
  if (field.kind === 'text') return textProblem(field, value)
  if (field.kind === 'number') return numberProblem(field, value)
  if (field.kind === 'json') return jsonProblem(field.takes, value)
  return amountProblem(field, value)
}

function textProblem({ format, min, max, among }: TextField, value: unknown): string | undefined {
  if (typeof value !== 'string') return 'This must be text.'
  const { length } = Array.from(value)
  if (length < min) return `At least ${min} characters: this has ${length}.`
  if (length > max) return `At most ${max} characters: this has ${length}.`
  if (among && !among.has(value)) return `This is none of the ${among.size} values that it can have.`
  if (format === 'email' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)) return 'This is not an e-mail address.'
  if (format === 'uri' && !URL.canParse(value)) return 'This is not a URL. A URL begins with https://.'
  return undefined
}

function numberProblem(field: NumberField, value: unknown): string | undefined {
  if (typeof value !== 'number') return field.isWhole ? 'This must be a whole number.' : 'This must be a number.'
  const { isWhole, min, max, above, below, multipleOf } = field
  if (isWhole && !Number.isInteger(value)) return 'This must be a whole number.'
  if (value < min) return `At least ${min}.`
  if (value > max) return `At most ${max}.`
  if (value <= above) return `More than ${above}.`
  if (value >= below) return `Less than ${below}.`
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) return `In steps of ${multipleOf}.`
  return undefined
}

/** 0.3 is three times 0.1, though computers say otherwise. */
function isMultiple(value: number, step: number): boolean {
  const times = value / step
  return Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times))
}

function amountProblem(field: ChoiceField | ListField, value: unknown): string | undefined {
  if (field.kind === 'choice' && !field.several) return undefined
  const { length } = value as unknown[]
  if (length < field.min) return `At least ${field.min}.`
  return length > field.max ? `At most ${field.max}.` : undefined
}

function jsonProblem(takes: 'object' | 'array' | undefined, value: unknown): string | undefined {
  if (value instanceof Unreadable) return 'This is not JSON.'
  if (takes === 'array' && !Array.isArray(value)) return 'This must be a list, such as ["a", "b"].'
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return takes === 'object' && !isObject ? 'This must be an object, such as {"name": "value"}.' : undefined
}

/** What is sent: without what nobody filled in, and null where it must be there and may be null. */
export function filledForm(schema: unknown, value: unknown): Record<string, unknown> {
  const sent = sentOf(formOf(schema), value)
  return (sent ?? {}) as Record<string, unknown>
}

function sentOf(field: Field, value: unknown): unknown {
  if (field.kind === 'group') {
    if (isEmpty(field, value) && !field.isRequired) return undefined
    const entries = field.fields.map((one) => [one.name, sentOf(one, propertyOf(value, one.name))] as const)
    return Object.fromEntries(entries.filter(([, one]) => one !== undefined))
  }
  if (isEmpty(field, value)) {
    if (!field.isRequired) return undefined
    return field.mayBeNull ? null : mayBeEmpty(field) ? [] : undefined
  }
  if (field.kind === 'list')
    return (value as unknown[]).map((item) => sentOf(field.item, item)).filter((item) => item !== undefined)
  return value instanceof Unreadable ? value.text : value
}

/** A refusal of the service, `values.tax.number must …`, at its field; what names none belongs to the whole form. */
export function refusalOf(schema: unknown, message: string): Problems {
  const missing = /^(values\..*) is missing\.$/s.exec(message)?.[1]
  if (missing !== undefined) {
    const paths = missing.split(', ').map((path) => path.slice(begin.length))
    return Object.fromEntries(paths.map((path) => [path, 'This is needed.']))
  }
  const rest = message.startsWith(begin) ? message.slice(begin.length) : ''
  const found = pathsOf(formOf(schema), '')
    .filter((path) => path !== '' && (rest.startsWith(`${path} `) || rest.startsWith(`${path}.`)))
    .toSorted((one, other) => other.length - one.length)[0]
  if (found === undefined) return { '': message }
  // behind the path of a list come the number of the entry and the name in it
  const below = /^\S*/.exec(rest.slice(found.length))?.[0] ?? ''
  return { [found + below]: sentence(rest.slice(found.length + below.length).trim()) }
}

const begin = 'values.'

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

function pathsOf(field: Field, path: string): string[] {
  if (field.kind !== 'group') return [path]
  const below = field.fields.flatMap((one) => pathsOf(one, pathOf(path, one.name)))
  return path === '' ? below : [path, ...below]
}
