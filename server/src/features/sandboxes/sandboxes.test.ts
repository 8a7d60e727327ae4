// Sandboxes of callers: how they are made, how long they stay, and when they cannot go.
import assert from 'node:assert/strict'
import { newId } from '../../base/ids.ts'
import { seedAgent } from '../../../test/kit/runs.ts'
import { seeders, seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { handled, plansOn } from '../../../test/kit/plans.ts'
import { proves } from '../../../test/kit/proves.ts'
import { typedClient } from '../../../test/kit/typedClient.ts'
import { getSandboxUsage } from './getSandboxUsage.ts'
import { listSandboxes } from './listSandboxes.ts'

const service = await testApp()
const team = await seedTeam(service)
const { sql } = service.context.db

const make = async (body = {}): Promise<string> => (await team.call('POST /v2/sandboxes', { body })).body.sandbox_id

async function hoursLeft(id: string): Promise<number> {
  const { body } = await team.call(`GET /v2/sandboxes/${id}`)
  return Math.round((Date.parse(body.expires_at) - Date.parse(body.created_at)) / 3_600_000)
}

proves('sandboxes.life', 'a sandbox lives for a day, or for as long as its maker says', async () => {
  assert.equal(await hoursLeft(await make()), 24)
  assert.equal(await hoursLeft(await make({ ttl_seconds: 604_800 })), 168)
  for (const ttl_seconds of [59, 604_801, 1.5, '60']) {
    assert.equal((await team.call('POST /v2/sandboxes', { body: { ttl_seconds } })).status, 400)
  }
})

proves(
  'sandboxes.life',
  'a sandbox whose time is over is gone for every caller, before anybody sweeps it',
  async () => {
    const id = await make()
    await sql`update sandboxes set expires_at = now() - interval '1 second' where id = ${id} and team_id = ${team.id}`
    for (const route of [`GET /v2/sandboxes/${id}`, `GET /v2/sandboxes/${id}/files`, `DELETE /v2/sandboxes/${id}`]) {
      assert.equal((await team.call(route)).status, 404, route)
    }
  },
)

proves('sandboxes.get', 'a sandbox tells what it holds', async () => {
  const id = await make()
  await team.call(`POST /v2/sandboxes/${id}/files?path=a.txt`, { body: 'first' })
  await team.call(`POST /v2/sandboxes/${id}/files?path=a.txt`, { body: 'again!' })
  const { body } = await team.call(`GET /v2/sandboxes/${id}`)
  const { expires_at, created_at, ...rest } = body
  assert.deepEqual(rest, { sandbox_id: id, status: 'ready', run_id: null, files_total: 1, kept_bytes: 11 })
  assert.ok(expires_at > created_at)
})

proves('sandboxes.list', 'sandboxes of callers are listed newest first, and those of runs by themselves', async () => {
  const mine = await seedTeam(service)
  const client = typedClient(service, mine)
  const idsOf = async (query: { made_by?: 'caller' | 'run'; limit?: number }) => {
    const { sandboxes, total } = await client.send(listSandboxes, { query })
    return { ids: sandboxes.map(({ sandbox_id }) => sandbox_id), total }
  }
  const made: string[] = []
  for (let n = 0; n < 3; n += 1) made.unshift((await mine.call('POST /v2/sandboxes')).body.sandbox_id)
  const [last, given, over] = made
  await sql`update sandboxes set expires_at = now() - interval '1 second' where id = ${over} and team_id = ${mine.id}`
  // one that a run has stays in the list after its time
  const runId = await seeders['run']!(mine, {})
  await sql`
    update sandboxes set run_id = ${runId}, expires_at = now() - interval '1 second'
    where id = ${given} and team_id = ${mine.id}`
  const ofRun = newId()
  await sql`insert into sandboxes (id, team_id) values (${ofRun}, ${mine.id})`
  assert.deepEqual(await idsOf({}), { ids: [last, given], total: 2 })
  assert.deepEqual(await idsOf({ made_by: 'run' }), { ids: [ofRun], total: 1 })
  assert.deepEqual(await idsOf({ limit: 1 }), { ids: [last], total: 2 })
})

proves('sandboxes.list', 'a page of sandboxes is read by an index, among many of other teams and of runs', async () => {
  await sql`
    insert into sandboxes (id, team_id, expires_at)
    select gen_random_uuid(), ${team.id}, case when n % 50 = 0 then now() + interval '1 hour' end from generate_series(1, 5000) n`
  await service.context.db.pool.query('analyze sandboxes')
  const plansOf = await plansOn(service.context.db)
  for (const made_by of ['caller', 'run']) {
    const query = { made_by, limit: 50, offset: 0 }
    const [page] = await plansOf((on) => handled(listSandboxes, { sql: on, team, context: service.context, query }))
    assert.match(page ?? '', made_by === 'caller' ? /sandboxes_of_callers/ : /sandboxes_by_team/)
    assert.doesNotMatch(page ?? '', /Seq Scan on sandboxes|Sort/)
  }
})

proves('sandboxes.usage', 'the use of sandboxes has what they hold and what they may hold', async () => {
  const mine = await seedTeam(service)
  const { sandbox_id } = (await mine.call('POST /v2/sandboxes')).body
  const { sandboxBytesMax, teamFilesBytesMax } = service.context.config
  await sql`update sandboxes set kept_bytes = 7 where id = ${sandbox_id} and team_id = ${mine.id}`
  assert.deepEqual(await typedClient(service, mine).send(getSandboxUsage, {}), {
    kept_bytes: 7,
    kept_bytes_max: teamFilesBytesMax,
    sandbox_bytes_max: sandboxBytesMax,
    sandbox_files_max: 10_000,
  })
})

proves('sandboxes.delete', 'a deleted sandbox is gone with its files and its upload addresses', async () => {
  const id = await make()
  await team.call(`POST /v2/sandboxes/${id}/files?path=a.txt`, { body: 'first' })
  await team.call(`POST /v2/sandboxes/${id}/upload-urls`, { body: { path: 'b.txt' } })
  assert.deepEqual((await team.call(`DELETE /v2/sandboxes/${id}`)).body, { success: true })
  assert.equal((await team.call(`GET /v2/sandboxes/${id}`)).status, 404)
  const [left] = await sql`
    select (select count(*) from workspace_files where sandbox_id = ${id}) as files,
      (select count(*) from file_uploads where sandbox_id = ${id}) as uploads`
  assert.deepEqual(left, { files: 0, uploads: 0 })
})

proves(
  ['sandboxes.delete', 'sandboxes.held'],
  'a sandbox stays while its run has not ended, and takes no file while that is running',
  async () => {
    const id = await make()
    const runId = await seeders['run']!(team, {})
    await sql`update sandboxes set run_id = ${runId} where id = ${id} and team_id = ${team.id}`
    const upload = () => team.call(`POST /v2/sandboxes/${id}/files?path=a.txt`, { body: 'text' })
    for (const [status, uploaded] of [
      ['pending', 201],
      ['running', 409],
      ['waiting', 201],
    ] as const) {
      await sql`
      update runs set status = ${status}, completed_at = null, started_at = now(),
        waiting_on = case when ${status} = 'waiting' then '{"kind": "time", "since": "2026-01-01T00:00:00.000Z", "detail": {}}'::jsonb end
      where id = ${runId} and team_id = ${team.id}`
      const refused = await team.call(`DELETE /v2/sandboxes/${id}`)
      assert.equal(refused.body.error, 'sandbox_busy', status)
      assert.equal((await upload()).status, uploaded, status)
    }
    await sql`
    update runs set status = 'stopped', completed_at = now(), waiting_on = null where id = ${runId} and team_id = ${team.id}`
    assert.equal((await team.call(`DELETE /v2/sandboxes/${id}`)).status, 200)
  },
)

proves('sandboxes.delete', 'a run is not started in a sandbox that is deleted in that very moment', async () => {
  const id = await make()
  const agentId = await seedAgent(team, '```output\ndone\n```\n')
  const body = { agent_id: agentId, message: 'Go.', sandbox_id: id }
  const started = await service.context.db.transaction(async (other) => {
    await other`delete from sandboxes where id = ${id} and team_id = ${team.id}`
    const starting = team.call('POST /v2/teams/:teamId/runs', { body })
    // the start has seen the sandbox and waits for it
    const waits = () =>
      sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    while ((await waits()).length === 0) await sql`select pg_sleep(0.005)`
    return { starting }
  })
  const refused = await started.starting
  assert.equal(refused.status, 404)
  assert.match(refused.body.message, /deleted while the run was being started/)
  assert.deepEqual(await sql`select from runs where agent_id = ${agentId}`, [])
})

proves(
  'sandboxes.held',
  'while a command runs in it, a sandbox is busy: its files are read, but neither written nor deleted',
  async () => {
    const id = await make()
    await team.call(`POST /v2/sandboxes/${id}/files?path=a.txt`, { body: 'text' })
    await sql`
    insert into sandbox_execs (id, team_id, sandbox_id, command, timeout_s, awaited_until)
    values (${newId()}, ${team.id}, ${id}, 'sleep 1', 60, now() + interval '1 minute')`
    assert.equal((await team.call(`GET /v2/sandboxes/${id}`)).body.status, 'busy')
    assert.equal((await team.call(`GET /v2/sandboxes/${id}/files/content?path=a.txt`)).body.content, 'text')
    const refused = [
      await team.call(`POST /v2/sandboxes/${id}/files?path=b.txt`, { body: 'text' }),
      await team.call(`DELETE /v2/sandboxes/${id}/files?path=a.txt`),
      await team.call(`DELETE /v2/sandboxes/${id}`),
    ]
    for (const { body } of refused) assert.equal(body.error, 'sandbox_busy')
    assert.equal((await team.call(`POST /v2/sandboxes/${id}/upload-urls`, { body: { path: 'b.txt' } })).status, 200)
  },
)
