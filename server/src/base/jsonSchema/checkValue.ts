// Checks a value against a schema that a tenant wrote. Each look at a part of the value costs steps, so the check ends whatever the schema says.
import { Format } from 'typebox/format'
import { mustHave } from '../mustHave.ts'
import type { StepBudget } from '../stepBudget.ts'
import { lengthOf, type Misfit, type ValuePath } from './misfit.ts'
import { charactersPerStep, isSame, keyOf, TooDeep } from './sameValue.ts'
import { isFields, type Fields, type SchemaNode } from './schemaNode.ts'

/** This is deeper than any schema that could be saved can go with any value that a request could carry. */
const depthMax = 600
/** The patterns of formats are ours, but not all of them are linear. No address, time or name is longer than this. */
const formattedLengthMax = 4096
/** A message that names more does not help anybody. */
const missingMax = 20
/** A step covers this many names that are listed or looked up. */
const namesPerStep = 4

/** The properties and items that some keyword has looked at, for `unevaluatedProperties` and `unevaluatedItems`. */
interface Seen {
  keys: Set<string>
  items: Set<number>
}

interface Visit {
  node: SchemaNode
  place: ValuePath | null
  depth: number
  /** Null when no schema of the document uses these keywords. */
  seen: Seen | null
}

export class ValueCheck {
  readonly #budget: StepBudget
  readonly #tracksSeen: boolean
  /** Many parts of a schema can ask for the properties of the same object, and each listing takes time. */
  readonly #listed = new WeakMap<Fields, [key: string, item: unknown][]>()

  constructor(budget: StepBudget, tracksSeen: boolean) {
    this.#budget = budget
    this.#tracksSeen = tracksSeen
  }

  /** The first misfit; undefined when the value fits. */
  run(node: SchemaNode, value: unknown): Misfit | undefined {
    return this.#visit(value, { node, place: null, depth: 0, seen: this.#newSeen() })
  }

  #newSeen(): Seen | null {
    return this.#tracksSeen ? { keys: new Set(), items: new Set() } : null
  }

  #visit(value: unknown, visit: Visit): Misfit | undefined {
    const { node, place, depth } = visit
    this.#budget.spend(1)
    if (depth > depthMax) throw new TooDeep('schema and value are nested too deeply')
    if (node.always !== undefined) return node.always ? undefined : misfit('boolean', place, 'must not be given')
    if (node.types && !node.types.some((type) => isOfType(type, value))) {
      return misfit('type', place, `must be ${node.types.join(' or ')}`)
    }
    return (
      this.#ofKind(value, visit) ??
      this.#followReference(value, visit) ??
      this.#oneOfValues(value, visit) ??
      this.#combined(value, visit) ??
      this.#unevaluated(value, visit)
    )
  }

  #ofKind(value: unknown, visit: Visit): Misfit | undefined {
    if (typeof value === 'string') return this.#text(value, visit)
    if (typeof value === 'number') return number(value, visit)
    if (Array.isArray(value)) return this.#list(value, visit)
    return isFields(value) ? this.#object(value, visit) : undefined
  }

  /** Checks a part of the value; the part has its own record of what was seen. */
  #part(value: unknown, node: SchemaNode, key: string | number, { place, depth }: Visit): Misfit | undefined {
    return this.#visit(value, { node, place: { above: place, key }, depth: depth + 1, seen: this.#newSeen() })
  }

  /** Checks the same value against another schema; what that schema has seen counts only if the value fits. */
  #same(value: unknown, node: SchemaNode, { place, depth, seen }: Visit): Misfit | undefined {
    const own = this.#newSeen()
    const found = this.#visit(value, { node, place, depth: depth + 1, seen: own })
    if (!found && seen && own) {
      this.#budget.spend((own.keys.size + own.items.size) / 4)
      for (const key of own.keys) seen.keys.add(key)
      for (const item of own.items) seen.items.add(item)
    }
    return found
  }

  #object(value: Fields, visit: Visit): Misfit | undefined {
    const { node, place } = visit
    const missing = this.#missing(value, node.required ?? [])
    if (missing.length > 0) return { ...misfit('required', place, `must have ${this.#joined(missing)}`), missing }
    const found = this.#namedProperties(value, visit) ?? this.#otherProperties(value, visit)
    return found ?? this.#propertyCount(value, visit) ?? this.#dependencies(value, visit)
  }

  #propertyCount(value: Fields, { node, place }: Visit): Misfit | undefined {
    const { minProperties, maxProperties } = node
    if (minProperties === undefined && maxProperties === undefined) return undefined
    const count = this.#entries(value).length
    if (count < (minProperties ?? 0)) {
      return misfit('minProperties', place, `must not have fewer than ${minProperties} properties`)
    }
    if (count > (maxProperties ?? count)) {
      return misfit('maxProperties', place, `must not have more than ${maxProperties} properties`)
    }
    return undefined
  }

  /** Listed once a check, and paid for by each use. */
  #entries(value: Fields): [key: string, item: unknown][] {
    let entries = this.#listed.get(value)
    if (!entries) this.#listed.set(value, (entries = Object.entries(value)))
    this.#budget.spend(Math.max(1, entries.length / namesPerStep))
    return entries
  }

  /** The first of the needed names that the object does not have. */
  #missing(value: Fields, needed: string[]): string[] {
    this.#budget.spend(needed.length / namesPerStep)
    const missing: string[] = []
    for (const key of needed) {
      if (Object.hasOwn(value, key)) continue
      missing.push(key)
      if (missing.length === missingMax) break
    }
    return missing
  }

  /** Names can be long, and one schema can be tried many times. */
  #joined(names: string[]): string {
    const text = names.join(', ')
    this.#budget.spend(text.length / charactersPerStep)
    return text
  }

  #namedProperties(value: Fields, visit: Visit): Misfit | undefined {
    const { node, seen } = visit
    this.#budget.spend((node.properties?.size ?? 0) / namesPerStep)
    for (const [key, part] of node.properties ?? []) {
      if (!Object.hasOwn(value, key)) continue
      const found = this.#part(value[key], part, key, visit)
      if (found) return found
      seen?.keys.add(key)
    }
    for (const [pattern, part] of node.patternProperties ?? []) {
      for (const [key, item] of this.#entries(value)) {
        if (!pattern.matches(key, this.#budget)) continue
        const found = this.#part(item, part, key, visit)
        if (found) return found
        seen?.keys.add(key)
      }
    }
    return undefined
  }

  #otherProperties(value: Fields, visit: Visit): Misfit | undefined {
    const { node, place, seen } = visit
    if (node.additionalProperties) {
      for (const [key, item] of this.#entries(value)) {
        if (this.#isNamed(key, node)) continue
        if (node.additionalProperties.always === false) {
          return misfit('additionalProperties', { above: place, key }, 'must not be given: the schema does not name it')
        }
        const found = this.#part(item, node.additionalProperties, key, visit)
        if (found) return found
        seen?.keys.add(key)
      }
    }
    if (!node.propertyNames) return undefined
    for (const [key] of this.#entries(value)) {
      if (this.#part(key, node.propertyNames, key, visit)) {
        return misfit('propertyNames', { above: place, key }, 'must not be given: its name does not fit propertyNames')
      }
    }
    return undefined
  }

  #isNamed(key: string, node: SchemaNode): boolean {
    this.#budget.spend(1)
    if (node.properties?.has(key)) return true
    return node.patternProperties?.some(([pattern]) => pattern.matches(key, this.#budget)) ?? false
  }

  #dependencies(value: Fields, visit: Visit): Misfit | undefined {
    for (const [key, needed] of visit.node.dependentRequired ?? []) {
      this.#budget.spend(1)
      if (!Object.hasOwn(value, key)) continue
      const missing = this.#missing(value, needed)
      if (missing.length > 0) {
        const message = `must have ${this.#joined(missing)} beside ${key}`
        return { ...misfit('dependentRequired', visit.place, message), missing }
      }
    }
    for (const [key, part] of visit.node.dependentSchemas ?? []) {
      this.#budget.spend(1)
      const found = Object.hasOwn(value, key) ? this.#same(value, part, visit) : undefined
      if (found) return found
    }
    return undefined
  }

  #list(value: unknown[], visit: Visit): Misfit | undefined {
    const { node, place, seen } = visit
    if (value.length < (node.minItems ?? 0)) {
      return misfit('minItems', place, `must not have fewer than ${node.minItems} items`)
    }
    if (value.length > (node.maxItems ?? value.length)) {
      return misfit('maxItems', place, `must not have more than ${node.maxItems} items`)
    }
    const first = node.prefixItems ?? []
    for (const [index, item] of value.entries()) {
      const part = first[index] ?? node.items
      if (!part) break
      const found = this.#part(item, part, index, visit)
      if (found) return found
      seen?.items.add(index)
    }
    if (node.uniqueItems && new Set(value.map((item) => keyOf(item, this.#budget))).size < value.length) {
      return misfit('uniqueItems', place, 'must not have the same item twice')
    }
    return node.contains ? this.#contains(value, node.contains, visit) : undefined
  }

  #contains(value: unknown[], part: SchemaNode, visit: Visit): Misfit | undefined {
    const { node, place, seen } = visit
    let count = 0
    for (const [index, item] of value.entries()) {
      if (this.#part(item, part, index, visit)) continue
      count += 1
      seen?.items.add(index)
    }
    const least = node.minContains ?? 1
    if (count < least) return misfit('contains', place, `must have at least ${least} items that fit contains`)
    if (count > (node.maxContains ?? count)) {
      return misfit('contains', place, `must have at most ${node.maxContains} items that fit contains`)
    }
    return undefined
  }

  #text(value: string, { node, place }: Visit): Misfit | undefined {
    const { minLength, maxLength, format, pattern } = node
    if (minLength !== undefined || maxLength !== undefined) {
      const length = this.#codePoints(value)
      if (length < (minLength ?? 0)) {
        return misfit('minLength', place, `must not have fewer than ${minLength} characters`)
      }
      if (length > (maxLength ?? length)) {
        return misfit('maxLength', place, `must not have more than ${maxLength} characters`)
      }
    }
    if (format !== undefined && Format.Has(format)) {
      this.#budget.spend(value.length / 4)
      const isFormatted = value.length <= formattedLengthMax && Format.Test(format, value)
      if (!isFormatted) return misfit('format', place, `must have the format ${format}`)
    }
    if (pattern !== undefined && !pattern.matches(value, this.#budget)) {
      return misfit('pattern', place, `must match the pattern ${pattern.source}`)
    }
    return undefined
  }

  #codePoints(text: string): number {
    this.#budget.spend(text.length / charactersPerStep)
    let count = 0
    for (let at = 0; at < text.length; at += 1) {
      if ((text.codePointAt(at) ?? 0) > 0xffff) at += 1
      count += 1
    }
    return count
  }

  #followReference(value: unknown, visit: Visit): Misfit | undefined {
    return visit.node.target && this.#same(value, visit.node.target, visit)
  }

  #oneOfValues(value: unknown, { node, place }: Visit): Misfit | undefined {
    const { constant, choices } = node
    if (constant && !isSame(value, constant.value, this.#budget)) {
      return { ...misfit('const', place, 'must be the one allowed value'), choices: [constant.value] }
    }
    if (choices && !choices.some((choice) => isSame(value, choice, this.#budget))) {
      return { ...misfit('enum', place, 'must be one of the allowed values'), choices }
    }
    return undefined
  }

  #combined(value: unknown, visit: Visit): Misfit | undefined {
    const { node, place } = visit
    if (node.condition) {
      const branch = this.#same(value, node.condition, visit) ? node.alternative : node.consequent
      const found = branch && this.#same(value, branch, visit)
      if (found) return found
    }
    if (node.not && !this.#same(value, node.not, { ...visit, seen: null })) {
      return misfit('not', place, 'must not fit the schema under not')
    }
    for (const part of node.allOf ?? []) {
      const found = this.#same(value, part, visit)
      if (found) return found
    }
    return this.#anyOf(value, visit) ?? this.#oneOf(value, visit)
  }

  #anyOf(value: unknown, visit: Visit): Misfit | undefined {
    const { node, place } = visit
    if (!node.anyOf) return undefined
    const found: Misfit[] = []
    for (const part of node.anyOf) {
      const one = this.#same(value, part, visit)
      if (one) found.push(one)
      // the other alternatives matter only for what they would have seen
      else if (!this.#tracksSeen) return undefined
    }
    return found.length < node.anyOf.length ? undefined : nearest(found, 'anyOf', place)
  }

  #oneOf(value: unknown, visit: Visit): Misfit | undefined {
    const { node, place } = visit
    if (!node.oneOf) return undefined
    const found: Misfit[] = []
    for (const part of node.oneOf) {
      const one = this.#same(value, part, visit)
      if (one) found.push(one)
    }
    const fitting = node.oneOf.length - found.length
    if (fitting === 1) return undefined
    return fitting === 0
      ? nearest(found, 'oneOf', place)
      : misfit('oneOf', place, `must fit exactly one of the schemas under oneOf, not ${fitting}`)
  }

  #unevaluated(value: unknown, visit: Visit): Misfit | undefined {
    const { node } = visit
    if (!node.unevaluatedItems && !node.unevaluatedProperties) return undefined
    const seen = mustHave(visit.seen, 'what other keywords evaluated')
    if (node.unevaluatedItems && Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        const found = seen.items.has(index) ? undefined : this.#part(item, node.unevaluatedItems, index, visit)
        if (found) return found
        seen.items.add(index)
      }
    }
    if (node.unevaluatedProperties && isFields(value)) {
      for (const [key, item] of this.#entries(value)) {
        const found = seen.keys.has(key) ? undefined : this.#part(item, node.unevaluatedProperties, key, visit)
        if (found) return found
        seen.keys.add(key)
      }
    }
    return undefined
  }
}

function number(value: number, { node, place }: Visit): Misfit | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = node
  if (minimum !== undefined && value < minimum) return misfit('minimum', place, `must be >= ${minimum}`)
  if (maximum !== undefined && value > maximum) return misfit('maximum', place, `must be <= ${maximum}`)
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) {
    return misfit('exclusiveMinimum', place, `must be > ${exclusiveMinimum}`)
  }
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) {
    return misfit('exclusiveMaximum', place, `must be < ${exclusiveMaximum}`)
  }
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) {
    return misfit('multipleOf', place, `must be a multiple of ${multipleOf}`)
  }
  return undefined
}

/** Compares within the precision of a float: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, divisor: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(1 / divisor)) return true
  const rest = value % divisor
  return Math.min(Math.abs(rest), Math.abs(rest - divisor), Math.abs(rest + divisor)) < 1e-10
}

/** A type that JSON does not have constrains nothing. */
function isOfType(type: string, value: unknown): boolean {
  if (type === 'object') return isFields(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'null') return value === null
  return ['string', 'number', 'boolean'].includes(type) ? typeof value === type : true
}

const misfit = (keyword: string, place: ValuePath | null, message: string): Misfit => ({ keyword, place, message })

/** When no alternative fits, reports the misfit that lies furthest inside the value; when only the types differ, reports all types. */
function nearest(found: Misfit[], keyword: string, place: ValuePath | null): Misfit {
  if (found.length === 0) return misfit(keyword, place, `must fit one of the schemas under ${keyword}, which has none`)
  if (found.length > 1 && found.every((one) => one.keyword === 'type' && one.place === place)) {
    return misfit('type', place, `must be ${found.map(({ message }) => message.slice('must be '.length)).join(' or ')}`)
  }
  const depths = found.map((one) => lengthOf(one.place))
  return mustHave(found[depths.indexOf(Math.max(...depths))], 'the deepest misfit')
}
