// How deliveries come to be: with the event itself, one for each target that wants it.
import assert from 'node:assert/strict'
import { setRunApart } from '../../../test/kit/deliveries.ts'
import { seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { eventNames, scopeOfEvent, type EventName } from '../../kit/event.ts'
import { forgetEndedCallbacks } from './forgetEndedCallbacks.ts'
import { proves } from '../../../test/kit/proves.ts'

// excepted, so that no test waits for a resolver
const service = await testApp({ config: { allowPrivateHosts: ['hooks.example.com'] } })
const { db } = service.context
const url = 'https://hooks.example.com/runyard'

async function subscribe(team: TestTeam, events: string[]): Promise<string> {
  return (await team.call('POST /v2/teams/:teamId/webhooks', { body: { url, events } })).body.subscription_id
}

/** Writes one event of each kind in one statement, as a run writes them; answers with their ids. */
async function emitAll({ id, sql }: TestTeam, runId: string | null = null): Promise<string[]> {
  const ids = eventNames.map(newId)
  await sql`
    insert into events (id, team_id, run_id, sequence, event, data)
    select event_id, ${id}, ${runId}::uuid, case when ${runId}::uuid is not null then sequence end, event, '{}'
    from unnest(${ids}::uuid[], ${eventNames}::text[]) with ordinality as e (event_id, event, sequence)`
  return ids
}

interface Made {
  id: string
  event: EventName
  event_id: string
  run_id: string | null
  state: string
  reason: string | null
}

const madeFor = (team: TestTeam, targetId: string) => team.sql<Made>`
  select id, event, event_id, run_id, state, reason from every_delivery where target_id = ${targetId} and team_id = ${team.id} order by n, event_id`
const eventsOf = (made: Made[]) => made.map(({ event }) => event)

proves(
  'deliveries.made',
  'a webhook gets the events that it named, `*` all of them, each as one new delivery',
  async () => {
    const team = await seedTeam(service)
    const all = await subscribe(team, ['*'])
    const ends = await subscribe(team, ['run.failed', 'run.completed'])
    const both = await subscribe(team, ['run.failed', '*'])
    const stranger = await seedTeam(service)
    const theirs = await subscribe(stranger, ['*'])
    const ids = await emitAll(team)
    const made = await madeFor(team, all)
    assert.deepEqual(eventsOf(made).toSorted(), eventNames.toSorted())
    assert.deepEqual(made.map(({ event_id }) => event_id).toSorted(), ids.toSorted())
    assert.deepEqual(new Set(made.map(({ state }) => state)), new Set(['new']))
    assert.deepEqual(eventsOf(await madeFor(team, ends)).toSorted(), ['run.completed', 'run.failed'])
    assert.equal((await madeFor(team, both)).length, eventNames.length)
    assert.deepEqual(await madeFor(stranger, theirs), [])
  },
)

const change = (by: TestTeam, id: string, body: object) => by.call(`PATCH /v2/teams/:teamId/webhooks/${id}`, { body })

proves(
  'events.scopes',
  'a webhook gets no kind that its maker’s credential may not read, and nobody turns one to themselves to read more',
  async () => {
    const team = await seedTeam(service)
    const made = await team.call('POST /v2/teams/:teamId/api-keys', {
      body: { scopes: ['webhooks:manage', 'runs:read'] },
    })
    const narrow = {
      ...team,
      call: (route: string, options = {}) => team.call(route, { key: made.body.secret, ...options }),
    }
    const own = await subscribe(narrow, ['*'])
    const all = await subscribe(team, ['*'])
    await emitAll(team)
    const readable = eventNames.filter((name) => /^(run|human_request)\./.test(name) && name !== 'run.file.created')
    assert.deepEqual(eventsOf(await madeFor(team, own)).toSorted(), readable.toSorted())
    for (const body of [{ url: `${url}/mine` }, { events: ['*'] }]) {
      assert.equal((await change(narrow, all, body)).body.error, 'insufficient_scope')
    }
    assert.equal((await change(narrow, own, { url: `${url}/mine` })).status, 200)
    assert.equal((await change(narrow, all, { description: 'seen' })).status, 200)
    assert.equal((await change(team, own, { events: ['*'] })).status, 200)
    await emitAll(team)
    assert.equal((await madeFor(team, own)).length, readable.length + eventNames.length)
  },
)

proves('events.scopes', 'what a delivery sends is shown to no credential that may not read its event', async () => {
  const team = await seedTeam(service)
  const made = await team.call('POST /v2/teams/:teamId/api-keys', {
    body: { scopes: ['webhooks:manage', 'runs:read'] },
  })
  const webhook = await subscribe(team, ['*'])
  await emitAll(team)
  for (const { id, event } of await madeFor(team, webhook)) {
    const asked = `GET /v2/webhook-deliveries/${id}/request`
    const [all, narrow] = [await team.call(asked), await team.call(asked, { key: made.body.secret })]
    assert.equal(JSON.parse(all.body.body).event, event)
    if (['runs:read', 'webhooks:manage'].includes(scopeOfEvent(event))) assert.deepEqual(narrow.body, all.body)
    else assert.deepEqual([narrow.status, narrow.body.error], [403, 'insufficient_scope'], event)
  }
})

proves(
  'deliveries.made',
  'a change and its deliveries are one transaction, and a run’s deliveries stand in the order of its events',
  async () => {
    const team = await seedTeam(service)
    const webhook = await subscribe(team, ['*'])
    await assert.rejects(
      db.transaction(async (sql) => {
        await emitAll({ ...team, sql })
        throw new Error('undone')
      }),
      /undone/,
    )
    assert.deepEqual(await madeFor(team, webhook), [])
    const runId = newId()
    const ids = await emitAll(team, runId)
    const made = await madeFor(team, webhook)
    assert.deepEqual(
      made.map(({ event_id }) => event_id),
      ids,
    )
    assert.ok(made.every(({ run_id }) => run_id === runId))
  },
)

proves(
  'deliveries.inactive',
  'events become dead letters for what was disabled, and pass by what a person switched off or deleted',
  async () => {
    const team = await seedTeam(service)
    const [off, deleted, disabled] = await Promise.all([1, 2, 3].map(() => subscribe(team, ['*'])))
    await team.call(`PATCH /v2/teams/:teamId/webhooks/${off}`, { body: { active: false } })
    await team.call(`DELETE /v2/teams/:teamId/webhooks/${deleted}`)
    await team.sql`
    update delivery_targets set active = false, disabled_at = now(), disabled_reason = 'It answered 410.' where id = ${disabled!}`
    await emitAll(team)
    assert.deepEqual(await madeFor(team, off!), [])
    assert.deepEqual(await madeFor(team, deleted!), [])
    const kept = await madeFor(team, disabled!)
    assert.equal(kept.length, eventNames.length)
    for (const { state, reason } of kept) assert.deepEqual([state, reason?.includes('was disabled')], ['dead', true])
    await team.call(`PATCH /v2/teams/:teamId/webhooks/${disabled}`, { body: { active: true } })
    await team.sql`update deliveries set settled_at = now() - interval '1 minute' where target_id = ${disabled!}`
    const { body } = await team.call(`POST /v2/webhooks/${disabled}/replay`, { body: { since: '2026-01-01' } })
    assert.equal(body.deliveries, kept.length, 'then they can be replayed')
  },
)

proves('deliveries.id', 'each event is one delivery with one id for each target', async () => {
  const team = await seedTeam(service)
  const targets = await Promise.all([1, 2].map(() => subscribe(team, ['run.failed'])))
  await emitAll(team)
  const [one, two] = (await Promise.all(targets.map((id) => madeFor(team, id)))).flat()
  assert.equal(one!.event_id, two!.event_id)
  assert.notEqual(one!.id, two!.id)
  const [computed] = await team.sql<{ id: string }>`
    select delivery_id(${one!.event_id}::uuid, ${targets[0]!}::uuid) as id`
  assert.equal(computed!.id, one!.id)
  await assert.rejects(
    team.sql`
      insert into delivery_batches (batch_id, target_id, team_id, created_at, kinds, waiting, delivered)
      select batch_id, target_id, team_id, created_at, kinds, waiting, delivered from delivery_batches
      where batch_id = ${one!.event_id} and target_id = ${targets[0]!}`,
    /delivery_batches_before_pkey/,
  )
})

proves(
  'deliveries.callback',
  'a run’s callback URL gets six kinds of its events, and runs with one URL share a target',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, 'Say hello.')
    const first = await startRun(team, agentId, { callback_url: url })
    const second = await startRun(team, agentId, { callback_url: url })
    const other = await startRun(team, agentId, { callback_url: `${url}/other` })
    const without = await startRun(team, agentId)
    for (const runId of [first, second, other, without]) await emitAll(team, runId)
    const targets = await team.sql<{ id: string; url: string }>`
    select id, url from delivery_targets where team_id = ${team.id} and kind = 'callback' order by length(url)`
    assert.deepEqual(
      targets.map((target) => target.url),
      [url, `${url}/other`],
    )
    const shared = await madeFor(team, targets[0]!.id)
    const wanted = [
      'run.started',
      'run.paused',
      'run.completed',
      'run.failed',
      'human_request.created',
      'human_request.responded',
    ]
    for (const runId of [first, second]) {
      assert.deepEqual(eventsOf(shared.filter(({ run_id }) => run_id === runId)), wanted)
    }
    assert.equal(shared.length, 2 * wanted.length)
    assert.deepEqual(new Set((await madeFor(team, targets[1]!.id)).map(({ run_id }) => run_id)), new Set([other]))
    const { body } = await team.call('GET /v2/teams/:teamId/webhook-deliveries?limit=1')
    assert.deepEqual(
      [body.total, body.deliveries[0].subscription_id, body.deliveries[0].url],
      [18, null, `${url}/other`],
    )
  },
)

proves(
  'deliveries.callbackEnded',
  'a receiver that is gone for one run gets no more of it, and still gets other runs with the same URL',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, 'Say hello.')
    const [gone, other] = [
      await startRun(team, agentId, { callback_url: url }),
      await startRun(team, agentId, { callback_url: url }),
    ]
    await team.sql`insert into ended_callbacks (run_id) values (${gone})`
    for (const runId of [gone, other]) await emitAll(team, runId)
    const made = await team.sql<{
      id: string
      run_id: string
    }>`select id, run_id from every_delivery where team_id = ${team.id}`
    assert.deepEqual(new Set(made.map(({ run_id }) => run_id)), new Set([other]))
    await team.sql`insert into ended_callbacks (run_id) values (${other})`
    await setRunApart(team.sql, other)
    await team.sql`update deliveries set state = 'dead', settled_at = now() where id = ${made[0]!.id}`
    const refused = await team.call(`POST /v2/webhook-deliveries/${made[0]!.id}/replay`)
    assert.equal(refused.status, 409)
    assert.match(refused.body.message, /answered 410 for this run/)
    await forgetEndedCallbacks({ sql: team.sql, context: service.context, teamId: team.id, runIds: [gone] })
    const marks = await team.sql<{ run_id: string }>`select run_id from ended_callbacks`
    assert.deepEqual(marks, [{ run_id: other }])
  },
)

proves('deliveries.forgotten', 'an event that is erased takes its deliveries with it', async () => {
  const team = await seedTeam(service)
  const webhook = await subscribe(team, ['*'])
  const [erased] = await emitAll(team)
  await team.sql`delete from event_batches where id = ${erased!}`
  const made = await madeFor(team, webhook)
  assert.equal(made.length, eventNames.length - 1)
  assert.ok(made.every(({ event_id }) => event_id !== erased))
})

/** How often a transaction has looked into these tables, and how many rows it has read of them whole. */
const looks = async ({ sql }: Pick<TestTeam, 'sql'>) => {
  const [row] = await sql<{ targets: number; deliveries: number }>`
    select sum(idx_scan + seq_scan + seq_tup_read) filter (where relname = 'delivery_targets')::int as targets,
      sum(idx_scan + seq_scan + seq_tup_read) filter (where relname = 'deliveries')::int as deliveries
    from pg_stat_xact_user_tables`
  return row!
}

proves(
  'deliveries.forgottenByEvent',
  'what is erased with an event is looked up by the event, however many targets its team has',
  async () => {
    const team = await seedTeam(service)
    const webhook = await subscribe(team, ['*'])
    const runId = newId()
    const events = [...(await emitAll(team)), ...(await emitAll(team, runId))]
    await team.sql`select set_apart(batch_id, target_id, waiting) from delivery_batches where team_id = ${team.id}`
    await team.sql`
      insert into delivery_targets (id, team_id, kind, url)
      select gen_random_uuid(), ${team.id}, 'callback', 'https://hooks.example.com/' || n from generate_series(1, 300) n`
    const erased = [...events.slice(0, 3), ...events.slice(eventNames.length, eventNames.length + 3)]
    await db.transaction(async (sql) => {
      const before = await looks({ sql })
      await sql`delete from event_batches where id = any(${erased}::uuid[])`
      const after = await looks({ sql })
      assert.equal(after.targets, before.targets)
      const count = after.deliveries - before.deliveries
      assert.ok(count <= 4 * erased.length, `${count} looks for ${erased.length} events`)
    })
    assert.deepEqual(
      (await madeFor(team, webhook)).map(({ event_id }) => event_id).toSorted(),
      events.filter((id) => !erased.includes(id)).toSorted(),
    )
  },
)
