// JSON as callers send it: strict UTF-8, bounded depth, and nothing that PostgreSQL or an answer could not hold.
import { Fault } from '../base/errors.ts'

const depthMax = 64
const utf8 = new TextDecoder('utf-8', { fatal: true })

const refuse = (message: string): never => {
  throw new Fault('invalid_request', message)
}

/** An absent or empty body counts as `{}`; anything that is no object is refused. */
export function parseBody(bytes: Uint8Array | undefined): Record<string, unknown> {
  if (!bytes || bytes.length === 0) return {}
  const value = parseJson(bytes)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refuse('The body must be a JSON object, such as {"name": "value"}.')
  }
  return value as Record<string, unknown>
}

export function parseJson(bytes: Uint8Array): unknown {
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(bytes))
  } catch (error) {
    // the parser quotes a few characters of what it read, and may cut one in half
    const because = error instanceof SyntaxError ? error.message.toWellFormed() : 'it is not valid UTF-8'
    return refuse(`The body is not valid JSON: ${because}.`)
  }
  checkValue(value, '', 0)
  return value
}

/** Values that would be stored as something else, or not at all, are refused where they come in. */
function checkValue(value: unknown, path: string, depth: number): void {
  if (typeof value === 'string') return checkText(value, path || 'The body')
  if (typeof value === 'number' && !Number.isFinite(value)) refuse(`${brief(path)}: the number is out of range.`)
  if (typeof value !== 'object' || value === null) return
  if (depth >= depthMax) refuse(`The body is nested deeper than ${depthMax} levels.`)
  if (Array.isArray(value)) return value.forEach((item, index) => checkValue(item, `${path}[${index}]`, depth + 1))
  for (const [key, item] of Object.entries(value)) {
    const place = path ? `${path}.${key}` : key
    checkText(key, 'A field name')
    checkValue(item, place, depth + 1)
  }
}

/** PostgreSQL text holds no NUL, and a lone surrogate is no character. */
export function checkText(text: string, place: string): void {
  if (text.includes('\u0000')) refuse(`${brief(place)} contains a NUL character (\\u0000), which cannot be stored.`)
  if (!text.isWellFormed()) refuse(`${brief(place)} contains half of a surrogate pair, which is no character.`)
}

const placeLengthMax = 200

/** Field names are the caller's own and may be megabytes long; a refusal quotes no more of them than can be read. */
export const brief = (place: string): string =>
  place.length <= placeLengthMax ? place : `${place.slice(0, placeLengthMax).toWellFormed()}…`
