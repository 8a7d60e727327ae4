// A builder run writes the procedure of a draft: from what somebody wants to a proposal that a person accepts or discards.
import { part, type Sql } from '../../../base/db.ts'
import { parseBuildConfig } from '../../../engine/builds/buildConfig.ts'
import type { EnqueueOptions } from '../../../kit/job.ts'
import { startKinds } from '../../../kit/offers.ts'
import { resource } from '../../../kit/resources.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../../kit/schema.ts'
import { BuildConfig, buildColumns, type Build } from '../builds/build.ts'
import { ConfigChanges, diffConfigs } from '../builds/buildDiff.ts'

const BuilderStatus = oneOf(['pending', 'running', 'waiting', 'review', 'completed', 'discarded', 'failed'])

export const BuilderQuestion = named(
  'BuilderQuestion',
  Type.Object({
    question: Type.String({ examples: ['When is the work done?'] }),
    header: Type.Optional(Type.String({ examples: ['Finish'] })),
    options: Type.Optional(
      Type.Array(Type.Object({ label: Type.String(), description: Type.Optional(Type.String()) }), {
        description: 'Answers to choose from; any other text is accepted too.',
      }),
    ),
    multi_select: Type.Optional(Type.Boolean()),
  }),
)

export type BuilderQuestion = Static<typeof BuilderQuestion>

export const ProposedTrigger = named(
  'ProposedTrigger',
  Type.Object({
    kind: oneOf(startKinds),
    title: Type.String({ examples: ['schedule: workday, 09:00 (Europe/Berlin)'] }),
    settings: Type.Record(Type.String(), Type.Unknown(), {
      description: 'The body with which a schedule, a trigger or a case trigger is made. It never has a secret.',
    }),
  }),
)

export type ProposedTrigger = Static<typeof ProposedTrigger>

const BuilderRun = named(
  'BuilderRun',
  Type.Object({
    id: Id,
    build_id: Id,
    status: BuilderStatus,
    prompt: Type.String({ description: 'Empty: improve what is there.' }),
    run_id: nullable(Id),
    started_at: nullable(Time),
    completed_at: nullable(Time),
    checkpoint_config: BuildConfig,
    proposed_config: nullable(BuildConfig),
    diff: nullable(Type.String({ description: 'A unified diff of the procedure: what the proposal changes.' })),
    config_diff: Type.Array(ConfigChanges, { description: 'What the proposal changes beside the procedure.' }),
    proposed_triggers: nullable(
      Type.Array(ProposedTrigger, {
        description:
          'What would start runs of the agent. Made when the proposal is accepted, paused until the draft is promoted.',
      }),
    ),
    pending_user_questions: nullable(Type.Object({ questions: Type.Array(BuilderQuestion) })),
    error: nullable(Type.Object({ code: Type.String({ examples: ['model_unavailable'] }), message: Type.String() })),
    progress: Type.Array(Type.Object({ at: Time, text: Type.String() })),
    usage: Type.Object({
      input_tokens: Type.Integer({ minimum: 0 }),
      output_tokens: Type.Integer({ minimum: 0 }),
      cost_usd: Type.Number({ minimum: 0 }),
    }),
    created_at: Time,
  }),
)

/** A builder run as its row has it. */
export type BuilderRow = Omit<Static<typeof BuilderRun>, 'config_diff'>

export const builderRunColumns = part`
  builder_runs.id, builder_runs.build_id, builder_runs.status, builder_runs.prompt, builder_runs.run_id, builder_runs.started_at,
  builder_runs.completed_at, builder_runs.checkpoint_config, builder_runs.proposed_config, builder_runs.diff, builder_runs.proposed_triggers,
  builder_runs.pending_user_questions, builder_runs.error, builder_runs.progress,
  jsonb_build_object('input_tokens', builder_runs.input_tokens, 'output_tokens', builder_runs.output_tokens,
    'cost_usd', trim_scale(builder_runs.cost_usd)) as usage,
  builder_runs.created_at`

/** SQL condition: the builder run is active. The index with the same condition allows one active builder run per build. */
export const isActive = part`status in ('pending', 'running', 'waiting', 'review')`

/** A builder run of a deleted agent is not found. */
export const findBuilderRun = (sql: Sql, id: string, teamId: string): Promise<BuilderRow[]> => sql<BuilderRow>`
  select ${builderRunColumns} from builder_runs join agents on agents.id = builder_runs.agent_id and agents.deleted_at is null
  where builder_runs.id = ${id} and builder_runs.team_id = ${teamId}`

export const builderRun = resource('builder_run', findBuilderRun)

declare module '../../../kit/resources.ts' {
  interface Resources {
    builder_run: BuilderRow
  }
}

export const BuilderRunAnswer = Type.Object({
  builder_run: BuilderRun,
  builder_run_id: Id,
  build_id: Id,
  status: BuilderStatus,
})

export const builderRunAnswer = (run: BuilderRow): Static<typeof BuilderRunAnswer> => ({
  builder_run: { ...run, config_diff: changesOf(run) },
  builder_run_id: run.id,
  build_id: run.build_id,
  status: run.status,
})

const changesOf = ({ checkpoint_config, proposed_config }: BuilderRow) =>
  proposed_config
    ? diffConfigs({ config: checkpoint_config, revision_number: 0 }, { config: proposed_config, revision_number: 0 })
    : []

export async function hasActiveBuilder(sql: Sql, buildId: string, teamId: string): Promise<boolean> {
  const found = await sql`
    select id from builder_runs where build_id = ${buildId} and team_id = ${teamId} and ${isActive}`
  return found.length > 0
}

/**
 * Locks the agent's row, then the build's, like everything that begins or ends a builder run and like promotions and deletions: each sees
 * what the one before it wrote. Undefined: the agent was deleted since then.
 */
export async function lockBuild(sql: Sql, { id, agent_id }: Build, teamId: string): Promise<Build | undefined> {
  const agents = await sql`
    select id from agents where id = ${agent_id} and team_id = ${teamId} and deleted_at is null for no key update`
  if (agents.length === 0) return undefined
  const [build] = await sql<Build>`
    select ${buildColumns} from builds where id = ${id} and team_id = ${teamId} for no key update`
  return build
}

/** The agent is being deleted: its builder runs end, and whoever writes them finds no row any more. */
export async function endBuilderRunsOf(sql: Sql, { agentId, teamId }: { agentId: string; teamId: string }) {
  await sql`
    update builder_runs set status = 'discarded', completed_at = now(), pending_user_questions = null, messages = '[]', lesson = null,
      due_at = null, epoch = epoch + 1, updated_at = now()
    where agent_id = ${agentId} and team_id = ${teamId} and ${isActive}`
}

/** The suggestion that it worked for is decided: whoever writes it finds no row any more. */
export async function endBuilderRun(sql: Sql, { id, teamId }: { id: string; teamId: string }) {
  await sql`
    update builder_runs set status = 'discarded', completed_at = now(), pending_user_questions = null, messages = '[]', lesson = null,
      due_at = null, epoch = epoch + 1, updated_at = now()
    where id = ${id} and team_id = ${teamId} and ${isActive}`
}

export const builtinBuilder = 'builtin:runbook'
const isBuiltin = (model: string): boolean => model.startsWith('builtin:')

/** Which model writes: the team's default; if that is none, the build's; if that is none either, the builder that needs no model. */
export function writerOf(config: BuildConfig, defaultModel: string): string {
  return [defaultModel, ...parseBuildConfig(config).models].find((name) => !isBuiltin(name)) ?? builtinBuilder
}

/** Whether runs of this config are carried out by a model: without one, only executable blocks are. */
export const hasModel = (config: BuildConfig, defaultModel: string): boolean =>
  !isBuiltin(parseBuildConfig(config).models[0] ?? defaultModel)

/** There is one job per builder run: enqueuing again replaces the one that waits. */
export const jobOptionsOf = (id: string): EnqueueOptions => ({ key: `builder ${id}` })
