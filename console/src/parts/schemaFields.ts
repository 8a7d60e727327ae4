// The fields of a form from its JSON Schema, which an agent wrote: bounded in depth, number and choices. What no field fits is edited as JSON.

export interface Option {
  label: string
  value: unknown
}

interface Common {
  /** Empty for the whole form and for the entries of a list. */
  name: string
  label: string
  about: string | undefined
  isRequired: boolean
  /** Null may be sent for nothing. */
  mayBeNull: boolean
  /** What the agent proposes. */
  proposed: unknown
}

export interface TextField extends Common {
  kind: 'text'
  format: 'date' | 'date-time' | 'email' | 'uri' | undefined
  isLong: boolean
  min: number
  max: number
  /** More choices than a list shows: one of them must be typed. */
  among: Set<string> | undefined
}

export interface NumberField extends Common {
  kind: 'number'
  isWhole: boolean
  min: number
  max: number
  /** The value must be greater than this, and less than that. */
  above: number
  below: number
  multipleOf: number | undefined
}

export interface ChoiceField extends Common {
  kind: 'choice'
  options: Option[]
  /** A list of those that were chosen. */
  several: boolean
  min: number
  max: number
}

export interface GroupField extends Common {
  kind: 'group'
  fields: Field[]
}

export interface ListField extends Common {
  kind: 'list'
  item: Field
  min: number
  max: number
}

export interface JsonField extends Common {
  kind: 'json'
  /** What the text must be, if the schema says it. */
  takes: 'object' | 'array' | undefined
}

export type Field = TextField | NumberField | ChoiceField | GroupField | ListField | JsonField

const depthMax = 5
const fieldsMax = 200
const optionsMax = 100
const entriesMax = 200
const wordsMax = 600
const hopsMax = 8

type Schema = Record<string, unknown>

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const wordsOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.slice(0, wordsMax) : undefined
const numberOf = (value: unknown, otherwise: number): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : otherwise

const known = new WeakMap<object, GroupField | JsonField>()

/** A group, or one field of JSON for a form that has no fields or too many. */
export function formOf(schema: unknown): GroupField | JsonField {
  const root = isSchema(schema) ? schema : {}
  let form = known.get(root)
  if (!form) known.set(root, (form = new Reader(root).form()))
  return form
}

/** Required fields first, in the order in which they are required: the properties have no order of their own. */
function namesOf(properties: Schema, required: unknown): { name: string; isRequired: boolean }[] {
  const listed: unknown[] = Array.isArray(required) ? required : []
  const needed = new Set(
    listed.filter((name): name is string => typeof name === 'string' && Object.hasOwn(properties, name)),
  )
  return [...new Set([...needed, ...Object.keys(properties)])].map((name) => ({ name, isRequired: needed.has(name) }))
}

class TooMany extends Error {}

class Reader {
  readonly #root: Schema
  #count = 0

  constructor(root: Schema) {
    this.#root = root
  }

  form(): GroupField | JsonField {
    const whole = { ...commonOf(this.#root, '', true), label: '' }
    try {
      const field = this.#field(this.#root, '', true, 0)
      if (field.kind === 'group' && field.fields.length > 0) return { ...field, label: '' }
    } catch (error) {
      if (!(error instanceof TooMany)) throw error
    }
    return { ...whole, kind: 'json', takes: 'object' }
  }

  #field(given: unknown, name: string, isRequired: boolean, depth: number): Field {
    this.#count += 1
    if (this.#count > fieldsMax) throw new TooMany()
    const { schema, mayBeNull } = this.#resolved(given)
    const common = { ...commonOf(schema, name, isRequired), mayBeNull }
    const type = typeOf(schema)
    const options = optionsOf(schema, type)
    if (options) return choiceOf(common, options)
    if (type === 'string') return textOf(common, schema)
    if (type === 'number' || type === 'integer') return numberFieldOf(common, schema, type === 'integer')
    if (type === 'object') return this.#group(common, schema, depth)
    if (type === 'array') return this.#list(common, schema, depth)
    return { ...common, kind: 'json', takes: undefined }
  }

  #group(common: Common, schema: Schema, depth: number): Field {
    const { properties, required } = schema
    if (!isSchema(properties) || depth >= depthMax || Object.keys(properties).length === 0)
      return { ...common, kind: 'json', takes: 'object' }
    if (Object.keys(properties).length > fieldsMax) throw new TooMany()
    const fields = namesOf(properties, required).map((one) =>
      this.#field(properties[one.name], one.name, one.isRequired, depth + 1),
    )
    return { ...common, kind: 'group', fields }
  }

  #list(common: Common, schema: Schema, depth: number): Field {
    const { items, minItems, maxItems } = schema
    if (!isSchema(items) || depth >= depthMax) return { ...common, kind: 'json', takes: 'array' }
    const item = this.#field(items, '', true, depth + 1)
    const min = numberOf(minItems, 0)
    const max = Math.min(numberOf(maxItems, entriesMax), entriesMax)
    if (item.kind === 'json' || item.kind === 'list') return { ...common, kind: 'json', takes: 'array' }
    if (item.kind === 'choice' && !item.several) return { ...item, ...common, several: true, min, max }
    return { ...common, kind: 'list', item, min, max }
  }

  /** Follows references inside of the form, and takes `null` out of alternatives. */
  #resolved(given: unknown): { schema: Schema; mayBeNull: boolean } {
    let schema = isSchema(given) ? given : {}
    let mayBeNull = false
    for (let hops = 0; hops < hopsMax; hops += 1) {
      const { $ref, anyOf, oneOf, ...around } = schema
      const alternatives = [anyOf, oneOf].find((one): one is unknown[] => Array.isArray(one))
      const others = alternatives?.filter((one) => !(isSchema(one) && one['type'] === 'null'))
      if (typeof $ref === 'string') schema = { ...pointedAt(this.#root, $ref), ...around }
      else if (others?.length === 1 && isSchema(others[0])) {
        mayBeNull ||= others.length < (alternatives?.length ?? 0)
        schema = { ...others[0], ...around }
      } else break
    }
    const { type } = schema
    return { schema, mayBeNull: mayBeNull || (Array.isArray(type) && type.includes('null')) }
  }
}

function pointedAt(root: Schema, reference: string): Schema {
  if (!reference.startsWith('#/')) return {}
  let found: unknown = root
  for (const part of reference.slice(2).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    found = isSchema(found) && Object.hasOwn(found, key) ? found[key] : undefined
  }
  return isSchema(found) ? found : {}
}

function commonOf(schema: Schema, name: string, isRequired: boolean): Common {
  return {
    name,
    label: wordsOf(schema['title']) ?? name.slice(0, wordsMax),
    about: wordsOf(schema['description']),
    isRequired,
    mayBeNull: false,
    proposed: schema['default'],
  }
}

/** The one type besides null; undefined: there are several, or none. */
function typeOf({ type, properties }: Schema): string | undefined {
  const types = (Array.isArray(type) ? type : [type]).filter((one) => one !== 'null' && one !== undefined)
  if (types.length === 1) return String(types[0])
  return types.length === 0 && isSchema(properties) ? 'object' : undefined
}

function optionsOf({ enum: values, const: constant, oneOf }: Schema, type: string | undefined): Option[] | undefined {
  if (Array.isArray(values) && values.length > 0)
    return values.filter((value) => value !== null).map((value) => ({ label: labelOf(value), value: value as unknown }))
  if (constant !== undefined) return [{ label: labelOf(constant), value: constant }]
  if (Array.isArray(oneOf) && oneOf.length > 0 && oneOf.every((one) => isSchema(one) && Object.hasOwn(one, 'const')))
    return (oneOf as Schema[]).map((one) => ({
      label: wordsOf(one['title']) ?? labelOf(one['const']),
      value: one['const'],
    }))
  if (type !== 'boolean') return undefined
  return [
    { label: 'Yes', value: true },
    { label: 'No', value: false },
  ]
}

const labelOf = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, wordsMax).trim() || '(empty)'

/** Too many choices are typed, not listed. */
function choiceOf(common: Common, options: Option[]): Field {
  if (options.length <= optionsMax) return { ...common, kind: 'choice', options, several: false, min: 0, max: Infinity }
  if (!options.every(({ value }) => typeof value === 'string')) return { ...common, kind: 'json', takes: undefined }
  const among = new Set(options.map(({ value }) => value as string))
  return { ...common, kind: 'text', format: undefined, isLong: false, min: 0, max: Infinity, among }
}

const formats = ['date', 'date-time', 'email', 'uri'] as const
/** A text of this length wants more than one line. */
const longFrom = 200
const longNames = /note|comment|message|description|text|reason|body|summary|address|details|explain/i

function textOf(common: Common, schema: Schema): TextField {
  const format = formats.find((one) => one === schema['format'])
  const max = numberOf(schema['maxLength'], Infinity)
  const isNamedLong = max === Infinity && longNames.test(`${common.name} ${common.label}`)
  const proposed = typeof common.proposed === 'string' ? common.proposed : ''
  const isLong =
    format === undefined &&
    (isNamedLong || (max !== Infinity && max >= longFrom) || /\n/.test(proposed) || proposed.length > 80)
  return { ...common, kind: 'text', format, isLong, min: numberOf(schema['minLength'], 0), max, among: undefined }
}

function numberFieldOf(common: Common, schema: Schema, isWhole: boolean): NumberField {
  const step = numberOf(schema['multipleOf'], 0)
  return {
    ...common,
    kind: 'number',
    isWhole,
    min: numberOf(schema['minimum'], -Infinity),
    max: numberOf(schema['maximum'], Infinity),
    above: numberOf(schema['exclusiveMinimum'], -Infinity),
    below: numberOf(schema['exclusiveMaximum'], Infinity),
    multipleOf: step > 0 ? step : undefined,
  }
}
