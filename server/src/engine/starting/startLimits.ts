// Checks the limits of teams where runs are created: monthly limits, bounds of a day by guardrails, and the limit of storage for large messages.
import { BoundedCache } from '../../base/boundedCache.ts'
import type { Sql } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import type { Created, NewRun } from './createRun.ts'
import type { Entitlements } from '../counting/entitlements.ts'
import { countStarts, lockSlots, roomsOf, type MonthlyRoom } from '../counting/monthlyLimits.ts'
import type { StorageLimit, StorageRoom } from '../counting/storageLimit.ts'
import { countDayStarts, dayRoom } from '../guardrails/dayBounds.ts'
import type { Guardrails } from '../guardrails/liveRules.ts'
import type { RunMetrics } from '../../kit/runMetrics.ts'

export interface Fitting {
  fitting: NewRun[]
  refused: { run: NewRun; reason: string; code: RefusedBy }[]
}

/** Whose limit it is: the operator's, or the team's own. */
export type RefusedBy = 'entitlement_exceeded' | 'guardrail_reached'

export interface StartLimits {
  /** Whether a team of these runs has such a limit; if none has, nothing here costs a statement. */
  concern(runs: NewRun[]): boolean
  /** Locks the rows of those limits and then the teams' slots until the transaction ends, so that what fits now fits then. */
  fitting(sql: Sql, runs: NewRun[]): Promise<Fitting>
  /** Starts of this team were refused a moment ago: a caller that only checks whether there is work need not ask yet. */
  refusedLately(teamId: string): boolean
  /** Counts the runs that were created, after `fitting` in its transaction. */
  count(sql: Sql, made: NewRun[]): Promise<void>
  /** Creates all of them, or refuses. */
  within<Made extends Created>(sql: Sql, runs: NewRun[], make: () => Promise<Made[]>): Promise<Made[]>
}

interface Guarded {
  guardrails: Guardrails
  stopped: RunMetrics['guardrailStops']
}

interface Options extends Guarded {
  entitlements: Entitlements
  storage: StorageLimit
}

export function createStartLimits({ entitlements, storage, ...guarded }: Options): StartLimits {
  const { guardrails } = guarded
  const refusals = new BoundedCache<{ at: number; changes: number }>({ name: 'refused starts', entriesMax: 10_000 })
  const changes = () => entitlements.changes() + guardrails.changes()
  const isLimited = ({ teamId }: NewRun) =>
    entitlements.has(teamId, 'monthly_runs') || entitlements.has(teamId, 'monthly_cost_usd')
  const isLarge = ({ teamId, large }: NewRun) => large !== null && storage.concerns(teamId)
  /** Runs whose messages the default limit has counted: the limit is asked about them again when they are created. */
  const stored = new WeakSet<NewRun>()
  const limitedTeams = (runs: NewRun[]) => runs.filter(isLimited).map(({ teamId }) => teamId)

  async function fitting(sql: Sql, runs: NewRun[]): Promise<Fitting> {
    const rooms = await storageRooms(sql, runs)
    const byMonth = await fittingMonth(sql, runs)
    const byDay = await fittingDay(guarded, sql, byMonth.fitting)
    const byStorage = fittingStorage(byDay.fitting, rooms)
    const split = { fitting: byStorage.fitting, refused: [...byMonth.refused, ...byDay.refused, ...byStorage.refused] }
    const refusal = { at: performance.now(), changes: changes() }
    for (const { run } of split.refused) refusals.set(run.teamId, refusal)
    return split
  }

  const isToStore = (run: NewRun) => isLarge(run) && !stored.has(run)

  /** Before any slots, as every write does: each run that ends needs its team's slots, and whoever has them waits for no limit. In one order. */
  async function storageRooms(sql: Sql, runs: NewRun[]): Promise<Map<string, StorageRoom>> {
    const rooms = new Map<string, StorageRoom>()
    const teams = new Set(runs.filter(isToStore).map(({ teamId }) => teamId))
    for (const teamId of [...teams].toSorted()) {
      const room = await storage.room(sql, teamId)
      if (room) rooms.set(teamId, room)
    }
    return rooms
  }

  function fittingStorage(runs: NewRun[], rooms: Map<string, StorageRoom>): Fitting {
    const split: Fitting = { fitting: [], refused: [] }
    for (const run of runs) {
      const reason = run.large && isToStore(run) ? rooms.get(run.teamId)?.take(run.large.bytes) : undefined
      if (reason !== undefined) split.refused.push({ run, reason, code: 'entitlement_exceeded' })
      else split.fitting.push(run)
      if (reason === undefined && !storage.isOwn(run.teamId)) stored.add(run)
    }
    return split
  }

  async function fittingMonth(sql: Sql, runs: NewRun[]): Promise<Fitting> {
    const limited = [...new Set(limitedTeams(runs))]
    if (limited.length === 0) return { fitting: runs, refused: [] }
    const teams = runs.map(({ teamId }) => teamId)
    return splitByRoom(runs, await roomsOf(sql, teams, limited), 'entitlement_exceeded')
  }

  async function count(sql: Sql, made: NewRun[]): Promise<void> {
    await countStarts(sql, limitedTeams(made))
    await countDayStarts(sql, guardedTeams(guarded, made))
  }

  return {
    refusedLately(teamId) {
      const refusal = refusals.get(teamId)
      return refusal?.changes === changes() && performance.now() - refusal.at < refusedMs
    },
    concern: (runs) => runs.some((run) => isLimited(run) || guardrails.limitsStarts(run.teamId) || isLarge(run)),
    fitting,
    count,
    async within(sql, runs, make) {
      const [refused] = (await fitting(sql, runs)).refused
      if (refused) throw new Fault(refused.code, refused.reason)
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

/** How long after a refusal a team counts as refused. Cases are dispatched again this much after a new month or day begins; when a limit changes, at once. */
const refusedMs = 5000

const guardedTeams = ({ guardrails }: Guarded, runs: NewRun[]): string[] =>
  runs.map(({ teamId }) => teamId).filter((teamId) => guardrails.limitsStarts(teamId))

/** What the guardrails of teams leave of these, under the same lock. */
async function fittingDay(guarded: Guarded, sql: Sql, runs: NewRun[]): Promise<Fitting> {
  const teams = [...new Set(guardedTeams(guarded, runs))]
  if (teams.length === 0) return { fitting: runs, refused: [] }
  await lockSlots(
    sql,
    runs.map(({ teamId }) => teamId),
  )
  const rooms = new Map<string, Room>()
  for (const teamId of teams) {
    const rules = await guarded.guardrails.of(teamId, sql)
    const room = rules && (await dayRoom(sql, teamId, rules))
    if (room) rooms.set(teamId, room)
  }
  const split = splitByRoom(runs, rooms, 'guardrail_reached')
  for (const { run } of split.refused) guarded.stopped.inc({ rule: rooms.get(run.teamId)?.rule ?? '', way: 'refused' })
  return split
}

/** What a team may still start, and what whoever does not fit reads. */
interface Room extends MonthlyRoom {
  rule?: string
}

/** Takes runs in their order, as many of each team as there is room for. */
function splitByRoom(runs: NewRun[], rooms: Map<string, Room>, code: RefusedBy): Fitting {
  const split: Fitting = { fitting: [], refused: [] }
  const taken = new Map<string, number>()
  for (const run of runs) {
    const room = rooms.get(run.teamId)
    const before = taken.get(run.teamId) ?? 0
    if (room && before >= room.runs) split.refused.push({ run, reason: room.refusal, code })
    else {
      split.fitting.push(run)
      taken.set(run.teamId, before + 1)
    }
  }
  return split
}
