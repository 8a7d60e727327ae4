// A case trigger: an agent that works the cases of a queue, each with a run of its own.
import { part, type Sql } from '../../../base/db.ts'
import { isId } from '../../../base/ids.ts'
import type { Hooks } from '../../../kit/feature.ts'
import { resource } from '../../../kit/resources.ts'
import { Id, named, nullable, Time, Type, type Static } from '../../../kit/schema.ts'

export const triggerFields = {
  case_queue_id: Type.String({ description: 'The queue whose cases the agent works on.' }),
  enabled: Type.Boolean({ description: 'While it is false the agent is given no cases.' }),
  concurrency: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description: 'How many cases the agent may have in progress at once; null: as many as the queue allows.',
    }),
  ),
}

const NamedAgent = Type.Object({ id: Id, name: Type.String() })
type NamedAgent = Static<typeof NamedAgent>

export const conflictFields = {
  has_conflict: Type.Boolean(),
  conflicting_agents: Type.Array(NamedAgent, {
    description: 'Others with an enabled trigger on the same queue. They share its cases.',
  }),
}

export const CaseTrigger = named(
  'CaseTrigger',
  Type.Object({
    id: Id,
    agent_id: Id,
    case_queue_id: Id,
    case_queue_name: Type.String(),
    user_id: nullable(Id),
    enabled: triggerFields.enabled,
    concurrency: triggerFields.concurrency,
    ...conflictFields,
    created_at: Time,
    updated_at: Time,
  }),
)

export type CaseTrigger = Static<typeof CaseTrigger>

/** Columns of `case_triggers t join queues q on q.id = t.queue_id`. */
const triggerColumns = part`
  t.id, t.agent_id, t.queue_id as case_queue_id, q.name as case_queue_name, t.user_id, t.enabled, t.concurrency, t.created_at, t.updated_at,
  array(
    select json_build_object('id', a.id, 'name', a.name) from case_triggers o join agents a on a.id = o.agent_id
    where o.queue_id = t.queue_id and o.team_id = t.team_id and o.enabled and o.agent_id <> t.agent_id order by o.created_at, o.id
  ) as conflicting_agents`

type Row = Omit<CaseTrigger, 'has_conflict'>

const shown = (row: Row): CaseTrigger => ({ ...row, has_conflict: row.conflicting_agents.length > 0 })

export async function triggersOfAgent(sql: Sql, agentId: string, teamId: string): Promise<CaseTrigger[]> {
  const rows = await sql<Row>`
    select ${triggerColumns} from case_triggers t join queues q on q.id = t.queue_id
    where t.agent_id = ${agentId} and t.team_id = ${teamId} order by t.id`
  return rows.map(shown)
}

export async function findTrigger(sql: Sql, id: string, teamId: string): Promise<CaseTrigger[]> {
  const rows = await sql<Row>`
    select ${triggerColumns} from case_triggers t join queues q on q.id = t.queue_id where t.id = ${id} and t.team_id = ${teamId}`
  return rows.map(shown)
}

export async function agentsWithTrigger(
  sql: Sql,
  { teamId, queueId, besides }: { teamId: string; queueId: string; besides: string },
): Promise<NamedAgent[]> {
  return sql<NamedAgent>`
    select a.id, a.name from case_triggers t join agents a on a.id = t.agent_id
    where t.queue_id = ${queueId} and t.team_id = ${teamId} and t.enabled and t.agent_id <> ${besides} order by t.created_at, t.id`
}

export const noSuchQueue =
  'This team has no queue with this case_queue_id. List the queues and use the id of one of them.'

/** Locked against its deletion until the caller's transaction ends. */
export async function lockQueue(sql: Sql, teamId: string, queueId: string): Promise<boolean> {
  if (!isId(queueId)) return false
  const found = await sql`select id from queues where id = ${queueId} and team_id = ${teamId} for key share`
  return found.length > 0
}

/** A deleted agent works nothing any more. */
export const forgetCaseTrigger: NonNullable<Hooks['agentDeleted']> = async ({ sql, teamId, agentId }) => {
  await sql`delete from case_triggers where agent_id = ${agentId} and team_id = ${teamId}`
}

export const triggerResource = resource('case_trigger', findTrigger)

declare module '../../../kit/resources.ts' {
  interface Resources {
    case_trigger: CaseTrigger
  }
}
