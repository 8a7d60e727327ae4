// Asks for a change of an artifact. The page is changed afterwards, by a run.
import { operation } from '../../kit/operation.ts'
import { Id, Type } from '../../kit/schema.ts'
import { requireEditor } from './artifact.ts'
import { connectionIdsOf } from './artifactConnections.ts'
import { ArtifactMessage, MessageText, SelectedElement } from './message.ts'
import { addMessage } from './messages.ts'
import { planMessage } from './messagePlan.ts'

/** How many revisions an artifact may have: a list of them is read whole. */
const revisionsMax = 5000

export const sendArtifactMessage = operation({
  id: 'sendArtifactMessage',
  client: 'artifacts.sendMessage',
  route: 'POST /v2/artifacts/:artifactId/messages',
  summary: 'Send a message to an artifact',
  description:
    'The page is changed after the answer. While something works on the artifact, another message is a 409. With `from_revision_id`, that ' +
    'revision is changed instead of the current one.',
  scope: 'artifacts:write',
  body: Type.Object(
    {
      message: MessageText,
      from_revision_id: Type.Optional(Id),
      selected_element: Type.Optional(SelectedElement),
    },
    { examples: [{ message: 'Add a chart of the failed runs by day.' }] },
  ),
  status: 200,
  answer: Type.Object({ user_message: ArtifactMessage }),
  errors: ['invalid_request', 'forbidden', 'conflict', 'artifact_busy', 'entitlement_exceeded', 'guardrail_reached'],
  async handler({ artifact, caller, body, context, sql, fail }) {
    requireEditor(artifact, caller, fail)
    if (artifact.revisions_count >= revisionsMax) {
      return fail(
        'conflict',
        `This artifact has ${revisionsMax} revisions, which is the most. Copy it, and continue with the copy.`,
      )
    }
    const base = body.from_revision_id ?? artifact.current_revision_id
    const [page] = await sql<{ html: string }>`
      select html from artifact_revisions where id = ${base} and artifact_id = ${artifact.id}`
    if (!page && body.from_revision_id !== undefined) {
      return fail('invalid_request', 'from_revision_id: this artifact has no revision with this id.')
    }
    const plan = await planMessage(context, sql, {
      teamId: artifact.team_id,
      text: body.message,
      template: undefined,
      html: page?.html,
      connectionIds: await connectionIdsOf(sql, artifact.id),
    })
    if ('problem' in plan) return fail('invalid_request', plan.problem)
    const user_message = await addMessage(context, sql, {
      artifact,
      memberId: caller.member_id,
      text: body.message,
      selectedElement: body.selected_element ?? null,
      baseRevisionId: base,
      config: plan.config,
    })
    return user_message ? { user_message } : fail('artifact_busy')
  },
})
