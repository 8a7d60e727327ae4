// Makes an earlier page the current one. Nothing is lost: the pages after it stay, and can be restored too.
import { operation } from '../../kit/operation.ts'
import { Id, Type } from '../../kit/schema.ts'
import { requireEditor } from './artifact.ts'
import { joinSource } from './pageSource.ts'
import { follow, lockIdle } from './startWork.ts'

export const restoreArtifactRevision = operation({
  id: 'restoreArtifactRevision',
  client: 'artifacts.restoreRevision',
  route: 'POST /v2/artifacts/:artifactId/revisions/:revisionId/restore',
  summary: 'Restore a revision of an artifact',
  description: 'The revision becomes the current one, and its chat is shown again. Later revisions stay in the list.',
  scope: 'artifacts:write',
  status: 200,
  answer: Type.Object({
    success: Type.Literal(true),
    current_revision_id: Id,
    current_version: Type.Integer({ minimum: 1 }),
  }),
  errors: ['forbidden', 'artifact_busy', 'not_found'],
  async handler({ artifact, revision, caller, sql, fail }) {
    requireEditor(artifact, caller, fail)
    if (!(await lockIdle(sql, artifact))) return fail('artifact_busy')
    await follow(sql, artifact, caller.member_id)
    const [page] = await sql<{ procedure: string; html: string }>`
      select procedure, html from artifact_revisions where id = ${revision.id} and artifact_id = ${artifact.id}`
    if (!page) return fail('not_found')
    await sql`
      select show_artifact_revision(r, ${joinSource(page.procedure, page.html)}) from artifact_revisions r where r.id = ${revision.id}`
    return { success: true as const, current_revision_id: revision.id, current_version: revision.version }
  },
})
