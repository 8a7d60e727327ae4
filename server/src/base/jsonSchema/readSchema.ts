// Reads a JSON Schema that a tenant wrote, once, and finds every reason why it cannot be used.
import { BadPattern, PatternSet, type Pattern } from '../pattern/linearPattern.ts'
import { keysTo } from './misfit.ts'
import { addressLengthMax, indexReferences, type References } from './references.ts'
import { isFields, partsOfSameValue, type Fields, type SchemaNode } from './schemaNode.ts'

export interface SchemaProblem {
  /** A JSON pointer into the schema; empty for the whole schema. */
  path: string
  /** The message ends a sentence that begins with that pointer. */
  message: string
}

interface ReadSchema {
  node: SchemaNode
  problems: SchemaProblem[]
  hasUnevaluated: boolean
}

const charactersMax = 200_000
const valuesMax = 10_000
const depthMax = 64
/** The longest chain of references, `allOf` and the like before a schema looks at a part of the value. */
const chainMax = 200
const problemsMax = 20

/** A parsed schema is remembered as long as the object that holds it. */
const readSchemas = new WeakMap<object, ReadSchema>()

export function readSchema(schema: Fields): ReadSchema {
  let read = readSchemas.get(schema)
  if (!read) readSchemas.set(schema, (read = readOnce(schema)))
  return read
}

function readOnce(schema: Fields): ReadSchema {
  const excess = excessOf(schema)
  if (excess !== undefined) {
    return { node: {}, problems: [{ path: '', message: excess }], hasUnevaluated: false }
  }
  const reader = new Reader(schema)
  const node = reader.read()
  const problems = reader.problems
  const chain = problems.length === 0 ? chainProblem(reader.nodes) : undefined
  return { node, problems: chain ? [chain] : problems, hasUnevaluated: reader.hasUnevaluated }
}

/** This does not recurse, because the depth is one of the things that are not known yet. */
function excessOf(schema: Fields): string | undefined {
  let characters = 0
  let values = 0
  const open: { value: unknown; depth: number }[] = [{ value: schema, depth: 1 }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, depth } = next
    values += 1
    if (typeof value === 'string') characters += value.length
    if (values > valuesMax) return `has more than ${valuesMax} values; make it smaller`
    if (characters > charactersMax) return `has more than ${charactersMax} characters; make it smaller`
    if (depth > depthMax) return `is nested deeper than ${depthMax} levels; move parts into $defs`
    if (typeof value !== 'object' || value === null) continue
    for (const [key, item] of Object.entries(value)) {
      characters += key.length
      open.push({ value: item, depth: depth + 1 })
    }
  }
  return undefined
}

class Reader {
  readonly problems: SchemaProblem[] = []
  readonly nodes = new Map<unknown, { node: SchemaNode; path: string }>()
  hasUnevaluated = false
  readonly #root: Fields
  readonly #references: References
  readonly #patterns = new PatternSet()
  /** References are resolved after the schemas that contain them, so a cycle of references is not a cycle of calls. */
  readonly #open: { node: SchemaNode; target: Fields | boolean; path: string }[] = []

  constructor(root: Fields) {
    this.#root = root
    this.#references = indexReferences(root)
    for (const place of this.#references.longIds.slice(0, problemsMax)) {
      const path = keysTo(place).map((key) => `/${escaped(String(key))}`)
      this.#complain(path.join(''), `makes a URI of more than ${addressLengthMax} characters`)
    }
  }

  read(): SchemaNode {
    const node = this.#node(this.#root, '')
    for (let next = this.#open.pop(); next; next = this.#open.pop()) {
      next.node.target = this.#node(next.target, next.path)
    }
    return node
  }

  #node(schema: Fields | boolean, path: string): SchemaNode {
    if (typeof schema === 'boolean') return { always: schema }
    const known = this.nodes.get(schema)
    if (known) return known.node
    const node: SchemaNode = {}
    this.nodes.set(schema, { node, path })
    this.#readAny(node, schema, path)
    this.#readObject(node, schema, path)
    this.#readList(node, schema, path)
    this.#readPlain(node, schema, path)
    return node
  }

  #readAny(node: SchemaNode, schema: Fields, path: string): void {
    const { type } = schema
    if (typeof type === 'string') node.types = [type]
    // the list is looked through for every value, so it names each type once
    else if (isTexts(type)) node.types = typesIn(type)
    if (Object.hasOwn(schema, 'const')) node.constant = { value: schema['const'] }
    if (Array.isArray(schema['enum'])) node.choices = schema['enum']
    this.#readReference(node, schema, path)
    node.condition = this.#one(schema, 'if', path)
    if (node.condition) {
      node.consequent = this.#one(schema, 'then', path)
      node.alternative = this.#one(schema, 'else', path)
    }
    node.not = this.#one(schema, 'not', path)
    node.allOf = this.#list(schema, 'allOf', path)
    node.anyOf = this.#list(schema, 'anyOf', path)
    node.oneOf = this.#list(schema, 'oneOf', path)
    // these are read only for their own problems: nothing but references leads to them
    this.#map(schema, '$defs', path)
    this.#map(schema, 'definitions', path)
  }

  #readReference(node: SchemaNode, schema: Fields, path: string): void {
    for (const keyword of ['$dynamicRef', '$recursiveRef']) {
      if (typeof schema[keyword] === 'string') this.#complain(`${path}/${keyword}`, 'is not supported; use $ref')
    }
    const reference = schema['$ref']
    if (typeof reference !== 'string') return
    if (reference.length > addressLengthMax) {
      this.#complain(`${path}/$ref`, `is longer than ${addressLengthMax} characters`)
      return
    }
    const target = this.#references.targetOf(schema, reference)
    if (isSchema(target)) this.#open.push({ node, target, path: `${path}/$ref` })
    else this.#complain(`${path}/$ref`, `points to nothing in this schema: ${JSON.stringify(reference.slice(0, 100))}`)
  }

  #readObject(node: SchemaNode, schema: Fields, path: string): void {
    if (isTexts(schema['required'])) node.required = schema['required']
    const properties = this.#map(schema, 'properties', path)
    if (properties) node.properties = new Map(properties)
    node.patternProperties = this.#map(schema, 'patternProperties', path)?.flatMap(([source, part]) => {
      const pattern = this.#pattern(source, `${path}/patternProperties/${escaped(source)}`)
      return pattern ? [[pattern, part]] : []
    })
    node.additionalProperties = this.#one(schema, 'additionalProperties', path)
    node.propertyNames = this.#one(schema, 'propertyNames', path)
    node.unevaluatedProperties = this.#one(schema, 'unevaluatedProperties', path)
    node.minProperties = numberIn(schema, 'minProperties')
    node.maxProperties = numberIn(schema, 'maxProperties')
    this.#readDependencies(node, schema, path)
    if (node.unevaluatedProperties) this.hasUnevaluated = true
  }

  /** `dependencies` is the older spelling of both keywords. */
  #readDependencies(node: SchemaNode, schema: Fields, path: string): void {
    const needed: [string, string[]][] = []
    for (const keyword of ['dependentRequired', 'dependencies']) {
      const given = schema[keyword]
      if (!isFields(given)) continue
      for (const [key, keys] of Object.entries(given)) if (isTexts(keys)) needed.push([key, keys])
    }
    if (needed.length > 0) node.dependentRequired = needed
    const schemas = this.#map(schema, 'dependentSchemas', path) ?? []
    const older = schema['dependencies']
    for (const [key, part] of isFields(older) ? Object.entries(older) : []) {
      if (isSchema(part)) schemas.push([key, this.#node(part, `${path}/dependencies/${escaped(key)}`)])
    }
    if (schemas.length > 0) node.dependentSchemas = schemas
  }

  #readList(node: SchemaNode, schema: Fields, path: string): void {
    node.prefixItems = this.#list(schema, 'prefixItems', path)
    if (Array.isArray(schema['items'])) {
      // this is the older spelling of prefixItems and items
      const items = this.#list(schema, 'items', path)
      if (items && !node.prefixItems) {
        node.prefixItems = items
        node.items = this.#one(schema, 'additionalItems', path)
      }
    } else node.items = this.#one(schema, 'items', path)
    node.contains = this.#one(schema, 'contains', path)
    node.unevaluatedItems = this.#one(schema, 'unevaluatedItems', path)
    node.minContains = numberIn(schema, 'minContains')
    node.maxContains = numberIn(schema, 'maxContains')
    node.minItems = numberIn(schema, 'minItems')
    node.maxItems = numberIn(schema, 'maxItems')
    node.uniqueItems = schema['uniqueItems'] === true
    if (node.unevaluatedItems) this.hasUnevaluated = true
  }

  #readPlain(node: SchemaNode, schema: Fields, path: string): void {
    node.minLength = numberIn(schema, 'minLength')
    node.maxLength = numberIn(schema, 'maxLength')
    if (typeof schema['format'] === 'string') node.format = schema['format']
    if (typeof schema['pattern'] === 'string') {
      node.pattern = this.#pattern(schema['pattern'], `${path}/pattern`)
    }
    node.minimum = numberIn(schema, 'minimum')
    node.maximum = numberIn(schema, 'maximum')
    node.exclusiveMinimum = numberIn(schema, 'exclusiveMinimum')
    node.exclusiveMaximum = numberIn(schema, 'exclusiveMaximum')
    node.multipleOf = numberIn(schema, 'multipleOf')
  }

  #pattern(source: string, path: string): Pattern | undefined {
    // the schema is refused already, so nothing more has to be compiled
    if (this.problems.length >= problemsMax) return undefined
    try {
      return this.#patterns.compile(source)
    } catch (error) {
      if (!(error instanceof BadPattern)) throw error
      this.#complain(path, error.message)
      return undefined
    }
  }

  #complain(path: string, message: string): void {
    if (this.problems.length < problemsMax) this.problems.push({ path, message })
  }

  #one(schema: Fields, keyword: string, path: string): SchemaNode | undefined {
    const part = Object.hasOwn(schema, keyword) ? schema[keyword] : undefined
    return isSchema(part) ? this.#node(part, `${path}/${keyword}`) : undefined
  }

  /** A keyword with one unusable part counts as absent. */
  #list(schema: Fields, keyword: string, path: string): SchemaNode[] | undefined {
    const parts = schema[keyword]
    if (!Array.isArray(parts) || !parts.every(isSchema)) return undefined
    return parts.map((part, index) => this.#node(part, `${path}/${keyword}/${index}`))
  }

  #map(schema: Fields, keyword: string, path: string): [string, SchemaNode][] | undefined {
    const parts = schema[keyword]
    if (!isFields(parts) || !Object.values(parts).every(isSchema)) return undefined
    return Object.entries(parts).map(([key, part]) => [
      key,
      this.#node(part as Fields | boolean, `${path}/${keyword}/${escaped(key)}`),
    ])
  }
}

/** A chain of schemas for the same value that returns to its start would never end. */
function chainProblem(nodes: Reader['nodes']): SchemaProblem | undefined {
  const lengths = new Map<SchemaNode, number>()
  const under = new Set<SchemaNode>()
  const lengthOf = (node: SchemaNode): number => {
    const known = lengths.get(node)
    if (known !== undefined) return known
    if (under.has(node) || under.size > chainMax) return Number.POSITIVE_INFINITY
    under.add(node)
    let length = 1
    for (const part of partsOfSameValue(node)) length = Math.max(length, 1 + lengthOf(part))
    under.delete(node)
    lengths.set(node, length)
    return length
  }
  for (const { node, path } of nodes.values()) {
    if (lengthOf(node) > chainMax) return { path, message: 'refers to itself without end, or through too many others' }
  }
  return undefined
}

const isSchema = (value: unknown): value is Fields | boolean => typeof value === 'boolean' || isFields(value)

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

const jsonTypes = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])

/** A type that JSON does not have says nothing, so a list with one in it says nothing either. */
function typesIn(given: string[]): string[] | undefined {
  const types = [...new Set(given)]
  return types.every((type) => jsonTypes.has(type)) ? types : undefined
}

const numberIn = (schema: Fields, keyword: string): number | undefined =>
  typeof schema[keyword] === 'number' ? schema[keyword] : undefined

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')
