// Deletes an artifact with its pages and its chat. Work on it is stopped.
import { operation } from '../../kit/operation.ts'
import { hiddenAgentsOf } from '../../kit/registry.ts'
import { Success } from '../../kit/schema.ts'
import { requireCreator } from './artifact.ts'

export const deleteArtifact = operation({
  id: 'deleteArtifact',
  client: 'artifacts.delete',
  route: 'DELETE /v2/artifacts/:artifactId',
  summary: 'Delete an artifact',
  description: 'Only its creator can do this. Its revisions, messages and public URL are gone; work on it is stopped.',
  scope: 'artifacts:write',
  status: 200,
  answer: Success,
  errors: ['forbidden', 'not_found'],
  async handler({ team, artifact, caller, context, sql, fail }) {
    requireCreator(artifact, caller, fail)
    // the runs first: the end of a run locks its artifact too
    await hiddenAgentsOf(context).remove({ sql, context, teamId: team.id, agentId: artifact.agent_id })
    const deleted = await sql`delete from artifacts where id = ${artifact.id} and team_id = ${team.id} returning id`
    if (deleted.length === 0) fail('not_found')
    return { success: true as const }
  },
})
