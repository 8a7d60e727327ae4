// Says whether the page is live, reconnecting or paused. A click pauses it and sets it going again.
import { classes } from '../look/classes.ts'
import { Icon } from '../look/Icon.tsx'
import { useLive, type LiveState } from './live.tsx'
import style from './LiveMark.module.css'

const words: Record<LiveState, { word: string; says: string }> = {
  live: { word: 'Live', says: 'Connected: what happens appears by itself. Click to pause.' },
  reconnecting: { word: 'Reconnecting', says: 'The connection broke. It is tried again; what you see may be old.' },
  paused: { word: 'Paused', says: 'Nothing changes until you continue. Click to continue.' },
}

export function LiveMark() {
  const { state, setPaused } = useLive()
  const { word, says } = words[state]
  return (
    <button
      type="button"
      className={style.mark}
      title={says}
      aria-live="polite"
      aria-pressed={state === 'paused'}
      onClick={() => setPaused(state !== 'paused')}
    >
      {state === 'paused' ? <Icon name="pause" size={14} /> : <i className={classes(style.dot, style[state])} />}
      <span>{word}</span>
    </button>
  )
}
