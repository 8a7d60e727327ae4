// What a procedure reads of the message that starts its runs, as the JSON Schema of a form. Read from its expressions, so it is bounded.
import type { FilterName, Node } from '../../../base/expression/expression.ts'
import type { Block } from './block.ts'

interface Inputs {
  /** An object has a property for each field that is read. A property without a type can be anything. */
  schema: InputSchema
  /** No field is read: any text will do. */
  text_is_enough: boolean
  /** More fields are read than the schema has. */
  is_cut: boolean
}

type InputType = 'string' | 'number' | 'boolean' | 'object' | 'array'

export interface InputSchema {
  type?: InputType
  properties?: Record<string, InputSchema>
  required?: string[]
  items?: InputSchema
  default?: string | number | boolean
}

const fieldsMax = 100
const depthMax = 5
const nameMax = 200

/** A field while its uses are collected. */
interface Field {
  fields: Map<string, Field>
  item: Field | undefined
  /** What its uses need it to be. */
  types: Set<InputType>
  /** It stands where any value can, for example in JSON. */
  isAny: boolean
  /** It stands in a text. */
  isText: boolean
  /** Some use gives it no default, and is not a question whether it is there. */
  isNeeded: boolean
  default: string | number | boolean | undefined
}

const newField = (): Field => ({
  fields: new Map(),
  item: undefined,
  types: new Set(),
  isAny: false,
  isText: false,
  isNeeded: false,
  default: undefined,
})

/** What a use says about the value that is read. */
interface Use {
  type?: InputType
  isAny?: boolean
  isText?: boolean
  isNeeded?: boolean
  default?: string | number | boolean
  /** What its items must be, for a list. */
  itemType?: InputType
}

const ofFilter: Partial<Record<FilterName, Use>> = {
  first: { type: 'array' },
  join: { type: 'array' },
  last: { type: 'array' },
  lines: { type: 'string' },
  lower: { type: 'string' },
  number: { type: 'number' },
  parse: { type: 'string' },
  sum: { type: 'array', itemType: 'number' },
  trim: { type: 'string' },
  upper: { type: 'string' },
}

/** A value as it is shown or sent, before anything is known about it. */
const shown = { text: { isText: true, isNeeded: true }, any: { isAny: true, isNeeded: true } } satisfies Record<
  string,
  Use
>

class Collector {
  readonly message = newField()
  isCut = false
  #count = 0

  visit(node: Node, use: Use): void {
    switch (node.kind) {
      case 'literal':
        return
      case 'path':
        for (const key of node.keys) this.visit(key, { isAny: true })
        if (node.root === 'message') this.#note(node.keys, use)
        return
      case 'get':
        this.visit(node.of, { isAny: true })
        for (const key of node.keys) this.visit(key, { isAny: true })
        return
      case 'not':
        return this.visit(node.of, {})
      case 'and':
      case 'or':
        this.visit(node.left, {})
        // the left side decides whether the right one is read
        return this.visit(node.right, { ...use, isNeeded: false })
      case 'compare':
        this.visit(node.left, comparedWith(node.right, node.operator))
        return this.visit(node.right, comparedWith(node.left, node.operator))
      case 'filter':
        return this.#filter(node, use)
      default:
        return node satisfies never
    }
  }

  #filter({ name, of, argument }: Extract<Node, { kind: 'filter' }>, use: Use): void {
    if (argument) this.visit(argument, { isAny: true })
    if (name === 'default') {
      const value = argument?.kind === 'literal' ? argument.value : null
      const known = value === null ? {} : { default: value, type: typeof value as InputType }
      return this.visit(of, { ...use, ...known, isNeeded: false })
    }
    this.visit(of, { isNeeded: use.isNeeded ?? false, ...(ofFilter[name] ?? { isAny: true }) })
  }

  /** Follows the keys that are written out; what is below another key is not known. */
  #note(keys: readonly Node[], use: Use): void {
    let field = this.message
    for (const [depth, key] of keys.entries()) {
      const next = depth < depthMax ? this.#below(field, key) : undefined
      if (!next) {
        field.isAny = true
        field.isNeeded ||= use.isNeeded ?? false
        return
      }
      // a form that asks for a part asks for the whole too
      if (depth > 0) field.isNeeded ||= use.isNeeded ?? false
      field = next
    }
    const { type, itemType } = use
    if (type) field.types.add(type)
    if (itemType) (field.item ??= newField()).types.add(itemType)
    field.isAny ||= use.isAny ?? false
    field.isText ||= use.isText ?? false
    field.isNeeded ||= use.isNeeded ?? false
    field.default ??= use.default
  }

  #below(field: Field, key: Node): Field | undefined {
    if (key.kind !== 'literal') return undefined
    if (typeof key.value === 'number') return (field.item ??= newField())
    if (typeof key.value !== 'string' || key.value.length > nameMax) return undefined
    const known = field.fields.get(key.value)
    if (known) return known
    this.#count += 1
    if (this.#count > fieldsMax) {
      this.isCut = true
      return undefined
    }
    const made = newField()
    field.fields.set(key.value, made)
    return made
  }
}

function comparedWith(other: Node, operator: string): Use {
  if (operator === 'in' || operator === 'contains') return { isAny: true }
  const value = other.kind === 'literal' ? other.value : null
  if (value === null) return other.kind === 'literal' ? {} : { isAny: true }
  return { type: typeof value as InputType }
}

export function inputsOf(blocks: readonly Block[]): Inputs {
  const collector = new Collector()
  for (const { expressions, condition } of blocks) {
    if (condition) collector.visit(condition.node, {})
    for (const { expression, isText } of expressions) collector.visit(expression.node, isText ? shown.text : shown.any)
  }
  const { message, isCut } = collector
  return {
    schema: { type: 'object', ...propertiesOf(message) },
    text_is_enough: message.fields.size === 0,
    is_cut: isCut,
  }
}

function propertiesOf({ fields }: Field): Pick<InputSchema, 'properties' | 'required'> {
  const required = [...fields].filter(([, field]) => field.isNeeded).map(([name]) => name)
  return {
    properties: Object.fromEntries([...fields].map(([name, field]) => [name, schemaOf(field)])),
    ...(required.length > 0 && { required }),
  }
}

function schemaOf(field: Field): InputSchema {
  if (field.fields.size > 0) return { type: 'object', ...propertiesOf(field) }
  if (field.item) return { type: 'array', items: schemaOf(field.item) }
  const type = typeOf(field)
  const given = field.default
  return { ...(type && { type }), ...(given !== undefined && (!type || typeof given === type) && { default: given }) }
}

/** Undefined: it can be anything. What is only asked for, is a yes or a no. */
function typeOf({ types, isAny, isText }: Field): InputType | undefined {
  const [only] = types
  if (only) return types.size === 1 ? only : undefined
  if (isAny) return undefined
  return isText ? 'string' : 'boolean'
}
