// Erases the scratch team of a drill with everything that it has, whoever was killed in the middle of what.
import { setTimeout as sleep } from 'node:timers/promises'
import { one } from '../../../base/db.ts'
import { deleteRuns } from '../../../engine/ending/deleteRuns.ts'
import { stopRunsAndLog } from '../../../engine/ending/stopRunsAndLog.ts'
import type { Context } from '../../../kit/context.ts'
import { noteErased } from './drillRows.ts'

const runsAtOnce = 200
/** A process may be writing about a run that has just ended, such as its evaluation: then the next turn finds that. */
const turnsMax = 5
const pauseMs = 200
/** It reads tables that have no index by team, which may be large. */
const eraseMaxMs = 10 * 60_000

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
    await context.db.transaction(async (sql) => {
      await sql`select set_config('statement_timeout', ${String(eraseMaxMs)}, true)`
      await sql`select erase_team(${teamId})`
    })
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
