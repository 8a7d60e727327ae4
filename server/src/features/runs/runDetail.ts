// What belongs to a run: its build, its requests, the runs it started, where its events go.
import { one, type Sql } from '../../base/db.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'
import { buildStatuses } from '../../kit/states.ts'
import { RunStatus } from './run.ts'

/** The agent and the build as their own feature gives them; a feature does not import another's schemas. */
export const AgentOfRun = named(
  'AgentOfRun',
  Type.Object({
    id: Id,
    team_id: Id,
    name: Type.String(),
    description: nullable(Type.String()),
    live_build_id: nullable(Id),
    memory_enabled: Type.Boolean(),
    created_at: Time,
    updated_at: Time,
    created_by: nullable(Id),
    last_run_at: nullable(Time),
    runs_count: Type.Integer({ minimum: 0 }),
    paused_at: nullable(Time),
    paused_reason: nullable(Type.String()),
    paused_by: nullable(Id),
    paused_by_incident_id: nullable(Id),
  }),
)

export const BuildOfRun = named(
  'BuildOfRun',
  Type.Object({
    id: Id,
    agent_id: Id,
    name: Type.String(),
    revision_number: Type.Integer({ minimum: 1 }),
    revision_name: nullable(Type.String()),
    revision_description: nullable(Type.String()),
    status: oneOf(buildStatuses),
    config: Type.Record(Type.String(), Type.Unknown()),
    parent_build_id: nullable(Id),
    created_by: nullable(Id),
    created_at: Time,
    updated_at: Time,
    published_at: nullable(Time),
  }),
)

export const SubRun = named(
  'SubRun',
  Type.Object({
    id: Id,
    status: RunStatus,
    title: Type.String(),
    agent: Type.Object({ id: Id, name: Type.String() }),
    created_at: Time,
    completed_at: nullable(Time),
  }),
)

/** The events that a run's own callback gets (events.md, "Two kinds of target"). */
const callbackEvents = [
  'run.started',
  'run.paused',
  'run.completed',
  'run.failed',
  'human_request.created',
  'human_request.responded',
] as const

export const Callback = named(
  'Callback',
  Type.Object({ url: Type.String(), events: Type.Array(oneOf(callbackEvents)) }),
)

export const callbackOf = (url: string | null): Static<typeof Callback> | null =>
  url === null ? null : { url, events: [...callbackEvents] }

interface OfRun {
  id: string
  team_id: string
}

/** Includes the config that the run follows, which is the build's own unless the build was a draft when the run began. */
export async function buildOf(sql: Sql, run: OfRun & { build_id: string }): Promise<Static<typeof BuildOfRun>> {
  const build = await one(sql<Static<typeof BuildOfRun>>`
    select b.id, b.agent_id, b.name, b.revision_number, b.revision_name, b.revision_description, b.status,
      coalesce(p.config, b.config) as config, b.parent_build_id, b.created_by, b.created_at, b.updated_at, b.published_at
    from runs r join builds b on b.id = r.build_id
      left join pinned_configs p on p.team_id = r.team_id and p.hash = r.config_hash
    where r.id = ${run.id} and r.team_id = ${run.team_id}`)
  // no build is ever deleted
  return build
}

export const subRunsOf = (sql: Sql, run: OfRun, max: number): Promise<Static<typeof SubRun>[]> => sql<
  Static<typeof SubRun>
>`
  select r.id, r.status, r.title, jsonb_build_object('id', a.id, 'name', a.name) as agent, r.created_at, r.completed_at
  from runs r join agents a on a.id = r.agent_id
  where r.parent_run_id = ${run.id} and r.team_id = ${run.team_id} order by r.created_at, r.id limit ${max}`

/** How many files its workspace has now. */
export async function filesOf(sql: Sql, run: OfRun & { sandbox_id: string | null }): Promise<number> {
  const counted = await one(sql<{ files: number }>`
    select count(*) as files from workspace_files f
    where f.sandbox_id = ${run.sandbox_id} and f.team_id = ${run.team_id} and f.until_step is null and f.kind = 'file'`)
  return counted.files
}

/** How many pictures its browser's timeline has. */
export async function screenshotsOf(sql: Sql, run: OfRun): Promise<number> {
  const counted = await one(sql<{ screenshots: number }>`
    select count(*) as screenshots from browser_screenshots where run_id = ${run.id} and team_id = ${run.team_id}`)
  return counted.screenshots
}
