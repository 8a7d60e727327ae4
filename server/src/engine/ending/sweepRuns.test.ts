// What is erased of runs: by hand, and by time; nothing of it is left, and nothing else is touched.
import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { ConfigError, readConfig } from '../../base/config.ts'
import { one, type Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { readMigrations } from '../../base/migrate.ts'
import { sweepFiles } from '../../features/sandboxes/files/sweepFiles.job.ts'
import type { Context } from '../../kit/context.ts'
import { enqueueOn } from '../../kit/job.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { sweepRuns } from './sweepRuns.job.ts'
import { proves } from '../../../test/kit/proves.ts'

const retentionDays = { runs: 90, messages: 30, events: 10, screenshots: null, files: 20, audit: null, refusals: null }
const service = await testApp({ config: { retentionDays } })
const { sql } = service.context.db

const block = (word: string, body: string) => `\`\`\`${word}\n${body}\n\`\`\`\n`
const procedure = `${block('file path=a.txt', '{{ message }}')}\n${block('output', 'kept')}`

async function completedRun(team: TestTeam): Promise<string> {
  const runId = await startRun(team, await seedAgent(team, procedure), { message: 'hello' })
  await drainRuns(service)
  assert.equal((await readRun(team, runId)).status, 'completed')
  return runId
}

/** How many rows there are of a run in each table that keeps some. */
async function rowsOf(runId: string) {
  const [rows] = await sql`
    select (select count(*) from runs where id = ${runId}) as runs,
      (select count(*) from run_messages where run_id = ${runId}) as messages,
      (select count(*) from run_steps where run_id = ${runId}) as steps,
      (select count(*) from human_requests where run_id = ${runId}) as requests,
      (select count(*) from events where run_id = ${runId}) as events,
      (select count(*) from run_search where run_id = ${runId}) as searchable,
      (select count(*) from sandboxes where run_id = ${runId}) as sandboxes,
      (select count(*) from workspace_files f join sandboxes s on s.id = f.sandbox_id where s.run_id = ${runId}) as files`
  return rows as Record<string, number>
}

/** Something of the run in each table that keeps a copy; gives the statements that count what is left. */
async function copyRun(team: TestTeam, runId: string): Promise<() => Promise<Record<string, number>>> {
  const [set, recording, replay, builderRun, suggestion] = Array.from({ length: 5 }, newId)
  const { agent_id: agentId, build_id: buildId } = await one(
    sql<{ agent_id: string; build_id: string }>`select agent_id, build_id from runs where id = ${runId}`,
  )
  await sql`insert into replay_sets (id, team_id, agent_id, name) values (${set}, ${team.id}, ${agentId}, ${set})`
  await sql`
    insert into replay_recordings (id, team_id, set_id, run_id, run_number, run_title, run_status, run_ended_at, calls, content, size_bytes)
    values (${recording}, ${team.id}, ${set}, ${runId}, 1, 'Kept', 'completed', now(), 1, '{}', 2)`
  await sql`
    insert into replays (id, team_id, agent_id, set_id, set_version, build_id, config, config_hash, runs)
    values (${replay}, ${team.id}, ${agentId}, ${set}, 1, ${buildId}, '{}', '', 1)`
  await sql`
    insert into replay_runs (id, team_id, replay_id, recording_id, run_id, run_number, run_title, state, verdict, report)
    values (${newId()}, ${team.id}, ${replay}, ${recording}, ${runId}, 1, 'Kept', 'done', 'same', '{}')`
  await sql`
    insert into builder_runs (id, team_id, agent_id, build_id, status, model, prompt, checkpoint_config, lesson)
    values (${builderRun}, ${team.id}, ${agentId}, ${buildId}, 'completed', 'builtin:runbook', '', '{}', '{}')`
  await sql`
    insert into suggestions (id, team_id, agent_id, flag, label, failed_runs, of_runs, base_build_id, draft_build_id, builder_run_id, state, replay_runs)
    values (${suggestion}, ${team.id}, ${agentId}, 'flag', '', 1, 1, ${buildId}, ${buildId}, ${builderRun}, 'accepted', 1)`
  await sql`
    insert into suggestion_runs (suggestion_id, team_id, run_id, run_number, run_title, run_ended_at)
    values (${suggestion}, ${team.id}, ${runId}, 1, 'Kept', now())`
  await sql`
    insert into guardrail_stops (run_id, step, rule, team_id, tool, way, version, says)
    values (${runId}, 1, 'hosts', ${team.id}, 'http', 'refused', 1, 'Kept')`
  await sql`
    insert into run_seals (run_id, number, team_id, events_last, events_rows, events_link, steps_last, steps_rows, steps_link, messages_rows,
      messages_link, config_hash, head, signature_id)
    values (${runId}, 100, ${team.id}, 0, 0, '', 0, 0, '', 0, '', '', '', ${newId()})`
  return () =>
    one(sql<Record<string, number>>`
      select (select count(*)::int from replay_recordings where run_id = ${runId}) as recordings,
        (select recordings from replay_sets where id = ${set}) as counted,
        (select count(*)::int from replay_runs where replay_id = ${replay} and (report is not null or run_title <> '')) as reports,
        (select count(*)::int from builder_runs where id = ${builderRun} and lesson is not null) as lessons,
        (select count(*)::int from suggestion_runs where run_id = ${runId}) as suggestions,
        (select count(*)::int from guardrail_stops where run_id = ${runId}) as stops,
        (select count(*)::int from run_seals where run_id = ${runId} and number = 100) as seals`)
}

/** A run that was approved and answered by a person, with what may be secret of it being "said". */
async function answeredRun(team: TestTeam): Promise<string> {
  const asks = block('approve', 'Pay?') + block('ask', 'To whom?')
  const runId = await startRun(team, await seedAgent(team, asks))
  for (const answer of [{ approved: true, comment: 'said' }, { answers: { 'To whom?': 'said' } }]) {
    await drainRuns(service)
    const { id } = (await team.call(`GET /v2/runs/${runId}`)).body.pending_human_request
    const answered = await team.call(`POST /v2/runs/${runId}/human-requests/${id}/respond`, { body: answer })
    assert.equal(answered.status, 200, answered.text)
  }
  await drainRuns(service)
  await sql`
    update human_requests set action = action || '{"arguments": {"to": "said"}}', description = 'said', bound = '{"content": "said"}'
    where run_id = ${runId} and type = 'approval'`
  return runId
}

async function textOfRequests(runId: string): Promise<string> {
  const rows = await sql<{ text: string }>`select h::text as text from human_requests h where run_id = ${runId}`
  return rows.map(({ text }) => text).join()
}

const nothing = { runs: 0, messages: 0, steps: 0, requests: 0, events: 0, searchable: 0, sandboxes: 0, files: 0 }

async function sweep(): Promise<void> {
  await enqueueOn(sql)(sweepRuns, {})
  await service.drain()
}

const endedAgo = (runId: string, daysAgo: number) =>
  sql`update runs set completed_at = now() - make_interval(days => ${daysAgo}) where id = ${runId}`

/** An id as it was made so many days ago. */
const idOf = (daysAgo: number) => {
  const hex = (Date.now() - daysAgo * 86_400_000).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-${newId().slice(14)}`
}

const days = (text: string) => readConfig({ RUNYARD_RETENTION_DAYS: text }).retentionDays

describe('deleting a run', () => {
  proves('deleteRun.erases', 'leaves nothing of it, and everything of the others', async () => {
    const team = await seedTeam(service)
    const [gone, kept] = [await completedRun(team), await completedRun(team)]
    const before = await rowsOf(kept)
    assert.deepEqual(await rowsOf(gone), before)
    assert.ok(
      Object.entries(before).every(([table, count]) => table === 'requests' || count > 0),
      JSON.stringify(before),
    )
    const deleted = await team.call(`DELETE /v2/runs/${gone}`)
    assert.deepEqual([deleted.status, deleted.body], [200, { success: true }])
    assert.deepEqual(await rowsOf(gone), nothing)
    assert.deepEqual(await rowsOf(kept), before)
    assert.equal((await team.call(`GET /v2/runs/${gone}`)).status, 404)
    assert.equal((await team.call(`DELETE /v2/runs/${gone}`)).status, 404)
  })

  proves('deleteRun.copies', 'leaves no copy of it either, whichever release deletes it', async () => {
    const team = await seedTeam(service)
    const [gone, kept] = [await completedRun(team), await completedRun(team)]
    const [leftOf, othersOf] = [await copyRun(team, gone), await copyRun(team, kept)]
    const all = { recordings: 1, counted: 1, reports: 1, lessons: 1, suggestions: 1, stops: 1, seals: 1 }
    assert.deepEqual([await leftOf(), await othersOf()], [all, all])
    // the statement of the release before, which knows none of these tables
    await sql`delete from runs where team_id = ${team.id} and id = any(${[gone]}::uuid[]) and status in ('completed') returning id`
    const none = { recordings: 0, counted: 0, reports: 0, lessons: 0, suggestions: 0, stops: 0, seals: 0 }
    assert.deepEqual([await leftOf(), await othersOf()], [none, all])
  })

  proves(
    'deleteRun.active',
    'is refused while it is active, and then removes its request from the inbox too',
    async () => {
      const team = await seedTeam(service)
      const runId = await startRun(team, await seedAgent(team, block('approve', 'Go?')))
      await drainRuns(service)
      const refused = await team.call(`DELETE /v2/runs/${runId}`)
      assert.deepEqual([refused.status, refused.body.error], [409, 'conflict'])
      await team.call(`POST /v2/runs/${runId}/stop`)
      assert.equal((await team.call(`DELETE /v2/runs/${runId}`)).status, 200)
      assert.deepEqual(await rowsOf(runId), nothing)
      assert.equal((await team.call('GET /v2/teams/:teamId/human-requests?status=all')).body.total, 0)
    },
  )

  proves('deleteRun.long', 'with a very long log is gone from view at once, and its rows go in pieces', async () => {
    const team = await seedTeam(service)
    const runId = await completedRun(team)
    await sql`
      insert into run_messages (run_id, seq, id, turn, type, role, text_content, "timestamp")
      select ${runId}, n, gen_random_uuid(), 1, 'text', 'user', 'more', now() from generate_series(100, 12099) n`
    assert.equal((await team.call(`DELETE /v2/runs/${runId}`)).status, 200)
    assert.equal((await team.call(`GET /v2/runs/${runId}`)).status, 404)
    const left = await rowsOf(runId)
    assert.ok(left['messages']! >= 5000, `one statement takes 5,000 rows at most, ${left['messages']} are left`)
    await service.drain()
    assert.deepEqual(await rowsOf(runId), nothing)
  })
})

describe('retention', () => {
  proves('retention.runs', 'deletes runs that ended before its days, and none that is active or younger', async () => {
    const team = await seedTeam(service)
    const [old, young] = [await completedRun(team), await completedRun(team)]
    const waiting = await startRun(team, await seedAgent(team, block('approve', 'Go?')))
    await drainRuns(service)
    await sql`update runs set created_at = now() - interval '200 days', started_at = now() - interval '200 days' where id = ${waiting}`
    await endedAgo(old, 91)
    await endedAgo(young, 29)
    const before = [await rowsOf(young), await rowsOf(waiting)]
    await sweep()
    assert.deepEqual(await rowsOf(old), nothing)
    assert.deepEqual([await rowsOf(young), await rowsOf(waiting)], before)
  })

  proves(
    'retention.messages',
    'empties the log of runs that it keeps: what they were stays, what was said goes, and they cannot continue',
    async () => {
      const team = await seedTeam(service)
      const runId = await completedRun(team)
      await endedAgo(runId, 31)
      const run = await readRun(team, runId)
      await sweep()
      assert.deepEqual(await readRun(team, runId), run)
      const rows = await rowsOf(runId)
      assert.deepEqual([rows['messages'], rows['steps']], [0, 1])
      const steps = await sql`select tool, state, arguments, result from run_steps where run_id = ${runId}`
      assert.deepEqual(steps, [{ tool: 'sandbox_write_file', state: 'done', arguments: null, result: null }])
      const [row] = await sql`select message_seq, log_erased_at is not null as is_erased from runs where id = ${runId}`
      assert.deepEqual(row, { message_seq: 0, is_erased: true })
      const posted = await team.call(`POST /v2/runs/${runId}/messages`, { body: { message: 'Still there?' } })
      assert.equal(posted.status, 409)
      assert.equal((await team.call(`POST /v2/runs/${runId}/retry`)).status, 201)
      await sweep()
      assert.deepEqual(await rowsOf(runId), rows)
    },
  )

  proves(
    'retention.messages',
    'empties what a run asked people: what was asked for and who decided stays, the arguments and the answers go, and so does what the builder copied',
    async () => {
      const team = await seedTeam(service)
      const runId = await answeredRun(team)
      const leftOf = await copyRun(team, runId)
      await endedAgo(runId, 31)
      const list = async () => (await team.call('GET /v2/teams/:teamId/human-requests?status=all')).body.human_requests
      const before = await list()
      await sweep()
      const erased = { description: null, questions: null, form_schema: null }
      assert.deepEqual(
        await list(),
        before.map((request: { action: object | null; type: string }) => ({
          ...request,
          ...erased,
          action: request.action && { ...request.action, arguments: null },
          response: request.type === 'approval' ? { approved: true } : null,
        })),
      )
      assert.doesNotMatch(await textOfRequests(runId), /said/)
      const { lessons, stops } = await leftOf()
      assert.deepEqual({ lessons, stops }, { lessons: 0, stops: 0 })
      const { body } = await team.call(`GET /v2/runs/${runId}/steps`)
      assert.equal(body.steps.length, 2)
    },
  )

  proves('retention.messages', 'an upgrade empties the same of logs that the release before has erased', async () => {
    const team = await seedTeam(service)
    const [erased, whole] = [await answeredRun(team), await answeredRun(team)]
    const [leftOf, othersOf] = [await copyRun(team, erased), await copyRun(team, whole)]
    await sql`update runs set log_erased_at = now() where id = ${erased}`
    const { text } = (await readMigrations()).find(({ name }) => name === '0131_erasing')!
    for (const statement of text.split(/\n\s*\n/)) await service.context.db.pool.query(statement)
    assert.doesNotMatch(await textOfRequests(erased), /said/)
    assert.match(await textOfRequests(whole), /said/)
    assert.deepEqual([(await leftOf())['lessons'], (await othersOf())['lessons']], [0, 1])
  })

  proves('retention.files', 'takes the files of runs that it keeps away after their own time', async () => {
    const team = await seedTeam(service)
    const [old, young] = [await completedRun(team), await completedRun(team)]
    await endedAgo(old, 21)
    await endedAgo(young, 19)
    await sql`update sandboxes set created_at = now() - interval '22 days' where run_id in (${old}, ${young})`
    await enqueueOn(sql)(sweepFiles, {})
    await service.drain()
    const [ofOld, ofYoung] = [await rowsOf(old), await rowsOf(young)]
    assert.deepEqual([ofOld['files'], ofOld['sandboxes'], ofOld['messages']], [0, 0, ofYoung['messages']])
    assert.equal(ofYoung['files'], 1)
  })

  proves('retention.events', 'erases events by their own age, whether they belong to a run or not', async () => {
    const team = await seedTeam(service)
    const runId = await completedRun(team)
    for (const age of [9, 11, 400]) {
      await sql`
        insert into events (id, team_id, event, data, created_at)
        values (${idOf(age)}, ${team.id}, 'connection.updated', ${JSON.stringify({ age })}, now() - make_interval(days => ${age}))`
    }
    const before = (await rowsOf(runId))['events']
    await sweep()
    assert.equal((await rowsOf(runId))['events'], before)
    const left =
      await sql`select data from events where team_id = ${team.id} and run_id is null and event = 'connection.updated'`
    assert.deepEqual(left, [{ data: { age: 9 } }])
  })

  proves('retention.careful', 'steps around what is in use, and stops when it is asked to', async () => {
    const team = await seedTeam(service)
    const [held, free] = [await completedRun(team), await completedRun(team)]
    for (const runId of [held, free]) await endedAgo(runId, 91)
    await service.context.db.transaction(async (other) => {
      await other`select id from runs where id = ${held} for update`
      const told = new AbortController()
      told.abort()
      await sweepRuns.handler({ input: {}, context: service.context, sql, signal: told.signal })
      assert.equal((await rowsOf(free))['runs'], 1)
      await sweep()
    })
    assert.deepEqual([(await rowsOf(free))['runs'], (await rowsOf(held))['runs']], [0, 1])
    await sweep()
    assert.equal((await rowsOf(held))['runs'], 0)
  })

  proves('retention.eachTeam', 'of one team that fails is logged, and the others are swept', async (t) => {
    const [failing, other] = [await seedTeam(service), await seedTeam(service)]
    const [stuck, old] = [await completedRun(failing), await completedRun(other)]
    for (const runId of [stuck, old]) await endedAgo(runId, 91)
    const event = idOf(400)
    await sql`
      insert into events (id, team_id, event, data, created_at)
      values (${event}, ${other.id}, 'connection.updated', '{}', now() - interval '400 days')`
    await sql`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'too slow'; end $$`
    await service.context.db.pool.query(
      `create trigger refuse before delete on runs for each row when (old.team_id = '${failing.id}') execute function refuse()`,
    )
    t.after(() => sql`drop function refuse cascade`)
    await sweep()
    assert.deepEqual([(await rowsOf(stuck))['runs'], (await rowsOf(old))['runs']], [1, 0])
    assert.deepEqual(await sql`select id from event_batches where id = ${event}`, [])
    assert.ok(service.logged.some((line) => line.includes('could not be erased') && line.includes(failing.id)))
  })

  proves('retention.eachTeam', 'takes a part of what one team has, then one of the next', async () => {
    const [large, small] = [await seedTeam(service), await seedTeam(service)]
    for (const [team, count] of [
      [large, 501],
      [small, 1],
    ] as const) {
      const agentId = await seedAgent(team, procedure)
      await sql`
        insert into runs (id, team_id, agent_id, build_id, run_number, source, title, status, completed_at)
        select gen_random_uuid(), ${team.id}, b.agent_id, b.id, n, 'api', '', 'completed', now() - interval '91 days'
        from builds b, generate_series(1, ${count}::int) n where b.agent_id = ${agentId}`
    }
    const [teams] = await sql<{ count: number }>`select count(*)::int as count from teams`
    const over = new AbortController()
    let turns = 0
    // runs of each team, and logs of each team
    const db = Object.assign(Object.create(service.context.db) as Context['db'], {
      transaction<T>(work: (tx: Sql) => Promise<T>) {
        turns += 1
        if (turns === 2 * teams!.count) over.abort()
        return service.context.db.transaction(work)
      },
    })
    const context = Object.assign(Object.create(service.context) as Context, { db })
    await sweepRuns.handler({ input: {}, context, sql, signal: over.signal })
    const leftOf = async ({ id }: TestTeam) => (await sql`select from runs where team_id = ${id}`).length
    assert.deepEqual([await leftOf(large), await leftOf(small)], [1, 0])
    await sweep()
    assert.equal(await leftOf(large), 0)
  })

  proves('retention.parts', 'of events that fails keeps nothing of runs, and is tried again', async (t) => {
    const [team, other] = [await seedTeam(service), await seedTeam(service)]
    const runId = await completedRun(team)
    await endedAgo(runId, 91)
    await sql`
      insert into events (id, team_id, event, data, created_at)
      values (${idOf(400)}, ${other.id}, 'connection.updated', '{}', now() - interval '400 days')`
    await sql`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'too slow'; end $$`
    await service.context.db.pool.query(
      `create trigger refuse before delete on event_batches for each row when (old.team_id = '${other.id}') execute function refuse()`,
    )
    t.after(() => sql`drop function refuse cascade`)
    const { signal } = new AbortController()
    await assert.rejects(sweepRuns.handler({ input: {}, context: service.context, sql, signal }), /too slow/)
    assert.equal((await rowsOf(runId))['runs'], 0)
  })

  proves(
    'retention.setting',
    'is set by one text that names kinds and days, and says what is wrong with another',
    () => {
      const ever = { runs: null, messages: null }
      const thirty = { events: 30, screenshots: 30, files: 30, refusals: 30 }
      assert.deepEqual(days(''), { ...ever, ...thirty, audit: 400 })
      assert.deepEqual(days(' runs=90, events = forever,'), { ...days(''), runs: 90, events: null })
      const wrong = {
        'run=1': /one of runs,/,
        'runs=0': /1 to 99999/,
        'runs=x': /forever/,
        'runs=1,runs=2': /twice/,
        runs: /<kind>=<days>/,
      }
      for (const [text, problem] of Object.entries(wrong)) {
        assert.throws(
          () => days(text),
          (error) => error instanceof ConfigError && problem.test(error.message),
          text,
        )
      }
    },
  )
})
