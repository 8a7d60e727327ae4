// A dry run: what rules would have stopped of what the team's runs did in the last days.
import { part } from '../../base/db.ts'
import { ruleNames } from '../../engine/guardrails/rules.ts'
import { resource } from '../../kit/resources.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'
import { GuardrailRules } from './guardrails.ts'
import { ways } from './listGuardrailStops.ts'

/** How far back it reads. */
export const daysBack = 30

const Stopped = Type.Object({
  run_id: Id,
  run_number: Type.Integer(),
  agent_name: Type.String(),
  step: nullable(Type.Integer({ minimum: 1, description: 'Null: the run itself would not have started.' })),
  tool: nullable(Type.String()),
  at: Time,
  says: Type.String(),
})

export const Report = Type.Object({
  rows_since: nullable(
    Type.Unsafe<Date | string>({
      ...Time,
      description: 'The first run that was found; null: there was none. Older ones may have been erased.',
    }),
  ),
  runs: Type.Integer({ minimum: 0, description: 'How many runs were judged.' }),
  calls: Type.Integer({ minimum: 0, description: 'How many of their calls were judged.' }),
  runs_without_log: Type.Integer({
    minimum: 0,
    description: 'Runs whose log is erased: only their number and their cost count.',
  }),
  is_cut: Type.Boolean({ description: 'There are more runs than a dry run judges; the later ones are left out.' }),
  runs_stopped: Type.Integer({ minimum: 0, description: 'How many runs any rule would have touched.' }),
  rules: Type.Array(
    Type.Object({
      rule: oneOf(ruleNames),
      way: oneOf(ways),
      calls: Type.Integer({ minimum: 0, description: 'Calls, or starts where the rule bounds starts.' }),
      runs: Type.Integer({ minimum: 0 }),
      first: Type.Array(Stopped, { description: 'The first 50 of them.' }),
    }),
  ),
})
export type Report = Static<typeof Report>

export const GuardrailDryRun = named(
  'GuardrailDryRun',
  Type.Object({
    id: Id,
    status: oneOf(['running', 'done', 'failed']),
    rules: GuardrailRules,
    since: Time,
    until: Time,
    report: nullable(Report),
    user_id: nullable(Id),
    created_at: Time,
    completed_at: nullable(Time),
  }),
)
export type GuardrailDryRun = Static<typeof GuardrailDryRun>

export const dryRunColumns = part`id, status, rules, since, until, report, user_id, created_at, completed_at`

export const dryRun = resource(
  'dry_run',
  (sql, id, teamId) => sql<GuardrailDryRun>`
    select ${dryRunColumns} from guardrail_dry_runs where id = ${id} and team_id = ${teamId}`,
)

declare module '../../kit/resources.ts' {
  interface Resources {
    dry_run: GuardrailDryRun
  }
}
