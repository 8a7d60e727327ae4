// Verifies what comes to a webhook: only what the team's secret signed, and not long ago, is an event.
import { webCrypto } from './environment.ts'
import { SignatureError } from './errors.ts'
import type { RunyardEvent } from './generated/types.ts'

type HeadersLike = Headers | Record<string, string | string[] | undefined>

export interface UnwrapOptions {
  /** How far the time of the signature may be from now, in seconds: 300 unless given. */
  toleranceS?: number
  now?: Date
}

const usualToleranceS = 300

/** How to keep the raw body in frameworks that parse it. */
const rawBodyHelp = [
  "Express: app.post('/hook', express.raw({ type: 'application/json' }), handler)",
  "Fastify: app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body))",
  'Hono: await context.req.text()',
  'Next: await request.text()',
].join('\n')

/**
 * Gives the event of a delivery, or throws a SignatureError. `rawBody` is the body as it was sent: text or bytes, not a parsed object.
 * `secrets`: the team's secret, and during a rotation also the one before.
 */
export async function unwrap(
  rawBody: string | Uint8Array,
  headers: HeadersLike,
  secrets: string | readonly string[],
  { toleranceS = usualToleranceS, now = new Date() }: UnwrapOptions = {},
): Promise<RunyardEvent> {
  if (typeof rawBody !== 'string' && !ArrayBuffer.isView(rawBody)) {
    throw new SignatureError(`The signature covers the raw body, and this one was parsed. Keep it raw:\n${rawBodyHelp}`)
  }
  const known = [secrets].flat()
  if (known.length === 0 || known.some((secret) => !secret)) throw new SignatureError('The webhook secret is empty.')
  const header = valueOf(headers, 'x-service-signature')
  if (header === undefined) throw new SignatureError('The header X-Service-Signature is missing.')
  const { time, signatures } = partsOf(header)
  const body = typeof rawBody === 'string' ? new TextEncoder().encode(rawBody) : rawBody
  const signed = joined(new TextEncoder().encode(`${time}.`), body)
  if (!(await isSigned(signed, signatures, known))) {
    throw new SignatureError(
      'No given secret made this signature. Check the webhook secret, and that the body is unchanged.',
    )
  }
  if (Math.abs(now.getTime() / 1000 - time) > toleranceS) {
    throw new SignatureError(
      `The signature was made more than ${toleranceS} seconds from now. Check the clock of this machine.`,
    )
  }
  return JSON.parse(new TextDecoder().decode(body)) as RunyardEvent
}

function valueOf(headers: HeadersLike, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return Array.isArray(entry) ? entry[0] : entry
}

/** `t=1789,v1=abc,v1=def`: the time, and one signature for each secret. */
function partsOf(header: string): { time: number; signatures: Uint8Array<ArrayBuffer>[] } {
  const parts = header.split(',').map((part) => part.split('='))
  const time = Number(parts.find(([name]) => name === 't')?.[1])
  const signatures = parts.filter(([name]) => name === 'v1').map(([, hex = '']) => bytesOf(hex))
  if (!Number.isInteger(time) || signatures.length === 0) {
    throw new SignatureError('X-Service-Signature is not of the form t=<seconds>,v1=<signature>.')
  }
  return { time, signatures }
}

const bytesOf = (hex: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(hex.match(/[\da-f]{2}/gi) ?? [], (pair) => Number.parseInt(pair, 16))

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}

/** `subtle.verify` compares in constant time. */
async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: Uint8Array<ArrayBuffer>[],
  secrets: readonly string[],
): Promise<boolean> {
  const { subtle } = await webCrypto()
  for (const secret of secrets) {
    const key = new TextEncoder().encode(secret)
    const imported = await subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
    for (const signature of signatures) {
      if (await subtle.verify('HMAC', imported, signature, signed)) return true
    }
  }
  return false
}
