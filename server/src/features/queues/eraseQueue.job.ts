// Erases the cases and labels of a deleted queue, a few in each transaction, so that nobody waits for it.
import type { Sql } from '../../base/db.ts'
import { job } from '../../kit/job.ts'
import { Id, Type } from '../../kit/schema.ts'

const casesAtOnce = 1000
const labelsAtOnce = 5000

const Deleted = Type.Object({ team_id: Id, queue_id: Id })

interface Place {
  created_at: Date | string
  id: string
}

export const eraseQueue = job({
  name: 'eraseQueue',
  input: Deleted,
  safeToRepeat: 'what is erased is not found a second time',
  async handler({ input, sql, signal }) {
    const first: Place = { created_at: '-infinity', id: '00000000-0000-0000-0000-000000000000' }
    for (let after: Place | undefined = first; after;) {
      signal.throwIfAborted()
      after = await eraseCases(sql, input, after)
    }
    for (let gone = labelsAtOnce; gone === labelsAtOnce;) {
      signal.throwIfAborted()
      gone = await eraseLabels(sql, input)
    }
  },
})

/**
 * Returns the last one, behind which there may be more. The next call continues there, since an index keeps deleted rows for a while. What was looked for
 * counts, not what was deleted here: others delete cases at the same time.
 */
async function eraseCases(
  sql: Sql,
  { team_id, queue_id }: { team_id: string; queue_id: string },
  after: Place,
): Promise<Place | undefined> {
  const [last] = await sql<Place>`
    with slice as materialized (
      select created_at, id from cases
      where queue_id = ${queue_id} and team_id = ${team_id} and (created_at, id) > (${after.created_at}::timestamptz, ${after.id}::uuid)
      order by created_at, id limit ${casesAtOnce}
    ),
    erased as (
      delete from cases where id = any(array(select id from slice))
    )
    select created_at, id from slice order by created_at desc, id desc limit 1`
  return last
}

/** Returns how many there were to delete. */
async function eraseLabels(sql: Sql, { team_id, queue_id }: { team_id: string; queue_id: string }): Promise<number> {
  const found = await sql`
    with slice as materialized (
      select id from labels where queue_id = ${queue_id} and team_id = ${team_id} limit ${labelsAtOnce}
    ),
    erased as (
      delete from labels where id = any(array(select id from slice))
    )
    select from slice`
  return found.length
}
