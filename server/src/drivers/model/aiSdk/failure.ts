// What went wrong between us and a provider, as one of two errors: worth another attempt, or refused for good.
import { parseBounded } from '../../../base/boundedJson.ts'
import { ContextExceeded, ModelRefused, ModelTrouble } from '../model.ts'
import type { Provider } from './provider.ts'

/** What the SDK throws or puts into a stream, as far as we read it: its classes differ, these fields do not. */
interface Failure {
  name?: unknown
  message?: unknown
  statusCode?: unknown
  code?: unknown
  responseHeaders?: Record<string, string | undefined>
  responseBody?: unknown
  cause?: unknown
}

const wordsMax = 600
const noReason = 'no reason given'

export function asModelError(error: unknown, provider: Provider): ModelTrouble | ModelRefused {
  if (error instanceof ModelTrouble || error instanceof ModelRefused) return error
  const failure: Failure = typeof error === 'object' && error !== null ? error : { message: error }
  const { title, key, keySetting } = provider
  const status = statusOf(failure)
  if (status === undefined) {
    const said = `${textOf(failure.code)} ${words(failure, key)}`
    if (tooLongWords.test(said)) {
      return new ContextExceeded('model_refused_request', sentence(`${title} says: ${words(failure, key)}`))
    }
    if (isOurMistake(failure)) {
      const message = sentence(`${title} cannot be asked this: ${words(failure, key)}`)
      return new ModelRefused('model_refused_request', message)
    }
    const kind = isUnreached(failure) ? 'down' : 'broken'
    return new ModelTrouble(sentence(broken(failure, provider)), { kind, mayBeServed: kind === 'broken' })
  }
  const told = sentence(`${title} answered ${status}: ${words(failure, key)}`)
  if (isTooLong(status, `${textOf(failure.responseBody)} ${told}`)) {
    return new ContextExceeded('model_refused_request', told)
  }
  if (isPassing(status)) {
    const kind = isInside(status) ? 'down' : 'overloaded'
    return new ModelTrouble(told, { kind, ...retryAfter(failure), mayBeServed: false })
  }
  if (status < 400) {
    return new ModelRefused('model_refused_request', `${told} Set the URL to which it redirects instead.`)
  }
  if (byPolicy.test(textOf(failure.responseBody))) {
    return new ModelRefused('model_refused', `${told} Change what the model is asked, or use another model.`)
  }
  if (unpaid.test(told))
    return new ModelRefused('model_auth', `${told} Pay for the account of this key, or use another.`)
  if (status === 401 || status === 402 || status === 403 || textOf(failure.responseBody).includes('API_KEY_INVALID')) {
    return new ModelRefused('model_auth', `${told} Check ${keySetting} and what that key may use.`)
  }
  return new ModelRefused('model_refused_request', status === 404 ? `${told} Check the name of the model.` : told)
}

/** Each provider has its own words for a request that its model cannot hold; llama.cpp says it with a 500. */
const tooLongWords =
  /context_length_exceeded|exceed_context_size|context_exceeded|(?:prompt|input|context) (?:is )?too long|maximum context length|context (?:window|length|limit|size)[^.]{0,40}exceed|exceeds?[^.]{0,60}(?:context (?:window|length|limit|size)|maximum number of tokens)|request_too_large/i

const isTooLong = (status: number, said: string): boolean =>
  status === 413 || ([400, 422, 500].includes(status) && tooLongWords.test(said))

/** 499: the provider itself gave up on the request. */
const isPassing = (status: number): boolean => [408, 409, 425, 429, 499].includes(status) || status >= 500

/** The provider failed inside, or whoever stands before it could not reach it; 503 and 529 say that it has too much to do. */
const isInside = (status: number): boolean => status >= 500 && status !== 503 && status !== 529

/** Providers answer 400 or 403 to what their policy forbids and to who has not paid; only their words tell these from a wrong request. */
const byPolicy =
  /content_policy_violation|content_filter|"invalid_prompt"|requires moderation|violating our usage policy/i
const unpaid = /credit balance is too low/i

const isFailing = (value: unknown): value is number => typeof value === 'number' && value >= 300 && value < 600

function statusOf({ statusCode, code }: Failure): number | undefined {
  // A 200 whose stream failed later carries 200 as its status: what counts is that it broke.
  return [statusCode, typeof code === 'string' && /^\d{3}$/.test(code) ? Number(code) : code].find(isFailing)
}

/** Errors that the SDK raises before it sends anything; sending again would change nothing. */
const isOurMistake = ({ name }: Failure): boolean =>
  typeof name === 'string' &&
  /^AI_(UnsupportedFunctionality|InvalidPrompt|InvalidArgument|NoSuchModel)Error$/.test(name)

function broken(failure: Failure, { title, key }: Provider): string {
  const { code, message } = root(failure)
  const why = short(textOf(message), key) || noReason
  if (code === 'UND_ERR_BODY_TIMEOUT' || code === 'UND_ERR_HEADERS_TIMEOUT') return `${title} sent nothing for too long`
  if (failure.statusCode !== undefined) return `The answer of ${title} broke off: ${why}`
  return typeof code === 'string' || textOf(failure.message).startsWith('Cannot connect')
    ? `${title} could not be reached: ${why}`
    : `${title} failed while it answered: ${words(failure, key)}`
}

/** No connection was made, so nothing was asked. */
const isUnreached = (failure: Failure): boolean =>
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/.test(
    textOf(root(failure).code),
  )

/** The first cause with a code of the network, or the last cause. */
function root(failure: Failure): Failure {
  let at = failure
  for (let depth = 0; depth < 8 && typeof at.code !== 'string'; depth++) {
    if (typeof at.cause !== 'object' || at.cause === null) break
    at = at.cause
  }
  return at
}

/** The provider's own message: each provider has its own field for it, and a gateway before it has another. */
function words({ responseBody, message }: Failure, key: string | undefined): string {
  const body = textOf(responseBody)
  const isPage = body.trim() === '' || body.trimStart().startsWith('<')
  return short(inBody(body) ?? (isPage ? textOf(message) : body), key) || noReason
}

function inBody(body: string): string | undefined {
  try {
    const parsed = parseBounded(body)
    const first = (Array.isArray(parsed) ? parsed[0] : parsed) as Record<string, unknown> | null
    const { error, message, detail } = first ?? {}
    const inner = typeof error === 'object' && error !== null ? (error as Record<string, unknown>).message : error
    return [inner, message, detail].find((text) => typeof text === 'string')
  } catch {
    return undefined
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Without the key, and then cut: a cut key would no longer be found. A key of a few letters is not cut out: it would be part of ordinary words. */
function short(text: string, key = ''): string {
  const safe = key.length < 8 ? text : text.replaceAll(key, '[key]')
  return safe.replaceAll(/\s+/g, ' ').trim().slice(0, wordsMax)
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** `retry-after-ms`, Retry-After in seconds or as a date, or Google's RetryInfo in the body. */
function retryAfter({ responseHeaders = {}, responseBody }: Failure): { retryAfterMs?: number } {
  const { 'retry-after-ms': ms, 'retry-after': after } = responseHeaders
  const inBodyS = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(textOf(responseBody))?.[1]
  const wishes = [
    ms === undefined ? Number.NaN : Number(ms),
    after === undefined ? Number.NaN : Number(after) * 1000,
    after === undefined ? Number.NaN : Date.parse(after) - Date.now(),
    inBodyS === undefined ? Number.NaN : Number(inBodyS) * 1000,
  ]
  const wish = wishes.find((value) => Number.isFinite(value))
  return wish === undefined ? {} : { retryAfterMs: Math.max(0, Math.round(wish)) }
}
