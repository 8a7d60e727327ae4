// Reads what a team used in any span of days.
import { currentMonth, type Days } from '../../engine/counting/usage.ts'
import { operation } from '../../kit/operation.ts'
import { Id, instant, Type } from '../../kit/schema.ts'
import { readUsage, Usage } from './usageAnswer.ts'

const daysMax = 400
const dayMs = 86_400_000
/** The last day of the years that a date can be written with. */
const lastDay = Date.UTC(9999, 11, 31)

export const getBillingUsageHistory = operation({
  id: 'getBillingUsageHistory',
  client: 'billing.usageHistory',
  route: 'GET /v2/teams/:teamId/billing/usage/history',
  summary: 'Get the usage of a span of days',
  description:
    'Answers like getBillingUsage, for whole days of UTC: from the day of `since`, up to `until`. `period_start` and `period_end` say ' +
    'which days were counted. Without `since` it begins with the month in which `until` lies. Without `until` it ends with the current ' +
    `month, or ${daysMax} days after \`since\`. Without both it is the current month.`,
  scope: 'billing:read',
  query: Type.Object({
    since: Type.Optional(instant('The first day; a time counts as its whole day.')),
    until: Type.Optional(instant(`Days before this time, at most ${daysMax}; a time counts as its whole day.`)),
  }),
  status: 200,
  answer: Type.Object({ usage: Usage, team_id: Id }),
  errors: ['invalid_request'],
  async handler({ team, caller, query, sql, enqueue, fail }) {
    const month = await currentMonth(sql)
    const monthEnd = Date.parse(month.until)
    const asked = query.until === undefined ? monthEnd : startOfDay(Date.parse(query.until) + dayMs - 1)
    const since = query.since === undefined ? startOfMonth(asked - 1) : startOfDay(Date.parse(query.since))
    const until = Math.min(query.until === undefined ? since + daysMax * dayMs : asked, asked, lastDay)
    const length = (until - since) / dayMs
    if (length < 1) fail('invalid_request', 'until must be later than since. Give a later until, or an earlier since.')
    if (length > daysMax) {
      const says = `since and until are ${length} days apart, and at most ${daysMax} can be read at once. Ask for fewer.`
      fail('invalid_request', says)
    }
    const days: Days = { since: dayOf(since), until: dayOf(until) }
    return {
      usage: await readUsage({ sql, enqueue, teamId: team.id, memberId: caller.member_id }, days),
      team_id: team.id,
    }
  },
})

const startOfMonth = (ms: number): number => Date.UTC(new Date(ms).getUTCFullYear(), new Date(ms).getUTCMonth())
const startOfDay = (ms: number): number => Math.floor(ms / dayMs) * dayMs
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
