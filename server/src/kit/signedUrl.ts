// URLs that carry their own permission: valid for one method and one target until they expire, without another credential.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { Fault } from '../base/errors.ts'
import type { Context } from './context.ts'
import { runningPart } from './runningPart.ts'

interface Signed {
  method: 'GET' | 'PUT'
  /** Begins with / and is percent-encoded already; outside of /v2. */
  path: string
  query?: Record<string, string>
  /** The team that the URL belongs to: the transfer counts for it (transfers.ts). */
  teamId: string
  validS: number
}

/**
 * The same for all who ask within `validS` seconds, so that a browser's cache recognises it. It is valid for at least that long and at most
 * twice as long.
 */
export function signedUrl(context: Context, { validS, ...signed }: Signed): string {
  const window = Math.floor(Date.now() / 1000 / validS)
  return signedUntil(context, signed, (window + 2) * validS)
}

/** Valid for exactly this long. Its query or path says an id of its own, whose row lets it be used once (uploadClaim.ts). */
export const signedUrlOnce = (context: Context, { validS, ...signed }: Signed): string =>
  signedUntil(context, signed, Math.floor(Date.now() / 1000) + validS)

function signedUntil(context: Context, signed: Omit<Signed, 'validS'>, expires: number): string {
  const { method, path, query = {}, teamId } = signed
  const words = new URLSearchParams({ ...query, team: teamId, expires: String(expires) })
  const target = `${path}?${words.toString()}`
  return `${context.baseUrl()}${target}&signature=${signatureOf(context, method, target)}`
}

/** Refuses what was not signed by us, for this method and to the letter, or has expired; returns until when it is valid. */
export function requireSignature(context: Context, request: FastifyRequest): { secondsLeft: number } {
  const [, target = '', given = ''] = /^(.*)&signature=([\w-]+)$/.exec(request.originalUrl) ?? []
  const wanted = signatureOf(context, request.method, target)
  if (given.length !== wanted.length || !timingSafeEqual(Buffer.from(given), Buffer.from(wanted))) {
    throw new Fault('forbidden', 'The signature of this URL is missing or wrong. Ask the API for a new URL.')
  }
  const expires = Number(new URLSearchParams(target.slice(target.indexOf('?'))).get('expires'))
  const secondsLeft = Math.floor(expires - Date.now() / 1000)
  if (!(secondsLeft >= 0)) throw new Fault('forbidden', 'This URL has expired. Ask the API for a new one.')
  return { secondsLeft }
}

/** Derived from the encryption key, so that every process makes and knows the same. */
const keyOf = runningPart('key of signed URLs', (context) => context.keyring.derive('signed urls'))

/** Each part goes in with its length before it: what ends one part can never begin the next. */
function signatureOf(context: Context, method: string, target: string): string {
  const hmac = createHmac('sha256', keyOf(context))
  for (const part of [method, target].map((text) => Buffer.from(text))) {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(part.length)
    hmac.update(length).update(part)
  }
  return hmac.digest('base64url')
}
