// A revision of an artifact: one version of its page.
import { part, type Sql } from '../../base/db.ts'
import { resource } from '../../kit/resources.ts'
import { Id, named, nullable, Time, Type, type Static } from '../../kit/schema.ts'

export const ArtifactRevision = named(
  'ArtifactRevision',
  Type.Object({
    id: Id,
    artifact_id: Id,
    version: Type.Integer({ minimum: 1 }),
    parent_revision_id: nullable(Id),
    restored_from_version: nullable(
      Type.Integer({ minimum: 1, description: 'The version that this one changes, if that was not the newest one.' }),
    ),
    created_at: Time,
  }),
)
export type ArtifactRevision = Static<typeof ArtifactRevision>

export const revisionColumns = part`
  artifact_revisions.id, artifact_revisions.artifact_id, artifact_revisions.version, artifact_revisions.parent_revision_id,
  artifact_revisions.restored_from_version, artifact_revisions.created_at`

/** Found below its artifact, which the caller may read. */
const findRevision = (sql: Sql, id: string, teamId: string): Promise<ArtifactRevision[]> => sql<ArtifactRevision>`
  select ${revisionColumns} from artifact_revisions where artifact_revisions.id = ${id} and artifact_revisions.team_id = ${teamId}`

export const revision = resource('revision', findRevision)

declare module '../../kit/resources.ts' {
  interface Resources {
    revision: ArtifactRevision
  }
}
