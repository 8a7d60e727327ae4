// Says who may see an artifact: its creator, the team, or everybody who has its URL.
import { operation } from '../../kit/operation.ts'
import { oneOf, Type } from '../../kit/schema.ts'
import { answerNow, ArtifactAnswer, permissions, requireCreator, visibilities } from './artifact.ts'

export const publishArtifact = operation({
  id: 'publishArtifact',
  client: 'artifacts.publish',
  route: 'POST /v2/artifacts/:artifactId/publish',
  summary: 'Share an artifact',
  description:
    'Only its creator can do this. `team`: the team reads it, and changes it with the permission `edit`. `public`: everybody who has `public_url` ' +
    'reads it too, without a credential. When the artifact is no longer public, that URL stops working and never works again.',
  scope: 'artifacts:write',
  body: Type.Object(
    { visibility: oneOf(visibilities), permission: Type.Optional(oneOf(permissions)) },
    { examples: [{ visibility: 'team', permission: 'view' }] },
  ),
  status: 200,
  answer: ArtifactAnswer,
  errors: ['forbidden', 'not_found'],
  async handler({ team, artifact, caller, body, context, sql, fail }) {
    requireCreator(artifact, caller, fail)
    const changed = await sql`
      update artifacts set visibility = ${body.visibility}, publish_permission = coalesce(${body.permission ?? null}::text, publish_permission),
        public_key = case when ${body.visibility} = 'public' then coalesce(public_key, gen_random_uuid()) end, updated_at = now()
      where id = ${artifact.id} and team_id = ${team.id} returning id`
    if (changed.length === 0) return fail('not_found')
    return answerNow(context, sql, artifact, caller)
  },
})
