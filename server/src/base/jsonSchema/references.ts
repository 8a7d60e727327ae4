// Where a `$ref` leads: only to parts of the same document, by pointer, by anchor, or by the $id of a part.
import type { ValuePath } from './misfit.ts'
import { isFields, type Fields } from './schemaNode.ts'

export interface References {
  /** The part that a reference of this schema points to; undefined when the document has no such part. */
  targetOf: (schema: Fields, reference: string) => unknown
  /** Each `$id` that is too long to be used, alone or after those of the parts around it. */
  longIds: ValuePath[]
}

/** Every reference is read together with the $id of its part, so both have to be short. */
export const addressLengthMax = 2000

/** No part of a document can have this as its own name, so it stands for the whole document. */
const rootBase = 'https://document.invalid/'
/** These keywords hold values, in which `$id` means nothing. */
const valueKeywords = new Set(['const', 'enum', 'default', 'examples'])

export function indexReferences(root: Fields): References {
  const bases = new Map<object, string>()
  const parts = new Map<string, unknown>([[rootBase, root]])
  const longIds: ValuePath[] = []
  const open: { value: unknown; base: string; place: ValuePath | null }[] = [
    { value: root, base: rootBase, place: null },
  ]
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, place: above } = next
    let { base } = next
    if (Array.isArray(value)) {
      for (const [key, item] of value.entries()) open.push({ value: item, base, place: { above, key } })
    }
    if (!isFields(value)) continue
    if (typeof value['$id'] === 'string') {
      const own = baseOf(value['$id'], base)
      if (own === undefined) longIds.push({ above, key: '$id' })
      else base = own
      if (!parts.has(base)) parts.set(base, value)
    }
    for (const name of [value['$anchor'], value['$dynamicAnchor']]) {
      const place = `${base}#${String(name)}`
      if (typeof name === 'string' && !parts.has(place)) parts.set(place, value)
    }
    bases.set(value, base)
    for (const [key, item] of Object.entries(value)) {
      if (!valueKeywords.has(key)) open.push({ value: item, base, place: { above, key } })
    }
  }
  const targets = new Map<string, Map<string, unknown>>()
  return {
    longIds,
    targetOf(schema, reference) {
      const base = bases.get(schema) ?? rootBase
      let ofBase = targets.get(base)
      if (!ofBase) targets.set(base, (ofBase = new Map()))
      if (!ofBase.has(reference)) ofBase.set(reference, targetIn(parts, resolved(reference, base)))
      return ofBase.get(reference)
    },
  }
}

/** What references inside a part with this $id start from; undefined: it would be too long. */
function baseOf(id: string, base: string): string | undefined {
  if (id.length > addressLengthMax) return undefined
  const own = resolved(id, base)?.split('#')[0] ?? base
  return own.length > addressLengthMax ? undefined : own
}

function targetIn(parts: Map<string, unknown>, place: string | undefined): unknown {
  if (place === undefined) return undefined
  const [document = '', fragment = ''] = place.split('#')
  if (fragment === '') return parts.get(document)
  const pointer = decoded(fragment)
  return pointer.startsWith('/') ? pointedAt(parts.get(document), pointer) : parts.get(`${document}#${pointer}`)
}

const resolved = (reference: string, base: string): string | undefined => URL.parse(reference, base)?.href

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch (error) {
    if (error instanceof URIError) return fragment
    throw error
  }
}

/** Follows a JSON pointer (RFC 6901). */
function pointedAt(from: unknown, pointer: string): unknown {
  let value = from
  for (const segment of pointer.slice(1).split('/')) {
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Fields)[key]
  }
  return value
}
