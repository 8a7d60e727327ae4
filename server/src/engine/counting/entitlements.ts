// Entitlements: which limits the operator set for which teams. The process caches them, so that a team without limits costs nothing.
import { empty, part, waitsForNoTeam, type Sql } from '../../base/db.ts'
import { createTeamFacts, type FactSources } from './teamFacts.ts'

/** Limits that are rows; max_concurrent_runs is the number of the team's slots (admission.ts). */
const limitKeys = ['monthly_runs', 'monthly_cost_usd', 'storage_bytes', 'agents'] as const
export type LimitKey = (typeof limitKeys)[number]

/** Every kind of limit, with its name for people. */
export const entitlementKinds = {
  max_concurrent_runs: { label: 'Runs that work at the same time', unit: 'runs' },
  monthly_runs: { label: 'Runs started in a month', unit: 'runs' },
  monthly_cost_usd: { label: 'Model cost in a month', unit: 'usd' },
  storage_bytes: { label: 'Bytes stored in files, cases, memory and large messages', unit: 'bytes' },
  agents: { label: 'Agents', unit: 'agents' },
} as const
export type EntitlementKey = keyof typeof entitlementKinds

export interface Entitlements {
  /** Called before what may be limited; waits only where what is known is too old. */
  refresh(inTransaction?: Sql): Promise<void> | undefined
  /** Whether the team has this limit, as of the last refresh; the statement that holds the lock reads how high it is. */
  has(teamId: string, key: LimitKey): boolean
  /** How many changes this process was notified of. */
  changes(): number
}

/** How many seconds after a limit was set every process knows of it and counts what it does: more than `usableMs` of `teamFacts`. */
export const limitKnownAfterS = 10

export function createEntitlements(sources: FactSources): Entitlements {
  const facts = createTeamFacts({ ...sources, name: 'the limits of teams', channel: 'entitlements', read: readLimits })
  return {
    refresh: (inTransaction) => facts.refresh(inTransaction),
    has: (teamId, key) => facts.of(teamId)?.has(key) ?? false,
    changes: () => facts.changes(),
  }
}

async function readLimits(sql: Sql): Promise<Map<string, Set<LimitKey>>> {
  const rows = await sql<{ team_id: string; keys: LimitKey[] }>`
    select team_id, array_agg(key) as keys from entitlements group by team_id`
  return new Map(rows.map(({ team_id, keys }) => [team_id, new Set(keys)]))
}

/** What the operator set, read under a lock that others who ask for the same limit wait for; undefined: it is not set any more. */
export async function lockLimit(sql: Sql, teamId: string, key: LimitKey): Promise<string | undefined> {
  const [limit] = await sql<{ value: string }>`
    select trim_scale(value)::text as value from entitlements where team_id = ${teamId} and key = ${key}
    for update ${waitsForNoTeam(sql) ? part`nowait` : empty}`
  return limit?.value
}
