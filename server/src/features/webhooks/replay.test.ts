// Sending again: one delivery, or everything since some time.
import assert from 'node:assert/strict'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { replayDeliveries } from './replayDeliveries.job.ts'
import { proves } from '../../../test/kit/proves.ts'

// excepted, so that no test waits for a resolver
const service = await testApp({ config: { allowPrivateHosts: ['hooks.example.com'] } })
const { context } = service
const since = '2026-07-18T10:00:00Z'

async function seed(): Promise<{ team: TestTeam; webhook: string }> {
  const team = await seedTeam(service)
  const body = { url: 'https://hooks.example.com/runyard', events: ['*'] }
  const made = await team.call('POST /v2/teams/:teamId/webhooks', { body })
  return { team, webhook: made.body.subscription_id }
}

/** Dead letters of events that happened one a second from 10:00 on, or from another time. */
async function seedDead({ id, sql }: TestTeam, webhook: string, count: number, from = since): Promise<void> {
  await sql`
    insert into deliveries (id, team_id, target_id, event_id, event, created_at, state, settled_at, attempts, reason, log)
    select gen_random_uuid(), ${id}, ${webhook}, gen_random_uuid(), 'run.failed',
      ${from}::timestamptz + make_interval(secs => nth - 1), 'dead', now() - interval '1 minute', 12, 'The last attempt failed.', '[]'
    from generate_series(1, ${count}::int) nth`
}

async function seedOne(team: TestTeam, webhook: string): Promise<string> {
  await seedDead(team, webhook, 1)
  const { body } = await team.call('GET /v2/teams/:teamId/webhook-deliveries?limit=1')
  return body.deliveries[0].id
}

const replayOne = (team: TestTeam, id: string) => team.call(`POST /v2/webhook-deliveries/${id}/replay`)
const replayAll = (team: TestTeam, webhook: string, body: object = { since }) =>
  team.call(`POST /v2/webhooks/${webhook}/replay`, { body })
const retryIsDue = async (team: TestTeam, webhook: string) => {
  const [row] = await team.sql<{ is_due: boolean | null }>`
    select retry_at <= now() + interval '1 second' as is_due from delivery_targets where id = ${webhook} and team_id = ${team.id}`
  return row!.is_due
}

proves(
  'deliveries.replay',
  'a settled delivery is sent again as a new round, at once, with its id and its attempts so far',
  async () => {
    const { team, webhook } = await seed()
    const id = await seedOne(team, webhook)
    const attempt = {
      at: since,
      ok: false,
      status: null,
      stage: 'dns',
      error: 'No such host.',
      latency_ms: 3,
      answer: null,
    }
    await team.sql`update deliveries set log = ${JSON.stringify([attempt])}::jsonb where id = ${id}`
    const before = (await team.call(`GET /v2/webhook-deliveries/${id}`)).body.delivery
    const { status, body } = await replayOne(team, id)
    assert.equal(status, 200)
    const { next_attempt_at, ...after } = body.delivery
    assert.ok(Date.parse(next_attempt_at) <= Date.now() + 1000)
    const again = { ...before, status: 'replaying', attempts: 0, reason: null, settled_at: null }
    assert.deepEqual({ ...after, next_attempt_at: null }, again)
    assert.equal(after.log.length, 1)
    assert.equal(await retryIsDue(team, webhook), true)
  },
)

proves(
  'deliveries.replay',
  'a retry that is due earlier than the replay stays due, a later one is brought forward',
  async () => {
    const { team, webhook } = await seed()
    for (const interval of ['-1 hour', '1 hour']) {
      await team.sql`update delivery_targets set retry_at = now() + ${interval}::interval where id = ${webhook}`
      await replayOne(team, await seedOne(team, webhook))
      assert.equal(await retryIsDue(team, webhook), true)
    }
  },
)

proves(
  'deliveries.replayOnlySettled',
  'a delivery that is still on its way is not replayed, nor one whose webhook gets nothing',
  async () => {
    const { team, webhook } = await seed()
    const id = await seedOne(team, webhook)
    for (const state of ['new', 'retrying', 'replaying']) {
      await team.sql`update deliveries set state = ${state}, attempts = 4 where id = ${id}`
      const { status, body } = await replayOne(team, id)
      assert.deepEqual([status, body.error], [409, 'conflict'])
      assert.match(body.message, /still on its way/)
    }
    const [row] = await team.sql<{ attempts: number }>`select attempts from deliveries where id = ${id}`
    assert.equal(row!.attempts, 4)
    await team.sql`update deliveries set state = 'delivered' where id = ${id}`
    await team.call(`PATCH /v2/teams/:teamId/webhooks/${webhook}`, { body: { active: false } })
    for (const { status, body } of [await replayOne(team, id), await replayAll(team, webhook)]) {
      assert.deepEqual([status, body.error], [409, 'conflict'])
      assert.match(body.message, /not active\. Set active to true/)
    }
    await team.call(`PATCH /v2/teams/:teamId/webhooks/${webhook}`, { body: { active: true } })
    assert.equal((await replayOne(team, id)).status, 200)
  },
)

proves(
  'deliveries.replayOnlySettled',
  'of two who replay a delivery at once one hears that it is on its way',
  async () => {
    const { team, webhook } = await seed()
    const id = await seedOne(team, webhook)
    const answers = await Promise.all([replayOne(team, id), replayOne(team, id)])
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 409]))
  },
)

const statesOf = async ({ id, sql }: TestTeam, webhook: string) =>
  Object.fromEntries(
    (
      await sql<{ state: string; count: number }>`
        select state, count(*) as count from deliveries where target_id = ${webhook} and team_id = ${id} group by state`
    ).map(({ state, count }) => [state, count]),
  )

proves(
  'deliveries.replaySince',
  'everything settled since some time is sent again in batches, and nothing else',
  async () => {
    const { team, webhook } = await seed()
    await seedDead(team, webhook, 5, '2026-07-18T09:00:00Z')
    await seedDead(team, webhook, 2500)
    await team.sql`
    update deliveries set state = 'delivered' where target_id = ${webhook} and created_at = '2026-07-18T10:00:01Z'`
    await team.call(`POST /v2/webhooks/${webhook}/test`)
    const other = await seed()
    await seedDead(other.team, other.webhook, 3)
    const answer = await replayAll(team, webhook)
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, { subscription_id: webhook, deliveries: 2500 })
    assert.equal(await retryIsDue(team, webhook), null, 'nothing is held up by the request itself')
    await service.drain()
    assert.deepEqual(await statesOf(team, webhook), { dead: 5, new: 1, replaying: 2500 })
    assert.equal(await retryIsDue(team, webhook), true)
    assert.deepEqual(await statesOf(other.team, other.webhook), { dead: 3 })
    assert.deepEqual((await replayAll(team, webhook)).body.deliveries, 0, 'all of them are on their way')
  },
)

proves(
  'deliveries.replaySince',
  'events of one change are all sent again, also where only some of them fit into a transaction',
  async () => {
    const { team, webhook } = await seed()
    await seedDead(team, webhook, 991)
    // with the n of the last one, as those of a batch have one n when they become rows of their own
    await team.sql`
      insert into deliveries (n, id, team_id, target_id, event_id, event, created_at, state, settled_at, attempts, reason, log)
        overriding system value
      select n, gen_random_uuid(), team_id, target_id, gen_random_uuid(), event, created_at, state, settled_at, attempts, reason, log
      from (select * from deliveries where target_id = ${webhook} order by n desc limit 1) last, generate_series(1, 19)`
    assert.equal((await replayAll(team, webhook)).body.deliveries, 1010)
    await service.drain()
    assert.deepEqual(await statesOf(team, webhook), { replaying: 1010 })
  },
)

proves('deliveries.replaySince', '`since` is needed, and is a time', async () => {
  const { team, webhook } = await seed()
  for (const body of [{}, { since: 'yesterday' }, { since: null }]) {
    const { status, body: refusal } = await replayAll(team, webhook, body)
    assert.equal(status, 400)
    assert.match(refusal.message, /since/)
  }
})

proves(
  'deliveries.replayRepeated',
  'a replay that is carried out twice sends nothing twice, and ends when the webhook is switched off',
  async () => {
    const { team, webhook } = await seed()
    await seedDead(team, webhook, 4)
    const input = { team_id: team.id, subscription_id: webhook, since, asked_at: new Date().toISOString() }
    const carryOut = () =>
      replayDeliveries.handler({ input, context, sql: context.db.sql, signal: new AbortController().signal })
    await team.sql`update delivery_targets set active = false where id = ${webhook}`
    await carryOut()
    assert.deepEqual(await statesOf(team, webhook), { dead: 4 })
    await team.sql`update delivery_targets set active = true where id = ${webhook}`
    await carryOut()
    await team.sql`
    update deliveries set state = 'delivered', settled_at = ${input.asked_at}::timestamptz + interval '1 minute'
    where target_id = ${webhook}`
    await carryOut()
    assert.deepEqual(await statesOf(team, webhook), { delivered: 4 })
  },
)

proves(
  'deliveries.replayRepeated',
  'a replay that is cut off fails, so that the next process continues it',
  async () => {
    const { team, webhook } = await seed()
    await seedDead(team, webhook, 1)
    const input = { team_id: team.id, subscription_id: webhook, since, asked_at: new Date().toISOString() }
    const call = { input, context, sql: context.db.sql, signal: AbortSignal.abort(new Error('stopping')) }
    await assert.rejects(replayDeliveries.handler(call), /stopping/)
  },
)
