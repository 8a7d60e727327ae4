// Begins a builder run for a draft, and makes that draft where there is none: for a caller, or for a suggestion.
import type { Sql } from '../../../base/db.ts'
import { newId } from '../../../base/ids.ts'
import { enqueueOn } from '../../../kit/job.ts'
import { insertBuild, type Build } from '../builds/build.ts'
import { advanceBuilder } from './advanceBuilder.job.ts'
import { builderRunColumns, jobOptionsOf, type BuilderRow } from './builderRun.ts'
import type { Lesson } from './lesson.ts'

interface Wanted {
  draft: Build
  model: string
  prompt: string
  /** The run to learn from. */
  learns: { runId: string; lesson: Lesson } | null
  teamId: string
  memberId: string
}

/** Undefined: one is active already. */
export async function beginBuilderRun(sql: Sql, wanted: Wanted): Promise<BuilderRow | undefined> {
  const { draft, model, prompt, learns, teamId, memberId } = wanted
  const [begun] = await sql<BuilderRow>`
    insert into builder_runs (id, team_id, agent_id, build_id, status, model, prompt, run_id, lesson, checkpoint_config, created_by)
    values (${newId()}, ${teamId}, ${draft.agent_id}, ${draft.id}, 'pending', ${model}, ${prompt}, ${learns?.runId ?? null},
      ${learns ? JSON.stringify(learns.lesson) : null}::jsonb, ${JSON.stringify(draft.config)}::jsonb, ${memberId})
    on conflict (build_id) where status in ('pending', 'running', 'waiting', 'review') do nothing
    returning ${builderRunColumns}`
  if (begun) await enqueueOn(sql)(advanceBuilder, { builder_run_id: begun.id, team_id: teamId }, jobOptionsOf(begun.id))
  return begun
}

/** The copy is not checked: somebody may want a build rewritten because it no longer runs. */
export async function copyOf(sql: Sql, source: Build, teamId: string, memberId: string): Promise<Build> {
  const copy = await insertBuild(sql, {
    teamId,
    agentId: source.agent_id,
    name: source.name,
    status: 'draft',
    config: source.config,
    parentBuildId: source.id,
    createdBy: memberId,
  })
  // the agent's row is locked: it cannot have been deleted since
  return copy!
}
