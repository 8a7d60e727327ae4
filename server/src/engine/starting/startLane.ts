// The start lane: starts that arrive together become one commit, with their keys, replies, audit rows, places and claims.
import { part, type Database, type Sql } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import { auditColumnTypes, insertAuditRows } from '../../kit/audit.ts'
import { keyColumnTypes, takeKeys } from '../../kit/idempotency.ts'
import type { StoredRows } from '../../kit/operation.ts'
import { heldAtBirth, insertedRuns, runRow, wantedRuns, type Created, type NewRun } from './createRun.ts'
import { createLane, TryAlone, type Lane } from '../../kit/lane.ts'
import type { Places, TeamPlaces } from '../admission/knownSlots.ts'
import type { Fitting, StartLimits } from './startLimits.ts'
import { seatWithout, type Seat, type Reserved, countByTeam } from '../admission/seat.ts'

export interface Start {
  run: NewRun
  stored: StoredRows
}

/**
 * `gone`: agent or build are no longer as the starter saw them. `key_taken`: another request has the key. `refused`: which limit of the
 * team forbids it.
 */
export type Started = 'started' | 'gone' | 'key_taken' | { refused: string }

interface StartLaneOptions {
  db: Database
  /** Places of this process for runs that it can take at once; `settle` hears which it got. */
  reserve: (wanted: ReadonlyMap<string, number>) => Reserved | undefined
  /** Runs got a place and no worker. */
  onReady: () => void
  onWritten: () => void
  places: Places
  limits: StartLimits
  /** After every flush, with the teams as it left them. */
  onCounted: (teams: TeamPlaces[]) => void
  /** Gives a sandbox that its starter named to a run, or refuses. */
  giveSandbox: (sql: Sql, run: NewRun, sandboxId: string) => Promise<void>
  onFlush: (operations: number, seconds: number) => void
}

interface Row extends Created {
  outcome: Started
  team: TeamPlaces | null
}

const refusedRow = ({ run, reason }: Fitting['refused'][number]): Row => ({
  id: run.id,
  outcome: { refused: reason },
  is_admitted: false,
  is_claimed: false,
  config_hash: null,
  team: null,
})

/**
 * A start that finds its team full waits this long for a place that is about to be free, before it stands in line: in line it costs a
 * write more, which makes a busy team only busier.
 */
const patienceMs = 100

export function createStartLane(options: StartLaneOptions): Lane<Start, Started> {
  const { db, reserve, onReady, onWritten, places, limits, onCounted, onFlush } = options

  function insert(sql: Sql, starts: Start[], seat: Seat | undefined): Promise<Row[]> {
    places.counting(starts.map(({ run }) => run.teamId))
    return sql<Row>`
      with ${wantedRuns(
        starts.map(({ run, stored }) => runRow(run, { ...stored.key, ...stored.audit })),
        part`, ${keyColumnTypes}, ${auditColumnTypes}`,
      )},
      taken as (${takeKeys(part`select * from possible`)}),
      start as (
        select p.* from possible p
        where p.key is null or exists (select from taken t where t.team_id = p.team_id and t.key = p.key)
      ),
      ${insertedRuns(
        seat,
        starts.map(({ run }) => run),
      )},
      audited as (${insertAuditRows(part`start`)})
      select p.id, case when s.id is null then 'key_taken' else 'started' end as outcome, coalesce(s.is_admitted, false) as is_admitted,
        coalesce(s.is_claimed, false) as is_claimed, p.config_hash,
        (select to_json(g) from grant_ g where g.team_id = p.team_id) as team
      from possible p left join seated s on s.id = p.id`
  }

  /** Those that do not fit are refused, each by itself. One that found its key taken leaves its room to the next, so it is asked again. */
  async function insertWithinLimits(sql: Sql, starts: Start[], seat: Seat | undefined): Promise<Row[]> {
    const rows: Row[] = []
    for (let left = starts; ;) {
      const { fitting, refused } = await limits.fitting(
        sql,
        left.map(({ run }) => run),
      )
      const able = left.filter(({ run }) => fitting.includes(run))
      const seated = new Set(rows.filter(({ is_claimed }) => is_claimed).map(({ id }) => id))
      const claimed = starts.filter(({ run }) => seated.has(run.id)).map(({ run }) => ({ team_id: run.teamId }))
      if (able.length > 0) rows.push(...(await insert(sql, able, seat && seatWithout(seat, claimed))))
      const started = new Set(rows.filter(({ outcome }) => outcome === 'started').map(({ id }) => id))
      const made = fitting.filter(({ id }) => started.has(id))
      await limits.count(sql, made)
      if (refused.length === 0 || made.length === fitting.length) return [...rows, ...refused.map(refusedRow)]
      left = left.filter(({ run }) => !fitting.includes(run))
    }
  }

  /** In one transaction with the runs: one whose sandbox is not to be had is not started, and what comes with it is tried without it. */
  async function insertAndGive(sql: Sql, starts: Start[], seat: Seat | undefined): Promise<Row[]> {
    const rows = await insertWithinLimits(sql, starts, seat)
    for (const { run } of starts) {
      const isStarted = rows.some(({ id, outcome }) => id === run.id && outcome === 'started')
      if (run.sandboxId === null || !isStarted) continue
      await options.giveSandbox(sql, run, run.sandboxId).catch((error: unknown) => {
        throw error instanceof Fault ? new TryAlone('a sandbox was refused', { cause: error }) : error
      })
    }
    return rows
  }

  return createLane<Start, Started>({
    onFlush,
    mayGo({ run: { teamId, isCapped } }, beside, waitedMs) {
      // of those the line decides in any case
      if (isCapped) return true
      const open = places.open(teamId)
      if (open === undefined || waitedMs > patienceMs || !places.isMoving(teamId)) return true
      return beside.filter(({ run }) => run.teamId === teamId).length < open
    },
    // one at a time: two would only wait for each other at their team's row, and one after the other carries more
    flushesMax: 1,
    // half of a team's places: while some start, the others' writes are under way (measured: 45 % of the floor, with all at once 34 %)
    opsMax: 25,
    teamOf: ({ run }) => run.teamId,
    // two requests with one key never share a flush: the statement could not take it twice
    keyOf: ({ run, stored }) => stored.key.key ?? run.id,
    async flush(starts) {
      const seat = reserve(countByTeam(starts.map(({ run }) => run.teamId)))
      let rows: Row[] = []
      try {
        const runs = starts.map(({ run }) => run)
        const isPlain = runs.every(({ sandboxId }) => sandboxId === null) && !limits.concern(runs)
        rows = isPlain
          ? await insert(db.sql, starts, seat)
          : await db.transaction((sql) => insertAndGive(sql, starts, seat))
      } finally {
        const claimed = new Map(rows.filter(({ is_claimed }) => is_claimed).map((row) => [row.id, row.config_hash]))
        const mine = starts.filter(({ run }) => claimed.has(run.id))
        seat?.settle(mine.map(({ run }) => heldAtBirth(run, claimed.get(run.id)!)))
        onCounted(rows.flatMap(({ team }) => team ?? []))
      }
      if (rows.some(({ is_admitted, is_claimed }) => is_admitted && !is_claimed)) onReady()
      onWritten()
      const outcomes = new Map(rows.map(({ id, outcome }) => [id, outcome]))
      return starts.map(({ run }) => outcomes.get(run.id) ?? 'gone')
    },
  })
}
