// Changes the title of an artifact, or how often it is refreshed.
import { operation } from '../../kit/operation.ts'
import { hiddenAgentsOf } from '../../kit/registry.ts'
import { nullable, oneOf, Type } from '../../kit/schema.ts'
import { answerNow, ArtifactAnswer, frequencies, requireCreator } from './artifact.ts'
import { ArtifactTitle } from './createArtifact.ts'

export const updateArtifact = operation({
  id: 'updateArtifact',
  client: 'artifacts.update',
  route: 'PATCH /v2/artifacts/:artifactId',
  summary: 'Change an artifact',
  description: 'Only its creator can do this. A new `refresh_frequency` counts from now; null ends the refreshes.',
  scope: 'artifacts:write',
  body: Type.Object(
    {
      title: Type.Optional(ArtifactTitle),
      refresh_frequency: Type.Optional(nullable(oneOf(frequencies))),
    },
    { examples: [{ title: 'Operations today', refresh_frequency: 'hourly' }] },
  ),
  status: 200,
  answer: ArtifactAnswer,
  errors: ['forbidden', 'not_found'],
  async handler({ team, artifact, caller, body, context, sql, fail }) {
    requireCreator(artifact, caller, fail)
    const { title, refresh_frequency } = body
    if (title !== undefined) {
      await hiddenAgentsOf(context).rename({ sql, teamId: team.id, agentId: artifact.agent_id, name: title })
    }
    const changed = await sql`
      update artifacts set title = coalesce(${title ?? null}::text, title), updated_at = now(),
        refresh_frequency = case when ${refresh_frequency !== undefined} then ${refresh_frequency ?? null} else refresh_frequency end,
        next_refresh_at = case when ${refresh_frequency !== undefined} then next_artifact_refresh(${refresh_frequency ?? null}, now()) else next_refresh_at end
      where id = ${artifact.id} and team_id = ${team.id} returning id`
    if (changed.length === 0) return fail('not_found')
    return answerNow(context, sql, artifact, caller)
  },
})
