// The artifact that a run works on, and the page as that work has it: its draft, or else the page that it began from.
import type { Sql } from '../../base/db.ts'
import type { CallingRun } from '../../kit/tool.ts'

export interface WorkedOn {
  id: string
  team_id: string
  title: string | null
  kind: string
  /** The run that holds the work. The calling run is that one, or one that it started. */
  run_id: string
  work_build_id: string
  work: 'message' | 'refresh'
}

/** Undefined: this run does not work on an artifact, or no longer. */
export async function artifactOfRun(sql: Sql, run: CallingRun): Promise<WorkedOn | undefined> {
  const [found] = await sql<WorkedOn>`
    select a.id, a.team_id, a.title, a.kind, a.run_id, a.work_build_id, a.work
    from artifacts a join runs r on r.id = ${run.id} and (r.id = a.run_id or r.parent_run_id = a.run_id)
    where a.agent_id = ${run.agent_id} and a.team_id = ${run.team_id}`
  return found
}

export const notWorking = 'This run does not work on an artifact. Only the chat and the refreshes of an artifact do.'

interface PageNow {
  procedure: string
  html: string
  data: Record<string, unknown>
  at: Date
}

/** Undefined: there is no page yet. */
export async function pageNow(sql: Sql, artifactId: string): Promise<PageNow | undefined> {
  const [page] = await sql<PageNow>`
    select procedure, html, data, made_at as at from artifact_drafts where artifact_id = ${artifactId}
    union all
    select r.procedure, r.html, r.data, r.data_at from artifact_revisions r join artifacts a on a.id = r.artifact_id
    where a.id = ${artifactId} and r.id = coalesce(a.base_revision_id, a.current_revision_id)
      and not exists (select from artifact_drafts d where d.artifact_id = a.id)`
  return page
}
