// Entitlements: which limits the operator set for which teams, remembered by the process so that a team without any costs nothing.
import type { Sql } from '../../base/db.ts'
import type { Log } from '../../base/log.ts'
import type { Listener } from '../../kit/listener.ts'

/** Those that are rows; max_concurrent_runs is the team's places (admission.ts). */
const limitKeys = ['monthly_runs', 'monthly_cost_usd', 'storage_bytes', 'agents'] as const
export type LimitKey = (typeof limitKeys)[number]

/** Every kind, as people read it. */
export const entitlementKinds = {
  max_concurrent_runs: { label: 'Runs that work at the same time', unit: 'runs' },
  monthly_runs: { label: 'Runs started in a month', unit: 'runs' },
  monthly_cost_usd: { label: 'Model cost in a month', unit: 'usd' },
  storage_bytes: { label: 'Bytes kept in files, cases, memory and large messages', unit: 'bytes' },
  agents: { label: 'Agents', unit: 'agents' },
} as const
export type EntitlementKey = keyof typeof entitlementKinds

export interface Entitlements {
  /** Called before what may be limited; waits only where what is known is too old. */
  refresh(inTransaction?: Sql): Promise<void> | undefined
  /** Whether the team has this limit, as of the last refresh; how high it is says the statement that holds the lock. */
  has(teamId: string, key: LimitKey): boolean
  /** How many changes this process was told of. */
  changes(): number
}

/** Told by a trigger with every change of a limit. */
const channel = 'entitlements'
/** What is older is asked for in the background. */
const freshMs = 2000
/** What is older is waited for: a call may have been lost, or the process have stood still. `settleS` counts on it. */
const usableMs = 5000

/** From so long after a limit was set on, every process knows of it and counts what it does. */
export const settleS = 10

interface Options {
  sql: Sql
  listener: Listener
  log: Log
}

export function createEntitlements({ sql: ownSql, listener, log }: Options): Entitlements {
  let known = new Map<string, Set<LimitKey>>()
  let readAt = -Infinity
  let changes = 0
  let reading: Promise<void> | undefined
  let isListening = false

  async function read(sql: Sql): Promise<void> {
    const startedAt = performance.now()
    const changesSeen = changes
    const rows = await sql<{ team_id: string; keys: LimitKey[] }>`
      select team_id, array_agg(key) as keys from entitlements group by team_id`
    // a change that was called out meanwhile may not be in it
    if (changes !== changesSeen) return read(sql)
    known = new Map(rows.map(({ team_id, keys }) => [team_id, new Set(keys)]))
    readAt = startedAt
  }

  function listen(): void {
    isListening = true
    listener.on(channel, () => {
      changes += 1
      readAt = -Infinity
    })
  }

  return {
    refresh(inTransaction) {
      if (!isListening) listen()
      const age = performance.now() - readAt
      if (age < freshMs) return undefined
      // its own connection: to wait for another one could be to wait for those who wait for us
      if (inTransaction) return age < usableMs ? undefined : read(inTransaction)
      reading ??= read(ownSql).finally(() => (reading = undefined))
      if (age >= usableMs) return reading
      reading.catch((error: unknown) =>
        log.debug({ err: error }, 'the limits of teams were not read; it is tried again'),
      )
      return undefined
    },
    has: (teamId, key) => known.get(teamId)?.has(key) ?? false,
    changes: () => changes,
  }
}

/** What the operator set, read under a lock that others who ask for the same limit wait for; undefined: it is not set any more. */
export async function lockLimit(sql: Sql, teamId: string, key: LimitKey): Promise<string | undefined> {
  const [limit] = await sql<{ value: string }>`
    select trim_scale(value)::text as value from entitlements where team_id = ${teamId} and key = ${key} for update`
  return limit?.value
}
