// The agents that figures speak of: found by name or id, and named.
import { part, type Part, type Sql } from '../../base/db.ts'
import { isId } from '../../base/ids.ts'
import { allAgents } from '../../engine/counting/runCounts.ts'
import { Type } from '../../kit/schema.ts'
import { Unfit } from './span.ts'

export const agentField = Type.Optional(
  Type.String({ minLength: 1, maxLength: 200, description: 'Only this agent: its name or its id.' }),
)

/** The id of the agent that is asked for; undefined: all of them. */
export async function agentIdOf(sql: Sql, teamId: string, asked: string | undefined): Promise<string | undefined> {
  if (asked === undefined) return undefined
  const [known] = isId(asked)
    ? await sql<{ id: string }>`select id from agents where id = ${asked} and team_id = ${teamId} and not is_hidden`
    : []
  if (known) return known.id
  const named = await sql<{ id: string }>`
    select id from agents where team_id = ${teamId} and name = ${asked} and deleted_at is null and not is_hidden limit 2`
  if (named.length > 1) throw new Unfit(`More than one agent is called ${JSON.stringify(asked)}. Give its id.`)
  const [only] = named
  if (!only) throw new Unfit(`There is no agent with the name or id ${JSON.stringify(asked)}.`)
  return only.id
}

/** Names by id, also those of deleted agents. A hidden one has the name of an artifact, which may be private to somebody. */
export async function namesOf(sql: Sql, teamId: string, ids: string[]): Promise<Map<string, string>> {
  const rows = await sql<{ id: string; name: string }>`
    select id, case when is_hidden then 'Artifact' else name end as name from agents where team_id = ${teamId} and id = any(${ids}::uuid[])`
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** SQL: the ids of the agents that have runs, deleted ones too. The index of the counts gives each agent at once. */
export const agentsWithRuns = (teamId: string): Part => part`
  select agent_id from run_counts where team_id = ${teamId} and unit = 'all' and agent_id <> ${allAgents}
  union
  select agent_id from run_count_deltas where team_id = ${teamId} and source <> 'artifact'`
