// The amount that is measured, of a row of usage.
import { count, counted, money } from '../../parts/amounts.ts'
import type { UsageDays } from '../../queries/usage.ts'
import { midnight } from './period.ts'
import type { Measure } from './search.ts'

interface Amounts {
  runs: number
  tokens: number
  cost_usd: number
}

export const measured = (show: Measure, row: Amounts): number =>
  ({ cost: row.cost_usd, tokens: row.tokens, runs: row.runs })[show]

/** Without the unit where the heading names it. */
export const measuredWords = (show: Measure, value: number): string => (show === 'cost' ? money(value) : count(value))

/** `3 runs, 1,200 tokens`: what is not measured. */
export const otherWords = (show: Measure, row: Amounts): string =>
  [
    show !== 'cost' && money(row.cost_usd),
    show !== 'tokens' && counted(row.tokens, 'token'),
    show !== 'runs' && counted(row.runs, 'run'),
  ]
    .filter((words) => words !== false)
    .join(', ')

export const agentWords = (name: string | null): string => name ?? 'A private artifact, or a deleted agent'

/** The runs of an agent in these days. Those of artifacts are listed only with their source. */
export const runsOf = (agentId: string, isArtifact: boolean, { since, until }: UsageDays) => ({
  to: '/runs' as const,
  search: {
    agent_id: agentId,
    since: midnight(since),
    until: midnight(until),
    ...(isArtifact && { source: 'artifact' as const }),
  },
})
