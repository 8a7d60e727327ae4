// The events of a run and of a team as lists, with what became of their deliveries.
import assert from 'node:assert/strict'
import { setRunApart } from '../../../test/kit/deliveries.ts'
import { drainRuns, readEvents, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { plansOn } from '../../../test/kit/plans.ts'
import { proves } from '../../../test/kit/proves.ts'
import { issueApiKey } from '../credentials/apiKey.ts'
import { scopes } from '../../kit/scopes.ts'
import { listRunEvents } from './listRunEvents.ts'
import { listTeamEvents } from './listTeamEvents.ts'

// excepted, so that no test waits for a resolver
const service = await testApp({ config: { allowPrivateHosts: ['hooks.example.com'] } })
const { sql } = service.context.db

const procedure = '```file path=out/a.md\nx\n```\n\n```output\ndone\n```\n'

interface Listed {
  id: string
  sequence: number
  event: string
  data: unknown
  deliveries: { total: number; delivered: number; retrying: number; dead: number }
}

async function listEvents(team: TestTeam, runId: string, query = '') {
  const { status, body, text } = await team.call(`GET /v2/runs/${runId}/event-log${query}`)
  assert.equal(status, 200, text)
  return body as { events: Listed[]; total: number; limit: number; offset: number }
}

async function subscribe(team: TestTeam, events: string[]): Promise<void> {
  const body = { url: 'https://hooks.example.com/runyard', events }
  assert.equal((await team.call('POST /v2/teams/:teamId/webhooks', { body })).status, 201)
}

proves('events.list', 'they come oldest first, as the stream has them, each with its deliveries by state', async () => {
  const team = await seedTeam(service)
  await subscribe(team, ['*'])
  await subscribe(team, ['run.completed'])
  const runId = await startRun(team, await seedAgent(team, procedure), { message: 'go' })
  await drainRuns(service)
  await setRunApart(sql, runId)
  await sql`update deliveries set state = 'dead' where run_id = ${runId} and event = 'run.completed'`
  await sql`update deliveries set state = 'delivered' where run_id = ${runId} and event = 'run.started'`
  const written = await readEvents(service, runId)
  const { events, total } = await listEvents(team, runId)
  assert.equal(total, written.length)
  assert.deepEqual(
    events.map(({ sequence, event, data }) => ({ sequence, event, data })),
    written,
  )
  const counts = (name: string) => events.find(({ event }) => event === name)?.deliveries
  assert.deepEqual(counts('run.started'), { total: 1, delivered: 1, retrying: 0, dead: 0 })
  assert.deepEqual(counts('run.completed'), { total: 2, delivered: 0, retrying: 0, dead: 2 })
  assert.deepEqual(counts('run.file.created'), { total: 1, delivered: 0, retrying: 0, dead: 0 })
  const page = await listEvents(team, runId, '?limit=2&offset=1')
  assert.deepEqual([page.events.map(({ sequence }) => sequence), page.total, page.limit], [[2, 3], total, 2])
  const { body } = await team.call(`GET /v2/teams/:teamId/webhook-deliveries?run_id=${runId}`)
  assert.equal(body.total, total + 1)
})

proves(
  'events.list',
  'a credential without files:read sees no events about files, in the list and the total',
  async () => {
    const team = await seedTeam(service)
    const runId = await startRun(team, await seedAgent(team, procedure))
    await drainRuns(service)
    const { secret } = await issueApiKey(sql, {
      teamId: team.id,
      memberId: team.memberId,
      name: 'narrow',
      scopes: ['runs:read'],
    })
    const { total } = await listEvents(team, runId)
    const { body } = await service.call(`GET /v2/runs/${runId}/event-log`, { key: secret })
    assert.equal(body.total, total - 1)
    assert.ok(body.events.every(({ event }: Listed) => event !== 'run.file.created'))
  },
)

proves('events.list', 'long data is cut from where the page is too large, and the first is whole', async () => {
  const team = await seedTeam(service)
  const runId = await startRun(team, await seedAgent(team, procedure))
  await sql`
    insert into events (id, team_id, run_id, sequence, event, data)
    select gen_random_uuid(), ${team.id}, ${runId}, 100 + n, 'run.completed', json_build_object('output', repeat('x', 1500000)) from generate_series(1, 4) n`
  const { events } = await listEvents(team, runId)
  assert.deepEqual(
    events.map((event) => [typeof event.data, (event as { truncated?: boolean }).truncated ?? false]),
    [
      ['object', false],
      ['object', false],
      ['string', true],
      ['string', true],
    ],
  )
})

proves('events.list', 'neither the page nor the counts read a table whole', async () => {
  const team = await seedTeam(service)
  await subscribe(team, ['*'])
  const runId = await startRun(team, await seedAgent(team, procedure))
  await sql`
    insert into event_batches (id, team_id, run_id, last, kinds, entries)
    select new_id(), ${team.id}, ${runId}, 100 + n, 'm', '[{}]' from generate_series(1, 10000) n`
  await sql`
    insert into event_batches (id, team_id, run_id, last, kinds, entries)
    select new_id(), ${team.id}, gen_random_uuid(), 1, 'm', '[{}]' from generate_series(1, 6000) n`
  await sql`select set_apart(batch_id, target_id, waiting) from delivery_batches where team_id = ${team.id} and n % 2 = 0`
  await service.context.db.pool.query('vacuum analyze event_batches, deliveries, delivery_batches, runs')
  const plan = await plansOn(service.context.db)
  const [run] = (await team.call('GET /v2/teams/:teamId/runs')).body.data
  const caller = { team_id: team.id, member_id: team.memberId, scopes: new Set(scopes) }
  const plans = await plan((on) =>
    listRunEvents.handler!({ team, run, caller, query: { limit: 200, offset: 5000 }, sql: on } as never),
  )
  assert.equal(plans.length, 4)
  for (const one of plans)
    assert.doesNotMatch(one, /Seq Scan on (event_batches_before|deliveries|delivery_batches_before)/)
  assert.match(plans[0]!, /event_batches_before_by_run/)
  assert.match(plans[2]!, /deliveries_by_run/)
  assert.match(plans[2]!, /delivery_batches_before_pkey/)
  assert.match(plans[3]!, /event_batches_before_by_run/)
})

/** Its event belongs to no run. */
async function connect(team: TestTeam): Promise<void> {
  const body = { name: 'Billing', type: 'api', server_url: 'https://hooks.example.com/v1', api_key: 'key-of-billing' }
  assert.equal((await team.call('POST /v2/teams/:teamId/connections', { body })).status, 201)
}

interface TeamPage {
  events: (Listed & { run_id: string | null; created_at: string })[]
  next_before: string | null
  looked_until: string | null
}

async function listOfTeam(team: TestTeam, query = ''): Promise<TeamPage> {
  const { status, body, text } = await team.call(`GET /v2/teams/:teamId/event-log${query}`)
  assert.equal(status, 200, text)
  return body
}

proves('events.teamList', 'all events of the team come newest first, page by page, with their deliveries', async () => {
  const team = await seedTeam(service)
  const stranger = await seedTeam(service)
  await subscribe(team, ['*'])
  const agentId = await seedAgent(team, procedure)
  const [one, two] = [await startRun(team, agentId), await startRun(team, agentId)]
  await connect(team)
  await startRun(stranger, await seedAgent(stranger, procedure))
  await drainRuns(service)
  // some are from before events had transactions
  const old = await sql`
    update event_batches set xid = 0, created_at = created_at - interval '1 minute' where run_id = ${one} returning id`
  assert.ok(old.length > 0)
  const found: TeamPage['events'] = []
  for (let before: string | null = ''; before !== null;) {
    const page = await listOfTeam(team, `?limit=3${before === '' ? '' : `&before=${before}`}`)
    assert.ok(page.events.length <= 3)
    found.push(...page.events)
    before = page.next_before
  }
  const written = await sql<{
    id: string
    created_at: Date
  }>`select id, created_at from events where team_id = ${team.id}`
  assert.deepEqual(found.map(({ id }) => id).toSorted(), written.map(({ id }) => id).toSorted())
  const times = found.map(({ created_at }) => created_at)
  assert.deepEqual(times, times.toSorted().toReversed())
  for (const { event, run_id, deliveries } of found)
    assert.equal(deliveries.total, 1, `${event} of ${run_id ?? 'no run'} has a delivery`)
  assert.ok(
    found.some(({ run_id }) => run_id === null),
    'a new connection belongs to no run',
  )
  const ofOne = await listOfTeam(team, `?run_id=${one}`)
  assert.ok(ofOne.events.length > 0 && ofOne.events.every(({ run_id }) => run_id === one))
  const ended = await listOfTeam(team, '?event=run.completed')
  assert.deepEqual(new Set(ended.events.map(({ run_id }) => run_id)), new Set([one, two]))
  assert.deepEqual(await listOfTeam(team, '?since=2100-01-01T00:00:00Z'), {
    events: [],
    next_before: null,
    looked_until: null,
  })
})

proves('events.teamList', 'a rare kind is found in steps, each of which says how far it looked', async () => {
  const team = await seedTeam(service)
  const runId = await startRun(team, await seedAgent(team, procedure))
  await drainRuns(service)
  await sql`
    insert into event_batches (id, team_id, run_id, last, kinds, entries)
    select gen_random_uuid(), ${team.id}, ${runId}, 1000 + n, 'm', '[{}]'
    from generate_series(1, 10001) n`
  const first = await listOfTeam(team, '?event=run.completed')
  assert.deepEqual(first.events, [])
  assert.ok(first.next_before !== null && first.looked_until !== null)
  const next = await listOfTeam(team, `?event=run.completed&before=${first.next_before}`)
  assert.deepEqual([next.events.length, next.next_before], [1, null])
})

proves('events.teamList', 'what its credential may not read, and events of deleted runs, are left out', async () => {
  const team = await seedTeam(service)
  const runId = await startRun(team, await seedAgent(team, procedure))
  await drainRuns(service)
  const kinds = async (key: string) => {
    const { body } = await service.call(`GET /v2/teams/${team.id}/event-log?run_id=${runId}`, { key })
    return (body as TeamPage).events.map(({ event }) => event)
  }
  const { secret } = await issueApiKey(sql, {
    teamId: team.id,
    memberId: team.memberId,
    name: 'narrow',
    scopes: ['runs:read'],
  })
  assert.ok((await kinds(team.key)).includes('run.file.created'))
  const narrow = await kinds(secret)
  assert.ok(narrow.length > 0 && !narrow.includes('run.file.created'))
  await sql`delete from runs where id = ${runId} and team_id = ${team.id}`
  assert.deepEqual(await kinds(team.key), [])
})

proves('events.teamList', 'neither the page nor the counts read a table whole', async () => {
  const team = await seedTeam(service)
  await startRun(team, await seedAgent(team, procedure))
  await connect(team)
  await sql`
    insert into event_batches (id, team_id, kinds, entries)
    select gen_random_uuid(), gen_random_uuid(), 'm', '[{}]' from generate_series(1, 6000) n`
  await sql`
    insert into deliveries (id, team_id, target_id, event_id, event, created_at)
    select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'run.completed', now()
    from generate_series(1, 6000) n`
  await service.context.db.pool.query('vacuum analyze event_batches, deliveries, runs')
  const plan = await plansOn(service.context.db)
  const caller = { team_id: team.id, member_id: team.memberId, scopes: new Set(scopes) }
  const plans = await plan((on) => listTeamEvents.handler!({ team, caller, query: { limit: 50 }, sql: on } as never))
  assert.equal(plans.length, 3)
  for (const one of plans) assert.doesNotMatch(one, /Seq Scan on (event_batches_before|deliveries)/, one)
  assert.match(plans[0]!, /Index Scan Backward using event_batches_before_by_xid/)
})
