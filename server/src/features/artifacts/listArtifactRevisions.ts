// Lists the revisions of an artifact, newest first.
import { operation } from '../../kit/operation.ts'
import { Id, nullable, Type } from '../../kit/schema.ts'
import { ArtifactRevision, revisionColumns, shownRevision, type RevisionRow } from './revision.ts'

export const listArtifactRevisions = operation({
  id: 'listArtifactRevisions',
  client: 'artifacts.listRevisions',
  route: 'GET /v2/artifacts/:artifactId/revisions',
  summary: 'List the revisions of an artifact',
  description:
    'Newest first. Each change of the page makes a revision. A refresh does not: it gives the current revision new data.',
  scope: 'artifacts:read',
  status: 200,
  answer: Type.Object({
    revisions: Type.Array(ArtifactRevision),
    total: Type.Integer({ minimum: 0 }),
    current_revision_id: nullable(Id),
    current_version: Type.Integer({ minimum: 0 }),
  }),
  async handler({ artifact, context, sql }) {
    const rows = await sql<RevisionRow>`
      select ${revisionColumns} from artifact_revisions where artifact_id = ${artifact.id} order by version desc`
    const { current_revision_id, current_version } = artifact
    const revisions = rows.map((row) => shownRevision(context, artifact, row))
    return { revisions, total: revisions.length, current_revision_id, current_version }
  },
})
