// Fills the holes of a template: each value is written so that it stays a value in its context.
import { evaluate } from '../../../base/expression/evaluate.ts'
import { CannotRender, charactersMax, jsonOf, textOf } from '../../../base/expression/text.ts'
import { payFor } from '../../../base/valueSize.ts'
import { isHeaderText } from './blocks/http.ts'
import type { RunbookScope } from './scope.ts'
import { markIn, refuseForgedMarks } from './secretHoles.ts'
import type { Hole, TextKind, Template } from './template.ts'

/** A text, or any value where the template is one value or JSON as a whole. */
export function render(template: Template, scope: RunbookScope): unknown {
  const { place, literals, holes } = template
  if (place === 'value') return evaluate(holes[0]!.expression!, scope)
  const parts: string[] = [literals[0]!]
  let length = 0
  // holes are filled one after the other, so that one that goes too far stops the work before the rest is evaluated
  for (const [index, hole] of holes.entries()) {
    const written = markIn(hole, place) ?? writtenValue(hole, place, scope)
    length += written.length
    if (length > charactersMax) throw new CannotRender(`The values are longer than ${charactersMax} characters in all.`)
    parts.push(written, literals[index + 1]!)
  }
  const text = parts.join('')
  if (place === 'url') refuseSteppingOut(text)
  if (template.mayHoldSecrets) refuseForgedMarks(template, text)
  return place === 'json_value' ? (JSON.parse(text) as unknown) : text
}

function writtenValue(hole: Hole, place: Exclude<TextKind, 'value'>, scope: RunbookScope): string {
  const value = evaluate(hole.expression!, scope)
  payFor(value, scope.budget)
  return writers[place](value, hole.part)
}

const writers: Record<Exclude<TextKind, 'value'>, (value: unknown, part: Hole['part']) => string> = {
  bash: (value) => bashWord(textOf(value)),
  python: pythonLiteral,
  js: jsLiteral,
  url: urlText,
  form: (value) => percentEncoded(textOf(value)),
  header: (value) => headerText(textOf(value)),
  line: (value, part) => lineText(textOf(value), part),
  json_text: jsonText,
  json_value: jsonText,
  text: textOf,
}

/** One word in single quotes, inside which bash reads nothing; a quote itself is put between two such words. */
function bashWord(text: string): string {
  if (text.includes('\0')) throw new CannotRender('A value holds a NUL, which bash cannot carry.')
  return `'${wellFormed(text).replaceAll("'", `'\\''`)}'`
}

/** Half of a surrogate pair has no bytes of its own, so it would arrive as something else. */
function wellFormed(text: string): string {
  if (text.isWellFormed()) return text
  throw new CannotRender('A value holds half a character (a lone surrogate), which cannot be carried here.')
}

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Plain ASCII, so that no encoding of the file matters. */
function pythonText(text: string): string {
  return jsonOf(text).replaceAll(/[\u{10000}-\u{10FFFF}]|[^\x20-\x7E]/gu, (sign) =>
    sign.length === 1 ? escaped(sign) : `\\U${sign.codePointAt(0)!.toString(16).padStart(8, '0')}`,
  )
}

function pythonLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return compound(value, pythonLiteral, pythonText, pythonText)
}

const jsText = (text: string): string => jsonOf(text).replaceAll(/[\u2028\u2029]/g, escaped)

function jsLiteral(value: unknown): string {
  if (value === '__proto__') return '("__proto__")'
  // as a plain name it would set the prototype instead of a property
  return compound(value, jsLiteral, jsText, (name) => (name === '__proto__' ? '["__proto__"]' : jsText(name)))
}

function compound(
  value: unknown,
  literal: (item: unknown) => string,
  text: (value: string) => string,
  name: (key: string) => string,
): string {
  if (typeof value === 'string') return text(value)
  if (typeof value === 'number') return value < 0 ? `(${jsonOf(value)})` : jsonOf(value)
  if (typeof value !== 'object' || value === null) return jsonOf(value)
  // measures the depth: what cannot be written as JSON cannot be written here
  jsonOf(value)
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  return `{${Object.entries(value)
    .map(([key, item]) => `${name(key)}: ${literal(item)}`)
    .join(', ')}}`
}

function jsonText(value: unknown, part: Hole['part']): string {
  return part === 'json_string' ? jsonOf(textOf(value)).slice(1, -1) : jsonOf(value)
}

const percentEncoded = (text: string): string => encodeURIComponent(wellFormed(text))

/** A path needs every one of its values: `/items/` is not the item that was meant. */
function urlText(value: unknown, part: Hole['part']): string {
  if (part === 'path' && (value === null || value === '')) {
    throw new CannotRender('A value in the path of the URL is empty. Skip the step by if="…", or give it a default.')
  }
  return percentEncoded(textOf(value))
}

/** `.` and `..` lead to another path, however they are encoded. */
function refuseSteppingOut(url: string): void {
  const path = url.split(/[?#]/, 1)[0]!
  if (path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))) {
    throw new CannotRender('A part of the path of the URL is . or .., which would lead to another URL.')
  }
}

function headerText(text: string): string {
  if (isHeaderText(text)) return text
  throw new CannotRender('A value in a header holds a line break or another sign that headers cannot carry.')
}

function lineText(text: string, part: Hole['part']): string {
  if (/[\r\n\u2028\u2029]/.test(text)) throw new CannotRender('A value in a browser line holds a line break.')
  if (part === 'target' && text.includes('='))
    throw new CannotRender('A value in the name of a field holds =, which ends the name.')
  return text
}
