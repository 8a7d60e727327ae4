// How fresh the page is: when its data is from, when the next refresh is due, and why the last one failed.
import type { Artifact } from '@runyard/sdk'
import { classes } from '../../look/classes.ts'
import { StatusShape } from '../../look/StatusShape.tsx'
import { Time } from '../../parts/Time.tsx'
import { visible } from '../../parts/visibleText.ts'
import { isWorking } from '../../queries/artifacts.ts'
import { frequencies, stateOf } from '../artifacts/artifactWords.ts'
import style from './ArtifactScreen.module.css'

export function RefreshLine({ artifact }: { artifact: Artifact }) {
  const { last_refresh_at, next_refresh_at, refresh_frequency, refresh_error, current_version, updated_at } = artifact
  if (isWorking(artifact)) {
    const state = stateOf(artifact)
    return (
      <p className={style.line} role="status">
        <StatusShape shape={state?.shape ?? 'running'} size={14} />
        {artifact.pending_question
          ? 'It waits for an answer in the chat.'
          : artifact.html_code_present
            ? 'Something works on it. The page stays as it is until that is done.'
            : 'The page is being made.'}
      </p>
    )
  }
  if (refresh_error !== null)
    return (
      <p className={classes(style.line, style.bad)} role="status">
        <StatusShape shape="failed" size={14} />
        <span>The last refresh failed, so this is the last good page. {visible(refresh_error)}</span>
      </p>
    )
  return (
    <p className={style.line}>
      {artifact.html_code_present && (
        <span>
          Revision {current_version}, as of <Time at={last_refresh_at ?? updated_at} />
        </span>
      )}
      <span className="dim">
        {refresh_frequency === null ? (
          'It is refreshed when somebody asks.'
        ) : (
          <>
            It is refreshed {frequencies[refresh_frequency]}
            {next_refresh_at && (
              <>
                , next <Time at={next_refresh_at} />
              </>
            )}
            .
          </>
        )}
      </span>
    </p>
  )
}
