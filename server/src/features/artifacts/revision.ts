// A revision of an artifact: one version of its page.
import { part, type Sql } from '../../base/db.ts'
import type { Context } from '../../kit/context.ts'
import { resource } from '../../kit/resources.ts'
import { Id, named, nullable, Time, Type, type Static } from '../../kit/schema.ts'
import { pictureUrl, type ArtifactRow } from './artifact.ts'

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
    thumbnail_url: nullable(
      Type.String({ description: 'A picture of the page. The URL is valid for at least an hour.' }),
    ),
    created_at: Time,
  }),
)
type ArtifactRevision = Static<typeof ArtifactRevision>

/** The record as operations use it. */
export interface RevisionRow extends Omit<ArtifactRevision, 'thumbnail_url'> {
  /** The hash of its picture. */
  picture: string | null
}

export const revisionColumns = part`
  artifact_revisions.id, artifact_revisions.artifact_id, artifact_revisions.version, artifact_revisions.parent_revision_id,
  artifact_revisions.restored_from_version, artifact_revisions.created_at, encode(artifact_revisions.picture_sha256, 'hex') as picture`

/** The record as the wire has it. */
export function shownRevision(
  context: Context,
  artifact: ArtifactRow,
  { picture, ...rest }: RevisionRow,
): ArtifactRevision {
  return { ...rest, thumbnail_url: pictureUrl(context, artifact, { revisionId: rest.id, picture }) }
}

/** Found below its artifact, which the caller may read. */
const findRevision = (sql: Sql, id: string, teamId: string): Promise<RevisionRow[]> => sql<RevisionRow>`
  select ${revisionColumns} from artifact_revisions where artifact_revisions.id = ${id} and artifact_revisions.team_id = ${teamId}`

export const revision = resource('revision', findRevision)

declare module '../../kit/resources.ts' {
  interface Resources {
    revision: RevisionRow
  }
}
