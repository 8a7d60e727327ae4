// Starts a run that works on an artifact: a message or a refresh. One at a time, guarded by the artifact's own row.
import { part, type Sql } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import { engineOf } from '../../engine/engine.ts'
import { activeList } from '../../engine/ledger/lifecycle.ts'
import { parseBuildConfig } from '../../engine/builds/buildConfig.ts'
import type { NewRun } from '../../engine/starting/createRun.ts'
import { withMember } from '../../engine/ledger/actsFor.ts'
import type { Context } from '../../kit/context.ts'
import type { ArtifactRow } from './artifact.ts'

interface Work {
  kind: 'message' | 'refresh'
  artifact: Pick<ArtifactRow, 'id' | 'team_id' | 'agent_id' | 'title' | 'current_revision_id' | 'acts_for'>
  buildId: string
  /** The config of that build. */
  config: unknown
  /** Writes that config, once the artifact is taken. */
  configure?: () => Promise<void>
  message: unknown
  /** Who asked for it; null: the clock. */
  memberId: string | null
  /** The revision that it changes. */
  baseRevisionId: string | null
}

/** SQL condition: nothing works on the artifact. A run that was erased no longer works. */
export const isIdle = part`
  (artifacts.run_id is null or not exists (select from runs r where r.id = artifacts.run_id and r.status in ${activeList}))`

/**
 * Locks the artifact until the commit. Undefined: it is not idle, or no longer shows the page that the caller saw. The second statement begins
 * after the lock: the first one may have waited, and would not see a run that began since then.
 */
export async function lockIdle(
  sql: Sql,
  { id, team_id, current_revision_id }: { id: string; team_id: string; current_revision_id: string | null },
): Promise<{ acts_for: string[] } | undefined> {
  const locked = await sql`select id from artifacts where id = ${id} and team_id = ${team_id} for no key update`
  if (locked.length === 0) throw new Fault('not_found')
  const [idle] = await sql<{ acts_for: string[] }>`
    select acts_for from artifacts
    where id = ${id} and team_id = ${team_id} and current_revision_id is not distinct from ${current_revision_id}::uuid and ${isIdle}`
  return idle
}

/** From now on the work on the artifact acts on behalf of this member too, who changed it. */
export async function follow(
  sql: Sql,
  { id, team_id }: { id: string; team_id: string },
  memberId: string,
): Promise<void> {
  const followed = await sql`
    update artifacts set acts_for = ${withMember(part`acts_for`, memberId)}
    where id = ${id} and team_id = ${team_id} returning id`
  if (followed.length === 0) throw new Fault('not_found')
}

export function prepareWork(context: Context, { artifact, buildId, config, ...work }: Work): Promise<NewRun> {
  const { limits, max_concurrent_runs } = parseBuildConfig(config)
  return engineOf(context).prepare({
    teamId: artifact.team_id,
    agentId: artifact.agent_id,
    buildId,
    source: 'artifact',
    userId: work.memberId,
    actsFor: [...new Set([...artifact.acts_for, ...(work.memberId === null ? [] : [work.memberId])])],
    message: work.message,
    title: artifact.title ?? 'Artifact',
    metadata: { artifact_id: artifact.id },
    limits,
    callbackUrl: null,
    sandboxId: null,
    parentRunId: null,
    retryOfRunId: null,
    depth: 0,
    case: null,
    isCapped: max_concurrent_runs !== null,
  })
}

/** Takes the artifact and starts the run in the caller's transaction. Undefined: something else works on the artifact. */
export async function startWork(context: Context, sql: Sql, work: Work): Promise<string | undefined> {
  const idle = await lockIdle(sql, work.artifact)
  if (!idle) return undefined
  if (work.kind === 'message' && work.memberId !== null) await follow(sql, work.artifact, work.memberId)
  const run = await prepareWork(context, { ...work, artifact: { ...work.artifact, ...idle } })
  await sql`
    update artifacts set run_id = ${run.id}, work = ${work.kind}, base_revision_id = ${work.baseRevisionId}, updated_at = now()
    where id = ${work.artifact.id} and team_id = ${work.artifact.team_id}`
  await work.configure?.()
  const [created] = await engineOf(context).create(sql, [run])
  if (!created) throw new Error(`the hidden agent of the artifact ${work.artifact.id} does not exist`)
  return run.id
}
