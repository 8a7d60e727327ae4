// Reads one artifact, with what the caller may do with it.
import { operation } from '../../kit/operation.ts'
import { Id, Type } from '../../kit/schema.ts'
import { Artifact, canEdit, isCreator, shown } from './artifact.ts'

export const getArtifact = operation({
  id: 'getArtifact',
  client: 'artifacts.get',
  route: 'GET /v2/artifacts/:artifactId',
  summary: 'Get an artifact',
  scope: 'artifacts:read',
  status: 200,
  answer: Type.Object({
    artifact: Artifact,
    artifact_id: Id,
    status: Artifact.properties.status,
    is_creator: Type.Boolean(),
    can_edit: Type.Boolean(),
  }),
  async handler({ artifact, caller, context }) {
    return {
      artifact: shown(context, artifact),
      artifact_id: artifact.id,
      status: artifact.status,
      is_creator: isCreator(artifact, caller),
      can_edit: canEdit(artifact, caller),
    }
  },
})
