// Refreshes an artifact now: its steps run again, and the page shows what they give.
import { operation } from '../../kit/operation.ts'
import { answerNow, ArtifactAnswer, requireEditor } from './artifact.ts'
import { startWork } from './startWork.ts'

export const refreshArtifact = operation({
  id: 'refreshArtifact',
  client: 'artifacts.refresh',
  route: 'POST /v2/artifacts/:artifactId/refresh',
  summary: 'Refresh an artifact',
  description:
    'Runs the steps of the current page again. If they fail, `refresh_error` says why, and the page stays as it was.',
  scope: 'artifacts:write',
  status: 200,
  answer: ArtifactAnswer,
  errors: ['forbidden', 'conflict', 'artifact_busy', 'entitlement_exceeded', 'guardrail_reached'],
  async handler({ team, artifact, caller, context, sql, fail }) {
    requireEditor(artifact, caller, fail)
    if (artifact.current_revision_id === null && artifact.run_id === null) {
      return fail('conflict', 'This artifact has no page yet. Send it a message first.')
    }
    const [build] = await sql<{ config: unknown }>`
      select config from builds where id = ${artifact.page_build_id} and team_id = ${team.id}`
    const runId = await startWork(context, sql, {
      kind: 'refresh',
      artifact,
      buildId: artifact.page_build_id,
      config: build?.config,
      message: null,
      memberId: caller.member_id,
      baseRevisionId: artifact.current_revision_id,
    })
    if (runId === undefined) return fail('artifact_busy')
    return answerNow(context, sql, artifact, caller)
  },
})
