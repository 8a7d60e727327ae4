// Who may use a connection: everybody in the team if it is shared, else only its maker, while they are in the team. Every use of a
// credential checks this in the statement that reads it (credential.ts).
import { part, type Part, type Sql } from '../../../base/db.ts'
import { Fault } from '../../../base/errors.ts'
import type { Connection } from './connection.ts'

/**
 * On whose behalf a credential is used: a run's turn, a member's request, or the service's own upkeep, which shows it to nobody. A member's test
 * also tries one that needs a person, without waking anybody: it may work again.
 */
export type Behalf = { runId: string } | { memberId: string | null; isTest?: true } | 'upkeep'

/** SQL over `connections c`: a run may use a connection while everybody whom it acts for may. */
export function mayUse(behalf: Behalf): Part {
  if (behalf === 'upkeep') return part`true`
  const actsFor =
    'runId' in behalf
      ? part`(select r.acts_for from runs r where r.id = ${behalf.runId} and r.team_id = c.team_id)`
      : part`array[${behalf.memberId}::uuid]`
  return part`(c.shared or coalesce(${actsFor} = array[c.user_id] and exists (
    select from members m where m.id = c.user_id and m.team_id = c.team_id and m.removed_at is null), false))`
}

export const notForThisRun = (name: string): string =>
  `The connection ${name} is for runs that its own maker starts. Share it, or let its maker start the run; ` +
  'a run to which somebody else has spoken, or whose maker has left the team, may not use it either.'

export async function hasRight(
  sql: Sql,
  memberId: string | null,
  { id, team_id }: Pick<Connection, 'id' | 'team_id'>,
): Promise<boolean> {
  const allowed = await sql`
    select 1 from connections c where c.id = ${id} and c.team_id = ${team_id} and ${mayUse({ memberId })}`
  return allowed.length > 0
}

/** Refuses everybody but its maker to use, change or share a private connection. Anyone who may write connections can delete it. */
export async function requireRight(
  sql: Sql,
  memberId: string,
  { id, team_id, name }: Pick<Connection, 'id' | 'team_id' | 'name'>,
): Promise<void> {
  if (await hasRight(sql, memberId, { id, team_id })) return
  throw new Fault(
    'forbidden',
    `The connection ${name} is private: only its maker can use, change or share it. Ask them, or make one of your own.`,
  )
}
