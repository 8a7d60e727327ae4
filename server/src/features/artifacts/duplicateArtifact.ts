// Copies an artifact: its current page, without its chat, its sharing and its connections.
import { part } from '../../base/db.ts'
import { storageProblem } from '../../engine/engine.ts'
import { operation } from '../../kit/operation.ts'
import { hiddenAgentsOf } from '../../kit/registry.ts'
import { answerNow, ArtifactAnswer } from './artifact.ts'
import { insertArtifact, requireRoom } from './insertArtifact.ts'
import { joinSource } from './pageSource.ts'
import { pageConfig } from './workConfig.ts'

interface Page {
  procedure: string
  html: string
  bytes: number
}

export const duplicateArtifact = operation({
  id: 'duplicateArtifact',
  client: 'artifacts.duplicate',
  route: 'POST /v2/artifacts/:artifactId/duplicate',
  summary: 'Copy an artifact',
  description: 'The copy is yours and private. It has the current page, but no chat, connections or refreshes.',
  scope: 'artifacts:write',
  status: 201,
  answer: ArtifactAnswer,
  errors: ['conflict', 'not_found', 'entitlement_exceeded'],
  async handler({ team, artifact, caller, context, sql, fail }) {
    await requireRoom(sql, team.id, fail)
    // locked: it must not be deleted before it is copied
    const [page] = await sql<Page>`
      select procedure, html, revision_bytes(artifact_revisions) as bytes from artifact_revisions where id = ${artifact.current_revision_id} and artifact_id = ${artifact.id} for key share`
    if (!page && artifact.current_revision_id !== null) return fail('not_found')
    const full = await storageProblem(context, sql, team.id, page?.bytes ?? 0)
    if (full !== undefined) return fail('entitlement_exceeded', full)
    const title = `${artifact.title ?? 'Untitled'} (copy)`.slice(-120)
    const source = page ? joinSource(page.procedure, page.html) : ''
    const id = await insertArtifact(sql, hiddenAgentsOf(context), {
      teamId: team.id,
      memberId: caller.member_id,
      title,
      kind: artifact.kind,
      actsFor: artifact.acts_for,
      configs: [pageConfig(context, source, []), pageConfig(context, '', [])],
      page: page
        ? part`select procedure, html, data, data_at, picture_sha256 from artifact_revisions where id = ${artifact.current_revision_id}`
        : null,
    })
    return answerNow(context, sql, { id, team_id: team.id }, caller)
  },
})
