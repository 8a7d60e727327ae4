// Stores a new case trigger of an agent, for the operation that makes one and for a builder's proposal that is accepted.
import { one, type Sql } from '../../../base/db.ts'
import { Fault } from '../../../base/errors.ts'
import { newId } from '../../../base/ids.ts'
import { Type, type Static } from '../../../kit/schema.ts'
import { announceQueue } from '../cases/announceQueue.ts'
import { findTrigger, lockQueue, noSuchQueue, triggerFields, type CaseTrigger } from './caseTrigger.ts'

export const NewCaseTrigger = Type.Object({
  case_queue_id: triggerFields.case_queue_id,
  enabled: triggerFields.enabled,
  concurrency: Type.Optional(triggerFields.concurrency),
})

interface Wanted {
  sql: Sql
  teamId: string
  agentId: string
  memberId: string
  body: Static<typeof NewCaseTrigger>
}

export async function insertCaseTrigger({ sql, teamId, agentId, memberId, body }: Wanted): Promise<CaseTrigger> {
  // locked against its deletion
  const agents = await sql`
    select id from agents where id = ${agentId} and team_id = ${teamId} and deleted_at is null for no key update`
  if (agents.length === 0) throw new Fault('not_found')
  if (!(await lockQueue(sql, teamId, body.case_queue_id))) throw new Fault('not_found', noSuchQueue)
  const id = newId()
  const made = await sql`
    insert into case_triggers (id, team_id, agent_id, queue_id, user_id, changed_by, enabled, concurrency)
    values (${id}, ${teamId}, ${agentId}, ${body.case_queue_id}, ${memberId}, ${memberId}, ${body.enabled}, ${body.concurrency ?? null})
    on conflict (agent_id) do nothing returning id`
  if (made.length === 0) throw new Fault('case_trigger_exists')
  if (body.enabled) await announceQueue(sql, body.case_queue_id)
  return one(findTrigger(sql, id, teamId))
}
