// Makes an empty replay set for an agent.
import { one } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { operation } from '../../kit/operation.ts'
import { Type, wrapped } from '../../kit/schema.ts'
import { ReplaySet, setColumns, setFields, setsMax, takenName } from './replaySet.ts'

export const createReplaySet = operation({
  id: 'createReplaySet',
  client: 'replays.createSet',
  route: 'POST /v2/agents/:agent_id/replay-sets',
  summary: 'Create a replay set',
  description: `Add recordings of runs to it with addRecordings. An agent has at most ${setsMax} sets.`,
  scope: 'evals:write',
  body: Type.Object({ name: setFields.name }, { examples: [{ name: 'Invoices of March' }] }),
  status: 201,
  answer: wrapped('replay_set', 'replay_set_id', ReplaySet),
  errors: ['conflict', 'duplicate_name', 'not_found'],
  async handler({ team, agent, caller, body, sql, fail }) {
    // locked against others who count the sets of this agent, and against its deletion
    const agents = await sql`
      select id from agents where id = ${agent.id} and team_id = ${team.id} and deleted_at is null for no key update`
    if (agents.length === 0) fail('not_found')
    const count = await one(sql<{ made: number }>`
      select count(*) as made from replay_sets where agent_id = ${agent.id} and team_id = ${team.id} and not of_suggestion`)
    if (count.made >= setsMax)
      fail('conflict', `The agent has ${setsMax} replay sets, which is the most. Delete one first.`)
    const [made] = await sql<ReplaySet>`
      insert into replay_sets as s (id, team_id, agent_id, name, created_by)
      values (${newId()}, ${team.id}, ${agent.id}, ${body.name}, ${caller.member_id})
      on conflict (agent_id, name) do nothing returning ${setColumns}`
    if (!made) return fail('duplicate_name', takenName)
    return { replay_set: made, replay_set_id: made.id }
  },
})
