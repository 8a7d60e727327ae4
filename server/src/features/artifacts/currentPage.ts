// The current page of an artifact, or the reason why there is none.
import type { Sql } from '../../base/db.ts'
import type { Context } from '../../kit/context.ts'
import type { ArtifactRow } from './artifact.ts'
import { pageOfRevision, type ArtifactPage, type Theme } from './renderPage.ts'

export async function currentPage(
  context: Context,
  sql: Sql,
  artifact: ArtifactRow,
  theme: Theme | undefined,
  fail: (code: 'not_found', message: string) => never,
): Promise<ArtifactPage> {
  const wanted = { teamId: artifact.team_id, revisionId: artifact.current_revision_id, theme }
  const page = await pageOfRevision(context, sql, wanted)
  return page ?? fail('not_found', 'This artifact has no page yet. Read it until its status is `completed`.')
}
