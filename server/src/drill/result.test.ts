// What a drill says of runs and writes that were made twice, although each of their calls was made once.
import assert from 'node:assert/strict'
import { newId } from '../base/ids.ts'
import { proves } from '../../test/kit/proves.ts'
import { seedAgent } from '../../test/kit/runs.ts'
import { seedTeam } from '../../test/kit/seed.ts'
import { testApp } from '../../test/kit/testApp.ts'
import { countResult, judge } from './result.ts'

const service = await testApp()
const { sql } = service.context.db

/** The verdict on a drill of two runs, whose file was written so often, and whose runs have these sub-runs. */
async function verdictOn(generation: number, below: [number, number]) {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, '```wait\n1d\n```\n')
  const above = [newId(), newId()]
  const rows = [
    ...above.map((id) => ({ id, parent: null as string | null })),
    ...above.flatMap((parent, index) => Array.from({ length: below[index]! }, () => ({ id: newId(), parent }))),
  ]
  await sql`
    insert into runs (id, team_id, agent_id, build_id, run_number, source, title, status, parent_run_id, depth)
    select r.id, ${team.id}, b.agent_id, b.id, nextval('run_numbers'), 'api', '', 'completed', r.parent, (r.parent is not null)::int
    from builds b, unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ parent }) => parent)}::uuid[]) as r (id, parent)
    where b.agent_id = ${agentId}`
  const counted = await countResult({
    ground: {
      context: service.context,
      sql,
      teamId: team.id,
      agentId,
      counter: { arrivals: async () => [] },
      receiver: { arrivals: [] },
      call: async () => ({ status: 200, text: JSON.stringify({ generation }) }),
    },
    killing: { kills: 0, killsBetween: 0, takeoverTimes: () => ({ takeovers: 0, takeoverP50Ms: 0, takeoverP99Ms: 0 }) },
    person: { answers: { happened: 0, makeItNow: 0 }, approved: () => 0 },
    started: 2,
    findings: [],
  } as unknown as Parameters<typeof countResult>[0])
  // the rows have no events, which is not what is asked here
  return { above, result: judge({ ...counted, records_broken: 0 }, { took_ms: 0, erased_runs: 0, rows_left: 0 }) }
}

proves('drill.fault', 'a run, a sub-run or a write of memory that is there twice is named', async () => {
  assert.deepEqual((await verdictOn(4, [1, 1])).result.findings, [])
  const { above, result } = await verdictOn(4, [1, 2])
  assert.equal(result.holds, false)
  assert.ok(result.verdict.endsWith(`Run ${above[1]} has 2 sub-runs; it starts one.`), result.verdict)
  const written = (await verdictOn(5, [1, 1])).result
  assert.equal(written.holds, false)
  assert.match(written.verdict, /The file progress\.md was written 5 times; it was to be written 4 times\.$/)
})

proves('drill.fault', 'a sub-run that is there twice does not stand for one that is lost', async () => {
  const { result } = await verdictOn(4, [0, 2])
  assert.equal(result.runs_lost, 1)
  assert.deepEqual(
    result.findings.map(({ what }) => what),
    ['sub-run doubled'],
  )
})
