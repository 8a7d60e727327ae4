// Lists the connections that the steps of an artifact may use.
import { operation } from '../../kit/operation.ts'
import { Id, named, Time, Type, type Static } from '../../kit/schema.ts'

const AttachedConnection = named(
  'AttachedConnection',
  Type.Object({
    id: Id,
    connection_id: Id,
    name: Type.String(),
    type: Type.String(),
    provider: Type.String(),
    status: Type.String(),
    attached_at: Time,
  }),
)

export const listArtifactConnections = operation({
  id: 'listArtifactConnections',
  client: 'artifacts.listConnections',
  route: 'GET /v2/artifacts/:artifactId/connections',
  summary: 'List the connections of an artifact',
  scope: 'artifacts:read',
  status: 200,
  answer: Type.Object({ connections: Type.Array(AttachedConnection) }),
  async handler({ team, artifact, sql }) {
    const connections = await sql<Static<typeof AttachedConnection>>`
      select c.id, c.id as connection_id, c.name, c.type, c.provider, c.status, a.created_at as attached_at
      from artifact_connections a join connections c on c.id = a.connection_id and c.team_id = ${team.id}
      where a.artifact_id = ${artifact.id} order by a.created_at, c.id`
    return { connections }
  },
})
