// Triggers as callers and senders see them: made and refused, received and judged, started once, replayed, paused and erased.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after } from 'node:test'
import { DatabaseError } from 'pg'
import { startMcpServer } from '../../../test/fakes/mcpServer.ts'
import { seedConnection } from '../../../test/kit/connections.ts'
import { begin } from '../../../test/kit/heldTransaction.ts'
import { testDatabase } from '../../../test/kit/postgres.ts'
import { proves } from '../../../test/kit/proves.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import type { Sql } from '../../base/db.ts'
import { bodyTurnsOf } from '../../kit/bodyTurns.ts'
import { teamTimeOf } from '../../kit/teamTime.ts'
import { listTools } from '../connections/mcpTools/toolList.ts'
import { inboxOf } from './mailbox.ts'
import { drainPolls } from './poller.ts'
import { startDeliveries } from './startDeliveries.ts'

const address = await testDatabase()
const service = await testApp({ address, config: { allowPrivateHosts: ['127.0.0.1'], triggerRateLimit: 0 } })
const { context } = service
const block = (words: string, body = '') => `\`\`\`${words}\n${body}\n\`\`\`\n`
const echo = block('output', '{{ message }}')
const tick = (app = service) => startDeliveries({ context: app.context, signal: new AbortController().signal })

interface Seeded {
  team: TestTeam
  agentId: string
  triggerId: string
  url: string
}

async function make(team: TestTeam, agentId: string, body: object) {
  const made = await team.call(`POST /v2/agents/${agentId}/triggers`, { body })
  assert.equal(made.status, 201, made.text)
  return made.body.trigger
}

async function seed(wanted: object = {}, procedure = echo, app = service): Promise<Seeded> {
  const team = await seedTeam(app)
  const agentId = await seedAgent(team, procedure)
  const trigger = await make(team, agentId, { kind: 'webhook', ...wanted })
  return { team, agentId, triggerId: trigger.id, url: new URL(trigger.webhook.url).pathname }
}

const send = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  service.call(`POST ${url}`, { body, headers })

type Listed = Pick<Seeded, 'team' | 'triggerId'>

const listed = async ({ team, triggerId }: Listed, query = '') =>
  (await team.call(`GET /v2/triggers/${triggerId}/deliveries${query}`)).body

/** A filter that takes all steps of a delivery with this content. */
const costly = (of: string) => Array.from({ length: 60 }, () => `${of}.a == ${of}.b`).join(' and ')
const ones = Array.from({ length: 200_000 }, () => 1)
const alike = { a: ones, b: ones }

const statuses = async (of: Listed): Promise<string[]> =>
  (await listed(of)).deliveries.map(({ status }: { status: string }) => status).toReversed()

proves(
  ['triggers.fields', 'triggers.secret'],
  'a trigger is answered with its defaults and its address, and never with its secret',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, echo)
    const secret = 'canary-of-a-secret'
    const made = await make(team, agentId, { kind: 'webhook', webhook: { verifier: 'github', secret } })
    const { id, webhook, created_at, updated_at, ...rest } = made
    assert.equal(created_at, updated_at)
    assert.deepEqual(rest, {
      agent_id: agentId,
      user_id: team.memberId,
      kind: 'webhook',
      name: null,
      enabled: true,
      filter: null,
      message: null,
      dedupe_key: null,
      concurrency: null,
      event: null,
      poll: null,
      email: null,
      last_delivery_at: null,
    })
    assert.match(webhook.url, /\/in\/[a-z0-9]{48}$/)
    assert.deepEqual({ ...webhook, url: null }, { url: null, verifier: 'github', header: null, has_secret: true })
    const list = await team.call(`GET /v2/agents/${agentId}/triggers`)
    assert.deepEqual(list.body, { triggers: [made] })
    assert.deepEqual((await team.call(`GET /v2/triggers/${id}`)).body, { trigger: made, trigger_id: id })
    const [row] = await team.sql<{ row: string }>`select to_jsonb(t)::text as row from triggers t where id = ${id}`
    assert.ok(!row!.row.includes(secret) && !row!.row.includes(webhook.url.slice(-48)), 'both are sealed in the row')
    const other = await seedTeam(service, { scopes: ['agents:read'] })
    await team.sql`update api_keys set team_id = ${team.id}, member_id = ${team.memberId} where id = ${other.keyId}`
    const read = await other.call(`GET /v2/triggers/${id}`)
    assert.deepEqual([read.status, read.body.trigger.webhook.url], [200, null])
  },
)

proves('triggers.fields', 'each kind takes its own fields, and what is wrong is said', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, echo)
  const refused: [object, RegExp][] = [
    [{}, /kind is missing/],
    [{ kind: 'carrier' }, /kind must be one of/],
    [{ kind: 'webhook', event: { event: 'run.failed' } }, /event goes only with kind event/],
    [{ kind: 'webhook', webhook: { verifier: 'stripe' } }, /webhook.secret is missing: verifier stripe needs it/],
    [{ kind: 'webhook', webhook: { secret: 'a-long-secret' } }, /does not go with verifier none/],
    [{ kind: 'webhook', webhook: { verifier: 'standard_webhooks', secret: 'not base64!' } }, /Standard Webhooks/],
    [{ kind: 'webhook', filter: 'body.a ==' }, /filter cannot be read/],
    [{ kind: 'webhook', message: '{{ nothing }}' }, /message, line 1/],
    [{ kind: 'event' }, /event.event is missing/],
    [{ kind: 'event', event: { event: 'run.ended' } }, /event.event must be one of/],
    [{ kind: 'poll' }, /poll.connection_id is missing.*poll.tool is missing/],
    [{ kind: 'email' }, /This server takes no mail/],
    [{ kind: 'webhook', concurrency: 0 }, /concurrency/],
  ]
  for (const [body, says] of refused) {
    const { status, body: refusal } = await team.call(`POST /v2/agents/${agentId}/triggers`, { body })
    assert.deepEqual([status, refusal.error], [400, 'invalid_request'], JSON.stringify(body))
    assert.match(refusal.message, says)
  }
  const foreign = { kind: 'event', event: { event: 'run.failed', agent_id: (await seed()).agentId } }
  assert.equal((await team.call(`POST /v2/agents/${agentId}/triggers`, { body: foreign })).status, 404)
})

proves(
  'triggers.fields',
  'a paused webhook may wait for its secret, and another verifier forgets the old one',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, echo)
    const body = { kind: 'webhook', enabled: false, webhook: { verifier: 'stripe' } }
    const made = await team.call(`POST /v2/agents/${agentId}/triggers`, { body })
    assert.deepEqual([made.status, made.body.trigger.webhook.has_secret], [201, false])
    const path = `PATCH /v2/triggers/${made.body.trigger_id}`
    assert.equal((await team.call(path, { body: { enabled: true } })).status, 400)
    const given = await team.call(path, { body: { enabled: true, webhook: { secret: 'a-long-secret' } } })
    assert.deepEqual([given.status, given.body.trigger.webhook.has_secret], [200, true])
    const other = await team.call(path, { body: { enabled: false, webhook: { verifier: 'github' } } })
    assert.deepEqual([other.status, other.body.trigger.webhook.has_secret], [200, false])
  },
)

proves('triggers.once', 'what came in is answered 202, started once a key, and its run has the message', async () => {
  const seeded = await seed({ message: 'Order {{ body.id }}', dedupe_key: 'body.id', filter: 'body.total > 0' })
  const first = await send(seeded.url, { id: 'o-1', total: 5 })
  assert.deepEqual([first.status, Object.keys(first.body)], [202, ['delivery_id']])
  for (const body of [
    { id: 'o-1', total: 5 },
    { id: 'o-2', total: 1 },
    { id: 'o-3', total: 0 },
  ])
    await send(seeded.url, body)
  await tick()
  await send(seeded.url, { id: 'o-2', total: 1 })
  await tick()
  assert.deepEqual(await statuses(seeded), ['started', 'repeated', 'started', 'filtered', 'repeated'])
  const { deliveries, total } = await listed(seeded, '?status=started')
  assert.equal(total, 2)
  await drainRuns(service)
  const run = await readRun(seeded.team, deliveries[1].run_id)
  assert.deepEqual(
    [run.source, run.message, run.output, run.title, run.user_id],
    ['trigger', 'Order o-1', 'Order o-1', 'Order o-1', seeded.team.memberId],
  )
  assert.deepEqual(run.metadata, { trigger_id: seeded.triggerId, trigger_delivery_id: first.body.delivery_id })
})

proves(
  'triggers.unproved',
  'what does not prove its sender is a 401 and is not stored, and unknown and paused addresses take nothing',
  async () => {
    const secret = 'the secret of this hook'
    const seeded = await seed({ webhook: { verifier: 'github', secret } })
    const body = '{"zen": "Keep it logically awesome."}'
    const sign = (text: string) => `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`
    const forged: Record<string, string>[] = [
      {},
      { 'x-hub-signature-256': sign('other') },
      { 'x-hub-signature-256': 'sha256=00' },
    ]
    for (const headers of forged) {
      const { status, body: refusal } = await send(seeded.url, body, headers)
      assert.deepEqual([status, refusal.error], [401, 'unauthorized'])
    }
    assert.equal((await listed(seeded)).total, 0)
    const signed = { 'x-hub-signature-256': sign(body), 'x-github-delivery': 'd-1' }
    assert.equal((await send(seeded.url, body, signed)).status, 202)
    const { deliveries } = await listed(seeded)
    const read = (await seeded.team.call(`GET /v2/trigger-deliveries/${deliveries[0].id}`)).body.trigger_delivery
    assert.deepEqual(read.content.body, JSON.parse(body))
    assert.deepEqual(
      [read.content.headers['x-github-delivery'], read.content.headers['x-hub-signature-256']],
      ['d-1', undefined],
    )
    assert.equal((await send('/in/nobody', body)).status, 404)
    await seeded.team.call(`PATCH /v2/triggers/${seeded.triggerId}`, { body: { enabled: false } })
    assert.equal((await send(seeded.url, body, signed)).status, 409)
    const rotated = await seeded.team.call(`POST /v2/triggers/${seeded.triggerId}/rotate-address`)
    assert.equal((await send(seeded.url, body, signed)).status, 404)
    assert.equal((await send(new URL(rotated.body.trigger.webhook.url).pathname, body, signed)).status, 409)
  },
)

proves('triggers.unproved', 'Slack is answered with its challenge, once it has proved itself', async () => {
  const secret = 'slack-signing-secret'
  const { url, team, triggerId } = await seed({ webhook: { verifier: 'slack', secret } })
  const body = JSON.stringify({ type: 'url_verification', challenge: 'c-1' })
  const time = String(Math.floor(Date.now() / 1000))
  const signature = `v0=${createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex')}`
  const headers = { 'x-slack-request-timestamp': time, 'x-slack-signature': signature }
  const answer = await send(url, body, headers)
  assert.deepEqual([answer.status, answer.text], [200, 'c-1'])
  assert.equal((await send(url, body, { ...headers, 'x-slack-signature': 'v0=00' })).status, 401)
  assert.equal((await listed({ team, triggerId })).total, 0)
})

proves('triggers.content', 'what is too large, malformed or a file is a 400, and nothing of it is stored', async () => {
  const seeded = await seed()
  assert.equal((await send(seeded.url, '{"a":')).status, 400)
  const large = await send(seeded.url, `"${'x'.repeat(1024 * 1024)}"`)
  assert.deepEqual([large.status, large.body.error], [400, 'payload_too_large'])
  assert.equal((await send(seeded.url, 'x', { 'content-type': 'multipart/form-data; boundary=y' })).status, 400)
  assert.equal(
    (await send(seeded.url, 'a=1\u0000', { 'content-type': 'application/x-www-form-urlencoded' })).status,
    202,
  )
  assert.equal((await listed(seeded)).total, 1)
})

proves(
  'triggers.judged',
  'what cannot be started fails with the reason, and its key is free for the next try',
  async () => {
    const seeded = await seed({ dedupe_key: 'body.id', filter: 'body.n < 3' })
    await send(seeded.url, { id: 1, n: 'many' })
    await tick()
    const [failed] = (await listed(seeded)).deliveries
    assert.equal(failed.status, 'failed')
    assert.match(failed.reason, /have no order/)
    const idle = await seedAgent(seeded.team, echo)
    // no user can bring this about today
    await seeded.team.sql`update builds set status = 'historic' where agent_id = ${idle}`
    const bare = await make(seeded.team, idle, { kind: 'webhook', dedupe_key: 'body.id' })
    const url = new URL(bare.webhook.url).pathname
    for (const _ of [1, 2]) {
      await send(url, { id: 1 })
      await tick()
    }
    const { deliveries } = await listed({ team: seeded.team, triggerId: bare.id })
    assert.deepEqual(
      deliveries.map(({ status }: { status: string }) => status),
      ['failed', 'failed'],
    )
    assert.match(deliveries[0].reason, /no live build/)
  },
)

proves('triggers.concurrency', 'the next one starts when a run has ended, and not before', async () => {
  const seeded = await seed({ concurrency: 1 }, block('approve', 'Go on?') + echo)
  for (const n of [1, 2, 3]) await send(seeded.url, { n })
  await tick()
  await drainRuns(service)
  await tick()
  assert.deepEqual(await statuses(seeded), ['started', 'waiting', 'waiting'])
  const [running] = (await listed(seeded, '?status=started')).deliveries
  await seeded.team.call(`POST /v2/runs/${running.run_id}/stop`)
  await tick()
  assert.deepEqual(await statuses(seeded), ['started', 'started', 'waiting'])
  await seeded.team.call(`PATCH /v2/triggers/${seeded.triggerId}`, { body: { enabled: false } })
  await tick()
  assert.deepEqual(await statuses(seeded), ['started', 'started', 'dropped'])
})

proves(
  'triggers.turns',
  'a delivery of one team starts although thousands of older triggers of another wait for a paused agent or a free place',
  async () => {
    const app = await testApp({ config: { triggerRateLimit: 0 } })
    const noisy = await seed({}, block('approve', 'Go on?') + echo, app)
    const { team, agentId } = noisy
    const held = await startRun(team, agentId)
    const other = await seedAgent(team, echo)
    await team.call(`POST /v2/agents/${other}/pause`, { body: {} })
    await team.sql`
      insert into triggers (id, team_id, agent_id, user_id, changed_by, kind, event, enabled, concurrency)
      select lpad(to_hex(n), 32, '0')::uuid, ${team.id}, case when n % 2 = 0 then ${other}::uuid else ${agentId}::uuid end, ${team.memberId},
        ${team.memberId}, case when n % 2 = 0 then 'event' else 'webhook' end, case when n % 2 = 0 then 'run.failed' end, true,
        case when n % 2 = 1 then 1 end
      from generate_series(1, 5000) n`
    await team.sql`
      insert into trigger_deliveries (id, team_id, trigger_id, content, size_bytes, state, run_id, holds_place)
      select gen_random_uuid(), t.team_id, t.id, '{}', 2, state, case when state = 'started' then ${held}::uuid end, state = 'started'
      from triggers t, unnest(array['waiting', 'started']) state
      where t.team_id = ${team.id} and t.id <> ${noisy.triggerId} and (state = 'waiting' or t.concurrency is not null)`
    const quiet = await seed({}, echo, app)
    for (const { url } of [quiet, noisy]) await app.call(`POST ${url}`, { body: {} })
    await tick(app)
    assert.deepEqual([await statuses(quiet), await statuses(noisy)], [['started'], ['started']])
    const waiting = await team.sql`select from trigger_deliveries where team_id = ${team.id} and state = 'waiting'`
    assert.equal(waiting.length, 5000)
  },
)

proves(
  'triggers.judged',
  'deliveries whose filters take all of their steps are charged to their team, and another team’s request is answered between two of them',
  async () => {
    const app = await testApp({ config: { triggerRateLimit: 0 } })
    const noisy = await seed({ filter: costly('body') }, echo, app)
    const content = JSON.stringify({ body: alike })
    // as if the team had sent them long ago: what they cost then is paid
    await noisy.team.sql`
      insert into trigger_deliveries (id, team_id, trigger_id, content, size_bytes)
      select gen_random_uuid(), ${noisy.team.id}, ${noisy.triggerId}, ${content}::json, octet_length(${content}) from generate_series(1, 3)`
    const quiet = await seedTeam(app)
    await quiet.call('GET /v2/teams/:teamId/agents')
    const order: string[] = []
    const looking = new AbortController()
    const time = teamTimeOf(app.context)
    const measured = { ...time }
    const ask = async () => {
      const { status } = await quiet.call('GET /v2/teams/:teamId/agents')
      order.push(`answered ${status}`)
      looking.abort()
    }
    let asked: Promise<void> | undefined
    time.piece = (teamId, work) => {
      if (teamId !== noisy.team.id) return measured.piece(teamId, work)
      order.push('judged')
      asked ??= ask()
      return measured.piece(teamId, work)
    }
    await startDeliveries({ context: app.context, signal: looking.signal })
    await asked
    assert.deepEqual(order, ['judged', 'answered 200'])
    assert.ok(time.isAhead(noisy.team.id))
    assert.deepEqual(await statuses(noisy), ['failed', 'waiting', 'waiting'])
  },
)

proves('triggers.turns', 'a look ends also when nothing of a team waits any more once its turn comes', async () => {
  const { team, triggerId, url } = await seed()
  const other = await seedTeam(service)
  await send(url, {})
  const time = teamTimeOf(context)
  const measured = { ...time }
  let hasWaited = false
  const gone = async (turn: Promise<void>) => {
    await turn
    hasWaited = true
    await team.sql`delete from trigger_deliveries where trigger_id = ${triggerId}`
  }
  time.turn = (teamId, options) => {
    if (teamId !== team.id) return measured.turn(teamId, options)
    // at this moment another team is at work, and this one is ahead of its share
    void measured.turn(other.id)
    measured.usedThread(teamId, 20)
    const turn = measured.turn(teamId, options)
    return turn && gone(turn)
  }
  await tick()
  Object.assign(time, measured)
  assert.ok(hasWaited)
  assert.deepEqual(await statuses({ team, triggerId }), [])
})

proves(
  'triggers.turns',
  'each team is looked through once when nothing of it can proceed, however many looks another takes',
  async () => {
    const app = await testApp({ config: { triggerRateLimit: 0 } })
    for (const count of [250, 350, 450]) {
      const { team, agentId, triggerId } = await seed({}, echo, app)
      await team.call(`POST /v2/agents/${agentId}/pause`, { body: {} })
      await team.sql`
        insert into triggers (id, team_id, agent_id, user_id, changed_by, kind, enabled)
        select gen_random_uuid(), team_id, agent_id, user_id, changed_by, kind, enabled
        from triggers, generate_series(2, ${count}::int) where id = ${triggerId}`
      await team.sql`
        insert into trigger_deliveries (id, team_id, trigger_id, content, size_bytes)
        select gen_random_uuid(), team_id, id, '{}', 2 from triggers where team_id = ${team.id}`
    }
    let looks = 0
    const { db } = app.context
    const sql: Sql = (strings, ...values) => {
      if (strings[0]?.includes('with recursive teams')) looks += 1
      return db.sql(strings, ...values)
    }
    await startDeliveries({ context: { ...app.context, db: { ...db, sql } }, signal: new AbortController().signal })
    assert.equal(looks, 5, 'the largest team takes five, at 100 triggers each')
  },
)

proves('triggers.turns', 'what came in for another team starts while the slots of one team are locked', async () => {
  const [locked, other] = [await seed(), await seed()]
  assert.ok(locked.team.id < other.team.id, 'its turn comes first')
  await startRun(locked.team, locked.agentId)
  await drainRuns(service)
  for (const { url } of [locked, other]) await send(url, {})
  const { its, commit } = await begin(context.db.address())
  const held = await its`select from admission where team_id = ${locked.team.id} for update`
  assert.equal(held.length, 1)
  await tick()
  assert.deepEqual([await statuses(locked), await statuses(other)], [['waiting'], ['started']])
  await commit()
  // in this process the trigger rests a while
  await tick(await testApp({ address }))
  assert.deepEqual(await statuses(locked), ['started'])
})

/** A trigger for events with two of them that wait, and a context that notes how many were counted in its minute. */
async function twoEvents(filter: string, data: object) {
  const app = await testApp()
  const team = await seedTeam(app)
  const event = { event: 'run.completed' }
  const { id: triggerId } = await make(team, await seedAgent(team, echo), { kind: 'event', event, filter })
  const content = JSON.stringify({ event: { ...event, data } })
  await team.sql`
    insert into trigger_deliveries (id, team_id, trigger_id, content, size_bytes)
    select gen_random_uuid(), ${team.id}, ${triggerId}, ${content}::json, octet_length(${content}) from generate_series(1, 2)`
  const counted: string[] = []
  const { rateLimit } = app.context
  const take: typeof rateLimit.take = (bucket, limit) => {
    if (bucket === `trigger ${triggerId}`) counted.push(bucket)
    return rateLimit.take(bucket, limit)
  }
  return { team, triggerId, counted, context: { ...app.context, rateLimit: { take } } }
}

proves(
  'triggers.minute',
  'an event whose turn did not come, because those before took all steps, is not counted',
  async () => {
    const { context: noting, counted, ...seeded } = await twoEvents(costly('event.data'), alike)
    await startDeliveries({ context: noting, signal: new AbortController().signal })
    assert.deepEqual([await statuses(seeded), counted.length], [['failed', 'failed'], 2])
  },
)

proves('triggers.minute', 'events of a transaction that a deadlock undid are not counted a second time', async () => {
  const { context: noting, counted, ...seeded } = await twoEvents('event.data.n > 1', { n: 1 })
  const { db } = noting
  let undone = 0
  const transaction: typeof db.transaction = (work) =>
    db.transaction(async (sql) => {
      const result = await work(sql)
      if (undone === 2) return result
      undone += 1
      throw Object.assign(new DatabaseError('deadlock detected', 0, 'error'), { code: '40P01' })
    })
  await startDeliveries({ context: { ...noting, db: { ...db, transaction } }, signal: new AbortController().signal })
  assert.deepEqual([undone, await statuses(seeded), counted.length], [2, ['filtered', 'filtered'], 2])
})

proves(
  'triggers.deliveries',
  'a replay starts another run by the trigger as it is now, also for a key that was used',
  async () => {
    const seeded = await seed({ dedupe_key: 'body.id', message: 'old' })
    await send(seeded.url, { id: 1 })
    const waiting = (await listed(seeded)).deliveries[0].id
    assert.equal((await seeded.team.call(`POST /v2/trigger-deliveries/${waiting}/replay`)).status, 409)
    await tick()
    await seeded.team.call(`PATCH /v2/triggers/${seeded.triggerId}`, { body: { message: 'new {{ body.id }}' } })
    const replayed = await seeded.team.call(`POST /v2/trigger-deliveries/${waiting}/replay`)
    assert.deepEqual([replayed.status, replayed.body.trigger_delivery.replay_of], [201, waiting])
    await tick()
    assert.deepEqual(await statuses(seeded), ['started', 'started'])
    const { run_id } = (await listed(seeded)).deliveries[0]
    assert.equal((await readRun(seeded.team, run_id)).message, 'new 1')
  },
)

proves('triggers.events', 'an event starts a run, and an event of that run does not start another', async () => {
  const team = await seedTeam(service)
  const worker = await seedAgent(team, echo)
  const watcher = await seedAgent(team, echo)
  const { id } = await make(team, watcher, {
    kind: 'event',
    event: { event: 'run.completed' },
    message: '{{ event.data.output }}',
  })
  const other = await make(team, watcher, { kind: 'event', event: { event: 'run.completed', agent_id: watcher } })
  await startRun(team, worker, { message: 'done' })
  for (let round = 0; round < 4; round++) {
    await drainRuns(service)
    await tick()
  }
  const of = async (triggerId: string) =>
    (await listed({ team, triggerId })).deliveries
      .map(({ status, reason }: { status: string; reason: string | null }) => [status, reason?.split('.')[0] ?? null])
      .toReversed()
  const loop = ['dropped', 'A run that this trigger had started caused it']
  // the run of the first trigger is an event for the second; the run of the second is one for both, and closes both loops
  assert.deepEqual(await of(id), [['started', null], loop, loop])
  assert.deepEqual(await of(other.id), [['started', null], loop])
  const [first] = (await listed({ team, triggerId: id }, '?status=started')).deliveries
  assert.equal((await readRun(team, first.run_id)).output, 'done')
})

proves(
  'triggers.eventsMax',
  'a team has at most 100 triggers for events, also when several are made at once',
  async () => {
    const team = await seedTeam(service)
    const agents = await Promise.all([1, 2, 3].map(() => seedAgent(team, echo)))
    const event = { event: 'run.failed' }
    const first = await make(team, agents[0]!, { kind: 'event', event, enabled: false })
    await team.sql`
      insert into triggers (id, team_id, agent_id, user_id, changed_by, kind, event, enabled)
      select gen_random_uuid(), team_id, agent_id, user_id, changed_by, kind, event, false
      from triggers, generate_series(1, 97) where id = ${first.id}`
    const body = { kind: 'event', event }
    const made = await Promise.all(
      [...agents, ...agents].map((agentId) => team.call(`POST /v2/agents/${agentId}/triggers`, { body })),
    )
    const refused = made.filter(({ status }) => status !== 201)
    assert.deepEqual([made.length, refused.length], [6, 4])
    for (const { status, body: says } of refused) {
      assert.deepEqual([status, says.error], [409, 'conflict'])
      assert.match(says.message, /100 triggers for events/)
    }
    await make(team, agents[1]!, { kind: 'webhook' })
    const other = await seedTeam(service)
    await make(other, await seedAgent(other, echo), body)
    const kept = await team.call(`PATCH /v2/triggers/${first.id}`, { body: { enabled: true } })
    assert.equal(kept.status, 200, 'one of those counted may be enabled')
  },
)

/** Calls with a key of this team that has these scopes only. */
async function readerOf(team: TestTeam, scopes: string[]): Promise<TestTeam['call']> {
  const { body } = await team.call('POST /v2/teams/:teamId/api-keys', { body: { name: scopes.join(), scopes } })
  return (route, options) => team.call(route, { key: body.secret, ...options })
}

proves('triggers.readers', 'what an event brought is shown only to a credential that may read that event', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, echo)
  const event = { event: 'run.completed' }
  const { id } = await make(team, await seedAgent(team, echo), { kind: 'event', event, filter: 'false' })
  await startRun(team, agentId, { message: 'a word in confidence' })
  await drainRuns(service)
  await tick()
  const [{ id: delivery }] = (await listed({ team, triggerId: id })).deliveries
  const shownTo = async (scopes: string[], route: string) => {
    const { body } = await (await readerOf(team, scopes))(route)
    return body.trigger_delivery.content
  }
  const read = `GET /v2/trigger-deliveries/${delivery}`
  const replay = `POST /v2/trigger-deliveries/${delivery}/replay`
  assert.equal((await shownTo(['agents:read', 'runs:read'], read)).event.data.output, 'a word in confidence')
  assert.equal(await shownTo(['agents:read', 'queues:read'], read), null)
  assert.equal(
    (await shownTo(['agents:read', 'agents:write', 'runs:read'], replay)).event.data.output,
    'a word in confidence',
  )
  assert.equal(await shownTo(['agents:read', 'agents:write'], replay), null)
  const hook = await seed()
  await send(hook.url, { id: 1 })
  const [came] = (await listed(hook)).deliveries
  const brought = await (await readerOf(hook.team, ['agents:read']))(`GET /v2/trigger-deliveries/${came.id}`)
  assert.deepEqual(brought.body.trigger_delivery.content.body, { id: 1 }, 'a webhook brings no event')
})

proves(
  'triggers.readers',
  'the key of an event and why it failed, which may have its words, are shown only to those who may read the event',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, echo)
    const event = { event: 'run.completed' }
    const watcher = await seedAgent(team, echo)
    const dedupe_key = 'event.data.output'
    const filtered = await make(team, watcher, { kind: 'event', event, filter: 'false', dedupe_key })
    const failed = await make(team, watcher, { kind: 'event', event, filter: '(event.data.output | number) > 1' })
    await startRun(team, agentId, { message: 'in confidence' })
    await drainRuns(service)
    await tick()
    // what came in by another event before is judged by that one
    await team.call(`PATCH /v2/triggers/${filtered.id}`, { body: { event: { event: 'queue.case.created' } } })
    const hook = await make(team, watcher, { kind: 'webhook', dedupe_key: 'body.id', filter: 'false' })
    await send(new URL(hook.webhook.url).pathname, { id: 'o-1' })
    await tick()
    const shownTo = async (scopes: string[]) => {
      const call = await readerOf(team, scopes)
      const listedOf = async ({ id }: { id: string }) => {
        const { body } = await call(`GET /v2/triggers/${id}/deliveries`)
        const { body: alone } = await call(`GET /v2/trigger-deliveries/${body.deliveries[0].id}`)
        const [delivery] = body.deliveries
        assert.deepEqual({ ...delivery, content: null }, { ...alone.trigger_delivery, content: null })
        return delivery
      }
      return [(await listedOf(filtered)).key, (await listedOf(failed)).reason, (await listedOf(hook)).key]
    }
    const [key, reason, other] = await shownTo(['agents:read', 'runs:read'])
    assert.deepEqual([key, other], ['in confidence', 'o-1'])
    assert.match(reason, /in confidence/)
    assert.deepEqual(await shownTo(['agents:read', 'queues:read']), [null, null, 'o-1'])
  },
)

proves(
  'triggers.limits',
  'a replay is refused when the team may store no more, when too many deliveries wait, and when the minute is used up',
  async () => {
    const limited = await testApp({ address, config: { triggerRateLimit: 2, teamStorageBytes: 10_000 } })
    const seeded = await seed()
    const { team, triggerId } = seeded
    await send(seeded.url, { text: 'x'.repeat(6000) })
    await send(seeded.url, { text: 'short' })
    await tick()
    const [short, long] = (await listed(seeded)).deliveries
    const replay = (id: string, app = limited) =>
      app.call(`POST /v2/trigger-deliveries/${id}/replay`, { key: team.key })
    const full = await replay(long.id)
    assert.deepEqual([full.status, full.body.error], [403, 'entitlement_exceeded'])
    const answers = []
    // a new minute may begin in between, but not two
    while (answers.length < 6 && answers.at(-1)?.status !== 429) answers.push(await replay(short.id))
    assert.equal(answers.at(-1)?.status, 429)
    await team.sql`
      insert into trigger_deliveries (id, team_id, trigger_id, content, size_bytes)
      select gen_random_uuid(), ${team.id}, ${triggerId}, '{}', 2 from generate_series(1, 10000)`
    const many = await replay(short.id, service)
    assert.deepEqual([many.status, many.headers['retry-after']], [429, '30'])
    assert.match(many.body.message, /wait for their turn already/)
    await team.sql`delete from trigger_deliveries where trigger_id = ${triggerId}`
  },
)

proves('triggers.polls', 'what is new by its key starts a run, once, and what was there before does not', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, echo)
  let orders = [{ id: 1 }, { id: 2 }]
  const answer = () => ({ content: [{ type: 'text', text: JSON.stringify({ orders }) }] })
  const shop = await startMcpServer({ tools: [{ name: 'list_orders', answer }] })
  after(() => shop.close())
  const connectionId = await seedConnection(service, team, { name: 'Shop', type: 'custom_mcp', server_url: shop.url })
  await listTools(context, { id: connectionId, team_id: team.id })
  const poll = { connection_id: connectionId, tool: 'list_orders', arguments: { open: true } }
  const { id } = await make(team, agentId, { kind: 'poll', poll })
  const again = async () => {
    await team.sql`update triggers set next_poll_at = now() where id = ${id}`
    await drainPolls(context)
    await tick()
  }
  await again()
  assert.deepEqual(shop.calls[0]?.arguments, { open: true })
  assert.equal((await listed({ team, triggerId: id })).total, 0)
  orders = [{ id: 2 }, { id: 3 }, { id: 4 }]
  await again()
  await again()
  const { deliveries } = await listed({ team, triggerId: id })
  assert.deepEqual(
    deliveries.map(({ status, key }: { status: string; key: string }) => [status, key]),
    [
      ['started', '4'],
      ['started', '3'],
    ],
  )
  assert.deepEqual((await readRun(team, deliveries[0].run_id)).message, { id: 4 })
  shop.broken = { status: 500 }
  await again()
  const { poll: state } = (await team.call(`GET /v2/triggers/${id}`)).body.trigger
  assert.ok(state.last_problem.length > 0 && Date.parse(state.next_poll_at) > Date.now())
})

proves(
  'triggers.deleted',
  'a trigger goes with its agent, and what came in with its run, but a key stays taken',
  async () => {
    const seeded = await seed({ dedupe_key: 'body.id' })
    await send(seeded.url, { id: 1 })
    await tick()
    await drainRuns(service)
    const { run_id } = (await listed(seeded)).deliveries[0]
    assert.equal((await seeded.team.call(`DELETE /v2/runs/${run_id}`)).status, 200)
    await service.drain()
    assert.equal((await listed(seeded)).total, 0)
    await send(seeded.url, { id: 1 })
    await tick()
    assert.deepEqual(await statuses(seeded), ['repeated'])
    assert.equal((await seeded.team.call(`DELETE /v2/agents/${seeded.agentId}`)).status, 200)
    assert.equal((await send(seeded.url, { id: 2 })).status, 404)
    assert.equal((await seeded.team.call(`GET /v2/triggers/${seeded.triggerId}`)).status, 404)
    const left = await seeded.team.sql`select 1 from trigger_deliveries where trigger_id = ${seeded.triggerId}`
    assert.equal(left.length, 0)
  },
)

const mailOf = (subject: string, key: string) =>
  Buffer.from(
    `From: Shop <a@shop.example>\r\nSubject: ${subject}\r\nMessage-ID: <${key}@shop.example>\r\n\r\nYour invoice.`,
  )

proves(
  'triggers.mail',
  'one mail to an address starts one run, and mail to a paused or unknown address is for nobody',
  async () => {
    const mailing = await testApp({
      address,
      config: { inboundMailPort: 0, inboundMailDomain: 'in.example.com', triggerRateLimit: 5 },
    })
    const team = await seedTeam(mailing)
    const agentId = await seedAgent(team, echo)
    const message = '{{ mail.from }}: {{ mail.subject }}'
    const { id, email } = await make(team, agentId, { kind: 'email', message, filter: 'mail.text contains "invoice"' })
    assert.match(email.address, /^[a-z0-9]{48}@in\.example\.com$/)
    const inbox = inboxOf(mailing.context)
    assert.deepEqual(
      [
        await inbox.knows(email.address),
        await inbox.knows(email.address.toUpperCase()),
        await inbox.knows('a@in.example.com'),
      ],
      [true, true, false],
    )
    const plus = email.address.replace('@', '+shop@')
    await inbox.take([plus], mailOf('No. 1', 'm1'))
    await inbox.take([email.address], mailOf('No. 1', 'm1'))
    await inbox.take([email.address], mailOf('No. 2', 'm2'))
    await tick()
    const { deliveries } = await listed({ team, triggerId: id })
    assert.deepEqual(deliveries.map(({ status }: { status: string }) => status).toReversed(), [
      'started',
      'repeated',
      'started',
    ])
    assert.equal((await readRun(team, deliveries[0].run_id)).message, 'a@shop.example: No. 2')
    await team.call(`PATCH /v2/triggers/${id}`, { body: { enabled: false } })
    assert.equal(await inbox.knows(email.address), false)
  },
)

proves(
  'triggers.limits',
  'a trigger takes only some deliveries a minute, and a stranger does not use them up',
  async () => {
    const limited = await testApp({ address, config: { triggerRateLimit: 2 } })
    const { url } = await seed({ webhook: { verifier: 'secret', secret: 'a-plain-secret' } })
    const bring = (secret: string) => limited.call(`POST ${url}`, { body: {}, headers: { 'x-webhook-secret': secret } })
    for (const _ of [1, 2, 3]) assert.equal((await bring('wrong')).status, 401)
    const answers = []
    // a new minute may begin in between, but not two
    while (answers.length < 5 && answers.at(-1)?.status !== 429) answers.push(await bring('a-plain-secret'))
    assert.deepEqual(
      answers.slice(0, 2).map(({ status }) => status),
      [202, 202],
    )
    assert.equal(answers.at(-1)?.status, 429)
    assert.ok(Number(answers.at(-1)?.headers['retry-after']) > 0)
  },
)

proves(
  'bodies.turns',
  'a large body to a webhook waits while others to its team hold 16 MiB, and holds up neither other teams nor callers',
  async () => {
    const [full, other] = [await seed(), await seed()]
    const stranger = { team_id: full.team.id, sender: 'another', isUnproved: true }
    const held = await bodyTurnsOf(context).enter(stranger, 16 * 1024 * 1024)
    const body = { text: 'x'.repeat(20_000) }
    let isAnswered = false
    const waiting = send(full.url, body).finally(() => (isAnswered = true))
    assert.equal((await send(other.url, body)).status, 202)
    assert.equal((await send(full.url, { text: 'small' })).status, 202)
    assert.deepEqual([isAnswered, await statuses(full)], [false, ['waiting']])
    const caller = await bodyTurnsOf(context).enter({ team_id: full.team.id, sender: 'a caller' }, 20_000)
    caller.leave()
    held.leave()
    assert.equal((await waiting).status, 202)
  },
)
