// Says what a rule would measure at this moment, and what it would have measured in the last week, before it is made.
import { operation } from '../../kit/operation.ts'
import { nullable, oneOf, Time, Type } from '../../kit/schema.ts'
import { teamDatabaseOf } from '../../kit/teamDatabase.ts'
import { AlertBehind } from './incident.ts'
import { factsOf, valueText } from './signals/signal.ts'
import { historyOf } from './signals/history.ts'
import { measure } from './signals/measure.ts'
import { NewRule, requireRule } from './wantedRule.ts'

export const previewAlertRule = operation({
  id: 'previewAlertRule',
  client: 'alerts.previewRule',
  route: 'POST /v2/teams/:teamId/alert-rules/preview',
  summary: 'Preview an alert rule',
  description:
    'What the rule would measure now, what is behind it, and what it would have measured in the last seven days. The past of `waiting_age`, ' +
    '`queue_age` and `delivery_failures` is not stored, so it is not answered. It takes the scope that reads what the signal measures.',
  scope: 'runs:read',
  onlyReads: true,
  body: NewRule,
  status: 200,
  answer: Type.Object({
    value: nullable(Type.Number({ description: 'Null: there is nothing to measure.' })),
    unit: oneOf(['percent', 'minutes', 'usd', 'count']),
    is_over: Type.Boolean({ description: 'Whether the value is `threshold` or more now.' }),
    says: Type.String({ examples: ['Failure rate: 60 %, the threshold is 50 %.'] }),
    behind: Type.Array(AlertBehind),
    history: nullable(
      Type.Array(Type.Object({ at: Time, value: nullable(Type.Number()) }), {
        description:
          'The value at the end of each hour of the last seven days, of `cost` at the end of each day, the oldest first. The last one is ' +
          'not over yet. Null: the past of the signal is not stored.',
      }),
    ),
    over_in_history: nullable(
      Type.Integer({ minimum: 0, description: 'At how many of these moments the value was `threshold` or more.' }),
    ),
  }),
  errors: ['invalid_request', 'conflict'],
  async handler({ team, caller, body, context, sql, fail }) {
    const wanted = await requireRule({ sql, teamId: team.id, caller, given: body })
    // by the connections that requests share, like every other statement of a request: a team that asks often waits for itself
    const db = teamDatabaseOf(context, team.id)
    const measured = await measure(db, { ...wanted, team_id: team.id }, (value) => value !== null && value > 0)
    if (!measured)
      return fail('conflict', 'It could not be measured in two seconds. Try again, or with a shorter window.')
    const { value, behind } = measured
    const { title, unit } = factsOf[wanted.signal]
    const is_over = value !== null && value >= wanted.threshold
    const says = `${title}: ${valueText(wanted.signal, value)}, the threshold is ${valueText(wanted.signal, wanted.threshold)}.`
    const history = await historyOf(sql, { ...wanted, team_id: team.id }, context.clock.now())
    const over = history?.filter((moment) => moment.value !== null && moment.value >= wanted.threshold).length ?? null
    return { value, unit, is_over, says, behind, history, over_in_history: over }
  },
})
