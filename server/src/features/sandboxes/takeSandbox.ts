// Gives sandboxes to runs that begin: a sandbox that the starter named becomes the run's, and a retried run gets the files of the old one.
import { Fault } from '../../base/errors.ts'
import { newId } from '../../base/ids.ts'
import type { Hooks } from '../../kit/feature.ts'
import { giveToRun } from './workspace/sandbox.ts'

/** A sandbox that is gone is not a reason to refuse a run that continues: it gets a workspace of its own. A new run is refused, since it is not what was asked for. */
export const takeSandbox: NonNullable<Hooks['runTakesSandbox']> = async ({ sql, teamId, runId, sandboxId, isNew }) => {
  const isGiven = await giveToRun(sql, sandboxId, { id: runId, team_id: teamId })
  if (!isGiven && isNew) throw new Fault('not_found', 'The sandbox was deleted while the run was being started.')
}

/** A copy refers to the same bytes. If the old run had a sandbox of a caller, the files that it found there are copied too. */
export const copyWorkspace: NonNullable<Hooks['runCopied']> = async ({
  sql,
  teamId,
  fromRunId,
  toRunId,
  beforeStep,
}) => {
  await sql`
    with source as (
      select u.sandbox_id, u.step_base from sandbox_uses u where u.run_id = ${fromRunId} and u.team_id = ${teamId}
      union all
      select s.id, 0 from sandboxes s where s.run_id = ${fromRunId} and s.team_id = ${teamId}
        and not exists (select from sandbox_uses u where u.run_id = s.run_id)
    ),
    file as (
      select f.* from source join workspace_files f on f.sandbox_id = source.sandbox_id and f.team_id = ${teamId}
        and f.from_step < source.step_base + ${beforeStep}::int
        and (f.until_step is null or f.until_step >= source.step_base + ${beforeStep}::int)
    ),
    made as (
      insert into sandboxes (id, team_id, run_id, kept_bytes, entries)
      select ${newId()}, ${teamId}, ${toRunId}, sum(size_bytes), count(*) from file having count(*) > 0
      returning id
    )
    insert into workspace_files (id, team_id, sandbox_id, path, kind, sha256, size_bytes, is_executable, link_target, modified_at, from_step)
    select gen_random_uuid(), file.team_id, made.id, file.path, file.kind, file.sha256, file.size_bytes, file.is_executable,
      file.link_target, file.modified_at, 0
    from file, made`
}
