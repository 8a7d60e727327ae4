// An agent: runs are started from it. Its builds say what it does, and one of them is live.
import { part, type Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { newestRunOfAgent, runsOfAgent } from '../../engine/counting/runCounts.ts'
import { resource } from '../../kit/resources.ts'
import { Id, named, nullable, Time, Type, type Static } from '../../kit/schema.ts'

export const Agent = named(
  'Agent',
  Type.Object({
    id: Id,
    team_id: Id,
    name: Type.String({ examples: ['Invoice triage'] }),
    description: nullable(Type.String()),
    live_build_id: nullable(Id),
    memory_enabled: Type.Boolean(),
    created_at: Time,
    updated_at: Time,
    created_by: nullable(Id),
    last_run_at: nullable(Time),
    runs_count: Type.Integer({ minimum: 0 }),
    paused_at: nullable(
      Type.Unsafe<Date | string>({
        ...Time,
        description: 'Since when no run of its live build starts. Null: it is not paused.',
      }),
    ),
    paused_reason: nullable(Type.String()),
    paused_by: nullable(
      Type.String({ ...Id, description: 'The member who paused it; null if a rule of alerts did, or nobody.' }),
    ),
    paused_by_incident_id: nullable(
      Type.String({ ...Id, description: 'The incident of alerts whose rule paused it.' }),
    ),
  }),
)

export type Agent = Static<typeof Agent>

export const AgentName = Type.String({ minLength: 1, maxLength: 100, examples: ['Invoice triage'] })
export const AgentDescription = nullable(
  Type.String({ maxLength: 2000, examples: ['Sorts incoming invoices and asks about unclear ones.'] }),
)
export const MemoryEnabled = Type.Boolean({ description: 'Whether its runs read and write the agent’s memory files.' })

export const agentColumns = part`
  agents.id, agents.team_id, agents.name, agents.description,
  (select b.id from builds b where b.agent_id = agents.id and b.status = 'live') as live_build_id,
  agents.memory_enabled, agents.created_at, agents.updated_at, agents.created_by,
  ${newestRunOfAgent} as last_run_at, ${runsOfAgent} as runs_count,
  agents.paused_at, agents.paused_reason, agents.paused_by, agents.paused_by_incident_id`

export const findAgent = (sql: Sql, id: string, teamId: string): Promise<Agent[]> => sql<Agent>`
  select ${agentColumns} from agents where id = ${id} and team_id = ${teamId} and deleted_at is null and not is_hidden`

interface NewAgent {
  teamId: string
  name: string
  description: string | null
  memoryEnabled: boolean
  createdBy: string
  isHidden?: boolean
}

/** Inserts the agent without a build. A build must follow in the same transaction, because an agent cannot run without one. */
export async function insertAgent(sql: Sql, wanted: NewAgent): Promise<string> {
  const id = newId()
  await sql`
    insert into agents (id, team_id, name, description, memory_enabled, builds_count, created_by, is_hidden)
    values (${id}, ${wanted.teamId}, ${wanted.name}, ${wanted.description}, ${wanted.memoryEnabled}, 0, ${wanted.createdBy},
      ${wanted.isHidden ?? false})`
  return id
}

export const agent = resource('agent', findAgent)

declare module '../../kit/resources.ts' {
  interface Resources {
    agent: Agent
  }
}
