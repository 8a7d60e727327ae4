// The free case that a run asks for: the one of an id, or the next of a queue. Whoever gets one has its row locked.
import { part, type Sql } from '../../../base/db.ts'
import { isId } from '../../../base/ids.ts'
import { isFree, isPending } from './caseLifecycle.ts'
import { dueCases } from './dueCases.ts'

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
  const where = part`c.queue_id = ${queueId} and c.team_id = ${teamId}`
  const [due] = await sql<FreeCase>`with ${dueCases({ columns, where, max: 1 })} select id, queue_id, title from due`
  if (due) return due
  const [pending] = await sql<FreeCase>`
    select ${columns} from cases c where ${where} and ${isPending}
    order by c.priority desc, c.created_at, c.id limit 1 for update of c skip locked`
  return pending
}
