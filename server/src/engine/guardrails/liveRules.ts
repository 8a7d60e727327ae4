// Which teams have guardrails, and their live version. The process caches it, so that a call costs no statement and a team without rules nothing.
import { BoundedCache } from '../../base/boundedCache.ts'
import { empty, part, type Sql } from '../../base/db.ts'
import type { Log } from '../../base/log.ts'
import type { Listener } from '../../kit/listener.ts'
import { rulesOf, type GuardrailDocument, type Rules } from './rules.ts'

/** A trigger notifies here of every new version. */
const channel = 'guardrails'
/**
 * How old what is known may be before it is read again in the background, and before a caller waits for it. A notification may be lost; where
 * none reach us, a change must still count within about a second.
 */
const hearing = { freshMs: 2000, usableMs: 5000 }
const deaf = { freshMs: 500, usableMs: 1000 }
/** Versions that are older than this are known already, unless nothing is. A version is committed seconds after its time at the latest. */
const overlapS = 60

export interface Guardrails {
  /** The rules that are live for a team; undefined: none. Waits only where what is known is too old, or a version was never read. */
  of(teamId: string, inTransaction?: Sql): Promise<Rules | undefined> | Rules | undefined
  /** Called before `limitsStarts`; waits only where what is known is too old. */
  refresh(inTransaction?: Sql): Promise<void> | undefined
  /** Whether a rule of the team bounds its starts, as of the last refresh. */
  limitsStarts(teamId: string): boolean
}

interface Live {
  version: number
  limitsStarts: boolean
}

interface Options {
  sql: Sql
  listener: Listener
  log: Log
}

export function createGuardrails({ sql: ownSql, listener, log }: Options): Guardrails {
  const live = new Map<string, Live>()
  const rules = new BoundedCache<Rules>({ name: 'guardrails', entriesMax: 2000 })
  let readAt = -Infinity
  let isRead = false
  let changes = 0
  let reading: Promise<void> | undefined
  let isListening = false

  async function read(sql: Sql): Promise<void> {
    const startedAt = performance.now()
    const changesSeen = changes
    const recent = isRead ? part`where created_at > now() - make_interval(secs => ${overlapS})` : empty
    const rows = await sql<{ team_id: string; version: number; limits_starts: boolean }>`
      select distinct on (team_id) team_id, version, limits_starts from guardrails ${recent} order by team_id, version desc`
    for (const { team_id, version, limits_starts } of rows) live.set(team_id, { version, limitsStarts: limits_starts })
    isRead = true
    // what was announced while this was read may not be in it
    if (changes === changesSeen) readAt = startedAt
    else await read(sql)
  }

  function listen(): void {
    isListening = true
    listener.on(channel, () => {
      changes += 1
      readAt = -Infinity
    })
  }

  function refresh(inTransaction?: Sql): Promise<void> | undefined {
    if (!isListening) listen()
    const age = performance.now() - readAt
    const { freshMs, usableMs } = listener.hears(channel) ? hearing : deaf
    if (age < freshMs) return undefined
    // it reads on the caller's own connection: whoever waits for another one may wait for those who wait for us
    if (inTransaction) return age < usableMs ? undefined : read(inTransaction)
    reading ??= read(ownSql).finally(() => (reading = undefined))
    if (age >= usableMs) return reading
    reading.catch((error: unknown) => log.debug({ err: error }, 'the guardrails of teams were not read; will retry'))
    return undefined
  }

  function known(teamId: string, sql: Sql): Promise<Rules | undefined> | Rules | undefined {
    const now = live.get(teamId)
    if (!now) return undefined
    const cached = rules.get(teamId)
    return cached?.version === now.version ? cached : readVersion(sql, teamId, now.version)
  }

  async function readVersion(sql: Sql, teamId: string, version: number): Promise<Rules | undefined> {
    const [row] = await sql<{ rules: GuardrailDocument; created_at: Date }>`
      select rules, created_at from guardrails where team_id = ${teamId} and version = ${version}`
    if (!row) return undefined
    const found = rulesOf(row.rules, version, row.created_at)
    rules.set(teamId, found)
    return found
  }

  return {
    refresh,
    of(teamId, inTransaction) {
      const waiting = refresh(inTransaction)
      const sql = inTransaction ?? ownSql
      return waiting ? waiting.then(() => known(teamId, sql)) : known(teamId, sql)
    },
    limitsStarts: (teamId) => live.get(teamId)?.limitsStarts ?? false,
  }
}
