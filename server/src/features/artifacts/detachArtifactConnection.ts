// Removes a connection from an artifact: its steps can no longer use it.
import { operation } from '../../kit/operation.ts'
import { Success } from '../../kit/schema.ts'
import { requireEditor } from './artifact.ts'
import { configureConnections } from './artifactConnections.ts'
import { follow } from './startWork.ts'

export const detachArtifactConnection = operation({
  id: 'detachArtifactConnection',
  client: 'artifacts.detachConnection',
  route: 'DELETE /v2/artifacts/:artifactId/connections/:connectionId',
  summary: 'Remove a connection from an artifact',
  description: 'The connection itself stays. Work under way keeps it until it ends.',
  scope: 'artifacts:write',
  status: 200,
  answer: Success,
  errors: ['forbidden', 'not_found'],
  async handler({ artifact, connection, caller, context, sql, fail }) {
    requireEditor(artifact, caller, fail)
    await follow(sql, artifact, caller.member_id)
    const removed = await sql`
      delete from artifact_connections where artifact_id = ${artifact.id} and connection_id = ${connection.id} returning connection_id`
    if (removed.length === 0) return fail('not_found', 'This connection is not attached to the artifact.')
    await configureConnections(context, sql, artifact, caller.member_id)
    return { success: true as const }
  },
})
