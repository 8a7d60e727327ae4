// What PostgreSQL can hold of a value that comes from outside: the one place that cleans tool results, model answers and foreign texts.

/** Stands where a character was that cannot be stored. */
const replacement = '\ufffd'
/** A value that is nested deeper is cut at this level: neither JSON.stringify nor PostgreSQL can read nesting without an end. */
const depthMax = 200
const tooDeep = `[left out: nested deeper than ${depthMax} levels]`

/** PostgreSQL holds no NUL and no half of a surrogate pair in a text. */
export const storableText = (text: string): string => text.replaceAll('\u0000', replacement).toWellFormed()

/** The value as JSON that PostgreSQL can store as `json` and as `jsonb`. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null'
  // JSON.stringify escapes exactly the characters that must go, so nothing but its escapes has to be looked at
  return text.includes('\\u') ? text.replace(escapes, cleanEscape) : text
}

/** The value as it can be read back after it was stored; whatever a tool, a model or another server sent may be given here. */
export function storable<T>(value: T): T {
  return (typeof value === 'string' ? storableText(value) : clean(value, 0)) as T
}

/** Matches every escape whole, so that the `\\u0000` of an escaped backslash is not taken for a NUL. */
const escapes = /\\(?:u[0-9a-f]{4}|.)/gi

/** V8 writes a surrogate as an escape only where its other half is missing. */
const cleanEscape = (escape: string): string => (/^\\u(0000|d[89a-f])/i.test(escape) ? replacement : escape)

/** As JSON would give it back, except that nothing in it can fail. */
function clean(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return storableText(value)
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'object' || value === null) return value
  if (depth >= depthMax) return tooDeep
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [storableText(key), clean(item, depth + 1)]))
}
