// How a receiver knows that a delivery comes from this service: both families of signatures over the same bytes, new for each attempt.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

const prefix = 'whsec_'

/** A secret made ready for signing: from text, a key object for every signature took longer than the signature. */
export interface SigningKey {
  /** The whole text, as `t=,v1=` has it. */
  whole: KeyObject
  /** The bytes behind the prefix, as Standard Webhooks has it. */
  decoded: KeyObject
}

export const signingKey = (secret: string): SigningKey => ({
  whole: createSecretKey(secret, 'utf8'),
  decoded: createSecretKey(secret.slice(prefix.length), 'base64'),
})

interface Signed {
  id: string
  event: string
  /** The exact bytes that are sent. */
  body: Buffer
  /** The newest first; during a rotation two. */
  keys: SigningKey[]
  at: Date
}

export function signatureHeaders({ id, event, body, keys, at }: Signed): Record<string, string> {
  const t = Math.floor(at.getTime() / 1000)
  const ours = keys.map(({ whole }) => `v1=${createHmac('sha256', whole).update(`${t}.`).update(body).digest('hex')}`)
  const standard = keys.map(
    ({ decoded }) => `v1,${createHmac('sha256', decoded).update(`${id}.${t}.`).update(body).digest('base64')}`,
  )
  return {
    'x-service-signature': `t=${t},${ours.join(',')}`,
    'x-service-event': event,
    'x-service-delivery': id,
    'webhook-id': id,
    'webhook-timestamp': String(t),
    'webhook-signature': standard.join(' '),
  }
}
