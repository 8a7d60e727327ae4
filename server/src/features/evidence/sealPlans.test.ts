// What sealing asks the database, as PostgreSQL plans it on tables of some size.
import assert from 'node:assert/strict'
import { plansOn } from '../../../test/kit/plans.ts'
import { proves } from '../../../test/kit/proves.ts'
import { drainRuns, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { one, type Sql } from '../../base/db.ts'
import type { Context } from '../../kit/context.ts'
import { sealSome } from './sealRuns.ts'

const service = await testApp()
const { context } = service
const { db } = context
const team = await seedTeam(service)
const agentId = await seedAgent(team, '```output\ndone\n```\n')
const [build] = await db.sql<{ id: string }>`select id from builds where agent_id = ${agentId}`
const runId = await startRun(team, agentId)
await drainRuns(service)
// they stand behind the run above
await db.sql`
  insert into runs (id, team_id, agent_id, build_id, run_number, source, title, limits, status, created_at, started_at, completed_at, epoch,
    event_seq, event_xid, ended_xid)
  select gen_random_uuid(), ${team.id}, ${agentId}, ${build!.id}, nextval('run_numbers'), 'api', 'Seeded', '{}', 'completed', now(), now(), now(), 1,
    1, event_xid(), event_xid()
  from generate_series(1, 20000)`
await db.sql`
  insert into run_steps (run_id, seq, turn, kind, state, started_at)
  select id, 1, 1, 'tool', 'done', now() from runs where status = 'completed' and id <> ${runId}`
await db.sql`
  insert into event_batches (id, team_id, run_id, last, kinds, entries)
  select new_id(), team_id, id, 1, 'c', '[{}]' from runs where status = 'completed' and id <> ${runId}`
await db.pool.query('analyze')

proves(
  'evidence.plans',
  'the next ended runs are read in the order of their index, and their rows by their keys',
  async () => {
    const plansOf = await plansOn(db)
    const plans = await plansOf(async (sql: Sql) => {
      const explained = {
        ...context,
        db: { ...db, sql, transaction: (work: (inside: Sql) => unknown) => work(sql) },
      } as Context
      await sealSome(explained, { runs: 20, bytes: 8_000_000 })
      // the next one alone, its rows one by one
      await sealSome(explained, { runs: 20, bytes: 1 })
      const { seals } = await one(sql<{ seals: number }>`select count(*)::int as seals from run_seals`)
      assert.equal(seals, 21)
    })
    const planWith = (word: RegExp): string => {
      const plan = plans.find((text) => word.test(text))
      assert.ok(plan, `no plan has ${word}`)
      return plan
    }
    // a sort would read everything that has ended, again and again
    const ended = planWith(/using runs_by_last_end/)
    assert.doesNotMatch(ended, /Sort|Seq Scan on (?!evidence_cursor)|Bitmap/)
    const sealing = planWith(/using run_steps_pkey[^]*Insert on run_seals/)
    for (const key of ['runs_pkey', 'run_seals_pkey', 'run_messages_pkey', 'event_batches_before_by_run'])
      assert.match(sealing, new RegExp(`using ${key}`))
    assert.doesNotMatch(sealing, /Seq Scan on (?!evidence_cursor)/)
    // a run alone, its rows in parts
    for (const key of ['event_batches_before_by_run', 'run_steps_pkey', 'run_messages_pkey'])
      planWith(new RegExp(`bytes_before[^]*WindowAgg[^]*Limit[^]*using ${key}`))
  },
)
