// Takes a deleted label off the cases that carried it, some in each transaction.
import type { Sql } from '../../../base/db.ts'
import { job } from '../../../kit/job.ts'
import { Id, Type, type Static } from '../../../kit/schema.ts'

export const linksAtOnce = 1000

const Gone = Type.Object({
  team_id: Id,
  label_id: Id,
  /** Who deleted it. */
  user_id: Id,
  /** For the timelines: the label itself can no longer be read. */
  name: Type.String(),
})

export async function eraseSomeLinks(
  sql: Sql,
  { team_id, label_id, user_id, name }: Static<typeof Gone>,
): Promise<number> {
  const links = await sql<{ case_id: string }>`
    select case_id from case_labels where label_id = ${label_id} order by created_at, case_id limit ${linksAtOnce}`
  const cases = links.map(({ case_id }) => case_id)
  // a case before its links, as everybody locks them
  await sql`select from cases where id = any(${cases}::uuid[]) and team_id = ${team_id} order by id for update`
  const erased = await sql<{ case_id: string }>`
    delete from case_labels where label_id = ${label_id} and case_id = any(${cases}::uuid[]) returning case_id`
  await sql`
    with changed as (
      update cases set updated_at = now() where id = any(${erased.map(({ case_id }) => case_id)}::uuid[]) and team_id = ${team_id}
      returning id
    )
    insert into case_events (id, team_id, case_id, type, user_id, reason)
    select new_id(), ${team_id}, id, 'labels_changed', ${user_id}, ${`The label ${name} was deleted.`} from changed`
  return cases.length
}

export const eraseLabel = job({
  name: 'eraseLabel',
  input: Gone,
  safeToRepeat: 'what is taken off is not found a second time',
  async handler({ input, context, signal }) {
    for (let gone = linksAtOnce; gone === linksAtOnce;) {
      signal.throwIfAborted()
      gone = await context.db.transaction((sql) => eraseSomeLinks(sql, input))
    }
  },
})
