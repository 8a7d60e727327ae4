// The free case that a run asks for: the one of an id, or the next of a queue. Whoever gets one has its row locked.
import { part, type Sql } from '../../../base/db.ts'
import { isId } from '../../../base/ids.ts'
import { isFree, isPending, isPostponedAndDue } from './caseLifecycle.ts'

/**
 * Among how many due cases the next one is looked for, those that are due longest. Writes of other runs wait for this, so it does not sort all
 * that are due.
 */
const dueMax = 100

interface FreeCase {
  id: string
  queue_id: string
  title: string
}

const columns = part`c.id, c.queue_id, c.title`

export async function freeCaseOfId(sql: Sql, teamId: string, id: string): Promise<FreeCase | undefined> {
  if (!isId(id)) return undefined
  const [found] = await sql<FreeCase>`
    select ${columns} from cases c where c.id = ${id} and c.team_id = ${teamId} and ${isFree} for update of c skip locked`
  return found
}

/** Due postponed ones first, then by priority, then the oldest. */
export async function nextFreeCase(sql: Sql, teamId: string, queueId: string): Promise<FreeCase | undefined> {
  const [due] = await sql<FreeCase>`
    select ${columns} from cases c
    where c.id = any(array(
        select c.id from cases c where c.queue_id = ${queueId} and ${isPostponedAndDue} order by c.postponed_to, c.id limit ${dueMax}))
      and c.team_id = ${teamId} and ${isPostponedAndDue}
    order by c.priority desc, c.created_at, c.id limit 1 for update of c skip locked`
  if (due) return due
  const [pending] = await sql<FreeCase>`
    select ${columns} from cases c where c.queue_id = ${queueId} and c.team_id = ${teamId} and ${isPending}
    order by c.priority desc, c.created_at, c.id limit 1 for update of c skip locked`
  return pending
}
