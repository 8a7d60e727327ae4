// Lists the agents of a team, newest first, each with its latest build.
import { part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { listed, longText } from '../../kit/pageBytes.ts'
import { pageOf, paging, readLongRows, readPage } from '../../kit/paging.ts'
import { named, Type } from '../../kit/schema.ts'
import { hasWords, searchField } from '../../kit/search.ts'
import { Agent, agentColumns } from './agent.ts'
import { Build, listedBuildColumns, longConfig } from './builds/build.ts'

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

const scheduleMessage = longText(part`schedules.message`)

export const listAgents = operation({
  id: 'listAgents',
  client: 'agents.list',
  route: 'GET /v2/teams/:teamId/agents',
  summary: 'List agents',
  scope: 'agents:read',
  query: Type.Object({
    search: Type.Optional(searchField('name and description')),
    include_schedules: Type.Optional(Type.Boolean({ description: 'Whether each agent comes with its `schedules`.' })),
    ...paging(20, 100),
  }),
  status: 200,
  answer: pageOf('agents', ListedAgent),
  async handler({ team, query, sql }) {
    const isFound = hasWords(part`concat_ws(' ', agents.name, agents.description)`, query.search)
    const from = part`agents where team_id = ${team.id} and deleted_at is null and not is_hidden and ${isFound}`
    const { rows, ...page } = await readPage<Agent>(sql, { columns: agentColumns, from, order: part`id desc` }, query)
    const ids = rows.map(({ id }) => id)
    const builds = await readLongRows<Build>(sql, {
      table: part`builds`,
      where: part`builds.team_id = ${team.id} and (builds.agent_id, builds.revision_number) in (
        select id, builds_count from agents where team_id = ${team.id} and id = any(${ids}::uuid[]))`,
      order: part`builds.agent_id desc`,
      columns: listedBuildColumns,
      long: [longConfig],
    })
    const latest = new Map(builds.map((build) => [build.agent_id, build]))
    const schedules =
      query.include_schedules === true
        ? await readLongRows<{ agent_id: string; truncated?: boolean }>(sql, {
            table: part`schedules`,
            where: part`team_id = ${team.id} and agent_id = any(${ids}::uuid[])`,
            order: part`schedules.id`,
            columns: part`schedules.id, schedules.id as schedule_id, agent_id, user_id, enabled, frequency, time, day, day_of_month, cron, timezone,
              ${listed(scheduleMessage)} as message, recurring, overlap, catch_up, next_run_at, last_run_at, last_run_id, auto_disabled_at,
              auto_disabled_reason, last_skipped_at, last_skipped_reason, created_at, updated_at`,
            long: [scheduleMessage],
          })
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
