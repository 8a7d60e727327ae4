// What a token endpoint answers, in the variants of the large providers: a grant, a refusal, or trouble.
import type { Answer, Json } from './answer.ts'
import { GrantRefused, OAuthTrouble } from './failures.ts'

export interface Grant {
  access_token: string
  refresh_token: string | null
  token_type: string
  /** Null: it does not end by itself, or the server does not say. */
  expires_in_s: number | null
  /** Null: the server does not say; then they are those that were asked for (RFC 6749 §5.1). */
  scopes: string[] | null
  /** The whole answer with its tokens: it must never be stored or shown. */
  raw: Json
}

/** Codes that say "not now"; every other one says "no" (RFC 6749 §5.2, RFC 8628 §3.5, Slack's own). */
const passing = new Set(['temporarily_unavailable', 'server_error', 'slow_down', 'ratelimited', 'rate_limited'])

/** `secrets`: what was sent, which a server may repeat in its error message. */
export function readGrant(answer: Answer, host: string, secrets: (string | null)[]): Grant {
  const body = requireAccepted(answer, host, secrets)
  const { access_token, refresh_token, token_type, expires_in, scope } = body
  // a token is sent in a header: it must not contain anything that ends a header
  if (typeof access_token !== 'string' || !/^[\x21-\x7e]+$/.test(access_token)) {
    throw new OAuthTrouble(`${host} answered without a usable access token.`)
  }
  // a token that is bound to a key or a message does not work as a bearer token; Slack's own types (`bot`) do
  if (typeof token_type === 'string' && /^(dpop|mac|pop)$/i.test(token_type)) {
    throw new OAuthTrouble(`${host} gave a token of the type ${token_type}; only bearer tokens can be used.`)
  }
  return {
    access_token,
    refresh_token: typeof refresh_token === 'string' && refresh_token !== '' ? refresh_token : null,
    token_type: 'Bearer',
    expires_in_s: secondsOf(expires_in),
    scopes: scopesOf(scope),
    raw: body,
  }
}

/** The body of a success; throws what anything else means. */
export function requireAccepted({ status, body }: Answer, host: string, secrets: (string | null)[]): Json {
  if (status === 429 || status >= 500) throw new OAuthTrouble(`${host} answered ${status}. Try again later.`)
  const code = errorCode(body)
  if (code !== undefined) {
    const description = body?.['error_description']
    const said = typeof description === 'string' ? cleaned(description, secrets) : ''
    const sentence = `${host} refused: ${cleaned(code, secrets)}${said ? ` (${said})` : ''}.`
    throw passing.has(code) ? new OAuthTrouble(sentence) : new GrantRefused(sentence, code)
  }
  if (body && (status === 200 || status === 201)) return body
  // an error in another format is still a refusal; a page of some gateway in between is not
  if (body && (status === 400 || status === 401)) throw new GrantRefused(`${host} refused with ${status}.`)
  throw new OAuthTrouble(`${host} answered ${status} where a JSON object was expected.`)
}

/** GitHub and Slack say an error with status 200. */
function errorCode(body: Json | undefined): string | undefined {
  const code = body?.['error']
  return typeof code === 'string' && code !== '' ? code : undefined
}

/** What another server says, fit to be shown in a sentence: short, printable, without what we sent it. */
export function cleaned(text: string, secrets: (string | null)[]): string {
  return without(secrets, text)
    .replace(/[^\x20-\x7e…]+/g, ' ')
    .trim()
    .slice(0, 200)
    .replace(/\.$/, '')
}

export function without(secrets: (string | null)[], text: string): string {
  let shown = text
  for (const secret of secrets) if (secret) shown = shown.replaceAll(secret, '…')
  return shown
}

function secondsOf(value: unknown): number | null {
  const seconds = Math.floor(Number(value ?? Number.NaN))
  return Number.isFinite(seconds) && seconds > 0 ? seconds : null
}

/** Separated by spaces (RFC 6749 §3.3) or commas (GitHub, Slack), or an array. */
function scopesOf(scope: unknown): string[] | null {
  if (Array.isArray(scope)) return scope.filter((one) => typeof one === 'string')
  if (typeof scope !== 'string') return null
  return scope.split(/[\s,]+/).filter((one) => one !== '')
}
