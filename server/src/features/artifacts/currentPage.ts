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
  return page ?? fail('not_found', `This artifact has no page yet. ${reasonOf(artifact)}`)
}

function reasonOf({ status, pending_question }: ArtifactRow): string {
  if (pending_question) return 'It asks something first: answer `pending_question`.'
  if (status === 'failed') return 'Making it failed: its messages say why. Send another message.'
  if (status === 'interrupted') return 'Making it was stopped. Send another message.'
  return 'Read it until its status is `completed`.'
}
