// Lists what the guardrails of a team stopped, newest first.
import { empty, part } from '../../base/db.ts'
import { isOfVisibleRun } from '../../engine/ledger/visibleRuns.ts'
import { ruleNames } from '../../engine/guardrails/rules.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage, totalAhead } from '../../kit/paging.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'

export const ways = ['refused', 'asks', 'waits'] as const

const GuardrailStop = named(
  'GuardrailStop',
  Type.Object({
    run_id: Id,
    step: Type.Integer({ minimum: 1 }),
    tool: Type.String({ description: 'The tool of the call, or the model that was to be asked.' }),
    rule: oneOf(ruleNames),
    way: oneOf(ways, { description: 'What became of the call: it was refused, people were asked, or it waited.' }),
    version: Type.Integer({ minimum: 1 }),
    says: Type.String(),
    until: nullable(Time),
    at: Time,
  }),
)
type GuardrailStop = Static<typeof GuardrailStop>

export const listGuardrailStops = operation({
  id: 'listGuardrailStops',
  client: 'guardrails.listStops',
  route: 'GET /v2/teams/:teamId/guardrails/stops',
  summary: 'List what guardrails stopped',
  description:
    'Calls of runs, newest first, one entry for each call and rule; kept for 90 days, or as long as the log of the run. Starts that were refused ' +
    'are in the audit log, with the error `guardrail_reached`.',
  scope: 'runs:read',
  query: Type.Object({
    rule: Type.Optional(oneOf(ruleNames, { description: 'Only stops by this rule.' })),
    ...paging(50, 200),
  }),
  status: 200,
  answer: pageOf('stops', GuardrailStop, totalAhead),
  async handler({ team, caller, query, sql }) {
    const { rule } = query
    const ofRule = rule === undefined ? empty : part`and rule = ${rule}`
    const from = part`guardrail_stops s where team_id = ${team.id} ${ofRule} and ${isOfVisibleRun(caller.member_id, part`s.run_id`)}`
    const { rows, ...page } = await readPage<GuardrailStop>(
      sql,
      {
        columns: part`run_id, step, tool, rule, way, version, says, until, at`,
        from,
        order: part`at desc, run_id desc, step desc, rule desc`,
        isCountedAhead: true,
      },
      query,
    )
    return { stops: rows, ...page }
  },
})
