// Where runs are made, the monthly limits of their teams are kept: what does not fit is not made, and what is made is counted with it.
import type { Sql } from '../base/db.ts'
import { Fault } from '../base/errors.ts'
import type { Created, NewRun } from './createRun.ts'
import type { Entitlements } from './entitlements.ts'
import { countStarts, roomsOf, type Room } from './monthlyLimits.ts'

export interface Fitting {
  fitting: NewRun[]
  refused: { run: NewRun; reason: string }[]
}

export interface StartLimits {
  /** A team of these has such a limit; if none has, nothing here costs a statement. */
  concern(runs: NewRun[]): boolean
  /** Locks the teams' places until the transaction ends, so that what fits now fits then. */
  fitting(sql: Sql, runs: NewRun[]): Promise<Fitting>
  /** Starts of this team were refused a moment ago: who only looks whether there is work need not ask yet. */
  refusedLately(teamId: string): boolean
  /** After `fitting`, in its transaction: these were made. */
  count(sql: Sql, made: NewRun[]): Promise<void>
  /** Makes all of them, or refuses. */
  within(sql: Sql, runs: NewRun[], make: () => Promise<Created[]>): Promise<Created[]>
}

export function createStartLimits(entitlements: Entitlements): StartLimits {
  const refusals = new Map<string, { at: number; changes: number }>()
  const isLimited = ({ teamId }: NewRun) =>
    entitlements.has(teamId, 'monthly_runs') || entitlements.has(teamId, 'monthly_cost_usd')
  const limitedTeams = (runs: NewRun[]) => runs.filter(isLimited).map(({ teamId }) => teamId)

  async function fitting(sql: Sql, runs: NewRun[]): Promise<Fitting> {
    const limited = [...new Set(limitedTeams(runs))]
    if (limited.length === 0) return { fitting: runs, refused: [] }
    const teams = runs.map(({ teamId }) => teamId)
    const split = splitByRoom(runs, await roomsOf(sql, teams, limited))
    const refusal = { at: performance.now(), changes: entitlements.changes() }
    for (const { run } of split.refused) refusals.set(run.teamId, refusal)
    return split
  }

  const count = (sql: Sql, made: NewRun[]) => countStarts(sql, limitedTeams(made))

  return {
    refusedLately(teamId) {
      const refusal = refusals.get(teamId)
      return refusal?.changes === entitlements.changes() && performance.now() - refusal.at < refusedMs
    },
    concern: (runs) => runs.some(isLimited),
    fitting,
    count,
    async within(sql, runs, make) {
      const [refused] = (await fitting(sql, runs)).refused
      if (refused) throw new Fault('entitlement_exceeded', refused.reason)
      const created = await make()
      const made = new Set(created.map(({ id }) => id))
      await count(
        sql,
        runs.filter(({ id }) => made.has(id)),
      )
      return created
    },
  }
}

/** So much later than a new month begins do cases go out again; when a limit is changed, at once. */
const refusedMs = 5000

/** In their order: as many of each team as there is room for. */
function splitByRoom(runs: NewRun[], rooms: Map<string, Room>): Fitting {
  const split: Fitting = { fitting: [], refused: [] }
  const taken = new Map<string, number>()
  for (const run of runs) {
    const room = rooms.get(run.teamId)
    const before = taken.get(run.teamId) ?? 0
    if (room && before >= room.runs) split.refused.push({ run, reason: room.refusal })
    else {
      split.fitting.push(run)
      taken.set(run.teamId, before + 1)
    }
  }
  return split
}
