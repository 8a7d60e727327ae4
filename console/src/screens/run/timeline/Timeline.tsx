// The timeline of a run: its steps as rows with their bars on one axis. Only the rows in sight exist; it grows while the run works.
import type { GetRunAnswer } from '@runyard/sdk'
import { useVirtualizer } from '@tanstack/react-virtual'
import {
  useCallback,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
} from 'react'
import { useKeys } from '../../../app/keys.ts'
import { classes } from '../../../look/classes.ts'
import { Icon } from '../../../look/Icon.tsx'
import { Button } from '../../../parts/Button.tsx'
import { Empty, Failed, Skeleton } from '../../../parts/states.tsx'
import { isEnded } from '../../../parts/Status.tsx'
import { useRunAddress } from '../address.ts'
import { useNarrow, usePhone } from '../phone.ts'
import { AxisHead, Grid, marksOf, useWidth } from './Axis.tsx'
import { makeAxis, placeOf } from './axis.ts'
import { MiniMap } from './MiniMap.tsx'
import { rowsOf } from './rows.ts'
import type { Steps } from './stepStore.ts'
import { StepRow } from './StepRow.tsx'
import style from './Timeline.module.css'
import { useAxisTime } from './useAxisTime.ts'
import { useUnfolded } from './useUnfolded.ts'
import { isWhole, readView, spanning, whole, writtenView, zoomed, type View } from './view.ts'
import { waitsToFold } from './waits.ts'

type Run = GetRunAnswer['run']

const rowHeight = { usual: 26, phone: 40 }
/** So close to its end the list counts as being there. */
const endPx = 24

interface TimelineProps {
  run: Run
  steps: Steps & { refresh: () => void }
  /** What stands at its end while the run works: the words of a model as they come. */
  foot?: ReactNode
  onOpen: () => void
}

export function Timeline({ run, steps, foot, onOpen }: TimelineProps) {
  if (steps.error && steps.steps.length === 0) return <Failed error={steps.error} onRetry={steps.refresh} />
  if (steps.steps.length > 0) return <Waterfall run={run} steps={steps} foot={foot} onOpen={onOpen} />
  if (!steps.isComplete) return <Skeleton what="steps" rows={12} />
  return (
    <Empty icon="runs" title="No steps yet">
      {isEnded(run.status)
        ? 'The run ended before its first step.'
        : 'Every turn of the model, every call and every wait appears here as it begins.'}
    </Empty>
  )
}

function Waterfall({ run, steps: { steps, aheadMs }, foot, onOpen }: TimelineProps) {
  const { search, choose } = useRunAddress()
  const isPhone = usePhone()
  const isNarrow = useNarrow()
  const isFolded = search.waits !== 'whole'
  const isActive = !isEnded(run.status)
  const { view, setView } = useView()
  const now = useAxisTime({ aheadMs, isActive, isRunning: run.status === 'running', isStill: !isWhole(view) })
  const unfolded = useUnfolded(steps)
  const rows = useMemo(() => rowsOf(steps, unfolded.open), [steps, unfolded.open])
  const waits = useMemo(() => waitsToFold(steps, unfolded.open), [steps, unfolded.open])
  const end = useMemo(() => steps.reduce((last, { to, from }) => Math.max(last, to ?? from), 0), [steps])
  const from = Math.min(Date.parse(run.started_at ?? run.created_at), steps[0]?.from ?? Infinity)
  const to = isActive ? Math.max(now, end) : Math.max(end, Date.parse(run.completed_at ?? '') || 0)
  const axis = useMemo(() => makeAxis({ from, to, waits: isFolded ? waits : [] }), [from, to, waits, isFolded])
  const [measure, trackPx] = useWidth()
  const marks = useMemo(() => marksOf(axis, view, Math.max(200, trackPx)), [axis, view, trackPx])

  const place = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [margin, setMargin] = useState(0)
  useLayoutEffect(() => {
    setMargin(isNarrow ? topWithin(list.current, place.current?.closest('main')) : 0)
  }, [isNarrow])
  const height = isPhone ? rowHeight.phone : rowHeight.usual
  const virtual = useVirtualizer({
    count: rows.count,
    getScrollElement: () => (isNarrow ? (place.current?.closest('main') ?? null) : place.current),
    estimateSize: () => height,
    overscan: 6,
    // rows are made in a task of their own after the scroll, before they are laid out: neither alone is long
    useFlushSync: false,
    scrollMargin: margin,
  })
  useEffect(() => virtual.measure(), [virtual, height])

  // a page that scrolls as a whole begins at its head
  const isHeld = isNarrow || search.step !== undefined
  const follow = useFollow({ isActive, count: rows.count, isHeld, virtual, place })
  const { stop } = follow
  const select = useCallback(
    (step: number, under: number | undefined) => {
      stop()
      choose({ step: under ?? step, picture: undefined })
    },
    [stop, choose],
  )

  /** Selects the step that is this many rows away, and brings it into sight. */
  const move = (by: number) => {
    const at = search.step === undefined ? (by > 0 ? -1 : rows.count) : rows.placeOf(search.step)
    for (let next = at + by; next >= 0 && next < rows.count; next += Math.sign(by)) {
      const row = rows.at(next)
      if (row?.under === undefined && row) {
        select(row.step.seq, undefined)
        virtual.scrollToIndex(next, { align: 'auto' })
        return
      }
    }
  }
  useScrollToSelected(search.step, rows.placeOf, virtual)

  const zoom = (factor: number, around?: number) => setView(zoomed(view, factor, around))
  /** In a run of thousands of steps those in sight are a moment: this makes them as wide as the axis. */
  const zoomToRows = () => {
    const above = virtual.scrollOffset ?? 0
    const inSight = virtual.scrollRect?.height ?? 0
    const first = rows.at(Math.ceil((above - margin) / height))?.step ?? steps[0]
    const last = rows.at(Math.min(rows.count, Math.floor((above - margin + inSight) / height)) - 1)?.step
    if (first && last) setView(spanning(placeOf(axis, first.from), placeOf(axis, last.to ?? now)))
  }
  const foldWaits = () => choose({ waits: isFolded ? 'whole' : undefined, view: undefined })
  useKeys([
    { keys: 'j', says: 'Next step', where: 'Run', run: () => move(1) },
    { keys: 'k', says: 'Step before', where: 'Run', run: () => move(-1) },
    { keys: 'w', says: isFolded ? 'Show waits as long as they are' : 'Fold waits', where: 'Run', run: foldWaits },
    { keys: '+', says: 'Zoom in', where: 'Run', run: () => zoom(1.5) },
    { keys: '-', says: 'Zoom out', where: 'Run', run: () => zoom(1 / 1.5) },
    { keys: '0', says: 'The whole run', where: 'Run', run: () => setView(whole) },
    { keys: 'z', says: 'Zoom to the steps in sight', where: 'Run', run: zoomToRows },
    ...(isActive ? [{ keys: 'f', says: 'Follow the end', where: 'Run', run: follow.start }] : []),
  ])
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor((place.current?.clientHeight ?? 400) / height) - 1)
    const selected = search.step === undefined ? undefined : rows.at(rows.placeOf(search.step))?.step
    const does: Record<string, () => void> = {
      ArrowDown: () => move(1),
      ArrowUp: () => move(-1),
      PageDown: () => move(Math.min(page, rows.count - 1 - Math.max(0, rows.placeOf(search.step ?? 1)))),
      PageUp: () => move(-Math.min(page, Math.max(0, rows.placeOf(search.step ?? 1)))),
      Home: () => select(1, undefined),
      End: () => select(steps.length, undefined),
      ArrowRight: () =>
        selected?.subRunId !== undefined && !unfolded.has(selected.seq) && unfolded.toggle(selected.seq),
      ArrowLeft: () => selected !== undefined && unfolded.has(selected.seq) && unfolded.toggle(selected.seq),
      Enter: onOpen,
    }
    const act = does[event.key]
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    act()
  }
  useWheelZoom(place, view, setView)

  const items = virtual.getVirtualItems()
  const slots = useSlots(items.length)
  const selectedPlace = search.step === undefined ? -1 : rows.placeOf(search.step)
  const isShown = items.some(({ index }) => index === selectedPlace)
  // a map of ten thousand lines waits until the rows are drawn
  const mapped = useDeferredValue(steps)
  return (
    <div className={classes(style.timeline, isPhone && style.phone)}>
      <AxisHead marks={marks} map={<MiniMap steps={mapped} axis={axis} view={view} now={now} onView={setView} />}>
        <Button
          kind="quiet"
          aria-pressed={isFolded}
          onClick={foldWaits}
          className={style.toggle}
          title="Waits folded (w)"
        >
          <Icon name="fold" size={14} />
          Waits folded
        </Button>
        <span className={style.zoom}>
          <Button kind="quiet" icon="minus" aria-label="Zoom out" title="Zoom out (-)" onClick={() => zoom(1 / 1.5)} />
          <Button kind="quiet" icon="plus" aria-label="Zoom in" title="Zoom in (+)" onClick={() => zoom(1.5)} />
          <Button kind="quiet" onClick={zoomToRows} title="Zoom to the steps in sight (z)">
            Steps
          </Button>
          <Button kind="quiet" onClick={() => setView(whole)} title="The whole run (0)">
            Fit
          </Button>
        </span>
      </AxisHead>
      <div
        className={style.rows}
        ref={place}
        role="tree"
        tabIndex={0}
        aria-label="Steps"
        aria-activedescendant={isShown ? `step-${search.step}` : undefined}
        onKeyDown={onKeyDown}
        onScroll={follow.onScroll}
        onWheel={follow.onWheel}
        onTouchMove={follow.onWheel}
      >
        <div
          className={style.sheet}
          ref={list}
          style={{ height: virtual.getTotalSize(), ...numberWidth(steps.length) }}
        >
          <Grid marks={marks} />
          <span className={style.track} ref={measure} data-track aria-hidden />
          {items.map(({ index, start }) => {
            const row = rows.at(index)
            if (!row) return null
            const { step, under } = row
            return (
              <StepRow
                key={index % slots}
                id={under === undefined ? `step-${step.seq}` : `step-${under}-${step.seq}`}
                step={step}
                under={under}
                axis={axis}
                view={view}
                now={step.to === undefined ? now : 0}
                isCulprit={under === undefined && run.error?.step === step.seq}
                isSelected={under === undefined && step.seq === search.step}
                isUnfolded={under === undefined && step.subRunId !== undefined ? unfolded.has(step.seq) : undefined}
                top={start - margin}
                position={step.seq}
                total={
                  under === undefined
                    ? steps.length
                    : (unfolded.open.find(({ seq }) => seq === under)?.steps.length ?? 0)
                }
                onSelect={select}
                onUnfold={unfolded.toggle}
              />
            )
          })}
        </div>
        {foot}
      </div>
      {isActive && !follow.isOn && (items.at(-1)?.index ?? 0) < rows.count - 1 && (
        <Button className={style.follow} onClick={follow.start} keys={['F']} icon="down">
          Follow
        </Button>
      )}
    </div>
  )
}

/**
 * How many elements the rows share. A row that comes into sight takes the element of one that went out of it: to fill an element costs half
 * of making a new one.
 */
function useSlots(count: number): number {
  const [slots, setSlots] = useState(count)
  if (count > slots) setSlots(count)
  return Math.max(1, slots, count)
}

/** Wide enough for the last number, so that what stands after the numbers is in one line. */
const numberWidth = (count: number) => ({ '--number-w': `max(22px, ${String(count).length}ch)` }) as CSSProperties

const topWithin = (element: HTMLElement | null, above: HTMLElement | null | undefined): number =>
  element && above ? element.getBoundingClientRect().top - above.getBoundingClientRect().top + above.scrollTop : 0

/** What is in sight. It moves at once; the address follows when it rests. */
function useView(): { view: View; setView: (view: View) => void } {
  const { search, choose } = useRunAddress()
  const [held, setHeld] = useState<View>()
  const view = useMemo(() => held ?? readView(search.view), [held, search.view])
  useEffect(() => {
    if (!held) return undefined
    const timer = setTimeout(() => {
      choose({ view: writtenView(held) })
      setHeld(undefined)
    }, 300)
    return () => clearTimeout(timer)
  }, [held, choose])
  return { view, setView: setHeld }
}

type Virtual = ReturnType<typeof useVirtualizer<HTMLElement, Element>>

interface FollowOptions {
  isActive: boolean
  count: number
  /** It follows only when somebody asks for it. */
  isHeld: boolean
  virtual: Virtual
  place: { current: HTMLDivElement | null }
}

/** Keeps the end in sight while the run grows, until the reader goes elsewhere. */
function useFollow({ isActive, count, isHeld, virtual, place }: FollowOptions) {
  const [isOn, setOn] = useState(!isHeld)
  const last = count - 1
  useEffect(() => {
    if (isActive && isOn && last >= 0) virtual.scrollToIndex(last, { align: 'end' })
  }, [isActive, isOn, last, virtual])
  const isAtEnd = () => {
    const element = place.current
    return !element || element.scrollHeight - element.scrollTop - element.clientHeight < endPx
  }
  const start = useCallback(() => setOn(true), [])
  const stop = useCallback(() => setOn(false), [])
  return {
    isOn: isOn || count === 0,
    start,
    stop,
    onScroll: () => {
      if (!isOn && isAtEnd() && !isHeld) setOn(true)
    },
    // only a person turns a wheel
    onWheel: () => {
      if (isOn && !isAtEnd()) setOn(false)
    },
  }
}

/** A step that was selected elsewhere, by a link or a picture, comes into sight. */
function useScrollToSelected(step: number | undefined, find: (seq: number) => number, virtual: Virtual): void {
  const done = useRef<number>(undefined)
  useEffect(() => {
    if (step === undefined || done.current === step) return
    const at = find(step)
    // it may be on a page that has not come yet
    if (at < 0) return
    const isFirst = done.current === undefined
    done.current = step
    virtual.scrollToIndex(at, { align: isFirst ? 'center' : 'auto' })
  }, [step, find, virtual])
}

/** Ctrl and the wheel zoom around the pointer; a browser would zoom the page otherwise. */
function useWheelZoom(place: { current: HTMLDivElement | null }, view: View, setView: (view: View) => void): void {
  const latest = useRef({ view, setView })
  useEffect(() => {
    latest.current = { view, setView }
  })
  useEffect(() => {
    const element = place.current
    if (!element) return undefined
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return
      const track = element.querySelector<HTMLElement>('[data-track]')?.getBoundingClientRect()
      if (!track || track.width === 0) return
      event.preventDefault()
      const around = Math.min(1, Math.max(0, (event.clientX - track.left) / track.width))
      latest.current.setView(zoomed(latest.current.view, Math.exp(-event.deltaY / 250), around))
    }
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => element.removeEventListener('wheel', onWheel)
  }, [place])
}
