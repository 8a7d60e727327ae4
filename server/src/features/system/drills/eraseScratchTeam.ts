// Erases the scratch team of a drill with everything that it has, whoever was killed in the middle of what.
import { setTimeout as sleep } from 'node:timers/promises'
import { one, type Sql } from '../../../base/db.ts'
import { deleteRuns } from '../../../engine/ending/deleteRuns.ts'
import { stopRunsAndLog } from '../../../engine/ending/stopRunsAndLog.ts'
import type { Context } from '../../../kit/context.ts'
import { noteErased } from './drillRows.ts'

const runsAtOnce = 200
/** A process may be writing about a run that has just ended, such as its evaluation: then the next turn finds that. */
const turnsMax = 5
const pauseMs = 200
const rowsAtOnce = 5000
/** Tables that have no index by team may be large. */
const readMaxMs = 10 * 60_000

interface Erased {
  runs: number
  /** Rows that are still there. */
  left: number
}

export async function eraseScratchTeam(context: Context, drillId: string, teamId: string): Promise<Erased> {
  let runs = 0
  let left = 0
  for (let turn = 1; turn <= turnsMax; turn++) {
    runs += await eraseRuns(context, teamId)
    await eraseTables(context, teamId)
    const counted = await one(context.db.sql<{ rows: number }>`
      select coalesce(sum(rows), 0)::int8 as rows from rows_of_team(${teamId}, true)`)
    left = counted.rows
    if (left === 0) {
      await noteErased(context.db.sql, drillId)
      break
    }
    await sleep(pauseMs)
  }
  return { runs, left }
}

/**
 * A table at a time, and of each some rows in a transaction: the events of all teams wait for the oldest transaction that changes anything. What goes
 * with the team may be counted by triggers, into tables that were emptied before: so twice. First what jobs fold into others.
 */
async function eraseTables(context: Context, teamId: string): Promise<void> {
  const { sql } = context.db
  const tables = await sql<{ name: string; is_quick: boolean }>`
    select name, is_quick from tables_of_teams() where not goes_with_team order by name like '%delta%' desc, name`
  for (const turn of [1, 2]) {
    for (const { name, is_quick } of tables) if (turn === 1 || is_quick) await eraseTable(context, teamId, name)
    await patiently(context, (tx) => tx`select erase_team_itself(${teamId})`)
  }
}

/** One transaction whose statements may take as long as it takes to read large tables. */
const patiently = <T>({ db }: Context, work: (sql: Sql) => Promise<T>): Promise<T> =>
  db.transaction(async (sql) => {
    await sql`select set_config('statement_timeout', ${String(readMaxMs)}, true)`
    return work(sql)
  })

async function eraseTable(context: Context, teamId: string, name: string): Promise<void> {
  const places = await patiently(
    context,
    (sql) => sql<{ place: string }>`select place::text as place from places_of_team(${teamId}, ${name}) place`,
  )
  while (places.length > 0) {
    const some = places.splice(0, rowsAtOnce).map(({ place }) => place)
    await context.db.sql`select erase_places(${teamId}, ${name}, ${some}::text[]::tid[])`
  }
}

async function eraseRuns(context: Context, teamId: string): Promise<number> {
  let erased = 0
  for (;;) {
    const some = await context.db.transaction(async (sql) => {
      const found = await sql<{
        id: string
      }>`select id from runs where team_id = ${teamId} order by id limit ${runsAtOnce}`
      const ids = found.map(({ id }) => id)
      await stopRunsAndLog(context, sql, ids)
      return { found: ids.length, deleted: (await deleteRuns(context, sql, teamId, ids)).length }
    })
    erased += some.deleted
    // a run that stays is found by the next turn, or told as a row that is left
    if (some.deleted === 0) return erased
  }
}
