// A page of agents, newest first, each with its latest build: all of the team, or those that a search finds.
import { empty, part, type Part, type Sql } from '../../base/db.ts'
import { listed, longText } from '../../kit/pageBytes.ts'
import { readLongRows, readPage } from '../../kit/paging.ts'
import { named, Type } from '../../kit/schema.ts'
import { Agent, agentColumns } from './agent.ts'
import { Build, listedBuildColumns, longConfig } from './builds/build.ts'

export const ListedAgent = named(
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

interface Asked {
  teamId: string
  /** A further condition on a row of `agents`. */
  where?: Part
  page: { limit: number; offset: number }
  hasSchedules?: boolean
}

/** All conditions are those of the index agents_shown, which has the order too; `where` is asked of each row on the way. */
export async function readAgents(sql: Sql, { teamId, where, page, hasSchedules = false }: Asked) {
  const from = part`agents where team_id = ${teamId} and deleted_at is null and not is_hidden ${where ? part`and ${where}` : empty}`
  const { rows, ...shown } = await readPage<Agent>(sql, { columns: agentColumns, from, order: part`id desc` }, page)
  const ids = rows.map(({ id }) => id)
  const builds = await readLongRows<Build>(sql, {
    table: part`builds`,
    where: part`builds.team_id = ${teamId} and (builds.agent_id, builds.revision_number) in (
      select id, builds_count from agents where team_id = ${teamId} and id = any(${ids}::uuid[]))`,
    order: part`builds.agent_id desc`,
    columns: listedBuildColumns,
    long: [longConfig],
  })
  const latest = new Map(builds.map((build) => [build.agent_id, build]))
  const schedules = hasSchedules ? await readSchedules(sql, teamId, ids) : undefined
  const agents = rows.map((agent) => ({
    ...agent,
    latest_build: latest.get(agent.id)!,
    ...(schedules && { schedules: schedules.get(agent.id) ?? [] }),
  }))
  return { agents, ...shown }
}

async function readSchedules(sql: Sql, teamId: string, agentIds: string[]) {
  const schedules = await readLongRows<{ agent_id: string; truncated?: boolean }>(sql, {
    table: part`schedules`,
    where: part`team_id = ${teamId} and agent_id = any(${agentIds}::uuid[])`,
    order: part`schedules.id`,
    columns: part`schedules.id, schedules.id as schedule_id, agent_id, user_id, enabled, frequency, time, day, day_of_month, cron, timezone,
      ${listed(scheduleMessage)} as message, recurring, overlap, catch_up, next_run_at, last_run_at, last_run_id, auto_disabled_at,
      auto_disabled_reason, last_skipped_at, last_skipped_reason, created_at, updated_at`,
    long: [scheduleMessage],
  })
  return Map.groupBy(schedules, ({ agent_id }) => agent_id)
}
