// What the SDK takes for an event: what our own service signed, unchanged and in time.
import assert from 'node:assert/strict'
import { proves } from '../../server/test/kit/proves.ts'
import { signatureHeaders, signingKey } from '../../server/src/features/webhooks/signature.ts'
import { Runyard, SignatureError } from '../src/index.ts'

const { unwrap } = Runyard.webhooks
const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const other = `whsec_${Buffer.alloc(32, 2).toString('base64')}`
const now = new Date('2026-07-18T09:30:00Z')
const event = { id: '1', event: 'run.completed', created_at: now.toISOString(), data: { output: 'größer' } }
const body = Buffer.from(JSON.stringify(event))

const signedBy = (...secrets: string[]): Record<string, string> =>
  signatureHeaders({ id: event.id, event: event.event, body, keys: secrets.map(signingKey), at: now })

const inSeconds = (seconds: number): { now: Date } => ({ now: new Date(now.getTime() + seconds * 1000) })

proves(
  'sdk.webhooks',
  'a delivery is an event, as text and as bytes, with any headers that have the signature',
  async () => {
    const headers = signedBy(secret)
    assert.deepEqual(await unwrap(body, headers, secret, { now }), event)
    assert.deepEqual(await unwrap(body.toString(), new Headers(headers), secret, { now }), event)
    const shouted = { 'X-Service-Signature': [headers['x-service-signature'] ?? ''] }
    assert.deepEqual(await unwrap(body, shouted, secret, { now }), event)
  },
)

proves('sdk.webhooks', 'during a rotation either secret verifies, and so does either of two given', async () => {
  for (const headers of [signedBy(secret, other), signedBy(other, secret)]) {
    assert.deepEqual(await unwrap(body, headers, secret, { now }), event)
    assert.deepEqual(await unwrap(body, headers, other, { now }), event)
  }
  assert.deepEqual(await unwrap(body, signedBy(other), [secret, other], { now }), event)
})

proves('sdk.webhooks', 'what was changed, made by another secret, or signed at another time is refused', async () => {
  const headers = signedBy(secret)
  for (let at = 0; at < body.length; at += 1) {
    const changed = Buffer.from(body)
    changed[at] = (changed[at] ?? 0) ^ 1
    await assert.rejects(unwrap(changed, headers, secret, { now }), SignatureError)
  }
  await assert.rejects(unwrap(body, headers, other, { now }), SignatureError)
  await assert.rejects(unwrap(body, {}, secret, { now }), SignatureError)
  for (const wrong of ['', 't=1', 'v1=00', 't=x,v1=00', 't=1,v1=zz']) {
    await assert.rejects(unwrap(body, { 'x-service-signature': wrong }, secret, { now }), SignatureError)
  }
  for (const late of [301, -301])
    await assert.rejects(unwrap(body, headers, secret, inSeconds(late)), /seconds from now/)
  for (const early of [299, -299]) assert.deepEqual(await unwrap(body, headers, secret, inSeconds(early)), event)
  assert.deepEqual(await unwrap(body, headers, secret, { ...inSeconds(900), toleranceS: 1000 }), event)
})

proves('sdk.webhooks', 'a body that was parsed is refused with the line that keeps it raw', async () => {
  const parsed = event as unknown as string
  await assert.rejects(unwrap(parsed, signedBy(secret), secret, { now }), /express\.raw.*Fastify.*Hono.*Next/s)
})
