// Makes a value from outside storable in PostgreSQL: only this file cleans tool results, model answers and foreign texts.

/** Replaces a character that cannot be stored. */
const replacement = '\ufffd'
/** A value that is nested deeper is cut at this level: neither JSON.stringify nor PostgreSQL can read unlimited nesting. */
const depthMax = 200
const tooDeep = `[left out: nested deeper than ${depthMax} levels]`

/** PostgreSQL text cannot hold a NUL or half of a surrogate pair. */
export const storableText = (text: string): string => text.replaceAll('\u0000', replacement).toWellFormed()

/** The value as JSON that PostgreSQL can store as `json` and as `jsonb`. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null'
  // JSON.stringify escapes exactly the characters that must go, so we only look at its escapes
  return text.includes('\\u') ? text.replace(escapes, cleanEscape) : text
}

/** The value as it reads back after it was stored. The value may come from any tool, model or server. */
export function storable<T>(value: T): T {
  return (typeof value === 'string' ? storableText(value) : clean(value, 0)) as T
}

/** Matches every escape whole, so that the `\\u0000` of an escaped backslash is not taken for a NUL. */
const escapes = /\\(?:u[0-9a-f]{4}|.)/gi

/** V8 writes a surrogate as an escape only where its other half is missing. */
const cleanEscape = (escape: string): string => (/^\\u(0000|d[89a-f])/i.test(escape) ? replacement : escape)

/** The value as JSON would give it back, except that nothing in it can fail. */
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
