// Puts what a builder run proposes into its draft, and completes the builder run.
import type { Sql } from '../../../base/db.ts'
import { buildColumns, type Build } from '../builds/build.ts'
import { addProgress } from './heldBuilderRun.ts'

interface Wanted {
  builderRunId: string
  teamId: string
  /** Who answers for the config from now on. */
  memberId: string
  line: string
}

/** Undefined: there is nothing to review any more. */
export async function takeProposal(
  sql: Sql,
  { builderRunId, teamId, memberId, line }: Wanted,
): Promise<Build | undefined> {
  const [taken] = await sql<Build>`
    with completed as (
      update builder_runs set status = 'completed', completed_at = now(), epoch = epoch + 1, updated_at = now(),
        progress = ${addProgress([line])}
      where id = ${builderRunId} and team_id = ${teamId} and status = 'review'
      returning build_id, proposed_config
    )
    update builds set config = completed.proposed_config, config_by = ${memberId}, updated_at = now() from completed
    where builds.id = completed.build_id and builds.team_id = ${teamId} and builds.status = 'draft'
    returning ${buildColumns}`
  return taken
}
