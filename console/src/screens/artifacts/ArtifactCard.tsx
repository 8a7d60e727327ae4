// One artifact in the gallery: its picture, its name, and what a person should know of it.
import type { Artifact } from '@runyard/sdk'
import { Link } from '@tanstack/react-router'
import { Icon } from '../../look/Icon.tsx'
import { StatusShape } from '../../look/StatusShape.tsx'
import { onThisOrigin } from '../../parts/files/saveFile.ts'
import { Tag } from '../../parts/Tag.tsx'
import { Time } from '../../parts/Time.tsx'
import { visible } from '../../parts/visibleText.ts'
import style from './ArtifactsScreen.module.css'
import { frequencies, stateOf, titleOf, visibilityNames } from './artifactWords.ts'

export function ArtifactCard({ artifact }: { artifact: Artifact }) {
  const { id, thumbnail_url, visibility, refresh_frequency, last_refresh_at, updated_at } = artifact
  const state = stateOf(artifact)
  return (
    <Link className={style.card} to="/artifacts/$artifactId" params={{ artifactId: id }}>
      <span className={style.picture}>
        {thumbnail_url === null ? (
          <Icon name="artifacts" size={28} />
        ) : (
          <img src={onThisOrigin(thumbnail_url)} alt="" loading="lazy" />
        )}
      </span>
      <span className={style.facts}>
        <span className={style.name}>
          <b title={visible(titleOf(artifact))}>{visible(titleOf(artifact))}</b>
          {visibility !== 'private' && (
            <Tag tone={visibility === 'public' ? 'wait' : undefined}>{visibilityNames[visibility]}</Tag>
          )}
        </span>
        <span className={style.sub}>
          {state ? (
            <>
              <StatusShape shape={state.shape} size={14} /> {state.says}
            </>
          ) : (
            <span>
              as of <Time at={last_refresh_at ?? updated_at} />
              {refresh_frequency && <>, {frequencies[refresh_frequency]}</>}
            </span>
          )}
        </span>
      </span>
    </Link>
  )
}
