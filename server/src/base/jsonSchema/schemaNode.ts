// A JSON Schema as the check reads it: every keyword that has a usable value, references followed and patterns compiled.
import type { Pattern } from '../pattern/linearPattern.ts'

export interface SchemaNode {
  /** Set for the schemas `true` and `false`, which have no keywords. */
  always?: boolean | undefined
  types?: string[] | undefined
  // objects
  required?: string[] | undefined
  properties?: Map<string, SchemaNode> | undefined
  patternProperties?: [pattern: Pattern, node: SchemaNode][] | undefined
  additionalProperties?: SchemaNode | undefined
  propertyNames?: SchemaNode | undefined
  minProperties?: number | undefined
  maxProperties?: number | undefined
  dependentRequired?: [key: string, needed: string[]][] | undefined
  dependentSchemas?: [key: string, node: SchemaNode][] | undefined
  unevaluatedProperties?: SchemaNode | undefined
  // lists
  prefixItems?: SchemaNode[] | undefined
  /** The schema of the items after `prefixItems`. */
  items?: SchemaNode | undefined
  contains?: SchemaNode | undefined
  minContains?: number | undefined
  maxContains?: number | undefined
  minItems?: number | undefined
  maxItems?: number | undefined
  uniqueItems?: boolean | undefined
  unevaluatedItems?: SchemaNode | undefined
  // texts
  minLength?: number | undefined
  maxLength?: number | undefined
  pattern?: Pattern | undefined
  format?: string | undefined
  // numbers
  minimum?: number | undefined
  maximum?: number | undefined
  exclusiveMinimum?: number | undefined
  exclusiveMaximum?: number | undefined
  multipleOf?: number | undefined
  // any value
  target?: SchemaNode | undefined
  constant?: { value: unknown } | undefined
  choices?: unknown[] | undefined
  condition?: SchemaNode | undefined
  consequent?: SchemaNode | undefined
  alternative?: SchemaNode | undefined
  not?: SchemaNode | undefined
  allOf?: SchemaNode[] | undefined
  anyOf?: SchemaNode[] | undefined
  oneOf?: SchemaNode[] | undefined
}

/** The parts of a schema that look at the same value as the schema itself. */
export function partsOfSameValue(node: SchemaNode): SchemaNode[] {
  const single = [node.target, node.condition, node.consequent, node.alternative, node.not]
  const lists = [node.allOf, node.anyOf, node.oneOf, node.dependentSchemas?.map(([, part]) => part)]
  return [...single.filter((part) => part !== undefined), ...lists.flatMap((list) => list ?? [])]
}

export type Fields = Record<string, unknown>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
