// Delivering, over real HTTP: what a receiver gets, and what becomes of what it does not take.
import assert from 'node:assert/strict'
import { createServer as createHttpServer, type ServerResponse } from 'node:http'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { suite, type TestContext } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { drainDeliveries, readDeliveries, secretOf, setRunApart, subscribe } from '../../../test/kit/deliveries.ts'
import { startReceiver, type Received } from '../../../test/kit/receiver.ts'
import { drainRuns, readEvents, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testDatabase } from '../../../test/kit/postgres.ts'
import { testApp, type TestApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { suspectRoles } from '../../kit/deaths.ts'
import { eraseOldEvents } from '../../kit/oldEvents.ts'
import { deliveriesChannel } from './deliveriesChannel.ts'
import { delivererOf } from './deliveryRole.ts'
import { reapTargets } from './deliveryRows.ts'
import { undelivered } from './undelivered.ts'
import { proves } from '../../../test/kit/proves.ts'

const address = await testDatabase()
const config = { allowPrivateHosts: ['127.0.0.1'], webhookScheduleS: [0, 0, 0] }
const service = await testApp({ address, config })
/** A second process on the same database. */
const other = await testApp({ address, config })
const { sql } = service.context.db

const small = '```output\ndone\n```\n'
const bodyOf = ({ body }: Received) => JSON.parse(body.toString())
const inSeconds = (time: Date): number => Math.floor(time.getTime() / 1000)

/** A team whose run has ended, with a receiver that was subscribed before it began. */
async function ranFor(events?: string[], procedure = small) {
  const team = await seedTeam(service)
  const receiver = await startReceiver()
  const subscriptionId = await subscribe(team, `${receiver.url}/hook`, events)
  const agentId = await seedAgent(team, procedure)
  const runId = await startRun(team, agentId, { message: 'hello' })
  await drainRuns(service)
  return { team, receiver, subscriptionId, agentId, runId }
}

suite('a subscription', () => {
  proves(
    'deliveries.timing',
    'each attempt says how long every stage took, and what was sent can be read',
    async () => {
      const { team, receiver, subscriptionId } = await ranFor(['run.completed'])
      await drainDeliveries(service)
      const [{ id, log } = { id: '', log: [] }] = await readDeliveries(team)
      const { timing, latency_ms: latency } = log[0] as unknown as {
        timing: Record<string, number | null>
        latency_ms: number
      }
      assert.deepEqual(Object.keys(timing).toSorted(), ['answer_ms', 'connect_ms', 'dns_ms', 'tls_ms', 'wait_ms'])
      assert.equal(timing['tls_ms'], null, 'plain HTTP has no TLS')
      assert.equal(typeof timing['wait_ms'], 'number')
      const spent = Object.values(timing).reduce<number>((sum, ms) => sum + (ms ?? 0), 0)
      // each is rounded by itself
      assert.ok(spent <= latency + 5, `${spent} of ${latency} ms`)
      const { body } = await team.call(`GET /v2/webhook-deliveries/${id}/request`)
      assert.deepEqual(body, {
        delivery_id: id,
        url: `${receiver.url}/hook`,
        body: receiver.received[0]!.body.toString(),
        truncated: false,
      })
      const { targets } = (await team.call('GET /v2/teams/:teamId/delivery-targets')).body
      assert.equal(targets.length, 1)
      const [{ median_ms, last_delivered_at, url, ...health }] = targets
      assert.equal(url, `${receiver.url}/hook`)
      assert.ok(median_ms >= 0 && last_delivered_at !== null)
      assert.deepEqual(health, {
        id: subscriptionId,
        kind: 'subscription',
        active: true,
        disabled_at: null,
        disabled_reason: null,
        failures: 0,
        failing_since: null,
        paused_until: null,
        waiting: 0,
        retrying: 0,
        dead: 0,
        delivered: 1,
        failed: 0,
      })
    },
  )

  proves('webhooks.delivered', 'gets every event of a run, in order, once, in its envelope, signed', async () => {
    const { team, receiver, runId } = await ranFor()
    await drainDeliveries(service)
    const told = receiver.received.map(bodyOf).filter(({ data }) => data.run_id === runId)
    const events = await readEvents(service, runId)
    assert.ok(events.length >= 2)
    assert.deepEqual(
      told.map(({ event, data }) => ({ sequence: data.sequence, event, data })),
      events,
    )
    const secret = await secretOf(team)
    for (const request of receiver.received) {
      const body = bodyOf(request)
      assert.deepEqual(Object.keys(body), ['id', 'event', 'created_at', 'data'])
      assert.match(body.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.equal(request.method, 'POST')
      assert.equal(request.headers['content-type'], 'application/json')
      assert.match(request.headers['user-agent']!, /^Runyard-Webhooks\/\d/)
      assert.equal(request.headers['x-service-event'], body.event)
      assert.equal(request.headers['x-service-delivery'], body.id)
      assert.ok(new Webhook(secret).verify(request.body, request.headers as Record<string, string>))
    }
    const deliveries = await readDeliveries(team)
    assert.equal(new Set(deliveries.map(({ id }) => id)).size, receiver.received.length)
    for (const { status, attempts, log } of deliveries) {
      assert.deepEqual([status, attempts, log.length, log[0]!.status, log[0]!.answer], ['delivered', 1, 1, 200, 'ok'])
    }
  })

  proves(
    'webhooks.retried',
    'that fails is sent again by the schedule, with the same id and bytes, until it is a dead letter',
    async () => {
      const { team, receiver } = await ranFor(['run.completed'])
      receiver.answer(500, {}, 'x'.repeat(5000))
      const begunS = inSeconds(new Date())
      await drainDeliveries(service)
      assert.equal(receiver.received.length, 3)
      const [first] = receiver.received
      // each is signed anew: after the attempt before has arrived, and before it arrives itself, however long it is on its way
      let arrivedS = begunS
      for (const { headers, body, at } of receiver.received) {
        assert.equal(headers['webhook-id'], first!.headers['webhook-id'])
        assert.deepEqual(body, first!.body)
        const signedS = Number(headers['webhook-timestamp'])
        assert.ok(
          signedS >= arrivedS && signedS <= inSeconds(at),
          `${signedS} is not from ${arrivedS} to ${at.toISOString()}`,
        )
        arrivedS = inSeconds(at)
      }
      const [delivery] = await readDeliveries(team)
      assert.deepEqual([delivery!.status, delivery!.attempts], ['dead', 3])
      assert.match(delivery!.reason!, /answered 500/)
      for (const { stage, answer } of delivery!.log) assert.deepEqual([stage, answer!.length], ['status', 4096])

      receiver.answer(204)
      assert.equal((await team.call(`POST /v2/webhook-deliveries/${delivery!.id}/replay`)).status, 200)
      await drainDeliveries(service)
      assert.deepEqual(receiver.received[3]!.body, first!.body)
      const [again] = await readDeliveries(team)
      assert.deepEqual([again!.status, again!.attempts, again!.log.length], ['delivered', 1, 4])
    },
  )

  proves('webhooks.waits', 'is tried again when the receiver said so', async () => {
    const { team, receiver } = await ranFor(['run.completed'])
    receiver.answer(503, { 'retry-after': '120' })
    await drainDeliveries(service)
    const [delivery] = await readDeliveries(team)
    assert.equal(delivery!.status, 'retrying')
    const waitS = (new Date(delivery!.next_attempt_at!).getTime() - Date.now()) / 1000
    assert.ok(waitS > 100 && waitS < 121, `${waitS} s`)
  })

  proves('webhooks.redirect', 'is not followed to another address', async () => {
    const elsewhere = await startReceiver()
    const { team, receiver } = await ranFor(['run.completed'])
    receiver.answer(302, { location: elsewhere.url })
    await drainDeliveries(service)
    assert.equal(elsewhere.received.length, 0)
    const [delivery] = await readDeliveries(team)
    assert.deepEqual([delivery!.status, delivery!.log[0]!.stage], ['dead', 'status'])
    assert.match(delivery!.log[0]!.error!, /redirects are not followed/)
  })

  proves('webhooks.stages', 'whose address cannot be reached says at which stage', async () => {
    const cases = [
      ['guard', 'http://10.0.0.1/hook'],
      ['dns', 'http://nobody.invalid/hook'],
      ['connect', 'http://127.0.0.1:1/hook'],
      ['tls', 'https://127.0.0.1:0/hook'],
    ] as const
    for (const [stage, unreachable] of cases) {
      const { team, receiver, subscriptionId } = await ranFor(['run.completed'])
      const url = stage === 'tls' ? receiver.url.replace('http:', 'https:') : unreachable
      await sql`update delivery_targets set url = ${url} where id = ${subscriptionId}`
      await drainDeliveries(service)
      const [delivery] = await readDeliveries(team)
      assert.equal(delivery!.log[0]!.stage, stage, delivery!.log[0]!.error!)
      assert.equal(receiver.received.length, 0)
    }
  })

  proves(
    'webhooks.gone',
    'that answers 410 is disabled, and its events become dead letters that can be replayed',
    async () => {
      const { team, receiver, subscriptionId, agentId } = await ranFor(['run.started', 'run.completed'])
      receiver.answer(410)
      await drainDeliveries(service)
      const told = receiver.received.length
      await startRun(team, agentId)
      await drainRuns(service)
      await drainDeliveries(service)
      assert.equal(receiver.received.length, told)
      const [webhook] = (await team.call('GET /v2/teams/:teamId/webhooks')).body.webhooks
      assert.equal(webhook.active, false)
      assert.match(webhook.disabled_reason, /410/)
      const dead = await readDeliveries(team)
      assert.deepEqual(
        dead.map(({ status }) => status),
        ['dead', 'dead', 'dead', 'dead'],
      )

      receiver.answer(200)
      const route = `/v2/teams/:teamId/webhooks/${subscriptionId}`
      assert.equal((await team.call(`PATCH ${route}`, { body: { active: true } })).body.webhook.disabled_at, null)
      const since = new Date(Date.now() - 60_000).toISOString()
      const replay = await team.call(`POST /v2/webhooks/${subscriptionId}/replay`, { body: { since } })
      assert.equal(replay.body.deliveries, 4)
      await service.drain()
      await drainDeliveries(service)
      assert.equal(receiver.received.length, told + 4)
      assert.deepEqual(
        (await readDeliveries(team)).map(({ status }) => status),
        Array(4).fill('delivered'),
      )
    },
  )

  proves('webhooks.hopeless', 'without a success for five days is disabled', async () => {
    const { team, receiver, subscriptionId } = await ranFor(['run.completed'])
    await sql`update delivery_targets set failing_since = now() - interval '121 hours' where id = ${subscriptionId}`
    receiver.answer(500)
    await drainDeliveries(service)
    assert.equal(receiver.received.length, 1)
    const [webhook] = (await team.call('GET /v2/teams/:teamId/webhooks')).body.webhooks
    assert.match(webhook.disabled_reason, /5 days/)
    const [delivery] = await readDeliveries(team)
    assert.equal(delivery!.status, 'dead')
  })

  proves(
    'webhooks.diedTogether',
    'whose delivery killed its process together with the one that watched it gets the others',
    async () => {
      const { team, receiver, subscriptionId, agentId, runId } = await ranFor(['run.completed'])
      await startRun(team, agentId)
      await drainRuns(service)
      await setRunApart(sql, runId)
      const lone = newId()
      const [deadly] = await sql<{ id: string }>`
      select id from deliveries where target_id = ${subscriptionId} order by n limit 1`
      await sql`update delivery_targets set worker = ${lone}, deaths = 3, sending = ${deadly!.id} where id = ${subscriptionId}`
      await reapTargets(sql, { id: lone, role: suspectRoles.one })
      await drainDeliveries(service)
      const deliveries = await readDeliveries(team)
      assert.deepEqual(
        deliveries.map(({ status }) => status),
        ['dead', 'delivered'],
      )
      assert.match(deliveries[0]!.reason!, /^At least three processes of the service died/)
      assert.equal(receiver.received.length, 1)
    },
  )

  proves('webhooks.disabledAtOnce', 'that is being disabled gets nothing more, however long that takes', async (t) => {
    const { receiver, subscriptionId } = await ranFor(['run.completed'])
    await sql`update delivery_targets set failing_since = now() - interval '121 hours' where id = ${subscriptionId}`
    await sql`create function slow_end() returns trigger language plpgsql as $$ begin perform pg_sleep(0.5); return new; end $$`
    await sql`
      create trigger slow_end before update on delivery_targets for each row when (old.active and not new.active) execute function slow_end()`
    t.after(() => sql`drop function slow_end cascade`)
    receiver.answer(500)
    await drainDeliveries(service)
    assert.equal(receiver.received.length, 1)
  })

  proves('webhooks.breaker', 'that fails five times in a row gets one trial in 30 s, until one succeeds', async (t) => {
    // no delivery may die of its attempts here: trials go to those that failed before
    const { webhookScheduleS } = service.context.config
    webhookScheduleS.push(...Array.from({ length: 9 }, () => 0))
    t.after(() => webhookScheduleS.splice(3))
    const { team, receiver, subscriptionId, agentId } = await ranFor(['run.completed'])
    for (let n = 0; n < 9; n++) await startRun(team, agentId)
    await drainRuns(service)
    receiver.answer(500)
    await drainDeliveries(service)
    // four may be in flight when the fifth fails
    const tried = receiver.received.length
    assert.ok(tried >= 5 && tried <= 8, `${tried} attempts`)
    const pause = async () => {
      const [row] = await sql<{ seconds: number }>`
        select extract(epoch from paused_until - now())::float8 as seconds from delivery_targets where id = ${subscriptionId}`
      return row!.seconds
    }
    assert.ok((await pause()) > 20)
    await sql`update delivery_targets set paused_until = now() - interval '1 s' where id = ${subscriptionId}`
    await drainDeliveries(service)
    assert.equal(receiver.received.length, tried + 1)
    assert.ok((await pause()) > 20)
    receiver.answer(200)
    await sql`update delivery_targets set paused_until = now() - interval '1 s' where id = ${subscriptionId}`
    await drainDeliveries(service)
    assert.deepEqual(
      (await readDeliveries(team)).map(({ status }) => status),
      Array(10).fill('delivered'),
    )
  })

  proves(
    'webhooks.order',
    'gets first attempts of a run in order, each after the one before has ended, well or not',
    async () => {
      const team = await seedTeam(service)
      const receiver = await startReceiver()
      await subscribe(team, receiver.url)
      const agentId = await seedAgent(team, '```memory path=a\nx\n```\n'.repeat(20) + small)
      for (let n = 0; n < 3; n++) await startRun(team, agentId)
      await drainRuns(service)
      receiver.answer(503, { 'retry-after': '3600' })
      await drainDeliveries(service)
      receiver.answer(200)
      // the breaker is not what is proved here
      await sql`update delivery_targets set paused_until = null, failures = 0 where team_id = ${team.id}`
      await drainDeliveries(service)
      const firsts = new Map<string, number[]>()
      const seen = new Set<string>()
      for (const { id, data } of receiver.received.map(bodyOf)) {
        if (!data.run_id || seen.has(id)) continue
        seen.add(id)
        firsts.set(data.run_id, [...(firsts.get(data.run_id) ?? []), data.sequence])
      }
      assert.equal(firsts.size, 3)
      for (const sequences of firsts.values())
        assert.deepEqual(
          sequences,
          [...sequences.keys()].map((n) => n + 1),
        )
    },
  )

  proves('webhooks.takeover', 'of a process that died is served by another one', async () => {
    const { team, receiver, subscriptionId } = await ranFor(['run.completed'])
    await sql`update delivery_targets set worker = ${newId()} where id = ${subscriptionId}`
    await drainDeliveries(service)
    assert.equal(receiver.received.length, 1)
    assert.equal((await readDeliveries(team))[0]!.status, 'delivered')
  })

  proves(
    'webhooks.rotation',
    'is signed by both secrets after a rotation, and by the new one alone without an overlap',
    async () => {
      const team = await seedTeam(service)
      const receiver = await startReceiver()
      const subscriptionId = await subscribe(team, receiver.url, ['run.completed'])
      const before = await secretOf(team)
      const rotate = (overlap_seconds: number) =>
        team.call('POST /v2/teams/:teamId/webhook-secret/rotate', { body: { overlap_seconds } })
      const between = (await rotate(3600)).body.secret
      const send = async () => {
        await team.call(`POST /v2/webhooks/${subscriptionId}/test`)
        await drainDeliveries(service)
        return receiver.received.at(-1)!
      }
      const first = await send()
      for (const secret of [before, between]) {
        assert.ok(new Webhook(secret).verify(first.body, first.headers as Record<string, string>))
      }
      const after = (await rotate(0)).body.secret
      const second = await send()
      assert.ok(new Webhook(after).verify(second.body, second.headers as Record<string, string>))
      assert.throws(() => new Webhook(between).verify(second.body, second.headers as Record<string, string>))
    },
  )

  proves('webhooks.kept', 'keeps only the events that it has not got from being erased', async () => {
    const { team, receiver, runId } = await ranFor(['run.completed', 'run.started'])
    await drainDeliveries(service)
    await setRunApart(sql, runId)
    await sql`update deliveries set state = 'dead' where run_id = ${runId} and event = 'run.started'`
    await sql`update event_batches set created_at = now() - interval '40 days' where run_id = ${runId}`
    // ids tell the time too, and a delivery's id is made of its event's
    await sql`update event_batches set id = overlay(id::text placing '00000000-0000' from 1 for 13)::uuid where run_id = ${runId}`
    await sql`
      update deliveries set event_id = overlay(event_id::text placing '00000000-0000' from 1 for 13)::uuid,
        id = delivery_id(overlay(event_id::text placing '00000000-0000' from 1 for 13)::uuid, target_id)
      where run_id = ${runId}`
    await eraseOldEvents(sql, {
      partition: 'event_batches_before',
      days: 30,
      after: '00000000-0000-0000-0000-000000000000',
      max: 100,
      keeping: [undelivered],
    })
    assert.deepEqual(
      (await sql<{ event: string }>`select event from events where run_id = ${runId}`).map(({ event }) => event),
      ['run.started'],
    )
    assert.deepEqual(
      (await readDeliveries(team)).map(({ event }) => event),
      ['run.started'],
    )
    assert.equal(receiver.received.length, 2)
  })
})

suite("a run's callback", () => {
  const told = ['run.started', 'human_request.created', 'run.paused', 'human_request.responded', 'run.completed']

  proves('webhooks.callback', 'gets what becomes of the run, and only that', async () => {
    const team = await seedTeam(service)
    const receiver = await startReceiver()
    const agentId = await seedAgent(team, '```ask\nGo on?\n```\n' + small)
    const runId = await startRun(team, agentId, { callback_url: receiver.url })
    await startRun(team, agentId)
    await drainRuns(service)
    const asked = (await team.call(`GET /v2/runs/${runId}`)).body.pending_human_request
    const answers = Object.fromEntries(asked.questions.map(({ question }: { question: string }) => [question, 'yes']))
    const answered = await team.call(`POST /v2/runs/${runId}/human-requests/${asked.id}/respond`, {
      body: { answers },
    })
    assert.equal(answered.status, 200, answered.text)
    await drainRuns(service)
    await drainDeliveries(service)
    assert.deepEqual(
      receiver.received.map((request) => bodyOf(request).event),
      told,
    )
    assert.ok(receiver.received.every((request) => bodyOf(request).data.run_id === runId))
  })

  proves(
    'webhooks.callbackGone',
    'that answers 410 gets nothing more of that run, and everything of another',
    async () => {
      const team = await seedTeam(service)
      const receiver = await startReceiver()
      const agentId = await seedAgent(team, small)
      receiver.answer(410)
      const first = await startRun(team, agentId, { callback_url: receiver.url })
      await drainRuns(service)
      await drainDeliveries(service)
      assert.equal(receiver.received.length, 1)
      receiver.answer(200)
      await startRun(team, agentId, { callback_url: receiver.url })
      await team.call(`POST /v2/runs/${first}/messages`, { body: { message: 'again' } })
      await drainRuns(service)
      await drainDeliveries(service)
      assert.deepEqual(
        receiver.received.slice(1).filter((request) => bodyOf(request).data.run_id === first),
        [],
      )
      assert.equal(receiver.received.length, 3)
    },
  )
})

/** Events of no run. */
const happen = (teamId: string, times: number) => sql`
  insert into events (id, team_id, event, data)
  select gen_random_uuid(), ${teamId}, 'connection.updated', '{"change": "updated"}' from generate_series(1, ${times}::int)`

/** Where a receiver listens that takes requests and never answers. When the test ends it is gone, and nothing is sent to a target of the team. */
async function startHanging(t: TestContext, { id }: TestTeam, onRequest?: (head: string) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const hanging = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined))
    socket.once('data', (head: Buffer) => onRequest?.(head.toString()))
  })
  await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve))
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    hanging.close()
    await sql`update delivery_targets set deleted_at = now() where team_id = ${id}`
  })
  return `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`
}

proves(
  'webhooks.fair',
  'a team whose receivers all hang leaves room for the others, and each receiver gets four at most',
  async (t) => {
    const [hangs, waits] = [await seedTeam(service), await seedTeam(service)]
    const asked = new Map<string, number>()
    let requests = 0
    const full = Promise.withResolvers<void>()
    const hanging = await startHanging(t, hangs, (head) => {
      const [path] = /\/\d+/.exec(head)!
      asked.set(path, (asked.get(path) ?? 0) + 1)
      if (++requests === 64) full.resolve()
    })
    for (let n = 0; n < 20; n++) await subscribe(hangs, `${hanging}/${n}`, ['connection.updated'])
    const receiver = await startReceiver()
    await subscribe(waits, receiver.url, ['connection.updated'])
    await happen(hangs.id, 5)
    const living = new AbortController()
    const work = delivererOf(service.context).work({ id: newId(), lost: () => living.signal })
    t.after(() => work.stop())
    await work.poll()
    await full.promise
    await happen(waits.id, 3)
    await work.poll()
    await receiver.got(3)
    assert.equal(requests, 64)
    assert.ok([...asked.values()].every((count) => count <= 4))
  },
)

proves(
  'webhooks.fair',
  'a team with more targets than a process holds takes three quarters of them, and the next team is served at once',
  async (t) => {
    const [many, few] = [await seedTeam(service), await seedTeam(service)]
    const hanging = await startHanging(t, many)
    // what the tests before have left would take some of the places
    await sql`update delivery_targets set deleted_at = now() where deleted_at is null`
    await sql`
      with target as (
        insert into delivery_targets (id, team_id, kind, url)
        select gen_random_uuid(), ${many.id}, 'callback', ${`${hanging}/`} || n from generate_series(1, 1100) n returning id
      )
      insert into deliveries (id, team_id, target_id, event_id, event, data, created_at)
      select gen_random_uuid(), ${many.id}, id, gen_random_uuid(), 'run.completed', '{}', now() from target`
    const living = new AbortController()
    const id = newId()
    const work = delivererOf(service.context).work({ id, lost: () => living.signal })
    t.after(() => work.stop())
    const heldOf = async (team: TestTeam) => {
      const [row] = await sql<{ n: number }>`
        select count(*) as n from delivery_targets where worker = ${id} and team_id = ${team.id}`
      return row!.n
    }
    for (let look = 0; look < 3; look++) await work.poll()
    assert.equal(await heldOf(many), 750)
    const receiver = await startReceiver()
    const last = await subscribe(few, receiver.url, ['connection.updated'])
    // the last of all in the order of looks: the look that finds it is not the first
    await sql`update delivery_targets set id = 'ffffffff-ffff-7fff-bfff-ffffffffffff' where id = ${last}`
    await happen(few.id, 1)
    await work.poll()
    await receiver.got(1)
    assert.equal(await heldOf(many), 750)
  },
)

proves('webhooks.lockLost', 'a process that lost its lock sends nothing more of what it has loaded', async (t) => {
  const team = await seedTeam(service)
  const sent: (string | string[] | undefined)[] = []
  const held: ServerResponse[] = []
  const full = Promise.withResolvers<void>()
  const server = createHttpServer((request, response) => {
    sent.push(request.headers['webhook-id'])
    if (sent.length > 4) response.end()
    else held.push(response)
    if (sent.length === 4) full.resolve()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.closeAllConnections())
  t.after(() => server.close())
  await subscribe(team, `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ['connection.updated'])
  await happen(team.id, 6)
  const living = new AbortController()
  const work = delivererOf(service.context).work({ id: newId(), lost: () => living.signal })
  await work.poll()
  await full.promise
  living.abort()
  for (const response of held) response.end()
  const delivered = () => sql`select from every_delivery where team_id = ${team.id} and state = 'delivered'`
  // whoever would send the next ones began to before the results were written, and to stop waits for it
  while ((await delivered()).length < 4);
  await work.stop()
  assert.equal(sent.length, 4)
  await drainDeliveries(service)
  assert.deepEqual([sent.length, new Set(sent).size], [6, 6])
})

/** Waits until a process listens to the channel and has heard everything that was sent on it so far. */
async function untilListening({ context }: TestApp, signal: AbortSignal): Promise<void> {
  const heard = new Set<string>()
  const stop = context.listener.on(deliveriesChannel, (payload) => heard.add(payload))
  for (const payload of ['first', 'last']) {
    while (!heard.has(payload) && !signal.aborted) await sql`select pg_notify(${deliveriesChannel}, ${payload})`
  }
  stop()
}

proves(
  'webhooks.announced',
  'a process that does not deliver notifies one that does, which sends without a poll',
  { timeout: 30_000 },
  async (t) => {
    const work = delivererOf(other.context).work({ id: newId(), lost: () => new AbortController().signal })
    t.after(() => work.stop())
    await untilListening(other, t.signal)
    await work.poll()
    const { receiver, runId } = await ranFor(['run.completed'])
    const [request] = await receiver.got(1)
    assert.equal(request && bodyOf(request).data.run_id, runId)
  },
)
