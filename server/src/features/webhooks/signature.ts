// How a receiver knows that a delivery comes from this service: both families of signatures over the same bytes, new for each attempt.
import { hash } from 'node:crypto'

const prefix = 'whsec_'

/** A secret made ready for signing. */
export interface SigningKey {
  /** The whole text, as `t=,v1=` has it. */
  whole: HmacKey
  /** The bytes behind the prefix, as Standard Webhooks has it. */
  decoded: HmacKey
}

/**
 * A key of HMAC-SHA256 (RFC 2104), padded for the two hashes that it consists of. Two hashes over bytes that are ready take half of what
 * createHmac takes, and leave no object behind for the garbage collector. The public verifiers test it.
 */
interface HmacKey {
  inner: Buffer
  /** With room for the first hash behind it. */
  outer: Buffer
}

const blockBytes = 64
const hashBytes = 32

export const signingKey = (secret: string): SigningKey => ({
  whole: hmacKey(Buffer.from(secret)),
  decoded: hmacKey(Buffer.from(secret.slice(prefix.length), 'base64')),
})

function hmacKey(secret: Buffer): HmacKey {
  const key = secret.length > blockBytes ? hash('sha256', secret, 'buffer') : secret
  const padded = (pad: number, bytes: number) =>
    Buffer.from(Array.from({ length: bytes }, (_, at) => pad ^ (key[at] ?? 0)))
  return { inner: padded(0x36, blockBytes), outer: padded(0x5c, blockBytes + hashBytes) }
}

/** Signs what is behind the first bytes, as many as a block has: the key goes there. */
function hmac({ inner, outer }: HmacKey, message: Buffer, encoding: 'hex' | 'base64'): string {
  inner.copy(message)
  outer.write(hash('sha256', message, 'binary'), blockBytes, 'latin1')
  return hash('sha256', outer, encoding)
}

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
  const t = String(Math.floor(at.getTime() / 1000))
  // the key, `id.`, `t.` and the body, as one family wants them; the other has no id, so its key comes later
  const start = blockBytes + id.length + 1
  const message = Buffer.allocUnsafe(start + t.length + 1 + body.length)
  message.write(`${id}.${t}.`, blockBytes, 'latin1')
  body.copy(message, start + t.length + 1)
  const standard = keys.map(({ decoded }) => `v1,${hmac(decoded, message, 'base64')}`)
  const withoutId = message.subarray(start - blockBytes)
  const ours = keys.map(({ whole }) => `v1=${hmac(whole, withoutId, 'hex')}`)
  return {
    'x-service-signature': `t=${t},${ours.join(',')}`,
    'x-service-event': event,
    'x-service-delivery': id,
    'webhook-id': id,
    'webhook-timestamp': t,
    'webhook-signature': standard.join(' '),
  }
}
