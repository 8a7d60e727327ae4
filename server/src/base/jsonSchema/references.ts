// Where a `$ref` leads: only to places inside the same document, by pointer, by anchor, or by the $id of a part.
import { isFields, type Fields } from './schemaNode.ts'

export interface References {
  /** The part that a reference of this schema points to; undefined when the document has no such part. */
  targetOf: (schema: Fields, reference: string) => unknown
}

/** No part of a document can have this as its own name, so it stands for the whole document. */
const rootBase = 'https://document.invalid/'
/** These keywords hold values, in which `$id` means nothing. */
const valueKeywords = new Set(['const', 'enum', 'default', 'examples'])

export function indexReferences(root: Fields): References {
  const bases = new Map<object, string>()
  const parts = new Map<string, unknown>([[rootBase, root]])
  const open: { value: unknown; base: string }[] = [{ value: root, base: rootBase }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { value } = next
    let { base } = next
    if (Array.isArray(value)) for (const item of value) open.push({ value: item, base })
    if (!isFields(value)) continue
    if (typeof value['$id'] === 'string') {
      base = resolved(value['$id'], base)?.split('#')[0] ?? base
      if (!parts.has(base)) parts.set(base, value)
    }
    for (const name of [value['$anchor'], value['$dynamicAnchor']]) {
      const place = `${base}#${String(name)}`
      if (typeof name === 'string' && !parts.has(place)) parts.set(place, value)
    }
    bases.set(value, base)
    for (const [key, item] of Object.entries(value)) if (!valueKeywords.has(key)) open.push({ value: item, base })
  }
  return {
    targetOf(schema, reference) {
      const place = resolved(reference, bases.get(schema) ?? rootBase)
      if (place === undefined) return undefined
      const [document = '', fragment = ''] = place.split('#')
      if (fragment === '') return parts.get(document)
      const pointer = decoded(fragment)
      return pointer.startsWith('/') ? pointedAt(parts.get(document), pointer) : parts.get(`${document}#${pointer}`)
    },
  }
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
