// Holds an answer against the document and against what no answer may ever show.
import { errorKinds, type ErrorCode } from '../../src/base/errors.ts'
import { isId } from '../../src/base/ids.ts'
import { foreignHost } from './brokenHeaders.ts'
import type { Expected } from './cases.ts'
import type { Check, DocumentedOperation } from './document.ts'
import type { Answer, Draft } from './send.ts'

export interface Judgement {
  draft: Draft
  answer: Answer
  expected: Expected
  /** Absent: the address is next to every operation. */
  operation?: DocumentedOperation
}

export interface Judge {
  /** Everything that is wrong with the answer, in sentences. */
  (judgement: Judgement): string[]
}

const statusesBesideOperations = new Set([400, 401, 403, 404, 405])
const saneRequestId = /^[\x21-\x7e]{1,128}$/
const rateLimitHeaders = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']
/** A refusal is for a person to read, whatever was sent. */
const messageLengthMax = 2000

const traces = [/\n\s+at /, /node:internal/, /node_modules/, /\.[mc]?[jt]s:\d+/, /\bError:/]
const sqlText = [
  /\b(select .+ from|insert into|update \w+ set|delete from) /i,
  /violates|duplicate key|relation "|column "|syntax error at|invalid input syntax|out of range for type/i,
  /\bpg_|PostgreSQL|postgres|current transaction|prepared statement/i,
]
/** Whole secrets of ours; the beginning of one, which tells keys apart, is none. */
const secretText = /\b(?:ry_[a-z0-9]{12}_[A-Za-z0-9]{20,}|ry[ts]_[A-Za-z0-9]{20,}|whsec_[A-Za-z0-9+/]{20,})/
/** The fields in which a new secret is told, once; that of webhooks whenever somebody with the right asks for it. */
const secretFields = new Set(['secret', 'client_secret'])
const exactTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** `hidden`: what the service knows and may not tell, keys and passwords among them. */
export function createJudge(errorCheck: Check, hidden: readonly string[]): Judge {
  return (judgement) => {
    const { draft, answer, operation } = judgement
    const body = bodyOf(answer)
    const refused = refusalIn(body)
    return [
      ...judgeStatus(judgement, refused),
      ...judgeHeaders(draft, answer),
      ...(operation ? judgeAgainstDocument(operation, draft, answer, body) : judgeBesideOperations(draft, answer)),
      ...(answer.status >= 400 && draft.method !== 'HEAD' ? judgeError(errorCheck, answer, refused) : []),
      ...judgeText(answer, hidden),
      ...judgeValues(
        body,
        '',
        answer.status < 300 && (draft.method === 'POST' || operation?.id === 'getWebhookSecret'),
      ),
    ]
  }
}

const textOf = (value: string | string[] | undefined): string => (Array.isArray(value) ? value.join() : (value ?? ''))

const isJson = ({ headers }: Answer): boolean => textOf(headers['content-type']) === 'application/json; charset=utf-8'

function bodyOf(answer: Answer): unknown {
  if (!isJson(answer) || answer.text === '') return undefined
  try {
    return JSON.parse(answer.text)
  } catch {
    return undefined
  }
}

/** MCP refuses in its own words, with an error of ours inside; what it refuses all by itself has none. */
function refusalIn(body: unknown): unknown {
  const { jsonrpc, error } = (body ?? {}) as {
    jsonrpc?: string
    error?: { message: string; data?: { error?: string } }
  }
  if (jsonrpc === undefined || !error) return body
  return error.data?.error ? error.data : { error: 'invalid_request', message: error.message }
}

function judgeStatus({ answer, expected }: Judgement, body: unknown): string[] {
  const { status } = answer
  const found = status >= 500 ? ['the service failed'] : []
  if (expected === 'anything documented' || expected === 'no operation') return found
  if (expected === 'done') return status < 300 ? found : [...found, 'it should have been done']
  const { error, message = '' } = (body ?? {}) as { error?: string; message?: string }
  if (expected === 'long enough and not too long') {
    return status < 300 || !/characters/.test(message) ? found : [...found, 'its length is as it should be']
  }
  const { naming = [] } = expected
  if (status !== expected.status) found.push(`it should have been refused with ${expected.status}`)
  else if (expected.error !== undefined && error !== expected.error) found.push(`the code should be ${expected.error}`)
  const unnamed = naming.filter((name) => !message.includes(name))
  if (unnamed.length > 0) found.push(`the message does not name ${unnamed.join(', ')}`)
  return found
}

function judgeHeaders(draft: Draft, { headers, status }: Answer): string[] {
  const found: string[] = []
  const id = textOf(headers['x-request-id'])
  const sent = draft.headers['x-request-id']
  if (typeof sent === 'string' && saneRequestId.test(sent)) {
    if (id !== sent) found.push('X-Request-Id is not the one that was sent')
  } else if (!isId(id)) found.push('X-Request-Id is no id of ours')
  if (status === 401 && !textOf(headers['www-authenticate']).startsWith('Bearer resource_metadata="http')) {
    found.push('a 401 does not say how to get in')
  }
  if ((status === 429) !== 'retry-after' in headers && status !== 409) found.push('Retry-After is for 409 and 429')
  if (headers['x-injected'] !== undefined) found.push('a header came from the address')
  return found
}

function judgeAgainstDocument(operation: DocumentedOperation, draft: Draft, answer: Answer, body: unknown): string[] {
  const { status, headers, text } = answer
  const documented = operation.answers.get(status)
  if (!documented) return [`${status} is not documented`]
  // every answer to a known caller carries them, and who is unknown gets a 401, or comes from elsewhere
  const isUnknown = status === 401 || (status === 403 && isFromElsewhere(draft))
  const due = new Set([...documented.headers, ...(isUnknown ? [] : rateLimitHeaders)])
  if (status !== 429) due.delete('retry-after')
  const found = [...due].filter((name) => headers[name] === undefined).map((name) => `${name} is missing`)
  for (const name of rateLimitHeaders) {
    if (headers[name] !== undefined && !/^\d+$/.test(textOf(headers[name]))) found.push(`${name} is no whole number`)
  }
  const { contentTypes, check } = documented
  if (contentTypes.length === 0) return text === '' ? found : [...found, 'there should be no body']
  const type = textOf(headers['content-type']).replace(/;.*/, '')
  if (!contentTypes.includes(type)) return [...found, `the body is not ${contentTypes.join(' or ')}`]
  if (type !== 'application/json' || !check) return found
  if (!isJson(answer)) return [...found, 'the body is no JSON']
  if (!check.fits(body)) found.push(`the body is off its schema: ${check.explain(body)}`)
  return found
}

const isFromElsewhere = ({ headers }: Draft): boolean =>
  textOf(headers['host'] ?? headers['origin']).endsWith(foreignHost)

function judgeBesideOperations({ method }: Draft, { status, headers, text }: Answer): string[] {
  const found = statusesBesideOperations.has(status) ? [] : [`${status} where no operation is`]
  if (status === 405 && !textOf(headers['allow'])) found.push('a 405 without Allow')
  if (method === 'HEAD' && text !== '') found.push('a body after HEAD')
  return found
}

function judgeError(errorCheck: Check, { status }: Answer, body: unknown): string[] {
  if (!errorCheck.fits(body)) return [`no error as documented: ${errorCheck.explain(body)}`]
  const { error, message } = body as { error: ErrorCode; message: string }
  const found = errorKinds[error].status === status ? [] : [`${error} does not belong to ${status}`]
  if (message.length < 10) found.push('the message says nothing')
  if (message.length > messageLengthMax) found.push(`the message is ${message.length} characters long`)
  const leaks = [...traces, ...sqlText].filter((pattern) => pattern.test(message))
  return [...found, ...leaks.map((pattern) => `the message shows ${pattern}`)]
}

function judgeText({ text, headers }: Answer, hidden: readonly string[]): string[] {
  const whole = `${text}\n${Object.values(headers).join('\n')}`
  const found = hidden.some((secret) => whole.includes(secret)) ? ['the answer tells a secret'] : []
  if (whole.includes(foreignHost)) found.push('the answer repeats a Host header')
  return found
}

/** What holds for every value in an answer, wherever it stands. */
function judgeValues(value: unknown, name: string, mayTellSecret: boolean): string[] {
  if (typeof value === 'string') {
    const found = value.isWellFormed() ? [] : [`${name} holds half of a surrogate pair`]
    if (name.endsWith('_at') && !exactTime.test(value)) found.push(`${name} is not in UTC with milliseconds: ${value}`)
    if (secretText.test(value) && !(mayTellSecret && secretFields.has(name))) found.push(`${name} holds a secret`)
    if (traces.slice(0, 2).some((pattern) => pattern.test(value))) found.push(`${name} holds a stack trace`)
    return found
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) =>
    judgeValues(item, Array.isArray(value) ? name : key, mayTellSecret),
  )
}
