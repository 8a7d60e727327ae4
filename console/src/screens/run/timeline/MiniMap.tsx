// The map of the whole run: every step as a thin line, and over it the part that is in sight, which can be dragged, drawn and moved by keys.
import { useEffect, useRef, type KeyboardEvent, type PointerEvent } from 'react'
import { momentAt, placeOf, type Axis } from './axis.ts'
import { classes } from '../../../look/classes.ts'
import { duration } from '../../../parts/amounts.ts'
import { barsOf, type BarKind, type StepLine } from './stepLine.ts'
import style from './MiniMap.module.css'
import { isWhole, moved, spanning, whole, zoomed, type View } from './view.ts'

const colours: Record<BarKind, string> = {
  model: '--kind-model',
  tool: '--kind-tool',
  browser: '--kind-browser',
  wait: '--kind-browser',
  sub_run: '--kind-sub',
  cut: '--failed',
  asked: '--hatch',
}

interface MiniMapProps {
  steps: StepLine[]
  axis: Axis
  view: View
  now: number
  onView: (view: View) => void
}

export function MiniMap({ steps, axis, view, now, onView }: MiniMapProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const frame = requestAnimationFrame(() => canvas.current && draw(canvas.current, steps, axis, now))
    return () => cancelAnimationFrame(frame)
  }, [steps, axis, now])
  const drag = useDrag(view, onView)

  const onKeyDown = (event: KeyboardEvent) => {
    const width = view.right - view.left
    const next =
      event.key === 'ArrowLeft'
        ? moved(view, -width / 4)
        : event.key === 'ArrowRight'
          ? moved(view, width / 4)
          : event.key === 'ArrowUp'
            ? zoomed(view, 1.5)
            : event.key === 'ArrowDown'
              ? zoomed(view, 1 / 1.5)
              : event.key === 'Home'
                ? moved(view, -1)
                : event.key === 'End'
                  ? moved(view, 1)
                  : undefined
    if (!next) return
    event.preventDefault()
    onView(next)
  }
  const from = momentAt(axis, view.left) - axis.from
  const to = momentAt(axis, view.right) - axis.from
  return (
    <div className={style.map} {...drag} onDoubleClick={() => onView(whole)}>
      <canvas ref={canvas} className={style.canvas} aria-hidden />
      <div
        className={classes(style.lens, isWhole(view) && style.all)}
        style={{ left: `${view.left * 100}%`, width: `${(view.right - view.left) * 100}%` }}
        role="slider"
        tabIndex={0}
        aria-label="Part of the run that is in sight"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(((view.left + view.right) / 2) * 100)}
        aria-valuetext={isWhole(view) ? 'the whole run' : `from ${duration(from)} to ${duration(to)}`}
        title="Drag to move, drag an edge to zoom, double click for the whole run"
        onKeyDown={onKeyDown}
      />
    </div>
  )
}

function placeAt(event: PointerEvent<HTMLElement>): { place: number; width: number } {
  const { left, width } = event.currentTarget.getBoundingClientRect()
  return { place: Math.min(1, Math.max(0, (event.clientX - left) / width)), width }
}

type Dragged = { kind: 'left' | 'right' | 'move' | 'draw'; at: number; view: View }

/** How close to an edge of the lens one takes hold of it. */
const edgePx = 7

function useDrag(view: View, onView: (view: View) => void) {
  const dragged = useRef<Dragged>(undefined)
  return {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (event.button !== 0) return
      const { place, width } = placeAt(event)
      const edge = edgePx / width
      const kind =
        Math.abs(place - view.left) < edge
          ? 'left'
          : Math.abs(place - view.right) < edge
            ? 'right'
            : !isWhole(view) && place > view.left && place < view.right
              ? 'move'
              : 'draw'
      dragged.current = { kind, at: place, view }
      event.currentTarget.setPointerCapture(event.pointerId)
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      const from = dragged.current
      if (!from) return
      const { place } = placeAt(event)
      if (from.kind === 'left') onView(spanning(place, from.view.right))
      else if (from.kind === 'right') onView(spanning(from.view.left, place))
      else if (from.kind === 'move') onView(moved(from.view, place - from.at))
      // a click is not a part
      else if (Math.abs(place - from.at) > 0.01) onView(spanning(from.at, place))
    },
    onPointerUp() {
      dragged.current = undefined
    },
    onPointerCancel() {
      dragged.current = undefined
    },
  }
}

/** Ten thousand lines take some milliseconds; they are drawn when a step has changed, not when one scrolls. */
function draw(canvas: HTMLCanvasElement, steps: StepLine[], axis: Axis, now: number): void {
  const scale = window.devicePixelRatio
  const { clientWidth, clientHeight } = canvas
  const width = Math.round(clientWidth * scale)
  const height = Math.round(clientHeight * scale)
  if (canvas.width !== width) canvas.width = width
  if (canvas.height !== height) canvas.height = height
  const pen = canvas.getContext('2d')
  if (!pen) return
  pen.clearRect(0, 0, width, height)
  const tokens = getComputedStyle(canvas)
  const ink = new Map<string, string>()
  const colourOf = (kind: BarKind): string => {
    const token = colours[kind]
    const known = ink.get(token) ?? tokens.getPropertyValue(token)
    ink.set(token, known)
    return known
  }
  const line = Math.max(scale, 1.5 * scale)
  const space = height - line - 4 * scale
  for (const [at, step] of steps.entries()) {
    const y = 2 * scale + (steps.length > 1 ? (at / (steps.length - 1)) * space : space / 2)
    for (const bar of barsOf(step, now)) {
      const left = placeOf(axis, bar.from) * width
      const right = placeOf(axis, bar.to) * width
      pen.fillStyle = colourOf(bar.kind)
      pen.fillRect(left, y, Math.max(scale, right - left), line)
    }
  }
}
