// Evaluations of ended runs without a model: what is found, what lists and scores make of it, asked again, deleted, held up by nobody.
import assert from 'node:assert/strict'
import { drainRuns, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedCases, seedQueue } from '../../../test/kit/cases.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { foldPieces } from '../../base/foldCounts.ts'
import { evaluateEnded } from './evaluateEnded.ts'
import { evalCounts } from './evalCounts.ts'
import { drainEvaluations } from './evaluator.ts'
import type { Evaluation, Result } from './evaluation.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const { db } = service.context
const good = '```memory path=notes.md\nAll is well.\n```\n\n```output\ndone\n```\n'
const bad = '```tool name=case_complete\n{}\n```\n'
/** What it writes begins like a key, so it is not evaluated with its end: the evaluator reads it. */
const readAgain = '```memory path=notes.md\nAll is well, and sk-illed.\n```\n\n'
const secret = `sk-ant-api03-${'aB3'.repeat(12)}`

async function evaluated(): Promise<void> {
  await drainRuns(service)
  await drainEvaluations(service.context)
}

const pathOf = (agentId: string, runId: string) => `/v2/agent/${agentId}/runs/${runId}/evaluation`

async function read(team: TestTeam, agentId: string, runId: string): Promise<Evaluation> {
  const { status, body, text } = await team.call(`GET ${pathOf(agentId, runId)}`)
  assert.equal(status, 200, text)
  return body.data
}

const flagOf = ({ results }: Evaluation, flag: string): Result => results.find((result) => result.flag === flag)!

async function scoresOf(team: TestTeam, agentId: string, query = '') {
  const { status, body, text } = await team.call(`GET /v2/agent/${agentId}/eval-scores${query}`)
  assert.equal(status, 200, text)
  return body
}

const listed = async (team: TestTeam, query: string): Promise<string[]> =>
  (await team.call(`GET /v2/teams/:teamId/runs?${query}`)).body.data.map(({ id }: { id: string }) => id)

proves(
  'evals.everyRun',
  'every ended run is evaluated once, and its results say which messages show them',
  async () => {
    const team = await seedTeam(service)
    const [goodAgent, badAgent] = [await seedAgent(team, good), await seedAgent(team, bad)]
    const [well, badly] = [await startRun(team, goodAgent), await startRun(team, badAgent)]
    assert.equal(await read(team, goodAgent, well), null)
    await evaluated()
    const fine = await read(team, goodAgent, well)
    assert.deepEqual([fine.run_id, fine.status, fine.source], [well, 'ready', 'run_end'])
    assert.deepEqual(fine.output, {
      schema_version: 1,
      data: {
        ended_by_itself: true,
        tool_errors_handled: true,
        no_repeated_calls: true,
        case_closed: null,
        limits_kept: true,
        no_secret_printed: true,
      },
    })
    assert.deepEqual(fine.summary, {
      passed: 5,
      total: 5,
      final_comment: 'All 5 checks passed.',
      severity_counts: { critical: 0, medium: 0, low: 0 },
    })
    const poor = await read(team, badAgent, badly)
    assert.deepEqual(poor.summary.severity_counts, { critical: 1, medium: 1, low: 0 })
    assert.match(
      poor.summary.final_comment,
      /^3 of 5 checks passed\. Not passed: Ended by itself; Tool errors were handled\.$/,
    )
    const messages = (await team.call(`GET /v2/runs/${badly}/messages`)).body
    const failed = messages.messages.find(({ type }: { type: string }) => type === 'tool_result')
    assert.deepEqual(flagOf(poor, 'tool_errors_handled').evidence, [failed.id])
    assert.equal(await evaluateEnded(service.context), 0)
  },
)

proves('evals.lists', 'runs are found by the issues of their latest evaluation, and carry its summary', async () => {
  const team = await seedTeam(service)
  const [goodAgent, badAgent] = [await seedAgent(team, good), await seedAgent(team, bad)]
  const [well, badly] = [await startRun(team, goodAgent), await startRun(team, badAgent)]
  assert.deepEqual(await listed(team, 'has_issues=false'), [])
  await evaluated()
  assert.deepEqual(await listed(team, 'has_issues=false'), [well])
  assert.deepEqual(await listed(team, 'has_issues=true'), [badly])
  assert.deepEqual(await listed(team, 'issue_severity=critical'), [badly])
  assert.deepEqual(await listed(team, 'issue_severity=low'), [])
  const { body } = await team.call(`GET /v2/runs/${badly}`)
  assert.deepEqual(body.run.eval_summary, (await read(team, badAgent, badly)).summary)
})

proves('evals.secrets', 'a secret in an output is found and not repeated', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, '```output\n{{ message }}\n```\n')
  const runId = await startRun(team, agentId, { message: `The key is ${secret}` })
  await evaluated()
  const result = flagOf(await read(team, agentId, runId), 'no_secret_printed')
  assert.equal(result.passed, false)
  assert.match(result.comment!, /an Anthropic key/)
  const [kept] = await db.sql<{ text: string }>`select e::text as text from evaluations e where run_id = ${runId}`
  assert.ok(!kept!.text.includes(secret))
})

proves('evals.case', 'a run that ends without closing its case does not pass that check', async () => {
  const team = await seedTeam(service)
  const [first, second] = await seedCases(team, await seedQueue(team), 2)
  const claim = '```tool name=case_claim\n{"case_id": {{ message }}}\n```\n\n'
  const closing = await seedAgent(team, `${claim}\`\`\`case\ncomplete\nPaid.\n\`\`\`\n`, { plugins: ['cases'] })
  const leaving = await seedAgent(team, claim, { plugins: ['cases'] })
  const closed = await startRun(team, closing, { message: first })
  const left = await startRun(team, leaving, { message: second })
  await evaluated()
  assert.equal(flagOf(await read(team, closing, closed), 'case_closed').passed, true)
  assert.equal(flagOf(await read(team, leaving, left), 'case_closed').passed, false)
})

proves(
  'evals.again',
  'a run that ends again is evaluated again, and the new result counts instead of the old one',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, good)
    const runId = await startRun(team, agentId)
    await team.call(`POST /v2/runs/${runId}/stop`)
    await evaluated()
    const first = await read(team, agentId, runId)
    assert.equal(flagOf(first, 'ended_by_itself').passed, false)
    await team.call(`POST /v2/runs/${runId}/messages`, { body: { message: 'Go on.' } })
    await evaluated()
    const second = await read(team, agentId, runId)
    assert.notEqual(second.id, first.id)
    assert.equal(flagOf(second, 'ended_by_itself').passed, true)
    const scores = await scoresOf(team, agentId)
    assert.deepEqual([scores.total_evaluated, scores.with_issues, scores.flag_distribution], [1, 0, []])
  },
)

proves(
  'evals.request',
  'a new evaluation is made when somebody asks, once for all who ask until it is there',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, good)
    const runId = await startRun(team, agentId)
    const early = await team.call(`POST ${pathOf(agentId, runId)}`)
    assert.deepEqual([early.status, early.body.error], [409, 'conflict'])
    await evaluated()
    const first = await read(team, agentId, runId)
    const asked = await team.call(`POST ${pathOf(agentId, runId)}`)
    assert.deepEqual([asked.status, asked.body.status], [202, 'in_progress'])
    assert.deepEqual((await team.call(`POST ${pathOf(agentId, runId)}`)).body, asked.body)
    const waiting = await read(team, agentId, runId)
    assert.deepEqual([waiting.id, waiting.status, waiting.results], [asked.body.evaluation_id, 'in_progress', []])
    await evaluated()
    const again = await read(team, agentId, runId)
    assert.deepEqual([again.id, again.status, again.source], [asked.body.evaluation_id, 'ready', 'request'])
    assert.deepEqual(again.results, first.results)
    assert.equal((await scoresOf(team, agentId)).total_evaluated, 1)
  },
)

proves(
  'evals.request',
  'a run that continues before its requested evaluation ends that one without a result',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, good)
    const runId = await startRun(team, agentId)
    await evaluated()
    await team.call(`POST ${pathOf(agentId, runId)}`)
    await team.call(`POST /v2/runs/${runId}/messages`, { body: { message: 'Go on.' } })
    await drainEvaluations(service.context)
    const ended = await read(team, agentId, runId)
    assert.equal(ended.status, 'unavailable')
    assert.match(ended.summary.final_comment, /continued/)
    await evaluated()
    assert.equal((await read(team, agentId, runId)).status, 'ready')
  },
)

proves(
  'evals.withoutModel',
  'without a model the custom rubrics have no result, and the summary says why',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, good)
    const rubric = { title: 'Stays polite', description: 'Every message to the customer is friendly.' }
    await team.call(`POST /v2/agents/${agentId}/eval-rubrics`, { body: rubric })
    const runId = await startRun(team, agentId)
    await evaluated()
    const { status, output, summary } = await read(team, agentId, runId)
    assert.equal(status, 'ready')
    assert.equal(output.data['custom__stays_polite'], null)
    assert.equal(summary.total, 5)
    assert.match(
      summary.final_comment,
      /One custom rubric was not judged, because this server has no model\. Set RUNYARD_MODEL/,
    )
  },
)

proves(
  'evals.scores',
  'scores count each run once by the day it ended, for an agent or one of its builds, since any moment',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, readAgain + bad)
    const runs = [await startRun(team, agentId), await startRun(team, agentId), await startRun(team, agentId)]
    await drainRuns(service)
    const ended = ['2026-03-01T10:00:00Z', '2026-03-01T20:00:00Z', '2026-03-02T00:30:00Z']
    for (const [n, id] of runs.entries()) await db.sql`update runs set completed_at = ${ended[n]} where id = ${id}`
    await drainEvaluations(service.context)
    const [build] = await db.sql<{ id: string }>`select id from builds where agent_id = ${agentId}`
    const all = {
      total_evaluated: 3,
      with_issues: 3,
      flag_distribution: [
        { flag: 'ended_by_itself', label: 'Ended by itself', count: 3 },
        { flag: 'tool_errors_handled', label: 'Tool errors were handled', count: 3 },
      ],
      series: [
        { day: '2026-03-01', evaluated: 2, with_issues: 2 },
        { day: '2026-03-02', evaluated: 1, with_issues: 1 },
      ],
    }
    for (const round of ['in pieces', 'folded']) {
      assert.deepEqual(await scoresOf(team, agentId, '?since=2026-02-01'), all, round)
      assert.deepEqual(await scoresOf(team, agentId, `?since=2026-02-01&revision_id=${build!.id}`), all)
      assert.equal((await scoresOf(team, agentId, '?since=2026-03-01T12:00:00Z')).total_evaluated, 2)
      assert.equal((await scoresOf(team, agentId, '?since=2026-03-02')).total_evaluated, 1)
      for (const id of [newId(), 'no-id'])
        assert.deepEqual(await scoresOf(team, agentId, `?since=2026-02-01&revision_id=${id}`), {
          total_evaluated: 0,
          with_issues: 0,
          flag_distribution: [],
          series: [],
        })
      assert.equal((await scoresOf(team, agentId, '?since=2026-02-01&scope=custom')).total_evaluated, 0)
      await foldPieces(db.sql, evalCounts)
    }
    const [pieces] = await db.sql<{ most: number }>`
    select max(rows) as most from (select count(*) as rows from eval_counts where agent_id = ${agentId} group by build_id, hour, flag) c`
    assert.equal(pieces!.most, 1)
  },
)

proves('evals.deleted', 'with a run goes its evaluation, from scores too', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, good)
  const runId = await startRun(team, agentId)
  await startRun(team, agentId)
  await evaluated()
  assert.equal((await scoresOf(team, agentId)).total_evaluated, 2)
  assert.equal((await team.call(`DELETE /v2/runs/${runId}`)).status, 200)
  assert.equal((await scoresOf(team, agentId)).total_evaluated, 1)
  assert.deepEqual(await db.sql`select id from evaluations where run_id = ${runId}`, [])
})

proves(
  'evals.neverInTheWay',
  'a run that somebody writes just now is left for the next round, and the others continue',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, readAgain + good)
    const [held, free] = [await startRun(team, agentId), await startRun(team, agentId)]
    await drainRuns(service)
    await db.transaction(async (sql) => {
      await sql`select id from runs where id = ${held} for update`
      await drainEvaluations(service.context)
      assert.equal((await read(team, agentId, free)).status, 'ready')
      assert.equal(await read(team, agentId, held), null)
    })
    await drainEvaluations(service.context)
    assert.equal((await read(team, agentId, held)).status, 'ready')
  },
)

proves('evals.neverInTheWay', 'a run can continue and end again while its earlier end is being evaluated', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, readAgain + good)
  const runId = await startRun(team, agentId)
  await drainRuns(service)
  await db.transaction(async (sql) => {
    // as an evaluator holds it while it reads the log
    const due = await sql`select run_id from runs_to_evaluate where run_id = ${runId} for update`
    assert.equal(due.length, 1)
    await team.call(`POST /v2/runs/${runId}/messages`, { body: { message: 'Go on.' } })
    await drainRuns(service)
    assert.equal((await team.call(`GET /v2/runs/${runId}`)).body.run.status, 'completed')
  })
  await drainEvaluations(service.context)
  assert.equal((await read(team, agentId, runId)).status, 'ready')
})

proves('evals.everyRun', 'several evaluators at once evaluate each run once', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, readAgain + good)
  await Promise.all(Array.from({ length: 40 }, () => startRun(team, agentId)))
  await drainRuns(service)
  await Promise.all(Array.from({ length: 4 }, () => drainEvaluations(service.context)))
  const [made] = await db.sql<{ evaluations: number; runs: number }>`
    select count(*) as evaluations, count(distinct run_id) as runs from evaluations where agent_id = ${agentId}`
  assert.deepEqual(made, { evaluations: 40, runs: 40 })
  assert.equal((await scoresOf(team, agentId)).total_evaluated, 40)
})

proves('evals.neverStuck', 'a run that cannot be evaluated ends without a result, and holds up no other', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, readAgain + good)
  const [broken, fine] = [await startRun(team, agentId), await startRun(team, agentId)]
  await drainRuns(service)
  // an error that is no object, as nothing of ours writes it
  await db.sql`update runs set error = '7', status = 'pending' where id = ${broken}`
  await db.sql`update runs set status = 'failed' where id = ${broken}`
  await db.sql`update runs set completed_at = now() where id = ${broken}`
  await drainEvaluations(service.context)
  assert.equal((await read(team, agentId, fine)).status, 'ready')
  const unavailable = await read(team, agentId, broken)
  assert.equal(unavailable.status, 'unavailable')
  assert.match(unavailable.summary.final_comment, /The server failed to evaluate the run/)
  const [noted] = await db.sql`select eval_summary from runs where id = ${broken}`
  assert.deepEqual(noted, { eval_summary: null }, 'it counts for nothing')
  assert.equal((await scoresOf(team, agentId)).total_evaluated, 1)
  assert.deepEqual(await db.sql`select run_id from runs_to_evaluate where team_id = ${team.id}`, [])
})

proves('evals.tenancy', 'evaluations of another team, and of another agent’s runs, are not there', async () => {
  const [team, stranger] = [await seedTeam(service), await seedTeam(service)]
  const [agentId, siblingId] = [await seedAgent(team, good), await seedAgent(team, good)]
  const runId = await startRun(team, agentId)
  await evaluated()
  for (const route of [`GET ${pathOf(siblingId, runId)}`, `POST ${pathOf(siblingId, runId)}`])
    assert.equal((await team.call(route)).status, 404)
  for (const route of [
    `GET ${pathOf(agentId, runId)}`,
    `POST ${pathOf(agentId, runId)}`,
    `GET /v2/agent/${agentId}/eval-scores`,
  ])
    assert.equal((await stranger.call(route)).status, 404)
})
