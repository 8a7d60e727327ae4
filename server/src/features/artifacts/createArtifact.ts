// Makes an artifact of a first message. The page is made afterwards, by a run.
import { one } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { hiddenAgentsOf } from '../../kit/registry.ts'
import { Id, oneOf, Type } from '../../kit/schema.ts'
import { Artifact, findArtifact, kinds, shown } from './artifact.ts'
import { attachConnections } from './artifactConnections.ts'
import { insertArtifact, requireRoom } from './insertArtifact.ts'
import { ArtifactMessage, MessageText } from './message.ts'
import { addMessage } from './messages.ts'
import { findTemplate, planMessage, templateNames, titleOfMessage } from './messagePlan.ts'
import { pageConfig } from './workConfig.ts'

export const ArtifactTitle = Type.String({ minLength: 1, maxLength: 120, examples: ['Operations today'] })

export const createArtifact = operation({
  id: 'createArtifact',
  client: 'artifacts.create',
  route: 'POST /v2/artifacts',
  summary: 'Make an artifact',
  description:
    'The page is made after the answer: read the artifact until its status is `completed`. With `template`, or with a message that has fenced ' +
    'steps and an html block, no model is needed. Without a model, any other message leads to a question in `pending_question`.',
  scope: 'artifacts:write',
  body: Type.Object(
    {
      message: MessageText,
      connection_ids: Type.Optional(
        Type.Array(Type.String(), {
          maxItems: 10,
          description: 'Connections that its steps may use; one that is named twice counts once.',
        }),
      ),
      kind: Type.Optional(oneOf(kinds)),
      title: Type.Optional(ArtifactTitle),
      template: Type.Optional(
        Type.String({ minLength: 1, maxLength: 100, description: `A built-in page: ${templateNames()}.` }),
      ),
    },
    { examples: [{ message: 'Show me how our agents do today.', template: 'operations_today' }] },
  ),
  status: 201,
  answer: Type.Object({
    artifact: Artifact,
    artifact_id: Id,
    status: Artifact.properties.status,
    user_message: ArtifactMessage,
  }),
  errors: ['invalid_request', 'conflict', 'entitlement_exceeded', 'guardrail_reached'],
  async handler({ team, caller, body, context, sql, fail }) {
    const connectionIds = [...new Set((body.connection_ids ?? []).map((id) => id.toLowerCase()))]
    const plan = await planMessage(context, sql, {
      teamId: team.id,
      text: body.message,
      template: body.template,
      html: undefined,
      connectionIds,
    })
    if ('problem' in plan) return fail('invalid_request', plan.problem)
    await requireRoom(sql, team.id, fail)
    const known = body.template === undefined ? undefined : findTemplate(body.template)
    const title = body.title ?? known?.title ?? titleOfMessage(body.message)
    const kind = body.kind ?? 'dashboard'
    const id = await insertArtifact(sql, hiddenAgentsOf(context), {
      teamId: team.id,
      memberId: caller.member_id,
      title,
      kind,
      configs: [pageConfig(context, '', connectionIds), plan.config],
      page: null,
    })
    const made = await one(findArtifact(sql, id, team.id, caller))
    const missing = await attachConnections(sql, made, connectionIds)
    if (missing.length > 0) {
      return fail('invalid_request', `connection_ids: this team has no connection with the id ${missing.join(', ')}.`)
    }
    const user_message = await addMessage(context, sql, {
      artifact: made,
      memberId: caller.member_id,
      text: body.message,
      selectedElement: null,
      baseRevisionId: null,
      config: plan.config,
    })
    if (!user_message) throw new Error('a new artifact was at work already')
    const artifact = shown(context, await one(findArtifact(sql, id, team.id, caller)))
    return { artifact, artifact_id: artifact.id, status: artifact.status, user_message }
  },
})
