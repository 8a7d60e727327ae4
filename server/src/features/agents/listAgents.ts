// Lists the agents of a team, newest first, each with its latest build.
import { part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { named, Type } from '../../kit/schema.ts'
import { Agent, agentColumns } from './agent.ts'
import { Build, buildColumns } from './build.ts'

const ListedAgent = named(
  'ListedAgent',
  Type.Object({
    ...Agent.properties,
    latest_build: Build,
    schedules: Type.Optional(
      Type.Array(Type.Record(Type.String(), Type.Unknown()), { description: 'As listAgentSchedules gives them.' }),
    ),
  }),
)

export const listAgents = operation({
  id: 'listAgents',
  route: 'GET /v2/teams/:teamId/agents',
  summary: 'List agents',
  scope: 'agents:read',
  query: Type.Object({
    include_schedules: Type.Optional(Type.Boolean({ description: 'Whether each agent comes with its `schedules`.' })),
    ...paging(20, 100),
  }),
  status: 200,
  answer: pageOf('agents', ListedAgent),
  async handler({ team, query, sql }) {
    const from = part`agents where team_id = ${team.id} and deleted_at is null`
    const { rows, ...page } = await readPage<Agent>(sql, { columns: agentColumns, from, order: part`id desc` }, query)
    const builds = await sql<Build>`
      select ${buildColumns} from builds
        join agents on agents.id = builds.agent_id and agents.builds_count = builds.revision_number
      where builds.team_id = ${team.id} and agents.id = any(${rows.map(({ id }) => id)}::uuid[])`
    const latest = new Map(builds.map((build) => [build.agent_id, build]))
    const schedules =
      query.include_schedules === true
        ? await sql<{ agent_id: string }>`
            select id, id as schedule_id, agent_id, user_id, enabled, frequency, time, day, day_of_month, cron, timezone, message,
              recurring, overlap, catch_up, next_run_at, last_run_at, last_run_id, auto_disabled_at, auto_disabled_reason,
              last_skipped_at, last_skipped_reason, created_at,
              updated_at
            from schedules where team_id = ${team.id} and agent_id = any(${rows.map(({ id }) => id)}::uuid[]) order by id`
        : undefined
    const ofAgents = schedules && Map.groupBy(schedules, ({ agent_id }) => agent_id)
    const agents = rows.map((agent) => ({
      ...agent,
      latest_build: latest.get(agent.id)!,
      ...(ofAgents && { schedules: ofAgents.get(agent.id) ?? [] }),
    }))
    return { agents, ...page }
  },
})
