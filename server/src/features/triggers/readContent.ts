// What a request to a webhook's address brings, as expressions read it: JSON as a value, a form as an object, anything else as text.
import { parseBounded } from '../../base/boundedJson.ts'
import { Fault } from '../../base/errors.ts'

/** More fields than any form that people or services send. */
const fieldsMax = 1000

export function readBody(bytes: Uint8Array, contentType: string | undefined): unknown {
  const type = (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase()
  if (type.startsWith('multipart/')) {
    throw new Fault(
      'invalid_request',
      'Send JSON, a form (application/x-www-form-urlencoded) or text; files are not taken.',
    )
  }
  const text = utf8Of(bytes)
  if (/^application\/([\w.-]+\+)?json$/.test(type)) return text === '' ? null : jsonOf(text)
  if (type === 'application/x-www-form-urlencoded') return formOf(text)
  // many senders do not say what they send
  return type === '' && /^\s*[[{]/.test(text) ? jsonOf(text) : text
}

function utf8Of(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new Fault('invalid_request', 'The body is not text in UTF-8.', { cause: error })
  }
}

function jsonOf(text: string): unknown {
  try {
    return parseBounded(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new Fault('invalid_request', 'The body is not JSON, or it is nested too deep.', { cause: error })
  }
}

/** A name that is given more than once has the list of its values. */
export function formOf(text: string): Record<string, string | string[]> {
  const fields = new Map<string, string | string[]>()
  let count = 0
  for (const [name, value] of new URLSearchParams(text)) {
    if (++count > fieldsMax) throw new Fault('invalid_request', `The form has more than ${fieldsMax} fields.`)
    const before = fields.get(name)
    fields.set(name, before === undefined ? value : [before, value].flat())
  }
  return Object.fromEntries(fields)
}
