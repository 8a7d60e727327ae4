// Starts a dry run of rules: what they would have stopped in the last 30 days.
import { one } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { operation } from '../../kit/operation.ts'
import { refuseFor } from '../../kit/problems.ts'
import { Type, wrapped } from '../../kit/schema.ts'
import { daysBack, dryRunColumns, GuardrailDryRun } from './dryRun.ts'
import { readRules, RulesGiven } from './guardrails.ts'
import { judgeRecords } from './judgeRecords.job.ts'

/** How many a team may have under way. */
const runningMax = 3

export const startGuardrailDryRun = operation({
  id: 'startGuardrailDryRun',
  client: 'guardrails.startDryRun',
  route: 'POST /v2/teams/:teamId/guardrails/dry-runs',
  summary: 'Start a dry run of guardrails',
  description:
    'Judges what the team’s runs did in the last 30 days by these rules, without changing anything. Read it until its status is `done`. Runs ' +
    'are judged one after the other, in the order of their starts, as the live rules would have judged them: after a call that would have been refused, ' +
    'nothing more of that run counts, and after a call that would have waited, its later calls count as made when the wait would have ended.',
  scope: 'keys:manage',
  body: Type.Object(
    { rules: RulesGiven },
    { examples: [{ rules: { allowed_hosts: ['api.example.com'], runs_per_day: 500 } }] },
  ),
  status: 202,
  answer: wrapped('dry_run', 'dry_run_id', GuardrailDryRun),
  errors: ['invalid_request', 'conflict'],
  tool: false,
  async handler({ team, caller, body, sql, enqueue, fail }) {
    const { rules, problems } = await readRules(sql, team.id, body.rules)
    refuseFor(problems)
    await sql`select id from teams where id = ${team.id} for no key update`
    const running = await sql`
      select id from guardrail_dry_runs where team_id = ${team.id} and status = 'running' limit ${runningMax}`
    if (running.length === runningMax) fail('conflict', `${runningMax} dry runs are under way. Wait for one of them.`)
    const made = await one(sql<GuardrailDryRun>`
      insert into guardrail_dry_runs (id, team_id, user_id, rules, since, until)
      values (${newId()}, ${team.id}, ${caller.member_id}, ${JSON.stringify(rules)}::jsonb, now() - make_interval(days => ${daysBack}), now())
      returning ${dryRunColumns}`)
    await enqueue(judgeRecords, { team_id: team.id, dry_run_id: made.id })
    return { dry_run: made, dry_run_id: made.id }
  },
})
