// JSON as callers send it: strict UTF-8, bounded in depth, and without anything that PostgreSQL or an answer could not hold.
import { JsonRefused, scanJson } from '../base/boundedJson.ts'
import { Fault } from '../base/errors.ts'
import { refuseFor } from './problems.ts'

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
    const { isPlain } = scanJson(bytes)
    value = JSON.parse(utf8.decode(bytes))
    if (isPlain) return value
  } catch (error) {
    if (error instanceof JsonRefused) return refuse(`The body cannot be taken: ${error.message}.`)
    // the parser quotes a few characters of what it read, and may cut one in half
    const because = error instanceof SyntaxError ? error.message.toWellFormed() : 'it is not valid UTF-8'
    return refuse(`The body is not valid JSON: ${because}.`)
  }
  const problems: string[] = []
  checkValue(value, [], problems)
  refuseFor(problems)
  return value
}

/** How many problems are collected before the walk ends: a hostile body could hold millions. */
const problemsMax = 100

/** Values that would be stored as something else, or not at all, are refused where they come in. */
function checkValue(value: unknown, path: (string | number)[], problems: string[]): void {
  if (problems.length >= problemsMax) return
  if (typeof value === 'string') return checkText(value, path, problems)
  if (typeof value === 'number' && !Number.isFinite(value)) {
    problems.push(`${brief(placeOf(path))}: the number is out of range.`)
  }
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkBelow(item, path, index, problems)
    return
  }
  for (const [key, item] of Object.entries(value)) {
    checkText(key, 'A field name', problems)
    checkBelow(item, path, key, problems)
  }
}

function checkBelow(value: unknown, path: (string | number)[], step: string | number, problems: string[]): void {
  path.push(step)
  checkValue(value, path, problems)
  path.pop()
}

/** Writes `items[3].name`. It is built only for a refusal, since building it always would be most of the work. */
const placeOf = (path: (string | number)[]): string =>
  path.map((step, at) => (typeof step === 'number' ? `[${step}]` : at > 0 ? `.${step}` : step)).join('') || 'The body'

/** PostgreSQL text cannot hold a NUL, and a lone surrogate is not a character. */
export function checkText(text: string, place: string | (string | number)[], problems: string[]): void {
  const isGood = !text.includes('\u0000') && text.isWellFormed()
  if (isGood) return
  const where = brief(typeof place === 'string' ? place : placeOf(place))
  const what = text.includes('\u0000')
    ? 'a NUL character (\\u0000), which cannot be stored'
    : 'half of a surrogate pair, which is not a character'
  problems.push(`${where} contains ${what}.`)
}

const placeLengthMax = 200

/** Field names are the caller's own and may be megabytes long; a refusal quotes no more of them than can be read. */
export const brief = (place: string): string =>
  place.length <= placeLengthMax ? place : `${place.slice(0, placeLengthMax).toWellFormed()}…`
