// The line of a team: who gets its free slots, however long the line is and whoever stands in it.
import assert from 'node:assert/strict'
import { begin } from '../../../test/kit/heldTransaction.ts'
import { plansOn } from '../../../test/kit/plans.ts'
import { proves } from '../../../test/kit/proves.ts'
import { drainRuns, preparedRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { part, type Sql } from '../../base/db.ts'
import { createRuns } from '../starting/createRun.ts'
import { admitNext, recount } from './admission.ts'
import { wakeRuns } from './wake.ts'

const service = await testApp()
const { sql } = service.context.db
const procedure = '```wait\n1h\n```\n'

const isAdmitted = async (runId: string): Promise<boolean> => {
  const [run] = await sql<{ is_admitted: boolean }>`
    select admitted_at is not null as is_admitted from runs where id = ${runId}`
  return run!.is_admitted
}

/** Puts this many runs of the agent into the line, before all that start later. */
async function fillLine(team: TestTeam, agentId: string, count: number): Promise<void> {
  const run = await preparedRun(service, team, agentId)
  await sql`
    with added as (
      insert into runs (id, team_id, agent_id, build_id, run_number, source, title, limits, status, queued_at)
      select gen_random_uuid(), ${team.id}, ${agentId}, ${run.buildId}, nextval('run_numbers'), 'api', 'In line', '{}', 'pending', now()
      from generate_series(1, ${count}::int) returning id
    )
    update admission set in_line = in_line + (select count(*) from added) where team_id = ${team.id}`
}

/** A run that waits for a person, of an agent that lets one work at once. */
async function askingRun() {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, '```approve\nGo?\n```\n', { limits: { max_concurrent_runs: 1 } })
  const first = await startRun(team, agentId)
  await drainRuns(service)
  return { team, agentId, first }
}

async function answer(team: TestTeam, runId: string): Promise<void> {
  const { body } = await team.call(`GET /v2/runs/${runId}`)
  const { status, text } = await team.call(
    `POST /v2/runs/${runId}/human-requests/${body.pending_human_request.id}/respond`,
    { body: { approved: true } },
  )
  assert.equal(status, 200, text)
}

async function postAgain(team: TestTeam, runId: string): Promise<void> {
  const { status, text } = await team.call(`POST /v2/runs/${runId}/messages`, { body: { message: 'Again, please.' } })
  assert.equal(status, 201, text)
}

const stop = (team: TestTeam, runId: string) => team.call(`POST /v2/runs/${runId}/stop`)

proves(
  'runs.agentCap',
  'an agent at its cap gets no slot for a run that is woken, or started again by a message',
  async () => {
    const { team, agentId, first } = await askingRun()
    const second = await startRun(team, agentId)
    await admitNext(sql, [team.id])
    await answer(team, first)
    assert.deepEqual([await isAdmitted(first), await isAdmitted(second)], [false, true])
    await stop(team, second)
    assert.equal(await isAdmitted(first), true)
    await postAgain(team, second)
    assert.deepEqual([await isAdmitted(first), await isAdmitted(second)], [true, false])
    assert.deepEqual(await counts(team), { held: 1, in_line: 1 })
    await stop(team, first)
    assert.equal(await isAdmitted(second), true)
    assert.deepEqual(await counts(team), { held: 1, in_line: 0 })
  },
)

proves('runs.agentCap', 'below its cap, such a run has its slot with the answer or the message itself', async () => {
  const { team, first } = await askingRun()
  await answer(team, first)
  assert.equal(await isAdmitted(first), true)
  await stop(team, first)
  await postAgain(team, first)
  assert.equal(await isAdmitted(first), true)
})

proves('runs.agentCap', 'a slot that was given while a statement waited for its turn counts for the cap', async () => {
  const { team, agentId, first } = await askingRun()
  const second = { ...(await preparedRun(service, team, agentId)), isCapped: true }
  await createRuns(sql, [second], undefined)
  const { its, commit } = await begin(service.context.db.address())
  await wakeRuns(its, [first])
  const admitting = admitNext(sql, [team.id])
  await untilBlocked(its)
  await commit()
  assert.equal((await admitting).admitted, 0)
  assert.deepEqual([await isAdmitted(first), await isAdmitted(second.id)], [true, false])
})

proves('runs.slotsGiven', 'two processes that give slots at once leave none free while a run waits', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, '```output\nx\n```\n')
  const placesOf = (places: number) => part`update admission set places = ${places} where team_id = ${team.id}`
  const runs = [await preparedRun(service, team, agentId), await preparedRun(service, team, agentId)]
  await sql`${placesOf(0)}`
  for (const run of runs) await createRuns(sql, [run], undefined)
  const { its, commit } = await begin(service.context.db.address())
  await its`${placesOf(1)}`
  assert.equal((await admitNext(its, [team.id])).admitted, 1)
  await its`${placesOf(2)}`
  const admitting = admitNext(sql, [team.id])
  await untilBlocked(its)
  await commit()
  assert.equal((await admitting).admitted, 1)
  assert.deepEqual(await Promise.all(runs.map(({ id }) => isAdmitted(id))), [true, true])
})

proves(
  'runs.slotsGiven',
  'who is started again by a message, or started in a transaction, takes a free slot past runs of an agent at its cap',
  async () => {
    const { team, agentId, first } = await askingRun()
    const free = await seedAgent(team, '```output\nx\n```\n')
    const [posted, retried] = [await startRun(team, free), await startRun(team, free)]
    await drainRuns(service)
    await answer(team, first)
    const second = await startRun(team, agentId)
    assert.deepEqual(await counts(team), { held: 1, in_line: 1 })
    await postAgain(team, posted)
    const { body, text } = await team.call(`POST /v2/runs/${retried}/retry`)
    assert.ok(body.run_id, text)
    assert.deepEqual(await Promise.all([second, posted, body.run_id].map(isAdmitted)), [false, true, true])
  },
)

/** Resolves when another connection waits for what this transaction has locked. */
async function untilBlocked(its: Sql): Promise<void> {
  const [me] = await its<{ pid: number }>`select pg_backend_pid() as pid`
  const blocked = () => sql`select from pg_stat_activity where ${me!.pid}::int = any(pg_blocking_pids(pid))`
  while ((await blocked()).length === 0);
}

proves('runs.agentCap', 'a long line of an agent at its cap holds up no run of another agent', async () => {
  const team = await seedTeam(service)
  const [capped, free] = [
    await seedAgent(team, procedure, { limits: { max_concurrent_runs: 1 } }),
    await seedAgent(team, procedure),
  ]
  const first = await startRun(team, capped)
  await admitNext(sql, [team.id])
  assert.equal(await isAdmitted(first), true)
  await fillLine(team, capped, 450)
  const other = await preparedRun(service, team, free)
  await createRuns(sql, [other], undefined)
  assert.equal(await isAdmitted(other.id), false)
  const { admitted, teams } = await admitNext(sql, [team.id])
  assert.deepEqual([admitted, await isAdmitted(other.id)], [1, true])
  assert.deepEqual(teams, [{ ...teams[0], in_line: 450, admitted: 1 }])
  assert.equal((await admitNext(sql, [team.id])).admitted, 0)
})

proves('runs.agentCap', 'an agent gets no more slots than its cap, however its builds share the line', async () => {
  const team = await seedTeam(service)
  const capped = await seedAgent(team, procedure, { limits: { max_concurrent_runs: 3 } })
  await startRun(team, capped)
  await fillLine(team, capped, 300)
  await sql`update admission set places = 40 where team_id = ${team.id}`
  for (let n = 0; n < 3; n++) await admitNext(sql, [team.id])
  const [row] = await sql`select held, in_line from admission where team_id = ${team.id}`
  assert.deepEqual(row, { held: 3, in_line: 298 })
})

proves('runs.plans', 'admitNext does not walk along a line of runs that it passes over', async () => {
  const team = await seedTeam(service)
  const capped = await seedAgent(team, procedure, { limits: { max_concurrent_runs: 1 } })
  await startRun(team, capped)
  await admitNext(sql, [team.id])
  await fillLine(team, capped, 5000)
  await sql`analyze runs`
  const [first, behind] = await (await plansOn(service.context.db))((planned) => admitNext(planned, [team.id]))
  assert.match(first!, /Index Scan using runs_in_line on runs/)
  assert.match(behind!, /runs_in_line_by_build/)
  assert.doesNotMatch(behind!, /runs_in_line on runs|Seq Scan on runs/)
})

/** The team's counts as they are written; with `wrong` they are first changed to that. */
async function counts(team: TestTeam, wrong?: { held: number; in_line: number }) {
  if (wrong) await sql`update admission set held = ${wrong.held}, in_line = ${wrong.in_line} where team_id = ${team.id}`
  const [row] = await sql`select held, in_line from admission where team_id = ${team.id}`
  return row
}

proves(
  'runs.recount',
  'miscounted slots are counted again one team at a time, and no other team is locked',
  async () => {
    const { db } = service.context
    const teams = await Promise.all([1, 2, 3].map(() => seedTeam(service)))
    for (const team of teams) await startRun(team, await seedAgent(team, procedure))
    const wrong = { held: 7, in_line: 3 }
    for (const team of teams.slice(0, 2)) await counts(team, wrong)
    const locked: number[] = []
    const transaction: typeof db.transaction = (work) =>
      db.transaction(async (tx) => {
        const result = await work(tx)
        const free = await db.sql`
          select from admission where team_id = any(${teams.map(({ id }) => id)}::uuid[]) for update skip locked`
        locked.push(teams.length - free.length)
        return result
      })
    // where the machine is busy, the time of a round may be over before the second team
    for (let round = 0; round < teams.length; round++) await recount({ sql, transaction })
    assert.deepEqual(
      locked.filter((count) => count > 0),
      [1, 1],
    )
    for (const team of teams) assert.deepEqual(await counts(team), { held: 1, in_line: 0 })
  },
)

proves('runs.recount', 'a line is counted as far as it matters', async () => {
  const { db } = service.context
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, procedure)
  await startRun(team, agentId)
  await fillLine(team, agentId, 1500)
  for (const [written, mended] of [
    [1500, 1500],
    [2000, 2000],
    [0, 1000],
  ] as const) {
    await counts(team, { held: 5, in_line: written })
    const mayStart = await recount(db)
    assert.ok(mayStart.includes(team.id))
    assert.deepEqual(await counts(team), { held: 1, in_line: mended })
  }
  await sql`update runs set queued_at = null, admitted_at = now() where team_id = ${team.id}
    and id in (select id from runs where team_id = ${team.id} and queued_at is not null limit 1490)`
  assert.ok(!(await recount(db)).includes(team.id))
  assert.deepEqual(await counts(team), { held: 1491, in_line: 10 })
})
