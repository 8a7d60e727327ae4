// The form of a run's input, made from what the procedure reads. A field that can be anything takes text, or any other value as JSON.
import { filledForm } from '../../parts/schemaValue.ts'

type Schema = Record<string, unknown>

const isRecord = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const hasFields = (schema: Schema): boolean =>
  isRecord(schema['properties']) && Object.keys(schema['properties']).length > 0

const isAnything = ({ type, properties, items }: Schema): boolean =>
  type === undefined && properties === undefined && items === undefined

const shown = new WeakMap<Schema, Schema>()

/** The schema that is drawn: a field that can be anything is one of text. */
export function shownSchema(schema: Schema): Schema {
  let known = shown.get(schema)
  if (!known) shown.set(schema, (known = textForAnything(schema)))
  return known
}

function textForAnything(schema: Schema): Schema {
  if (isAnything(schema)) {
    const given = schema['default'] === undefined ? {} : { default: textOfValue(schema['default']) }
    return { ...schema, ...given, type: 'string', description: 'Text. A number, true, false or JSON is taken as such.' }
  }
  const { properties, items } = schema
  return {
    ...schema,
    ...(isRecord(properties) && {
      properties: mapped(properties, (_, one) => textForAnything(isRecord(one) ? one : {})),
    }),
    ...(isRecord(items) && { items: textForAnything(items) }),
  }
}

const mapped = (record: Schema, change: (name: string, value: unknown) => unknown): Schema =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(name, value)]))

/** What is sent for a filled form. What the message had besides the fields stays. */
export function messageOfForm(schema: Schema, value: unknown): Schema {
  const fields = isRecord(schema['properties']) ? schema['properties'] : {}
  const others = Object.entries(isRecord(value) ? value : {}).filter(([name]) => !Object.hasOwn(fields, name))
  const filled = changed(schema, filledForm(shownSchema(schema), value), valueOfText)
  return { ...Object.fromEntries(others), ...(isRecord(filled) ? filled : {}) }
}

/** A message as the form shows it. */
export const formOfMessage = (schema: Schema, message: Schema): unknown => changed(schema, message, textOfValue)

/** The value with every field that can be anything changed. */
function changed(schema: Schema, value: unknown, change: (value: unknown) => unknown): unknown {
  if (value === undefined) return undefined
  if (isAnything(schema)) return change(value)
  const { properties, items } = schema
  if (isRecord(properties) && isRecord(value))
    return mapped(value, (name, one) => {
      const of = Object.hasOwn(properties, name) ? properties[name] : undefined
      return isRecord(of) ? changed(of, one, change) : one
    })
  if (isRecord(items) && Array.isArray(value)) return value.map((one) => changed(items, one, change))
  return value
}

/** `5`, `true` and `{"a": 1}` are what they are in JSON, everything else is text. A number that would change its digits stays text. */
function valueOfText(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const text = value.trim()
  if (!/^(?:[-\d{["]|true$|false$|null$)/.test(text)) return value
  try {
    const read: unknown = JSON.parse(text)
    return typeof read === 'number' && String(read) !== text ? value : read
  } catch {
    return value
  }
}

const textOfValue = (value: unknown): string =>
  typeof value === 'string' && valueOfText(value) === value ? value : JSON.stringify(value)
