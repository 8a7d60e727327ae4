// Whether a request to a webhook's address comes from its sender: the signatures of common senders, or a secret in a header.
import { createHmac, hash } from 'node:crypto'
import { sameBytes } from '../../base/secrets.ts'

export const verifiers = ['none', 'github', 'stripe', 'slack', 'standard_webhooks', 'secret'] as const
export type Verifier = (typeof verifiers)[number]

/** The header of a plain secret, unless its trigger names another. */
export const usualSecretHeader = 'x-webhook-secret'

/** How old a signed time may be, and how far ahead: the senders recommend five minutes. */
const toleranceS = 300

interface Received {
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** The exact bytes that were sent. */
  body: Uint8Array
}

interface Expected {
  verifier: Verifier
  secret: string
  /** For a plain secret: where it stands. */
  header: string | null
  now: Date
}

export function isVerified(received: Received, expected: Expected): boolean {
  return checks[expected.verifier](received, expected)
}

type Check = (received: Received, expected: Expected) => boolean

const checks: Record<Verifier, Check> = {
  none: () => true,
  // X-Hub-Signature-256: sha256=<hex of the body>
  github: ({ headers, body }, { secret }) => {
    const given = /^sha256=([0-9a-f]{64})$/i.exec(headerOf(headers, 'x-hub-signature-256'))?.[1]
    return given !== undefined && sameBytes(Buffer.from(given, 'hex'), hmac(secret, body))
  },
  // Stripe-Signature: t=<seconds>,v1=<hex of "t.body">, and a second v1 while a secret is rotated
  stripe: ({ headers, body }, { secret, now }) => {
    const parts = headerOf(headers, 'stripe-signature')
      .split(',')
      .map((part) => part.trim())
    const time = parts.find((part) => part.startsWith('t='))?.slice(2) ?? ''
    if (!isRecent(time, now)) return false
    const wanted = hmac(secret, `${time}.`, body)
    return parts.some((part) => part.startsWith('v1=') && sameBytes(Buffer.from(part.slice(3), 'hex'), wanted))
  },
  // X-Slack-Signature: v0=<hex of "v0:time:body">
  slack: ({ headers, body }, { secret, now }) => {
    const time = headerOf(headers, 'x-slack-request-timestamp')
    const given = /^v0=([0-9a-f]{64})$/i.exec(headerOf(headers, 'x-slack-signature'))?.[1]
    if (given === undefined || !isRecent(time, now)) return false
    return sameBytes(Buffer.from(given, 'hex'), hmac(secret, `v0:${time}:`, body))
  },
  // webhook-signature: v1,<base64 of "id.time.body">, several with a space between them
  standard_webhooks: ({ headers, body }, { secret, now }) => {
    const id = headerOf(headers, 'webhook-id')
    const time = headerOf(headers, 'webhook-timestamp')
    const key = standardKey(secret)
    if (id === '' || key === undefined || !isRecent(time, now)) return false
    const wanted = hmac(key, `${id}.${time}.`, body)
    return headerOf(headers, 'webhook-signature')
      .split(' ')
      .some((one) => one.startsWith('v1,') && sameBytes(Buffer.from(one.slice(3), 'base64'), wanted))
  },
  secret: ({ headers }, { secret, header }) => {
    const given = headerOf(headers, header ?? usualSecretHeader).replace(/^bearer +/i, '')
    // hashes have one length, so nothing is told about the length of the secret
    return sameBytes(hash('sha256', given, 'buffer'), hash('sha256', secret, 'buffer'))
  },
}

/** A header that was sent twice proves nothing. */
function headerOf(headers: Received['headers'], name: string): string {
  const value = headers[name]
  return typeof value === 'string' ? value : ''
}

function hmac(key: string | Buffer, ...texts: (string | Uint8Array)[]): Buffer {
  const sum = createHmac('sha256', key)
  for (const text of texts) sum.update(text)
  return sum.digest()
}

function isRecent(seconds: string, now: Date): boolean {
  return /^\d{1,12}$/.test(seconds) && Math.abs(now.getTime() / 1000 - Number(seconds)) <= toleranceS
}

/** The bytes behind `whsec_`; undefined: it is not such a secret. */
export function standardKey(secret: string): Buffer | undefined {
  const encoded = secret.replace(/^whsec_/, '')
  if (!/^[A-Za-z0-9+/]{16,}={0,2}$/.test(encoded)) return undefined
  return Buffer.from(encoded, 'base64')
}

/** What of the headers is stored: neither a credential nor a proof is of use to a run. */
export function storedHeaders(headers: Received['headers'], secretHeader: string | null): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !leftOut.has(name) && name !== secretHeader)
  return Object.fromEntries(
    kept.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  )
}

const leftOut = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'connection',
  'content-length',
  'stripe-signature',
  'webhook-signature',
  'x-hub-signature',
  'x-hub-signature-256',
  'x-slack-signature',
  usualSecretHeader,
])
