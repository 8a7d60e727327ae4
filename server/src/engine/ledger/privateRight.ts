// Who may use what a member made for the team or for themselves: everybody if it is shared, else only its maker, while they are in the team.
import { part, type Part } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'

/** SQL over a table with team_id, user_id and shared: a run may use the row while everybody whom it acts for may (decision 0024). */
export const runMayUse = (table: Part, runId: string): Part =>
  mayUse(table, part`(select r.acts_for from runs r where r.id = ${runId} and r.team_id = ${table}.team_id)`)

/** The same for a member: what their own runs may use. Null: somebody who is not known, for whom only what is shared counts. */
export const memberMayUse = (table: Part, memberId: string | null): Part =>
  mayUse(table, part`array[${memberId}::uuid]`)

const mayUse = (table: Part, actsFor: Part): Part => part`
  (${table}.shared or coalesce(${actsFor} = array[${table}.user_id] and exists (
    select from members m where m.id = ${table}.user_id and m.team_id = ${table}.team_id and m.removed_at is null), false))`

interface Owned {
  id: string
  team_id: string
  name: string
  user_id: string | null
  shared: boolean
}

/** Refuses everybody but its maker to change or share what is private. Anyone who may write it can delete it. */
export function requireOwn(noun: string, { shared, user_id, name }: Owned, memberId: string): void {
  if (shared || user_id === memberId) return
  throw new Fault(
    'forbidden',
    `The ${noun} ${name} is private: only its maker can change or share it. Ask them, or make one of your own.`,
  )
}

export const notForThisRun = (noun: string, name: string): string =>
  `The ${noun} ${name} is for runs that its own maker starts. Share it, or let its maker start the run; ` +
  'a run to which somebody else has spoken, or whose maker has left the team, may not use it either.'
