// The revisions of an artifact with their pictures: each can be looked at, and restored.
import type { Artifact, ArtifactRevision } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Icon } from '../../look/Icon.tsx'
import { onThisOrigin } from '../../parts/files/saveFile.ts'
import { Empty, Shown } from '../../parts/states.tsx'
import { Tag } from '../../parts/Tag.tsx'
import { Time } from '../../parts/Time.tsx'
import { artifactRevisionsQuery } from '../../queries/artifacts.ts'
import style from './ArtifactScreen.module.css'
import { RestoreButton } from './RestoreButton.tsx'

/** More are in the API; nobody looks at more pictures. */
const rowsMax = 100

interface RevisionsProps {
  artifact: Artifact
  canEdit: boolean
  /** The one that is looked at. */
  shown: string | undefined
}

export function Revisions({ artifact, canEdit, shown }: RevisionsProps) {
  const revisions = useQuery(artifactRevisionsQuery(artifact))
  return (
    // a keyboard must reach what scrolls
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={style.scroll} tabIndex={0} role="region" aria-label="Revisions">
      <Shown query={revisions} what="revisions" rows={4}>
        {({ revisions: rows }) =>
          rows.length === 0 ? (
            <Empty icon="artifacts" title="No revision yet">
              Each change of the page makes one. A refresh does not: it gives the current one new data.
            </Empty>
          ) : (
            <ol>
              {rows.slice(0, rowsMax).map((revision) => (
                <Row
                  key={revision.id}
                  artifact={artifact}
                  revision={revision}
                  canEdit={canEdit}
                  isShown={revision.id === (shown ?? artifact.current_revision_id)}
                />
              ))}
              {rows.length > rowsMax && <p className="dim small">The newest {rowsMax} are shown.</p>}
            </ol>
          )
        }
      </Shown>
    </div>
  )
}

interface RowProps {
  artifact: Artifact
  revision: ArtifactRevision
  canEdit: boolean
  isShown: boolean
}

function Row({ artifact, revision, canEdit, isShown }: RowProps) {
  const { id, version, thumbnail_url, restored_from_version, created_at } = revision
  const isCurrent = id === artifact.current_revision_id
  const link = {
    to: '/artifacts/$artifactId' as const,
    params: { artifactId: artifact.id },
    search: { panel: 'revisions' as const, ...(!isCurrent && { revision: id }) },
  }
  return (
    <li className={style.revision} aria-current={isShown ? 'true' : undefined}>
      <Link {...link} className={style.thumb} aria-label={`Show revision ${version}`}>
        {thumbnail_url === null ? (
          <Icon name="artifacts" />
        ) : (
          <img src={onThisOrigin(thumbnail_url)} alt="" loading="lazy" />
        )}
      </Link>
      <div>
        <header>
          <Link {...link} className="link">
            Revision {version}
          </Link>
          {isCurrent && <Tag tone="live">current</Tag>}
        </header>
        <p>
          <Time at={created_at} />
          {restored_from_version !== null && `, from revision ${restored_from_version}`}
        </p>
        {!isCurrent && <RestoreButton artifact={artifact} revision={revision} canEdit={canEdit} />}
      </div>
    </li>
  )
}
