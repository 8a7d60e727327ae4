// The webhook secret: one a team, sealed at rest, and two for a while after a rotation.
import assert from 'node:assert/strict'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { typedClient } from '../../../test/kit/typedClient.ts'
import { newId } from '../../base/ids.ts'
import { getWebhookSecret } from './getWebhookSecret.ts'
import { rotateWebhookSecret } from './rotateWebhookSecret.ts'
import { signingSecrets } from './secret.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const { keyring, db } = service.context
const path = '/v2/teams/:teamId/webhook-secret'

const read = (team: TestTeam) => typedClient(service, team).send(getWebhookSecret, {})
const rotate = (team: TestTeam, body: { overlap_seconds?: number } = {}) =>
  typedClient(service, team).send(rotateWebhookSecret, { body })
const signing = (team: TestTeam) => signingSecrets(team.sql, keyring, team.id)

/** Seconds from the making of the secret to the end of the one before. */
const overlap = ({ created_at, previous_expires_at }: { created_at: string; previous_expires_at: string | null }) =>
  (Date.parse(previous_expires_at ?? '') - Date.parse(created_at)) / 1000

proves(
  'webhooks.secret',
  'a team’s secret is made when it is first asked for, once, and differs from every other team’s',
  async () => {
    const team = await seedTeam(service)
    const answers = await Promise.all(Array.from({ length: 5 }, () => team.call(`GET ${path}`)))
    const { secret, created_at, ...rest } = answers[0]!.body
    assert.deepEqual(rest, { previous_expires_at: null })
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    for (const { body } of answers) assert.deepEqual(body, { secret, created_at, previous_expires_at: null })
    assert.deepEqual(await signing(team), [secret])
    assert.notEqual((await read(await seedTeam(service))).secret, secret)
  },
)

/** Tables in which some row holds this text, as it is or as bytes. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await db.sql<{ name: string }>`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema in ('public', 'graphile_worker')`
  const held: string[] = []
  for (const { name } of tables) {
    const { rowCount } = await db.pool.query(
      `select from ${name} t where position($1 in t::text) > 0 or position($2 in t::text) > 0 limit 1`,
      [text, Buffer.from(text).toString('hex')],
    )
    if (rowCount) held.push(name)
  }
  return held
}

proves(
  'webhooks.secretSealed',
  'no column of any table holds a secret in clear, not even the stored reply of a rotation',
  async () => {
    const team = await seedTeam(service, { name: 'A name in clear' })
    const first = (await read(team)).secret
    const idempotencyKey = newId()
    const second = await team.call(`POST ${path}/rotate`, { idempotencyKey, body: {} })
    const again = await team.call(`POST ${path}/rotate`, { idempotencyKey, body: {} })
    assert.equal(again.text, second.text)
    assert.deepEqual(await tablesWith('A name in clear'), ['public.teams'], 'what is in clear would be found')
    for (const secret of [first, second.body.secret]) {
      const random = secret.slice('whsec_'.length)
      assert.deepEqual(await tablesWith(random), [])
      assert.deepEqual(await tablesWith(Buffer.from(random, 'base64').toString('hex')), [])
    }
  },
)

proves('webhooks.rotate', 'a rotation without a body replaces the secret at once', async () => {
  const team = await seedTeam(service)
  const { secret: first } = await read(team)
  for (const options of [{}, { body: {} }]) {
    const { status, body: rotated } = await team.call(`POST ${path}/rotate`, options)
    assert.equal(status, 200)
    assert.notEqual(rotated.secret, first)
    assert.equal(rotated.previous_expires_at, null)
    assert.deepEqual(await signing(team), [rotated.secret], 'one secret signs, so that a delivery carries one v1')
  }
})

proves('webhooks.rotate', 'with an overlap the secret before signs too until it is over', async () => {
  const team = await seedTeam(service)
  const { secret: first } = await read(team)
  const rotated = await rotate(team, { overlap_seconds: 86_400 })
  assert.notEqual(rotated.secret, first)
  assert.equal(overlap(rotated), 86_400)
  assert.deepEqual(await read(team), rotated)
  assert.deepEqual(await signing(team), [rotated.secret, first])
  assert.equal(overlap(await rotate(team, { overlap_seconds: 604_800 })), 604_800)
  for (const overlap_seconds of [-1, 604_801, 1.5, '60', null]) {
    const { status, body } = await team.call(`POST ${path}/rotate`, { body: { overlap_seconds } })
    assert.equal(status, 400)
    assert.match(body.message, /overlap_seconds/)
  }
})

proves(
  'webhooks.rotateTwo',
  'at most two secrets sign: rotating again drops the older at once, an overlap of 0 the one before',
  async () => {
    const team = await seedTeam(service)
    const { secret: first } = await read(team)
    const { secret: second } = await rotate(team, { overlap_seconds: 60 })
    const { secret: third } = await rotate(team, { overlap_seconds: 60 })
    assert.deepEqual(await signing(team), [third, second])
    const fourth = await rotate(team, { overlap_seconds: 0 })
    assert.equal(fourth.previous_expires_at, null)
    assert.deepEqual(await signing(team), [fourth.secret])
    const { secret: fifth } = await rotate(team, { overlap_seconds: 60 })
    await team.sql`update webhook_secrets set previous_expires_at = now() - interval '1 second' where team_id = ${team.id}`
    assert.deepEqual(await signing(team), [fifth], 'its time is over')
    assert.equal((await read(team)).previous_expires_at, null)
    assert.equal(new Set([first, second, third, fourth.secret, fifth]).size, 5)
  },
)

proves('webhooks.rotate', 'a rotation before there is a secret makes the first one', async () => {
  const rotated = await rotate(await seedTeam(service))
  assert.equal(rotated.previous_expires_at, null)
})
