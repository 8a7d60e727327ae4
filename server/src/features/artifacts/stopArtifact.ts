// Stops the work on an artifact. The page stays as it was before that work.
import { newId } from '../../base/ids.ts'
import { stopRunsAndLog } from '../../engine/ending/stopRunsAndLog.ts'
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { answerNow, ArtifactAnswer, requireEditor } from './artifact.ts'

export const stopArtifact = operation({
  id: 'stopArtifact',
  client: 'artifacts.stop',
  route: 'POST /v2/artifacts/:artifactId/stop',
  summary: 'Stop the work on an artifact',
  description: 'The artifact becomes `interrupted`. If nothing works on it, nothing changes.',
  scope: 'artifacts:write',
  body: Type.Object(
    {
      partial_text: Type.Optional(
        Type.String({
          maxLength: 100_000,
          description: 'What you have seen of the answer so far: it is added to the chat.',
        }),
      ),
    },
    { examples: [{ partial_text: 'The page will show' }] },
  ),
  status: 200,
  answer: ArtifactAnswer,
  errors: ['forbidden'],
  async handler({ team, artifact, caller, body, context, sql, fail }) {
    requireEditor(artifact, caller, fail)
    if (artifact.run_id !== null) {
      const { partial_text } = body
      const stopped = await stopRunsAndLog(context, sql, [artifact.run_id])
      if (stopped.length > 0 && partial_text !== undefined && partial_text.trim() !== '') {
        await sql`
          insert into artifact_messages (id, team_id, artifact_id, role, content, run_id, base_revision_id)
          select ${newId()}, ${team.id}, ${artifact.id}, 'assistant', ${partial_text}, m.run_id, m.base_revision_id
          from artifact_messages m where m.run_id = ${artifact.run_id} limit 1`
      }
    }
    return answerNow(context, sql, artifact, caller)
  },
})
