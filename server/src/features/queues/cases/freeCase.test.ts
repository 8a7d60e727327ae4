// What a run claims: the next free case of a queue, or the one of an id, without reading a large queue whole while other runs wait.
import assert from 'node:assert/strict'
import { seedCases, seedQueue } from '../../../../test/kit/cases.ts'
import { plansOn } from '../../../../test/kit/plans.ts'
import { proves } from '../../../../test/kit/proves.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../../test/kit/runs.ts'
import { seedTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import type { Sql } from '../../../base/db.ts'
import { newId } from '../../../base/ids.ts'
import { caseTools } from '../tools.ts'

const service = await testApp()
const { context } = service
const block = (words: string, body = '') => `\`\`\`${words}\n${body}\n\`\`\`\n\n`

proves('cases.claimOrder', 'a run claims due postponed cases first, then by priority, then the oldest', async () => {
  const team = await seedTeam(service)
  const queueId = await seedQueue(team)
  const [, , , due, important, later] = await seedCases(team, queueId, 6)
  await team.sql`update cases set priority = 2 where id in (${important}, ${later}) and team_id = ${team.id}`
  await team.sql`
    update cases set display_status = 'postponed', postponed_to = now() + case id when ${due} then -1 else 1 end * interval '1 hour'
    where id in (${due}, ${later}) and team_id = ${team.id}`
  const claims = ['first', 'second', 'third', 'fourth'].map(
    (id) => block(`tool name=case_claim id=${id}`, JSON.stringify({ queue: queueId })) + block('case complete'),
  )
  const titles = block(
    'output',
    '{{ steps.first.output.title }}, {{ steps.second.output.title }}, {{ steps.third.output.title }}, {{ steps.fourth.output.title }}',
  )
  const runId = await startRun(team, await seedAgent(team, claims.join('') + titles))
  await drainRuns(service)
  const { output, error } = await readRun(team, runId)
  assert.deepEqual([output, error], ['Invoice 4, Invoice 5, Invoice 1, Invoice 2', null])
})

const claimOf = (text: string) =>
  block('tool name=case_claim id=call on_error=continue', JSON.stringify({ case_id: text }))

proves('cases.claimId', 'no case is claimed by a text that cannot be an id', async () => {
  const team = await seedTeam(service)
  const [id] = await seedCases(team, await seedQueue(team), 1)
  for (const text of ['4711', id!.toUpperCase(), newId()]) {
    const runId = await startRun(team, await seedAgent(team, claimOf(text) + block('output', '{{ steps.call.error }}')))
    await drainRuns(service)
    assert.equal((await readRun(team, runId)).output, 'No free case matches.')
  }
})

proves(
  'cases.claimPlans',
  'a claim and a list of a run go by an index of the queue, however many cases it has',
  async () => {
    const team = await seedTeam(service)
    const queueId = await seedQueue(team)
    const [first] = await seedCases(team, queueId, 5000)
    await team.sql`
    insert into cases (id, team_id, queue_id, title, data, display_status, postponed_to)
    select new_id(), ${team.id}, ${queueId}, 'Postponed', '', 'postponed', now() + n * interval '1 s' from generate_series(-2500, 2500) n`
    await context.db.pool.query('analyze cases')
    const agentId = await seedAgent(team, block('wait', '1d'))
    const runId = await startRun(team, agentId)
    const plansOf = await plansOn(context.db)
    const calling = (name: string, input: object) => async (sql: Sql) => {
      const run = {
        id: runId,
        team_id: team.id,
        agent_id: agentId,
        build_id: newId(),
        config_hash: null,
        user_id: null,
        case_id: null,
        depth: 0,
      }
      const tool = caseTools.tools.find((one) => one.name === name)
      assert.ok(tool?.kind === 'inside')
      const [outcome] = await tool.apply([{ id: `${runId}:1`, step: 1, run, input: input as never }], sql, context)
      assert.ok(outcome && 'result' in outcome, JSON.stringify(outcome))
    }
    const calls = [
      calling('case_claim', { case_id: first }),
      calling('case_claim', { queue: queueId }),
      calling('case_list', { queue: queueId }),
      calling('case_list', { queue: queueId, status: 'pending' }),
    ]
    for (const call of calls) {
      for (const plan of await plansOf(call)) assert.doesNotMatch(plan, /Seq Scan on cases\b/, plan)
    }
    const ofDue = (await plansOf(calls[1]!)).find((plan) => plan.includes('cases_postponed'))
    assert.match(
      ofDue!,
      /Limit\n +-> {2}Index (Only )?Scan using cases_postponed/,
      'only those that are due longest are sorted',
    )
    await team.sql`update cases set postponed_to = now() + interval '1 day' where queue_id = ${queueId} and display_status = 'postponed'`
    const ofPending = (await plansOf(calls[1]!)).find((plan) => plan.includes('cases_waiting'))
    assert.doesNotMatch(ofPending!, /Sort/)
    const [, ofStatus] = await plansOf(calls[3]!)
    assert.match(ofStatus!, /Index Cond: .*display_status/)
  },
)
