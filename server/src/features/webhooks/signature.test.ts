// Signatures: the public verifiers of both families accept every delivery, and none whose bytes were changed.
import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { Stripe } from 'stripe'
import { newId } from '../../base/ids.ts'
import { eventNames } from '../../kit/event.ts'
import { isLongForm } from '../../../test/kit/longForm.ts'
import { bodyOf } from './attempt.ts'
import { exampleOf } from './exampleEvent.ts'
import { signatureHeaders, signingKey } from './signature.ts'
import { proves } from '../../../test/kit/proves.ts'

const { webhooks } = new Stripe('sk_test_of_nobody')
const alphabets = ['abc xyz 019', 'äöüß éñ', '日本語テスト', '🙂🚀👩‍👩‍👧', '"\\/\b\f\n\r\t', '  ￿', '<script>&amp;']

const letters = alphabets.flatMap((alphabet) => Array.from(alphabet))

const pick = <T>(some: readonly T[]): T => some[randomInt(some.length)]!
const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`

/** An example of the kind, with text of every alphabet somewhere in it. */
function randomDelivery() {
  const id = newId()
  const event = pick(eventNames)
  const said = Array.from({ length: randomInt(1, 30) }, () => pick(letters)).join('')
  const data = JSON.stringify({ ...exampleOf(event, { eventId: newId(), teamId: newId() }), said })
  return { id, event, body: bodyOf({ id, event, created_at: new Date(), data }) }
}

/** One bit of one byte is another. */
function flipped(body: Buffer): Buffer {
  const bytes = Buffer.from(body)
  bytes[randomInt(bytes.length)]! ^= 1 << randomInt(8)
  return bytes
}

const accepts = (check: () => unknown): boolean => {
  try {
    check()
    return true
  } catch {
    return false
  }
}

const deliveries = isLongForm ? 10_000 : 2000

proves(
  'webhooks.verifiers',
  `${deliveries} random deliveries of all kinds verify by both families, and not one with a flipped byte`,
  () => {
    const kinds = new Set<string>()
    const secret = newSecret()
    const key = signingKey(secret)
    const standard = new Webhook(secret)
    const counts = { stripe: 0, standard: 0, stripeFlipped: 0, standardFlipped: 0 }
    for (let n = 0; n < deliveries; n++) {
      const { id, event, body } = randomDelivery()
      const headers = signatureHeaders({ id, event, body, keys: [key], at: new Date() })
      const signature = headers['x-service-signature']!
      assert.match(signature, /^t=\d{10},v1=[0-9a-f]{64}$/)
      kinds.add(event)
      const wrong = flipped(body)
      counts.stripe += Number(accepts(() => webhooks.constructEvent(body, signature, secret)))
      counts.standard += Number(accepts(() => standard.verify(body, headers)))
      counts.stripeFlipped += Number(accepts(() => webhooks.constructEvent(wrong, signature, secret)))
      counts.standardFlipped += Number(accepts(() => standard.verify(wrong, headers)))
    }
    assert.deepEqual(counts, { stripe: deliveries, standard: deliveries, stripeFlipped: 0, standardFlipped: 0 })
    assert.equal(kinds.size, eventNames.length)
  },
)

proves('webhooks.twoSecrets', 'during a rotation either secret verifies, and no third', () => {
  const [newer, older, other] = [newSecret(), newSecret(), newSecret()]
  const { id, event, body } = randomDelivery()
  const headers = signatureHeaders({ id, event, body, keys: [signingKey(newer), signingKey(older)], at: new Date() })
  const signature = headers['x-service-signature']!
  assert.match(signature, /^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/)
  for (const [secret, isOurs] of [
    [newer, true],
    [older, true],
    [other, false],
  ] as const) {
    assert.equal(
      accepts(() => webhooks.constructEvent(body, signature, secret)),
      isOurs,
    )
    assert.equal(
      accepts(() => new Webhook(secret).verify(body, headers)),
      isOurs,
    )
  }
})
