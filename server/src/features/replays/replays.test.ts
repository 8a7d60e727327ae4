// Replay sets and replays: what can be recorded, what is erased when, cancelling, the gate, and turns between teams.
import assert from 'node:assert/strict'
import { proves } from '../../../test/kit/proves.ts'
import { draftOf, readReplay, recordedSet, replayed, reportsOf, startReplay } from '../../../test/kit/replays.ts'
import { drainRuns, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seeders, seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import type { Sql } from '../../base/db.ts'
import { flatten } from '../../base/sql.ts'
import { setEntitlement } from '../../engine/counting/setEntitlement.ts'
import { engineOf } from '../../engine/engine.ts'
import { lastRuns } from './addRecordings.ts'
import { draftReplays } from './draftReplays.ts'
import { newBudget, record } from './recording.ts'
import { claimReplayRuns, usualTimes } from './replaying/heldReplayRun.ts'
import { drainReplays } from './replaying/replayer.ts'

const service = await testApp()
const { sql } = service.context.db
const good = '```output\n{{ message }}\n```\n'
const other = '```output\nother\n```\n'

async function ranAgent(team: TestTeam, count = 2): Promise<{ agentId: string; runIds: string[] }> {
  const agentId = await seedAgent(team, good)
  const runIds: string[] = []
  for (let n = 1; n <= count; n++) runIds.push(await startRun(team, agentId, { message: `number ${n}` }))
  await drainRuns(service)
  return { agentId, runIds }
}

const promote = (team: TestTeam, buildId: string, body: object = {}) =>
  team.call(`POST /v2/revisions/${buildId}/promote`, { body })

proves('replays.sets', 'a set is made, filled by ids or with the last runs, renamed, listed and deleted', async () => {
  const team = await seedTeam(service)
  const { agentId, runIds } = await ranAgent(team, 3)
  const made = await team.call(`POST /v2/agents/${agentId}/replay-sets`, { body: { name: 'March' } })
  assert.deepEqual([made.status, made.body.replay_set.recordings], [201, 0])
  const id = made.body.replay_set_id
  const again = await team.call(`POST /v2/agents/${agentId}/replay-sets`, { body: { name: 'March' } })
  assert.equal(again.body.error, 'duplicate_name')
  const add = (body: object) => team.call(`POST /v2/replay-sets/${id}/recordings`, { body })
  const first = await add({ run_ids: [runIds[0]] })
  assert.deepEqual([first.body.added, first.body.replay_set.version], [1, 1], first.text)
  const rest = await add({ last: 10 })
  assert.deepEqual([rest.body.added, rest.body.replay_set.recordings, rest.body.skipped], [2, 3, []])
  for (const wrong of [
    {},
    { last: 0 },
    { last: 1, run_ids: [runIds[0]] },
    { run_ids: [runIds[0]], status: 'failed' },
  ]) {
    assert.equal((await add(wrong)).status, 400, JSON.stringify(wrong))
  }
  const listed = (await team.call(`GET /v2/replay-sets/${id}/recordings?limit=2`)).body
  assert.deepEqual([listed.recordings.length, listed.total, listed.recordings[0].run_id], [2, 3, runIds[2]])
  assert.equal((await team.call(`DELETE /v2/recordings/${listed.recordings[0].id}`)).status, 200)
  const renamed = await team.call(`PATCH /v2/replay-sets/${id}`, { body: { name: 'April' } })
  assert.deepEqual([renamed.body.replay_set.name, renamed.body.replay_set.recordings], ['April', 2])
  assert.equal((await team.call(`DELETE /v2/replay-sets/${id}`)).status, 200)
  const { body } = await team.call(`GET /v2/agents/${agentId}/replay-sets`)
  assert.deepEqual(body.replay_sets, [])
})

proves('replays.sets', 'a run that cannot be replayed is skipped, and the answer says why', async () => {
  const team = await seedTeam(service)
  const { agentId, runIds } = await ranAgent(team)
  const setId = await seeders['replay_set']!(team, { agent: agentId })
  const stopped = await seeders['run']!(team, { agent: agentId })
  const { runIds: others } = await ranAgent(team, 1)
  await sql`update runs set log_erased_at = now() where id = ${runIds[0]}`
  const { body } = await team.call(`POST /v2/replay-sets/${setId}/recordings`, {
    body: { run_ids: [runIds[0], runIds[1], stopped, others[0], 'nonsense'] },
  })
  assert.equal(body.added, 1)
  const reasons = body.skipped.map(({ reason }: { reason: string }) => reason)
  for (const [at, word] of [
    /was erased after its time/,
    /was stopped/,
    /no run with this id/,
    /not the id/,
  ].entries()) {
    assert.match(reasons[at], word)
  }
})

proves('replays.sets', 'one request reads no more than a bound of logs, and says which runs it left out', async () => {
  const team = await seedTeam(service)
  const { agentId, runIds } = await ranAgent(team, 3)
  const [oldest, ...large] = runIds
  // a few hundred KiB as they are stored, and too large for recordings
  await sql`update runs set output = to_jsonb(repeat('x', 34 * 1024 * 1024)) where id = any(${large}::uuid[])`
  const setId = await seeders['replay_set']!(team, { agent: agentId })
  const add = async (body: object) => (await team.call(`POST /v2/replay-sets/${setId}/recordings`, { body })).body
  const first = await add({ last: 10 })
  assert.deepEqual(
    first.skipped.map((one: { run_id: string }) => one.run_id),
    [large[1], large[0], oldest],
  )
  assert.match(first.skipped[1].reason, /larger than 4 MiB/)
  assert.match(first.skipped[2].reason, /64 MiB of logs are read.*with another addRecordings/)
  const second = await add({ run_ids: [oldest] })
  assert.deepEqual([second.added, second.skipped], [1, []])
})

proves('replays.sets', 'a log that does not fit into what a request may still read is not read', async () => {
  const team = await seedTeam(service)
  const { agentId, runIds } = await ranAgent(team, 1)
  const setId = await seeders['replay_set']!(team, { agent: agentId })
  const wanted = { context: service.context, teamId: team.id, setId, agentId, runId: runIds[0]! }
  // hashes do not become smaller where they are stored
  await sql`
    update runs set output = (select to_jsonb(string_agg(md5(n::text), '')) from generate_series(1, 32768) n) where id = ${runIds[0]!}`
  const small = newBudget(512 * 1024)
  assert.match(
    (await record(sql, wanted, small))!,
    /About 0\.5 MiB of logs are read in one request, and the log of this run did not fit/,
  )
  assert.equal(small.bytesLeft, 512 * 1024)
  const large = newBudget(2_000_000)
  assert.equal(await record(sql, wanted, large), undefined)
  assert.ok(large.bytesLeft < 1_000_000)
  const after = large.bytesLeft
  assert.equal(await record(sql, wanted, large), undefined)
  assert.equal(large.bytesLeft, after, 'a run that is in the set already costs nothing')
})

proves(
  'replays.sets',
  'the last runs of an agent are found by an index, in the order in which they began',
  async () => {
    const team = await seedTeam(service)
    const { agentId, runIds } = await ranAgent(team, 3)
    const [build] = await sql<{ id: string }>`select id from builds where agent_id = ${agentId} and status = 'live'`
    const of = { teamId: team.id, agentId, last: 2 }
    assert.deepEqual(await lastRuns(sql, of), [runIds[2], runIds[1]])
    assert.deepEqual(await lastRuns(sql, { ...of, status: 'failed' }), [])
    assert.deepEqual(await lastRuns(sql, { ...of, status: 'completed', build_id: build!.id }), [runIds[2], runIds[1]])
    assert.deepEqual(await lastRuns(sql, { ...of, build_id: 'nonsense' }), [])
    const plans: string[] = []
    const explained: Sql = async (strings, ...values) => {
      const { statement, parameters } = flatten(strings, values)
      const explain = `explain (costs off) ${statement.text}`
      const { rows } = await service.context.db.pool.query<{ 'QUERY PLAN': string }>(explain, parameters)
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
      return sql(strings, ...values)
    }
    await lastRuns(explained, of)
    await lastRuns(explained, { ...of, build_id: build!.id })
    assert.equal(plans.length, 2)
    for (const plan of plans) {
      assert.equal(plan.match(/Backward using runs_by_\w+ on runs/g)?.length, 2, plan)
      assert.equal(plan.match(/Index Cond: .*agent_id = .*counted_as = /g)?.length, 2, plan)
    }
  },
)

proves(
  'replays.erasure',
  'a recording outlives the log of its run and goes with the run, whose report keeps only figures',
  async () => {
    const team = await seedTeam(service)
    const { agentId, runIds } = await ranAgent(team)
    const setId = await recordedSet(team, agentId)
    await sql`delete from run_messages where run_id = any(${runIds}::uuid[])`
    await sql`update runs set log_erased_at = now() where id = any(${runIds}::uuid[])`
    const replay = await replayed(service, team, setId)
    assert.equal(replay.runs_same, 2)
    assert.equal((await team.call(`DELETE /v2/runs/${runIds[0]}`)).status, 200)
    const set = (await team.call(`GET /v2/replay-sets/${setId}`)).body.replay_set
    assert.equal(set.recordings, 1)
    const [gone, kept] = await reportsOf(team, replay.id)
    assert.deepEqual([gone.report, gone.run_title, gone.verdict], [null, '', 'same'])
    assert.ok(kept.report)
    const later = await startReplay(team, setId)
    await team.call(`DELETE /v2/runs/${runIds[1]}`)
    const [held] = await claimReplayRuns(sql, { max: 1, times: usualTimes })
    assert.equal(held?.recording_id, null)
    await sql`update replay_runs set due_at = now() where replay_id = ${later}`
    assert.equal((await replayedLater(team, later)).runs_not_replayed, 1)
    await team.call(`DELETE /v2/agents/${agentId}`)
    const [left] = await sql`select count(*)::int as sets from replay_sets where team_id = ${team.id}`
    assert.deepEqual(left, { sets: 0 })
  },
)

async function replayedLater(team: TestTeam, replayId: string) {
  await drainReplays(service.context)
  return readReplay(team, replayId)
}

proves(
  'replays.sets',
  'each run is recorded in a transaction of its own, and a repeated request adds nothing twice',
  async () => {
    const team = await seedTeam(service)
    const { agentId } = await ranAgent(team, 3)
    const setId = await seeders['replay_set']!(team, { agent: agentId })
    await sql`delete from replay_recordings where set_id = ${setId}`
    const add = (idempotencyKey: string) =>
      team.call(`POST /v2/replay-sets/${setId}/recordings`, { body: { last: 3 }, idempotencyKey })
    const first = await add('one')
    assert.deepEqual([first.status, first.body.added, first.body.replay_set.recordings], [200, 3, 3], first.text)
    const [made] = await sql`
      select count(distinct xmin::text)::int as transactions from replay_recordings where set_id = ${setId}`
    assert.deepEqual(made, { transactions: 3 })
    const repeated = await add('one')
    assert.deepEqual([repeated.text, repeated.headers['idempotency-replayed']], [first.text, 'true'])
    const again = await add('two')
    assert.deepEqual([again.body.added, again.body.skipped, again.body.replay_set.recordings], [0, [], 3])
  },
)

proves(
  'audit.pieces',
  'each recording has its audit row in the transaction that stored it, so also where the request never ends',
  async () => {
    const team = await seedTeam(service)
    const { agentId } = await ranAgent(team, 2)
    const setId = await seeders['replay_set']!(team, { agent: agentId })
    const add = () => team.call(`POST /v2/replay-sets/${setId}/recordings`, { body: { last: 2 } })
    const { headers, body } = await add()
    assert.equal(body.added, 2)
    const rows = await sql<{ member_id: string; credential_type: string; request_id: string; is_of_same: boolean }>`
      select a.member_id, a.credential_type, a.request_id, a.xmin = c.xmin as is_of_same
      from replay_recordings c join audit_log a on a.team_id = c.team_id and a.target_id = c.id::text
      where c.set_id = ${setId} and a.operation = 'addRecordings' and a.target_type = 'recording' and a.status = 200`
    const row = { member_id: team.memberId, credential_type: 'api_key', request_id: headers['x-request-id'] }
    const expected = { ...row, is_of_same: true }
    assert.deepEqual(rows, [expected, expected])
    assert.equal((await add()).body.added, 0)
    const [all] = await sql`
      select count(*)::int as pieces from audit_log where team_id = ${team.id} and target_type = 'recording'`
    assert.deepEqual(all, { pieces: 2 }, 'what was there already has no second row')
  },
)

proves('replays.sets', 'the set of a suggestion takes no other runs', async () => {
  const team = await seedTeam(service)
  const { agentId } = await ranAgent(team, 1)
  const setId = await seeders['replay_set']!(team, { agent: agentId })
  await sql`update replay_sets set of_suggestion = true where id = ${setId}`
  const [before] = await sql`select recordings from replay_sets where id = ${setId}`
  const refused = await team.call(`POST /v2/replay-sets/${setId}/recordings`, { body: { last: 1 } })
  assert.deepEqual([refused.status, refused.body.error], [409, 'conflict'])
  assert.deepEqual(await sql`select recordings from replay_sets where id = ${setId}`, [before])
})

const storedBy = async (team: TestTeam): Promise<number> => {
  const [row] = await sql<{ bytes: number }>`select bytes_stored(${team.id}) as bytes`
  return row!.bytes
}

async function limitStorage(team: TestTeam, bytes: number): Promise<void> {
  await setEntitlement(sql, team.id, 'storage_bytes', String(bytes))
  const { entitlements } = engineOf(service.context)
  while (!entitlements.has(team.id, 'storage_bytes')) await entitlements.refresh()
}

proves(
  'replays.storage',
  'recordings and reports count as stored until they are deleted, by themselves or with their run, set or agent',
  async () => {
    const team = await seedTeam(service)
    const { agentId, runIds } = await ranAgent(team, 4)
    const before = await storedBy(team)
    const setId = await recordedSet(team, agentId)
    const { id: replayId } = await replayed(service, team, setId)
    const kept = async () => {
      const [row] = await sql<{ recordings: number; reports: number }>`
        select (select coalesce(sum(octet_length(content::text)), 0) from replay_recordings where team_id = ${team.id})::int as recordings,
          (select coalesce(sum(octet_length(report::text)), 0) from replay_runs where team_id = ${team.id})::int as reports`
      assert.equal((await storedBy(team)) - before, row!.recordings + row!.reports)
      return row!
    }
    const all = await kept()
    assert.ok(all.recordings > 0 && all.reports > 0)
    assert.equal((await team.call(`DELETE /v2/runs/${runIds[0]!}`)).status, 200)
    const withoutRun = await kept()
    assert.ok(withoutRun.recordings < all.recordings && withoutRun.reports < all.reports)
    const { body } = await team.call(`GET /v2/replay-sets/${setId}/recordings`)
    assert.equal((await team.call(`DELETE /v2/recordings/${body.recordings[0].id}`)).status, 200)
    const withoutRecording = await kept()
    assert.ok(withoutRecording.recordings < withoutRun.recordings)
    await sql`delete from replays where id = ${replayId}`
    assert.deepEqual(await kept(), { ...withoutRecording, reports: 0 })
    await replayed(service, team, setId)
    assert.ok((await kept()).reports > 0)
    assert.equal((await team.call(`DELETE /v2/replay-sets/${setId}`)).status, 200)
    assert.deepEqual(await kept(), { recordings: 0, reports: 0 })
    await replayed(service, team, await recordedSet(team, agentId))
    assert.ok((await kept()).reports > 0)
    assert.equal((await team.call(`DELETE /v2/agents/${agentId}`)).status, 200)
    assert.deepEqual(await kept(), { recordings: 0, reports: 0 })
  },
)

proves(
  'replays.storage',
  'a team that may store no more gets no recording and no replay, and a report that does not fit is left out with its reason',
  async () => {
    const team = await seedTeam(service)
    const { agentId, runIds } = await ranAgent(team, 1)
    // its output is in the report twice
    runIds.unshift(await startRun(team, agentId, { message: 'x'.repeat(1000) }))
    await drainRuns(service)
    const setId = await seeders['replay_set']!(team, { agent: agentId })
    const add = async (runId: string) =>
      (await team.call(`POST /v2/replay-sets/${setId}/recordings`, { body: { run_ids: [runId] } })).body
    assert.equal((await add(runIds[0]!)).added, 1)
    await limitStorage(team, await storedBy(team))
    const refused = await add(runIds[1]!)
    assert.equal(refused.added, 0)
    assert.match(refused.skipped[0].reason, /storage_bytes/)
    const begun = await team.call(`POST /v2/replay-sets/${setId}/replays`, { body: {} })
    assert.deepEqual([begun.status, begun.body.error], [403, 'entitlement_exceeded'])
    await limitStorage(team, (await storedBy(team)) + 1000)
    const { id, runs_same } = await replayed(service, team, setId)
    const [report] = await reportsOf(team, id)
    assert.deepEqual([runs_same, report.verdict, report.report], [1, 'same', null])
    assert.match(report.reason, /storage_bytes/)
  },
)

proves('replays.cancel', 'a cancelled replay ends at once, and whoever worked on it writes nothing more', async () => {
  const team = await seedTeam(service)
  const { agentId } = await ranAgent(team)
  const replayId = await startReplay(team, await recordedSet(team, agentId))
  const cancelled = await team.call(`POST /v2/replays/${replayId}/cancel`)
  assert.deepEqual([cancelled.body.replay.state, cancelled.body.replay.runs_not_replayed], ['cancelled', 2])
  assert.equal((await team.call(`POST /v2/replays/${replayId}/cancel`)).status, 409)
  assert.equal((await replayedLater(team, replayId)).runs_same, 0)
})

proves('replays.cancel', 'an agent keeps its latest 50 replays', async () => {
  const team = await seedTeam(service)
  const { agentId } = await ranAgent(team, 1)
  const setId = await recordedSet(team, agentId)
  const first = (await replayed(service, team, setId)).id
  await sql`
    insert into replays (id, team_id, agent_id, set_id, set_version, build_id, config, config_hash, runs, state)
    select gen_random_uuid(), team_id, agent_id, set_id, set_version, build_id, config, config_hash, runs, state
    from replays, generate_series(1, 49) where id = ${first}`
  await sql`update replays set id = ('f' || substr(id::text, 2))::uuid where team_id = ${team.id} and id <> ${first}`
  await startReplay(team, setId)
  const [left] = await sql`
    select count(*)::int as replays, count(*) filter (where id = ${first})::int as oldest from replays where team_id = ${team.id}`
  assert.deepEqual(left, { replays: 50, oldest: 0 })
  await drainReplays(service.context)
})

proves(
  'replays.erasure',
  'the recordings of a suggestion go with its replay, when later ones take its place',
  async () => {
    const team = await seedTeam(service)
    const { agentId } = await ranAgent(team, 1)
    const [hidden, setId] = [await recordedSet(team, agentId), await recordedSet(team, agentId)]
    await sql`update replay_sets set of_suggestion = true where id = ${hidden}`
    const first = (await replayed(service, team, hidden)).id
    await sql`
    insert into replays (id, team_id, agent_id, set_id, set_version, build_id, config, config_hash, runs, state)
    select ('f' || substr(gen_random_uuid()::text, 2))::uuid, team_id, agent_id, ${setId}, set_version, build_id, config, config_hash, runs, state
    from replays, generate_series(1, 49) where id = ${first}`
    const setsLeft = async () => {
      const rows = await sql<{
        set_id: string
      }>`select distinct set_id from replay_recordings where team_id = ${team.id}`
      return rows.map(({ set_id }) => set_id)
    }
    assert.equal((await setsLeft()).length, 2)
    await startReplay(team, setId)
    assert.deepEqual(await setsLeft(), [setId])
    const [left] = await sql`select count(*)::int as sets from replay_sets where id = ${hidden}`
    assert.deepEqual(left, { sets: 0 })
    await drainReplays(service.context)
  },
)

proves('replays.gate', 'a build is promoted only after a good replay of it and the set as they are', async () => {
  const team = await seedTeam(service)
  const { agentId } = await ranAgent(team)
  const setId = await recordedSet(team, agentId)
  const gate = (body: object) => team.call(`PUT /v2/agents/${agentId}/promotion-gate/replay`, { body })
  assert.equal((await gate({ min_match: 0.9 })).status, 400)
  assert.equal((await gate({ min_match: 0.9, replay_set_id: setId, max_cost_usd: '0.50' })).status, 200)
  assert.equal((await team.call(`DELETE /v2/replay-sets/${setId}`)).status, 409)
  const build_id = await draftOf(team, agentId, other)
  const never = await promote(team, build_id)
  assert.deepEqual([never.status, never.body.error], [409, 'gate_not_met'])
  assert.match(never.body.message, /There is none of the build and the set as they are now/)
  await replayed(service, team, setId, { build_id })
  assert.match((await promote(team, build_id)).body.message, /The latest one matched 0\.5 /)
  const preview = await team.call(`GET /v2/agents/${agentId}/revisions/${build_id}/promotion-preview`)
  assert.deepEqual(
    [preview.body.preview.replay_gate.match, preview.body.preview.refusal.code],
    [0.5, 'gate_not_met'],
    preview.text,
  )
  await team.call(`PATCH /v2/revisions/${build_id}`, { body: { config: { version: 'v2', data: { input: good } } } })
  assert.match((await promote(team, build_id)).body.message, /There is none/, 'the replay was of another config')
  await replayed(service, team, setId, { build_id })
  await startRun(team, agentId, { message: 'another' })
  await drainRuns(service)
  await team.call(`POST /v2/replay-sets/${setId}/recordings`, { body: { last: 1 } })
  assert.match((await promote(team, build_id)).body.message, /There is none/, 'the set has more recordings now')
  await replayed(service, team, setId, { build_id })
  assert.equal((await promote(team, build_id)).status, 200)
})

proves('replays.gate', 'force_reason passes the gate and is stored with the figures', async () => {
  const team = await seedTeam(service)
  const { agentId } = await ranAgent(team)
  const replay_set_id = await recordedSet(team, agentId)
  const path = `/v2/agents/${agentId}/promotion-gate/replay`
  await team.call(`PUT ${path}`, { body: { min_match: 1, replay_set_id } })
  const build_id = await draftOf(team, agentId, other)
  assert.equal((await promote(team, build_id, { force_reason: 'Urgent.' })).status, 200)
  const { body } = await team.call(`GET ${path}`)
  const [{ reason, match, min_match, forced_by }] = body.forced_promotions
  assert.deepEqual([reason, match, min_match, forced_by], ['Urgent.', null, 1, team.memberId])
  assert.equal((await team.call(`PUT ${path}`, { body: { min_match: null } })).body.replay_gate, null)
})

proves('replays.fair', 'for a team that has five replays under way, no run is copied for a sixth', async () => {
  const team = await seedTeam(service)
  const { agentId, runIds } = await ranAgent(team, 1)
  const setId = await recordedSet(team, agentId)
  for (let n = 0; n < 5; n++) await startReplay(team, setId)
  const [build] = await sql<{ id: string; config: unknown }>`
    select id, config from builds where agent_id = ${agentId} and status = 'live'`
  const asked = { teamId: team.id, agentId, build: build!, runIds, maxCostUsd: null, memberId: team.memberId }
  const statements: string[] = []
  await service.context.db.transaction(async (inside) => {
    const heard: Sql = (strings, ...values) => {
      statements.push(strings.join('?'))
      return inside(strings, ...values)
    }
    assert.equal(await draftReplays.begin({ ...asked, sql: heard, context: service.context }), 'busy')
  })
  assert.ok(statements.length > 0)
  for (const statement of statements) assert.doesNotMatch(statement, /insert into/)
  await drainReplays(service.context)
})

proves(
  'replays.fair',
  'the team with the fewest runs under way goes first, and one at its share is left out',
  async () => {
    const [noisy, quiet] = [await seedTeam(service), await seedTeam(service)]
    const many = await ranAgent(noisy, 4)
    await startReplay(noisy, await recordedSet(noisy, many.agentId))
    const claim = async (full: string[] = []) => {
      const [held] = await claimReplayRuns(sql, { max: 1, times: usualTimes, full })
      return held && (held.team_id === quiet.id ? 'quiet' : 'noisy')
    }
    assert.deepEqual([await claim(), await claim()], ['noisy', 'noisy'])
    const few = await ranAgent(quiet, 2)
    await startReplay(quiet, await recordedSet(quiet, few.agentId))
    assert.deepEqual([await claim(), await claim(), await claim()], ['quiet', 'quiet', 'noisy'])
    assert.equal(await claim([noisy.id]), undefined)
  },
)
