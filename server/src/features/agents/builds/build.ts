// A build: a version of an agent, with the config that its runs follow. The wire calls it a revision, too.
import { part, type Part, type Sql } from '../../../base/db.ts'
import { isId, newId } from '../../../base/ids.ts'
import { beginningOf, listed, longObject, truncatedField } from '../../../kit/pageBytes.ts'
import { resource } from '../../../kit/resources.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../../kit/schema.ts'
import { buildStatuses } from '../../../kit/states.ts'
import { procedureTemplate } from './procedureTemplate.ts'

export const BuildConfig = named(
  'BuildConfig',
  Type.Object(
    {
      version: Type.Literal('v2'),
      data: Type.Record(Type.String(), Type.Unknown(), {
        description:
          'Known keys: `input` (the operating procedure: Markdown, or a list of `{role, content}` whose content is text or a list of text ' +
          'parts, `{type: "text" | "input_text" | "output_text", text}`), `models.agent` (`{model}` with `provider:model`, ' +
          '`builtin:runbook`, or a plain name such as `claude-…`, `gpt-…` or `gemini-…`; or a list of up to five of them, asked in their order), `plugins`, `connections`, `subAgents`, `limits` (`max_steps`, ' +
          '`max_duration_s`, `max_cost_usd`, `max_tokens`, `max_concurrent_runs`, `on_limit`: `fail` or `ask`), `approvals` (by tool name: `never`, ' +
          '`always` or `{when}`), `calls` (by tool name: `alone` or `together` with the other calls of its turn), `worker_pool` (which workers take its runs), `output_schema`, `options`. Others are kept as they are.',
      }),
    },
    { additionalProperties: true, examples: [{ version: 'v2', data: { input: procedureTemplate } }] },
  ),
)

export type BuildConfig = Static<typeof BuildConfig>

export const Build = named(
  'Build',
  Type.Object({
    id: Id,
    agent_id: Id,
    name: Type.String(),
    revision_number: Type.Integer({ minimum: 1, description: 'From 1 on, without gaps, for each agent.' }),
    revision_name: nullable(Type.String()),
    revision_description: nullable(Type.String()),
    status: oneOf(buildStatuses),
    config: BuildConfig,
    parent_build_id: nullable(Id),
    created_by: nullable(Id),
    created_at: Time,
    updated_at: Time,
    published_at: nullable(Time),
    builder_run_id: nullable(
      Type.Unsafe<string>({ ...Id, description: 'The latest builder run that was to write this build.' }),
    ),
    truncated: truncatedField,
  }),
)

export type Build = Static<typeof Build>

export const BuildName = Type.String({ minLength: 1, maxLength: 100, examples: ['Invoice triage'] })
export const RevisionName = nullable(Type.String({ minLength: 1, maxLength: 80, examples: ['Asks before it pays'] }))
export const RevisionDescription = nullable(
  Type.String({ maxLength: 500, examples: ['Payments above 1,000 now need an approval.'] }),
)

const columnsWith = (config: Part): Part => part`
  builds.id, builds.agent_id, builds.name, builds.revision_number, builds.revision_name, builds.revision_description,
  builds.status, ${config} as config, builds.parent_build_id, builds.created_by, builds.created_at, builds.updated_at,
  builds.published_at,
  (select r.id from builder_runs r where r.build_id = builds.id order by r.created_at desc, r.id desc limit 1) as builder_run_id`

export const buildColumns = columnsWith(part`builds.config`)

/** In a list that would be too large, a config has only the beginning of its procedure. */
export const longConfig = longObject(
  part`builds.config`,
  part`jsonb_build_object('version', 'v2', 'data', jsonb_build_object('input',
    ${beginningOf(part`builds.config -> 'data' ->> 'input'`)}))`,
)
export const listedBuildColumns = columnsWith(listed(longConfig))

/** The builds of a deleted agent are gone with it, and those of a hidden agent are hidden. */
export const findBuild = (sql: Sql, id: string, teamId: string): Promise<Build[]> => sql<Build>`
  select ${buildColumns} from builds join agents on agents.id = builds.agent_id and agents.deleted_at is null and not agents.is_hidden
  where builds.id = ${id} and builds.team_id = ${teamId}`

export const build = resource('build', findBuild)

declare module '../../../kit/resources.ts' {
  interface Resources {
    build: Build
  }
}

export const SourceBuildId = Type.String({ description: 'A build of any agent of the team whose config is copied.' })

/** The build that a body names as its source. */
export async function requireSource(
  sql: Sql,
  id: string,
  teamId: string,
  fail: (code: 'not_found', message: string) => never,
): Promise<Build> {
  const [source] = isId(id) ? await findBuild(sql, id, teamId) : []
  return (
    source ??
    fail('not_found', 'This team has no build with this source_build_id. GET …/revisions lists the builds of an agent.')
  )
}

interface NewBuild {
  teamId: string
  agentId: string
  /** Absent: the agent's own. */
  name: string | undefined
  status: 'draft' | 'live'
  config: BuildConfig
  parentBuildId: string | null
  createdBy: string
}

/** Undefined: the agent was deleted since then. */
export async function insertBuild(sql: Sql, wanted: NewBuild): Promise<Build | undefined> {
  const [inserted] = await sql<Build>`
    with numbered as (
      update agents set builds_count = builds_count + 1
      where id = ${wanted.agentId} and team_id = ${wanted.teamId} and deleted_at is null
      returning id, team_id, name, builds_count
    )
    insert into builds (id, team_id, agent_id, revision_number, name, status, config, parent_build_id, created_by, config_by, published_at)
    select ${newId()}::uuid, team_id, id, builds_count, coalesce(${wanted.name ?? null}, name), ${wanted.status},
      ${JSON.stringify(wanted.config)}::jsonb, ${wanted.parentBuildId}::uuid, ${wanted.createdBy}::uuid, ${wanted.createdBy}::uuid,
      case when ${wanted.status} = 'live' then now() end
    from numbered
    returning ${buildColumns}`
  return inserted
}
