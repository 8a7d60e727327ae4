// On whose behalf a run acts: the members who have instructed it since it began, or since it was started again. A right that belongs to one
// person, such as the use of a private connection, is the run's only while it acts for that person alone. Decision 0024 says who counts and why.
import { part, type Part, type Sql } from '../../base/db.ts'

/** SQL for a column of members with one more; each member is in it once. */
export const withMember = (column: Part, memberId: string | null): Part => part`
  case when ${memberId}::uuid is null or ${memberId}::uuid = any(${column}) then ${column} else ${column} || ${memberId}::uuid end`

export async function readActsFor(sql: Sql, runId: string): Promise<string[]> {
  const [run] = await sql<{ acts_for: string[] }>`select acts_for from runs where id = ${runId}`
  return run?.acts_for ?? []
}

/** From now on the run acts on behalf of this member too. The caller has locked its row. */
export async function followMember(sql: Sql, runId: string, memberId: string): Promise<void> {
  await sql`update runs set acts_for = ${withMember(part`acts_for`, memberId)} where id = ${runId}`
}

/** With the result of a sub-run, its parent acts on behalf of everyone who instructed the sub-run. */
export async function followSubRun(sql: Sql, parentId: string, childId: string): Promise<void> {
  await sql`
    update runs p set acts_for = array(select distinct m from unnest(p.acts_for || c.acts_for) as m)
    from runs c where p.id = ${parentId} and c.id = ${childId} and not c.acts_for <@ p.acts_for`
}
