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

/** Returns the last one, behind which there may be more. The next call continues there, since an index keeps deleted rows for a while. */
async function eraseCases(
  sql: Sql,
  { team_id, queue_id }: { team_id: string; queue_id: string },
  after: Place,
): Promise<Place | undefined> {
  const erased = await sql<Place>`
    with erased as (
      delete from cases where id = any(array(
        select id from cases
        where queue_id = ${queue_id} and team_id = ${team_id} and (created_at, id) > (${after.created_at}::timestamptz, ${after.id}::uuid)
        order by created_at, id limit ${casesAtOnce}))
      returning created_at, id
    )
    select created_at, id from erased order by created_at desc, id desc limit 1`
  return erased[0]
}

async function eraseLabels(sql: Sql, { team_id, queue_id }: { team_id: string; queue_id: string }): Promise<number> {
  const erased = await sql`
    delete from labels where id = any(array(
      select id from labels where queue_id = ${queue_id} and team_id = ${team_id} limit ${labelsAtOnce}))
    returning 1`
  return erased.length
}
