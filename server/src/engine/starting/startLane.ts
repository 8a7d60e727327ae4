// The start lane: starts that arrive together become one commit, with their keys, replies, audit rows, slots and claims.
import { part, waitForNoTeam, type Database, type Sql } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import { auditColumnTypes, insertAuditRows } from '../../kit/audit.ts'
import { keyColumnTypes, takeKeys } from '../../kit/idempotency.ts'
import type { StoredRows } from '../../kit/operation.ts'
import { claimedAtStart, insertedRuns, runRow, wantedRuns, type Created, type NewRun } from './createRun.ts'
import { TryAlone, type Lane, type LaneWatch } from '../../kit/lane.ts'
import { createSharedLane } from '../../kit/sharedLane.ts'
import type { KnownSlots, TeamSlots } from '../admission/knownSlots.ts'
import type { Fitting, RefusedBy, StartLimits } from './startLimits.ts'
import { countByTeam, seatsWithout, type FreeSeats, type ReservedSeats } from '../admission/seat.ts'

export interface Start {
  run: NewRun
  stored: StoredRows
}

/**
 * `gone`: agent or build are no longer as the starter saw them. `key_taken`: another request has the key. `refused`: which limit of the
 * team forbids it.
 */
export type Started = 'started' | 'gone' | 'key_taken' | { refused: string; code: RefusedBy }

interface StartLaneOptions {
  db: Database
  /** Seats of this process for runs that it can take at once. */
  reserve: (wanted: ReadonlyMap<string, number>) => ReservedSeats | undefined
  /** Runs got a slot and no worker. */
  onReady: () => void
  slots: KnownSlots
  limits: StartLimits
  /** Called after every flush with the new rows of its teams. */
  onCounted: (teams: TeamSlots[]) => void
  /** Gives a sandbox that its starter named to a run, or refuses. */
  giveSandbox: (sql: Sql, run: NewRun, sandboxId: string) => Promise<void>
  watch: LaneWatch
}

interface Row extends Created {
  outcome: Started
  team: TeamSlots | null
}

const refusedRow = ({ run, reason, code }: Fitting['refused'][number]): Row => ({
  id: run.id,
  outcome: { refused: reason, code },
  is_admitted: false,
  is_claimed: false,
  config_hash: null,
  team: null,
})

/**
 * How long a start that finds its team full waits for a slot that is about to be free, before it goes to the waitlist: there it costs a
 * write more, which makes a busy team only busier.
 */
const patienceMs = 100

export function createStartLane(options: StartLaneOptions): Lane<Start, Started> {
  return createSharedLane<Start, Started>({
    ...options.watch,
    mayGo: (start, beside, waitedMs) => mayGo(options.slots, start, beside, waitedMs),
    // one at a time: two would only wait for each other at their team's row, and one after the other carries more
    flushesMax: 1,
    // half of a team's slots: while some start, the others' writes are under way (measured: 45 % of the floor, with all at once 34 %)
    opsMax: 25,
    teamOf: ({ run }) => run.teamId,
    // two requests with one key never share a flush: the statement could not take it twice
    keyOf: ({ run, stored }) => stored.key.key ?? run.id,
    // whoever uses the sandbox may have its row, and wait for a limit themselves. A large message takes long to write, and may need its team's limit
    goesApart: ({ run }) => run.sandboxId !== null || run.large !== null,
    flush: (starts, isApart) => flush(options, starts, isApart),
  })
}

function mayGo(slots: KnownSlots, { run: { teamId, isCapped } }: Start, beside: Start[], waitedMs: number): boolean {
  // whether a capped run gets a slot is always decided on the waitlist
  if (isCapped) return true
  const free = slots.free(teamId)
  if (free === undefined || waitedMs > patienceMs || !slots.isMoving(teamId)) return true
  return beside.filter(({ run }) => run.teamId === teamId).length < free
}

async function flush(options: StartLaneOptions, starts: Start[], isApart: boolean): Promise<Started[]> {
  const { db, limits } = options
  // who may wait holds no seat that others could use now
  const seats = isApart ? undefined : options.reserve(countByTeam(starts.map(({ run }) => run.teamId)))
  let rows: Row[] = []
  try {
    const runs = starts.map(({ run }) => run)
    const isPlain = runs.every(({ sandboxId }) => sandboxId === null) && !limits.concern(runs)
    rows = isPlain
      ? await insert(options, db.sql, starts, seats)
      : await db.transaction((sql) => {
          if (!isApart) waitForNoTeam(sql)
          return insertAndGive(options, sql, starts, seats)
        })
  } finally {
    const claimed = new Map(rows.filter(({ is_claimed }) => is_claimed).map((row) => [row.id, row]))
    seats?.fill(
      starts.flatMap(({ run }) => {
        const row = claimed.get(run.id)
        return row ? [claimedAtStart(run, row.config_hash)] : []
      }),
    )
    options.onCounted(rows.flatMap(({ team }) => team ?? []))
  }
  if (rows.some(({ is_admitted, is_claimed }) => is_admitted && !is_claimed)) options.onReady()
  const outcomes = new Map(rows.map(({ id, outcome }) => [id, outcome]))
  return starts.map(({ run }) => outcomes.get(run.id) ?? 'gone')
}

function insert({ slots }: StartLaneOptions, sql: Sql, starts: Start[], seats: FreeSeats | undefined): Promise<Row[]> {
  slots.noteCounting(starts.map(({ run }) => run.teamId))
  const runs = starts.map(({ run }) => run)
  const rows = starts.map(({ run, stored }) => runRow(run, { ...stored.key, ...stored.audit }))
  return sql<Row>`
      with ${wantedRuns(rows, part`, ${keyColumnTypes}, ${auditColumnTypes}`)},
      taken as (${takeKeys(part`select * from possible`)}),
      start as (
        select p.* from possible p
        where p.key is null or exists (select from taken t where t.team_id = p.team_id and t.key = p.key)
      ),
      ${insertedRuns(seats, runs)},
      audited as (${insertAuditRows(part`start`)})
      select p.id, case when s.id is null then 'key_taken' else 'started' end as outcome, coalesce(s.is_admitted, false) as is_admitted,
        coalesce(s.is_claimed, false) as is_claimed, p.config_hash,
        (select to_json(g) from grant_ g where g.team_id = p.team_id) as team
      from possible p left join seated s on s.id = p.id`
}

/** Runs that do not fit are refused, each by itself. A start that found its key taken leaves its room to the next, so the limits are asked again. */
async function insertWithinLimits(
  options: StartLaneOptions,
  sql: Sql,
  starts: Start[],
  seats: FreeSeats | undefined,
): Promise<Row[]> {
  const { limits } = options
  const rows: Row[] = []
  for (let left = starts; ;) {
    const { fitting, refused } = await limits.fitting(
      sql,
      left.map(({ run }) => run),
    )
    const able = left.filter(({ run }) => fitting.includes(run))
    const seated = new Set(rows.filter(({ is_claimed }) => is_claimed).map(({ id }) => id))
    const claimed = starts.filter(({ run }) => seated.has(run.id)).map(({ run }) => ({ team_id: run.teamId }))
    if (able.length > 0) rows.push(...(await insert(options, sql, able, seats && seatsWithout(seats, claimed))))
    const started = new Set(rows.filter(({ outcome }) => outcome === 'started').map(({ id }) => id))
    const made = fitting.filter(({ id }) => started.has(id))
    await limits.count(sql, made)
    if (refused.length === 0 || made.length === fitting.length) return [...rows, ...refused.map(refusedRow)]
    left = left.filter(({ run }) => !fitting.includes(run))
  }
}

/** In one transaction with the runs: a run whose sandbox cannot be given is not started, and what comes with it is tried without it. */
async function insertAndGive(
  options: StartLaneOptions,
  sql: Sql,
  starts: Start[],
  seats: FreeSeats | undefined,
): Promise<Row[]> {
  const rows = await insertWithinLimits(options, sql, starts, seats)
  for (const { run } of starts) {
    const isStarted = rows.some(({ id, outcome }) => id === run.id && outcome === 'started')
    if (run.sandboxId === null || !isStarted) continue
    await options.giveSandbox(sql, run, run.sandboxId).catch((error: unknown) => {
      throw error instanceof Fault ? new TryAlone('a sandbox was refused', { cause: error }) : error
    })
  }
  return rows
}
