// JSON as callers send it: strict UTF-8, bounded in depth, and without anything that PostgreSQL or an answer could not hold.
import { Fault } from '../base/errors.ts'
import { JsonRefused, readJsonInSteps } from '../base/jsonReader.ts'
import type { Steps } from '../base/steps.ts'
import { refuseFor } from './problems.ts'

const refuse = (message: string): never => {
  throw new Fault('invalid_request', message)
}

/** Reads a body that must be an object, in steps. */
export function* readObject(bytes: Uint8Array | undefined): Steps<Record<string, unknown>> {
  const value = yield* readJson(bytes)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refuse('The body must be a JSON object, such as {"name": "value"}.')
  }
  return value as Record<string, unknown>
}

/** Reads a body in steps, or refuses it with what is wrong with it. An absent or empty body counts as `{}`. */
export function* readJson(bytes: Uint8Array | undefined): Steps<unknown> {
  if (!bytes || bytes.length === 0) return {}
  try {
    const { value, isPlain } = yield* readJsonInSteps(bytes)
    if (!isPlain) refuseFor(yield* problemsIn(value))
    return value
  } catch (error) {
    if (error instanceof JsonRefused) return refuse(`The body cannot be taken: ${error.message}.`)
    if (!(error instanceof SyntaxError)) throw error
    // the parser quotes a few characters of what it read, and may cut one in half
    return refuse(`The body is not valid JSON: ${error.message.toWellFormed()}.`)
  }
}

/** How many problems are collected before the walk ends: a hostile body could hold millions. */
const problemsMax = 100
/** How many values one step looks at. */
const valuesAtOnce = 5000

/** One container of the value, and how many of its members are checked. */
interface Walked {
  names: string[] | undefined
  values: unknown[]
  next: number
}

/** Finds the values that would be stored as something else, or not at all: they are refused where they come in. */
function* problemsIn(whole: unknown): Steps<string[]> {
  const problems: string[] = []
  const path: Walked[] = [{ names: undefined, values: [whole], next: 0 }]
  for (let count = 1; problems.length < problemsMax; count++) {
    const within = path.at(-1)
    if (!within) break
    if (within.next === within.values.length) {
      path.pop()
      continue
    }
    const value = within.values[within.next]
    const name = within.names?.[within.next]
    within.next += 1
    if (name !== undefined) checkText(name, 'A field name', problems)
    if (typeof value === 'string') checkText(value, path, problems)
    else if (typeof value === 'number' && !Number.isFinite(value)) {
      problems.push(`${brief(placeOf(path))}: the number is out of range.`)
    } else if (Array.isArray(value)) path.push({ names: undefined, values: value, next: 0 })
    else if (typeof value === 'object' && value !== null) {
      path.push({ names: Object.keys(value), values: Object.values(value), next: 0 })
    }
    if (count % valuesAtOnce === 0) yield
  }
  return problems
}

/** Writes `items[3].name`. It is built only for a refusal, since building it always would be most of the work. */
function placeOf(path: Walked[]): string {
  let place = ''
  for (const { names, next } of path.slice(1)) {
    if (names === undefined) place += `[${next - 1}]`
    else place += `${place === '' ? '' : '.'}${names[next - 1] ?? ''}`
  }
  return place || 'The body'
}

/** PostgreSQL text cannot hold a NUL, and a lone surrogate is not a character. */
export function checkText(text: string, place: string | Walked[], problems: string[]): void {
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
