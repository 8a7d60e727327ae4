// One row of the timeline: number, kind, name and detail of a step, its bars on the axis, and how long it took.
import { memo } from 'react'
import { classes } from '../../../look/classes.ts'
import { Icon, type IconName } from '../../../look/Icon.tsx'
import { StatusShape } from '../../../look/StatusShape.tsx'
import { duration } from '../../../parts/amounts.ts'
import { Tag } from '../../../parts/Tag.tsx'
import { placeOf, type Axis } from './axis.ts'
import { barsOf, tookMs, type Bar, type StepKind, type StepLine, type StepState } from './stepLine.ts'
import style from './StepRow.module.css'
import { inView, type View } from './view.ts'

const icons: Record<StepKind, IconName> = {
  model: 'model',
  tool: 'tool',
  browser: 'browser',
  human: 'user',
  wait: 'clock',
  sub_run: 'subrun',
}

/** What a state is called where a bar alone would say it. */
const states: Record<StepState, string> = {
  running: 'running',
  waiting: 'waiting',
  done: '',
  failed: 'failed',
  cut_off: 'cut off',
  in_doubt: 'in doubt',
}

interface StepRowProps {
  step: StepLine
  /** The step whose run this step is part of. */
  under: number | undefined
  axis: Axis
  view: View
  /** Only steps that are not over depend on it. */
  now: number
  isSelected: boolean
  /** The run failed at it. */
  isCulprit: boolean
  /** Undefined where there is nothing to unfold. */
  isUnfolded: boolean | undefined
  id: string
  top: number
  position: number
  total: number
  onSelect: (step: number, under: number | undefined) => void
  onUnfold: (step: number) => void
}

export const StepRow = memo(function StepRow(props: StepRowProps) {
  const {
    step,
    under,
    axis,
    view,
    now,
    isSelected,
    isCulprit,
    isUnfolded,
    id,
    top,
    position,
    total,
    onSelect,
    onUnfold,
  } = props
  const isWaiting = step.waitsFor === 'human'
  const hasFailed = step.state === 'failed' || isCulprit
  const word = isCulprit ? 'the run failed here' : states[step.state]
  return (
    // keys of the whole timeline do the same: focus stays on it
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      id={id}
      role="treeitem"
      tabIndex={-1}
      aria-selected={isSelected}
      aria-level={under === undefined ? 1 : 2}
      aria-posinset={position}
      aria-setsize={total}
      aria-expanded={isUnfolded}
      className={classes(
        style.row,
        isSelected && style.selected,
        under !== undefined && style.inside,
        isWaiting && style.waits,
        hasFailed && style.failed,
        step.isCopied && style.copied,
      )}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => onSelect(step.seq, under)}
    >
      <span className={style.number}>{under === undefined ? step.seq : `${under}.${step.seq}`}</span>
      <span className={classes(style.kind, style[step.kind])}>
        {isWaiting ? (
          <StatusShape shape="human" size={14} />
        ) : hasFailed ? (
          <StatusShape shape="failed" size={14} />
        ) : (
          <Icon name={step.isRoom ? 'book' : icons[step.kind]} size={14} />
        )}
      </span>
      <span className={style.label}>
        {isUnfolded !== undefined && (
          <button
            type="button"
            tabIndex={-1}
            className={style.unfold}
            aria-label={isUnfolded ? 'Fold the steps of its run' : 'Show the steps of its run'}
            onClick={(event) => {
              event.stopPropagation()
              onUnfold(step.seq)
            }}
          >
            <Icon name={isUnfolded ? 'down' : 'right'} size={12} />
          </button>
        )}
        <b>{step.name}</b>
        {word !== '' && <span className="forReaders">{word}</span>}
        {step.isCopied && <Tag title="It comes with its result from the run that this one retries">copied</Tag>}
        {step.state === 'in_doubt' && <Tag tone="wait">in doubt</Tag>}
        {step.attempts > 1 && (
          <Tag tone="wait" title={`${step.attempts} attempts`}>
            ×{step.attempts}
          </Tag>
        )}
        <span className={style.detail}>{step.detail}</span>
      </span>
      <span className={style.track} aria-hidden>
        {barsOf(step, now).map((bar, at) => (
          <BarOf key={at} bar={bar} axis={axis} view={view} hasFailed={hasFailed} />
        ))}
      </span>
      <span className={style.took}>{tookOf(step, now)}</span>
    </div>
  )
})

/** A step that is not over counts in whole seconds: tenths would only flicker. */
function tookOf(step: StepLine, now: number): string {
  const ms = tookMs(step, now)
  return step.to === undefined && ms >= 1000 ? duration(Math.floor(ms / 1000) * 1000) : duration(ms)
}

function BarOf({ bar, axis, view, hasFailed }: { bar: Bar; axis: Axis; view: View; hasFailed: boolean }) {
  const left = inView(view, placeOf(axis, bar.from))
  const right = inView(view, placeOf(axis, bar.to))
  if (right < 0 || left > 1) return null
  const from = Math.max(0, left)
  const to = Math.min(1, right)
  return (
    <i
      className={classes(
        style.bar,
        style[bar.kind],
        bar.isOpen && style.open,
        hasFailed && bar.kind === 'tool' && style.broke,
      )}
      // what is shorter than 3 px stays in sight, also at the end
      style={{ left: `min(${from * 100}%, 100% - 3px)`, width: `max(${(to - from) * 100}%, 3px)` }}
    />
  )
}
