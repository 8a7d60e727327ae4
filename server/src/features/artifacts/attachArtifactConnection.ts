// Lets the steps of an artifact use a connection.
import { one } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { Success, Type } from '../../kit/schema.ts'
import { requireEditor } from './artifact.ts'
import { attachConnections, configureConnections } from './artifactConnections.ts'
import { follow } from './startWork.ts'

/** How many connections an artifact may have. */
const connectionsMax = 10

export const attachArtifactConnection = operation({
  id: 'attachArtifactConnection',
  client: 'artifacts.attachConnection',
  route: 'POST /v2/artifacts/:artifactId/connections',
  summary: 'Attach a connection to an artifact',
  description:
    'Its steps may use the connection from the next message or refresh. A private connection works only in an artifact that the same member ' +
    'made and nobody else has changed.',
  scope: 'artifacts:write',
  body: Type.Object(
    { connection_id: Type.String() },
    { examples: [{ connection_id: '01981c5e-7a40-7c8e-9d7a-4f5b6c7d8e9f' }] },
  ),
  status: 201,
  answer: Success,
  errors: ['forbidden', 'invalid_request', 'conflict', 'already_attached', 'not_found'],
  async handler({ artifact, caller, body, context, sql, fail }) {
    requireEditor(artifact, caller, fail)
    const connectionId = body.connection_id.toLowerCase()
    await follow(sql, artifact, caller.member_id)
    const attached = await one(sql<{ total: number; has: boolean }>`
      select count(*) as total, coalesce(bool_or(connection_id::text = ${connectionId}), false) as has
      from artifact_connections where artifact_id = ${artifact.id}`)
    if (attached.has) return fail('already_attached')
    if (attached.total >= connectionsMax) {
      return fail('conflict', `An artifact has at most ${connectionsMax} connections. Remove one first.`)
    }
    const missing = await attachConnections(sql, artifact, [connectionId])
    if (missing.length > 0) return fail('not_found', 'This team has no connection with this id.')
    await configureConnections(context, sql, artifact, caller.member_id)
    return { success: true as const }
  },
})
