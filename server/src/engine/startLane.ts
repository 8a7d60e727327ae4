// The start lane: starts that arrive together become one commit, with their keys, replies, audit rows, places and claims.
import { part, type Database } from '../base/db.ts'
import { insertAuditRows } from '../kit/audit.ts'
import { keyColumnTypes, takeKeys } from '../kit/idempotency.ts'
import type { StoredRows } from '../kit/operation.ts'
import { heldAtBirth, insertedRuns, runRow, wantedRuns, type Created, type NewRun } from './createRun.ts'
import type { Reserved } from './holder.ts'
import { createLane, type Lane } from './lane.ts'

export interface Start {
  run: NewRun
  stored: StoredRows
}

/** `gone`: agent or build are no longer as the starter saw them. `key_taken`: another request has the key. */
export type Started = 'started' | 'gone' | 'key_taken'

interface StartLaneOptions {
  db: Database
  /** Places of this process for runs that it can take at once; `settle` hears which it got. */
  reserve: (wanted: number) => Reserved | undefined
  /** Runs got a place and no worker. */
  onReady: () => void
  onWritten: () => void
  onFlush: (operations: number, seconds: number) => void
}

interface Row extends Created {
  outcome: Started
}

export function createStartLane({ db, reserve, onReady, onWritten, onFlush }: StartLaneOptions): Lane<Start, Started> {
  return createLane<Start, Started>({
    onFlush,
    // one at a time: two would only wait for each other at their team's row, and one after the other carries more
    flushesMax: 1,
    // two requests with one key never share a flush: the statement could not take it twice
    keyOf: ({ run, stored }) => (stored.key as { key: string | null }).key ?? run.id,
    async flush(starts) {
      const seat = reserve(starts.length)
      let rows: Row[] = []
      try {
        rows = await db.sql<Row>`
          with ${wantedRuns(
            starts.map(({ run, stored }) => runRow(run, { ...stored.key, audit: stored.audit })),
            part`, ${keyColumnTypes}, audit jsonb`,
          )},
          taken as (${takeKeys(part`select * from possible`)}),
          start as (
            select p.* from possible p
            where p.key is null or exists (select from taken t where t.team_id = p.team_id and t.key = p.key)
          ),
          ${insertedRuns(seat)},
          audited as (${insertAuditRows(part`select audit from start`)})
          select p.id, case when s.id is null then 'key_taken' else 'started' end as outcome, coalesce(s.is_admitted, false) as is_admitted,
            coalesce(s.is_claimed, false) as is_claimed
          from possible p left join seated s on s.id = p.id`
      } finally {
        const claimed = new Set(rows.filter(({ is_claimed }) => is_claimed).map(({ id }) => id))
        seat?.settle(starts.filter(({ run }) => claimed.has(run.id)).map(({ run }) => heldAtBirth(run)))
      }
      if (rows.some(({ is_admitted, is_claimed }) => is_admitted && !is_claimed)) onReady()
      onWritten()
      const outcomes = new Map(rows.map(({ id, outcome }) => [id, outcome]))
      return starts.map(({ run }) => outcomes.get(run.id) ?? 'gone')
    },
  })
}
