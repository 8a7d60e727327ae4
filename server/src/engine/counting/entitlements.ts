// Entitlements: which limits the operator set for which teams. The process caches them, so that a team without limits costs nothing.
import type { Sql } from '../../base/db.ts'
import type { Log } from '../../base/log.ts'
import type { Listener } from '../../kit/listener.ts'

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

/** A trigger notifies here of every change of a limit. */
const channel = 'entitlements'
/** How old the known limits may be before they are read again in the background. */
const freshMs = 2000
/** How old they may be before a caller waits for them: a notification may be lost, or the process may have been paused. `settleS` relies on it. */
const usableMs = 5000

/** How many seconds after a limit was set every process knows of it and counts what it does. */
export const limitKnownAfterS = 10

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
    // a change that was announced while this was read may not be in it
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
      // it reads on the caller's own connection: whoever waits for another one may wait for those who wait for us
      if (inTransaction) return age < usableMs ? undefined : read(inTransaction)
      reading ??= read(ownSql).finally(() => (reading = undefined))
      if (age >= usableMs) return reading
      reading.catch((error: unknown) => log.debug({ err: error }, 'the limits of teams were not read; will retry'))
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
