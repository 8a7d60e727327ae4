// The events of a run as a list: numbered as in its stream, with what became of their deliveries.
import assert from 'node:assert/strict'
import { drainRuns, readEvents, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { plansOn } from '../../../test/kit/plans.ts'
import { proves } from '../../../test/kit/proves.ts'
import { issueApiKey } from '../credentials/apiKey.ts'
import { scopes } from '../../kit/scopes.ts'
import { listRunEvents } from './listRunEvents.ts'

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
    insert into events (id, team_id, run_id, sequence, event, data)
    select gen_random_uuid(), ${team.id}, ${runId}, 100 + n, 'run.message.created', '{}' from generate_series(1, 10000) n`
  await sql`
    insert into events (id, team_id, run_id, sequence, event, data)
    select gen_random_uuid(), ${team.id}, gen_random_uuid(), 1, 'run.message.created', '{}' from generate_series(1, 20000) n`
  await service.context.db.pool.query('vacuum analyze events, deliveries, runs')
  const plan = await plansOn(service.context.db)
  const [run] = (await team.call('GET /v2/teams/:teamId/runs')).body.data
  const caller = { team_id: team.id, member_id: team.memberId, scopes: new Set(scopes) }
  const plans = await plan((on) =>
    listRunEvents.handler!({ team, run, caller, query: { limit: 200, offset: 5000 }, sql: on } as never),
  )
  assert.equal(plans.length, 3)
  for (const one of plans) assert.doesNotMatch(one, /Seq Scan on (events|deliveries)/)
  assert.match(plans[1]!, /deliveries_by_run/)
  assert.match(plans[2]!, /Index Only Scan using events_run_id_sequence_key/)
})
