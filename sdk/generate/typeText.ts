// The TypeScript type of a JSON Schema, as text.
import { nameOf } from '../../server/src/kit/schema.ts'

/** What of JSON Schema the declarations of Runyard use. */
export interface Schema {
  type?: string | string[]
  description?: string
  pattern?: string
  const?: unknown
  enum?: unknown[]
  default?: unknown
  anyOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  patternProperties?: Record<string, Schema>
}

/** Collects the named schemas on the way: each becomes a type of its own. */
export type Named = Map<string, Schema>

/** `isInput`: what has a default may be left out. */
export function typeText(schema: Schema, named: Named, isInput = false): string {
  const name = nameOf(schema)
  if (name === undefined) return bareTypeText(schema, named, isInput)
  if (!named.has(name)) named.set(name, schema)
  return name
}

export function bareTypeText(schema: Schema, named: Named, isInput = false): string {
  const { type, const: constant, enum: choices, anyOf, allOf, items } = schema
  if (constant !== undefined) return JSON.stringify(constant)
  if (choices) return choices.map((one) => JSON.stringify(one)).join(' | ')
  if (anyOf) return [...new Set(anyOf.map((one) => typeText(one, named, isInput)))].join(' | ')
  if (allOf) return allOf.map((one) => inBrackets(typeText(one, named, isInput))).join(' & ')
  if (Array.isArray(type)) return type.map((one) => typeText({ ...schema, type: one }, named, isInput)).join(' | ')
  if (type === 'array') return items ? `${inBrackets(typeText(items, named, isInput))}[]` : 'unknown[]'
  if (type === 'object') return objectText(schema, named, isInput)
  if (type === 'integer') return 'number'
  if (type === 'string' || type === 'number' || type === 'boolean' || type === 'null') return type
  if (type === undefined) return 'unknown'
  throw new Error(`the generator of the SDK does not know the type ${type}`)
}

const inBrackets = (text: string): string => (/ [|&] /.test(text) && !text.startsWith('{') ? `(${text})` : text)

function objectText(schema: Schema, named: Named, isInput: boolean): string {
  const { properties = {}, patternProperties, additionalProperties } = schema
  const fields = Object.entries(properties).map(([name, field]) => fieldText(schema, name, field, named, isInput))
  const others = additionalProperties === true ? {} : additionalProperties || undefined
  const [pattern] = Object.values(patternProperties ?? {})
  const rest = pattern ?? others ?? (fields.length === 0 ? {} : undefined)
  if (rest === undefined) return `{\n${fields.join('\n')}\n}`
  const value = typeText(rest, named, isInput)
  if (fields.length === 0) return `Record<string, ${value}>`
  return `{\n${fields.join('\n')}\n[name: string]: unknown\n}`
}

function fieldText(of: Schema, name: string, field: Schema, named: Named, isInput: boolean): string {
  const isOptional = !of.required?.includes(name) || (isInput && field.default !== undefined)
  const comment = commentText([field.description])
  return `${comment}${keyText(name)}${isOptional ? '?' : ''}: ${typeText(field, named, isInput)}${listText(field, isInput)}`
}

/** Words with commas between them may be given as a list. */
const listText = ({ type, pattern }: Schema, isInput: boolean): string =>
  isInput && type === 'string' && pattern?.includes('(,') ? ' | readonly string[]' : ''

const keyText = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

/** A comment for editors; empty when there is nothing to say. */
export function commentText(sentences: (string | undefined)[]): string {
  const text = sentences.filter(Boolean).join(' ').replaceAll('*/', '*\\/').replaceAll(/\s+/g, ' ')
  return text === '' ? '' : `/** ${text} */\n`
}
