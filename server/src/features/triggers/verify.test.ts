// Verifiers against the examples that the senders publish and against their own libraries.
import assert from 'node:assert/strict'
import { Webhook } from 'standardwebhooks'
import { Stripe } from 'stripe'
import { proves } from '../../../test/kit/proves.ts'
import { isVerified, storedHeaders, type Verifier } from './verify.ts'

interface Signed {
  verifier: Verifier
  secret: string
  header?: string
  headers: Record<string, string>
  body: string
  at: number
}

const check = ({ verifier, secret, header, headers, body, at }: Signed): boolean =>
  isVerified(
    { headers, body: Buffer.from(body) },
    { verifier, secret, header: header ?? null, now: new Date(at * 1000) },
  )

// docs.github.com: "Validating webhook deliveries", testing values
const github: Signed = {
  verifier: 'github',
  secret: "It's a Secret to Everybody",
  headers: { 'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' },
  body: 'Hello, World!',
  at: 0,
}
// api.slack.com: "Verifying requests from Slack", step-by-step example
const slack: Signed = {
  verifier: 'slack',
  secret: '8f742231b10e8888abcd99yyyzzz85a5',
  headers: {
    'x-slack-request-timestamp': '1531420618',
    'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
  },
  body:
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&' +
    'user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F' +
    '96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  at: 1531420618,
}
// the example of the Standard Webhooks libraries
const standard: Signed = {
  verifier: 'standard_webhooks',
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  headers: {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  body: '{"test": 2432232314}',
  at: 1614265330,
}

function ofStripe(): Signed {
  const [secret, body, at] = ['whsec_of_an_endpoint', '{"id":"evt_1","type":"invoice.paid"}', 1700000000]
  const { webhooks } = new Stripe('sk_test_of_nobody')
  const header = webhooks.generateTestHeaderString({ payload: body, secret, timestamp: at })
  return { verifier: 'stripe', secret, headers: { 'stripe-signature': header }, body, at }
}

const plain: Signed = {
  verifier: 'secret',
  secret: 'a-plain-secret',
  headers: { 'x-webhook-secret': 'a-plain-secret' },
  body: 'anything',
  at: 0,
}

proves('triggers.verifiers', 'what senders publish as signed is accepted, and no byte of it may be another', () => {
  for (const signed of [github, slack, standard, ofStripe()]) {
    assert.equal(check(signed), true, signed.verifier)
    assert.equal(check({ ...signed, body: `${signed.body} ` }), false, `${signed.verifier}, another body`)
    assert.equal(
      check({ ...signed, secret: `${signed.secret.slice(0, -1)}X` }),
      false,
      `${signed.verifier}, another secret`,
    )
    assert.equal(check({ ...signed, headers: {} }), false, `${signed.verifier}, unsigned`)
    const [name, value] = Object.entries(signed.headers).at(-1)!
    assert.equal(check({ ...signed, headers: { ...signed.headers, [name]: `${value.slice(0, -4)}AAAA` } }), false)
  }
})

proves(
  'triggers.verifiers',
  'a signed time may be five minutes old and no older, and so far ahead and no further',
  () => {
    for (const signed of [slack, standard, ofStripe()]) {
      for (const [by, isGood] of [
        [299, true],
        [-299, true],
        [301, false],
        [-301, false],
      ] as const) {
        assert.equal(check({ ...signed, at: signed.at + by }), isGood, `${signed.verifier} ${by}`)
      }
    }
  },
)

proves('triggers.verifiers', 'during a rotation one of two signatures is enough', () => {
  const stripe = ofStripe()
  const [time, good] = stripe.headers['stripe-signature']!.split(',')
  assert.ok(check({ ...stripe, headers: { 'stripe-signature': `${time},v1=${'0'.repeat(64)},${good}` } }))
  const signature = standard.headers['webhook-signature']!
  assert.ok(
    check({ ...standard, headers: { ...standard.headers, 'webhook-signature': `v1,AAAA v1a,zzz ${signature}` } }),
  )
  const now = new Date()
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(standard.secret).sign('msg_1', now, standard.body),
  }
  assert.ok(check({ ...standard, headers, at: now.getTime() / 1000 }), 'the library signs the same')
})

proves('triggers.verifiers', 'a plain secret stands in its header, as it is or behind Bearer, and only once', () => {
  assert.ok(check(plain))
  const elsewhere = { ...plain, header: 'authorization', headers: { authorization: 'Bearer a-plain-secret' } }
  assert.ok(check(elsewhere))
  assert.equal(check({ ...plain, headers: { 'x-webhook-secret': 'a-plain-secreT' } }), false)
  assert.equal(check({ ...plain, headers: {} }), false)
  const twice = { 'x-webhook-secret': ['a-plain-secret', 'a-plain-secret'] }
  const expected = { verifier: 'secret', secret: 'a-plain-secret', header: null, now: new Date() } as const
  assert.equal(isVerified({ headers: twice, body: Buffer.alloc(0) }, expected), false)
})

proves('triggers.secret', 'neither a credential nor a signature is among the headers that are stored', () => {
  const headers = {
    authorization: 'Bearer x',
    cookie: 'a=b',
    'x-token': 'secret',
    'x-hub-signature-256': 'sha256=1',
    'x-kind': 'push',
  }
  assert.deepEqual(storedHeaders(headers, 'x-token'), { 'x-kind': 'push' })
})
