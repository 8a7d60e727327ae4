// A field of a form as a person fills it in: how it is asked for, and which value a typed text stands for.
import { checkAgainst } from '../../../server/src/base/jsonSchema/jsonSchema.ts'
import { harmless } from '../output.ts'

export interface FieldSchema {
  type?: string | string[]
  title?: string
  description?: string
  default?: unknown
  enum?: unknown[]
  const?: unknown
  oneOf?: { const?: unknown; title?: string }[]
  items?: FieldSchema
}

export interface Field {
  name: string
  label: string
  about: string | undefined
  isRequired: boolean
  schema: FieldSchema
  /** Choose among these, or type a text. */
  options: { label: string; value: unknown }[] | undefined
  several: boolean
  /** What to type, in words. */
  takes: string
}

/** A schema may also be true or false, and anything else is what an agent wrote. */
const schemaIn = (value: unknown): FieldSchema => (typeof value === 'object' && value !== null ? value : {})

/** Required fields first, in the order in which they are required: properties have no order of their own. */
export function fieldsOf(form: unknown): Field[] {
  const { properties, required } = schemaIn(form) as { properties?: unknown; required?: unknown }
  const schemas = new Map(Object.entries(schemaIn(properties)))
  const listed: unknown[] = Array.isArray(required) ? required : []
  const needed = new Set(listed.filter((name) => typeof name === 'string' && schemas.has(name)) as string[])
  const names = new Set([...needed, ...schemas.keys()])
  return [...names].map((name) => fieldOf(name, schemaIn(schemas.get(name)), needed.has(name)))
}

function fieldOf(name: string, schema: FieldSchema, isRequired: boolean): Field {
  const { title, description } = schema
  const label = harmless(typeof title === 'string' ? title : name)
  const items = hasType(schema, 'array') ? schemaIn(schema.items) : undefined
  const ofItems = items && optionsOf(items)
  return {
    name,
    label,
    about: typeof description === 'string' ? harmless(description) : undefined,
    isRequired,
    schema,
    options: ofItems ?? optionsOf(schema),
    several: ofItems !== undefined,
    takes: takesOf(schema, items),
  }
}

const typesOf = ({ type }: FieldSchema): string[] => [type ?? []].flat()
const hasType = (schema: FieldSchema, type: string): boolean => typesOf(schema).includes(type)

function optionsOf(schema: FieldSchema): Field['options'] {
  const { enum: values, oneOf } = schema
  if (Array.isArray(values)) return values.map((value) => ({ label: textOf(value), value }))
  if (Array.isArray(oneOf) && oneOf.length > 0 && oneOf.every((one) => Object.hasOwn(schemaIn(one), 'const')))
    return oneOf.map(({ const: value, title }) => ({ label: title ?? textOf(value), value }))
  if (typesOf(schema).join() !== 'boolean') return undefined
  return [
    { label: 'yes', value: true },
    { label: 'no', value: false },
  ]
}

function takesOf(schema: FieldSchema, items: FieldSchema | undefined): string {
  if (items && isPlain(items)) return `${takesOf(items, undefined) || 'text'}, or several with commas between them`
  const type = typesOf(schema).find((one) => one !== 'null')
  if (type === 'integer') return 'a whole number'
  if (type === 'number') return 'a number'
  return isPlain(schema) ? '' : 'JSON'
}

const plain = new Set(['string', 'number', 'integer', 'boolean'])
/** Whether a person types the value itself, and not JSON. */
const isPlain = (schema: FieldSchema): boolean =>
  typesOf(schema).length === 0
    ? !('properties' in schema || 'items' in schema || '$ref' in schema)
    : typesOf(schema).some((type) => plain.has(type))

/** A value as a person would type it. */
export function textOf(value: unknown): string {
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return value.join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The value of what was typed, or why it is none. */
export function valueOf({ schema, label, takes }: Field, text: string): { value: unknown } | { problem: string } {
  const value = typedValue(schema, text)
  if (value === undefined) return { problem: `${label} must be ${takes}.` }
  return checked({ schema, label }, value)
}

/** The service checks the whole form again: a reference to another part of the form can only be followed there. */
export function checked(
  { schema, label }: Pick<Field, 'schema' | 'label'>,
  value: unknown,
): { value: unknown } | { problem: string } {
  const outcome = checkAgainst(schema as Record<string, unknown>, value)
  return 'misfit' in outcome ? { problem: `${label} ${harmless(outcome.misfit.message)}.` } : { value }
}

/** Undefined when the text cannot be such a value. */
function typedValue(schema: FieldSchema, text: string): unknown {
  const trimmed = text.trim()
  if (hasType(schema, 'array') && isPlain(schemaIn(schema.items)) && !trimmed.startsWith('[')) {
    const parts = trimmed.split(',').map((part) => part.trim())
    const values = parts.filter(Boolean).map((part) => typedValue(schemaIn(schema.items), part))
    return values.includes(undefined) ? undefined : values
  }
  if (hasType(schema, 'string') || (typesOf(schema).length === 0 && isPlain(schema))) return text
  if (hasType(schema, 'number') || hasType(schema, 'integer')) {
    return trimmed === '' || Number.isNaN(Number(trimmed)) ? undefined : Number(trimmed)
  }
  try {
    return JSON.parse(trimmed) as unknown
  } catch {
    return undefined
  }
}
