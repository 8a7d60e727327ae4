// Which teams have guardrails, and their live version. The process caches it, so that a call costs no statement and a team without rules nothing.
import { BoundedCache } from '../../base/boundedCache.ts'
import { empty, part, type Sql } from '../../base/db.ts'
import { createTeamFacts, type FactSources } from '../counting/teamFacts.ts'
import { rulesOf, type GuardrailDocument, type Rules } from './rules.ts'

/** A version is committed at most this long after its time, so whoever reads goes back this much behind what was read before. */
const overlap = '1 minute'

export interface Guardrails {
  /** The rules that are live for a team; undefined: none. Waits only where what is known is too old, or a version was never read. */
  of(teamId: string, inTransaction?: Sql): Promise<Rules | undefined> | Rules | undefined
  /** Called before `limitsStarts`; waits only where what is known is too old. */
  refresh(inTransaction?: Sql): Promise<void> | undefined
  /** Whether a rule of the team bounds its starts, as of the last refresh. */
  limitsStarts(teamId: string): boolean
  /** How many new versions this process was notified of. */
  changes(): number
}

interface Live {
  version: number
  limitsStarts: boolean
}

export function createGuardrails(sources: FactSources): Guardrails {
  const live = createTeamFacts<Live>({
    ...sources,
    name: 'the guardrails of teams',
    channel: 'guardrails',
    read: createReader(),
  })
  const rules = new BoundedCache<Rules>({ name: 'guardrails', entriesMax: 2000 })

  function known(teamId: string, sql: Sql): Promise<Rules | undefined> | Rules | undefined {
    const now = live.of(teamId)
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
    refresh: (inTransaction) => live.refresh(inTransaction),
    of(teamId, inTransaction) {
      const waiting = live.refresh(inTransaction)
      const sql = inTransaction ?? sources.sql
      return waiting ? waiting.then(() => known(teamId, sql)) : known(teamId, sql)
    },
    limitsStarts: (teamId) => live.of(teamId)?.limitsStarts ?? false,
    changes: () => live.changes(),
  }
}

/** Reads every team once, and from then on what is newer than the reading before, however long that is ago. */
function createReader() {
  let readUntil: string | undefined
  return async (sql: Sql, known: Map<string, Live>): Promise<Map<string, Live>> => {
    const { until, versions } = await versionsSince(sql, readUntil)
    for (const { team_id, version, limits_starts } of versions) {
      // two may read at once, and the one that ends last may have read first
      if (version > (known.get(team_id)?.version ?? 0)) known.set(team_id, { version, limitsStarts: limits_starts })
    }
    readUntil = until
    return known
  }
}

interface VersionRow {
  team_id: string
  version: number
  limits_starts: boolean
}

/** The newest version of each team that has one since then, and where the next reading begins. Undefined: since ever. */
export async function versionsSince(
  sql: Sql,
  since: string | undefined,
): Promise<{ until: string; versions: VersionRow[] }> {
  const recent = since === undefined ? empty : part`where created_at > ${since}::timestamptz - ${overlap}::interval`
  const rows = await sql<{ until: string } & (VersionRow | Record<keyof VersionRow, null>)>`
    select now()::text as until, g.* from (select) nothing left join (
      select distinct on (team_id) team_id, version, limits_starts from guardrails ${recent} order by team_id, version desc) g on true`
  return { until: rows[0]!.until, versions: rows.filter((row) => row.team_id !== null) }
}
