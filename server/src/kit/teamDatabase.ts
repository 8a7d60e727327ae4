// The database as the requests of one team use it: teams take turns for the connections that all requests share.
//
// A slot is held for one statement or one transaction, never for a whole request: a request that waits for a worker or for somebody
// outside holds nothing. The other connections are left for credentials, runs, jobs and the sweep, whatever the requests do.
import type { Database, Sql } from '../base/db.ts'
import { teamShare } from '../base/fairPool.ts'
import type { Context } from './context.ts'
import { teamTimeOf } from './teamTime.ts'
import { runningPart } from './runningPart.ts'
import { createSharedPool } from './sharedPools.ts'

export interface TeamDatabase {
  sql: Sql
  /** The callback must not ask this database for another statement: it would hold one slot and wait for a second. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>
}

/** The part of the connections that all requests together may hold. */
const requestsPart = 0.6
/** How many statements of one team may wait; each belongs to a request that somebody waits for. */
const waitingMax = 2000
const waitMaxMs = 10_000

/** The slots of this process for statements of requests. */
export const statementSlotsOf = runningPart('statement slots', (context) => {
  const { db, config } = context
  const size = Math.max(1, Math.floor(db.connectionsMax * requestsPart))
  const perTeam = teamShare(size, config.teamShare)
  return createSharedPool(context, { name: 'the database', size, perTeam, waitingMax, waitMaxMs })
})

export function teamDatabaseOf(context: Context, teamId: string): TeamDatabase {
  const { db } = context
  const slots = statementSlotsOf(context)
  const time = teamTimeOf(context)
  return chargedDatabase(db, (work) => slots.use(teamId, () => time.inDatabase(teamId, work)))
}

/** The database as a team uses it outside of requests: its time is charged to the team, but no slot of the requests is needed. */
export function backgroundDatabaseOf(context: Context, teamId: string): TeamDatabase {
  const time = teamTimeOf(context)
  return chargedDatabase(context.db, (work) => time.inDatabase(teamId, work))
}

const chargedDatabase = (db: Database, take: <T>(work: () => Promise<T>) => Promise<T>): TeamDatabase => ({
  sql: (strings, ...values) => take(() => db.sql(strings, ...values)),
  transaction: (work) => take(() => db.transaction(work)),
})
