// Ticks of the axis and their labels: round amounts of time since the start, and the length of each folded wait.
import type { Axis, Piece } from './axis.ts'
import { inView, type View } from './view.ts'

export interface Tick {
  /** A share of what is in sight. */
  at: number
  /** Empty where a label has no room. */
  label: string
}

export interface FoldMark {
  left: number
  right: number
  label: string
  isForPerson: boolean
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const steps = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 15, 30].map((many) => many * second),
  ...[1, 2, 5, 10, 15, 30].map((many) => many * minute),
  ...[1, 2, 3, 6, 12].map((many) => many * hour),
  ...[1, 2, 7, 14, 28, 91, 182, 365].map((many) => many * day),
]

/** The smallest round amount that gives at most this many ticks. */
export const stepFor = (ms: number, most: number): number =>
  steps.find((step) => ms / step <= most) ?? Math.ceil(ms / most / day) * day

/** `0 s`, `5 s`, `1.5 s`, `20 ms`, `2 min`, `1 h 30 min`: no more digits than the step has. */
export function tickLabel(ms: number, step: number): string {
  if (ms === 0) return step < second ? '0 ms' : step < minute ? '0 s' : '0 min'
  if (ms < second) return `${ms} ms`
  if (ms < minute)
    return `${step < 100 ? (ms / second).toFixed(2) : ms % second === 0 ? ms / second : (ms / second).toFixed(1)} s`
  const parts = [
    { unit: 'd', of: Math.floor(ms / day) },
    { unit: 'h', of: Math.floor((ms % day) / hour) },
    { unit: 'min', of: Math.floor((ms % hour) / minute) },
    { unit: 's', of: Math.round((ms % minute) / 100) / 10 },
  ]
  return parts
    .filter(({ of }) => of > 0)
    .slice(0, 2)
    .map(({ unit, of }) => `${of} ${unit}`)
    .join(' ')
}

/** About how wide a letter of the labels is, in pixels, and what must be free between two. */
const letterPx = 6
const gapPx = 10

interface Taken {
  from: number
  to: number
}

const isFree = (taken: Taken[], { from, to }: Taken): boolean =>
  taken.every((other) => to + gapPx <= other.from || from >= other.to + gapPx)

function taking(at: number, label: string, widthPx: number): Taken {
  const half = (label.length * letterPx) / 2
  // labels at the ends are moved inside
  const middle = Math.min(widthPx - half, Math.max(half, at * widthPx))
  return { from: middle - half, to: middle + half }
}

/** The folds in sight with their lengths; a label that would touch another is left out. */
export function foldsInView(
  { pieces }: Axis,
  view: View,
  widthPx: number,
  lengthOf: (ms: number) => string,
): { marks: FoldMark[]; taken: Taken[] } {
  const taken: Taken[] = []
  const marks: FoldMark[] = []
  for (const { folds, left, right } of pieces) {
    if (!folds || right <= view.left || left >= view.right) continue
    const from = Math.max(0, inView(view, left))
    const to = Math.min(1, inView(view, right))
    const label = lengthOf(folds.to - folds.from)
    const room = taking((from + to) / 2, label, widthPx)
    const hasRoom = isFree(taken, room)
    if (hasRoom) taken.push(room)
    marks.push({ left: from, right: to, label: hasRoom ? label : '', isForPerson: folds.isForPerson })
  }
  return { marks, taken }
}

/** Ticks in sight. They count the time that is shown: folded waits do not count. */
export function ticksInView(axis: Axis, view: View, widthPx: number, taken: Taken[]): Tick[] {
  const even = axis.pieces.filter(({ folds }) => !folds)
  const before = new Map<Piece, number>()
  let shown = 0
  let inSight = 0
  for (const piece of even) {
    before.set(piece, shown)
    shown += piece.to - piece.from
    const share = Math.min(piece.right, view.right) - Math.max(piece.left, view.left)
    if (share > 0) inSight += ((piece.to - piece.from) * share) / (piece.right - piece.left)
  }
  if (inSight <= 0) return []
  const step = stepFor(inSight, Math.max(1, Math.floor(widthPx / 80)))
  const used = [...taken]
  return even.flatMap((piece) => {
    const perMs = (piece.right - piece.left) / (piece.to - piece.from)
    const start = before.get(piece) ?? 0
    const firstShown = start + Math.max(0, (view.left - piece.left) / perMs)
    const lastShown = start + Math.min(piece.to - piece.from, (view.right - piece.left) / perMs)
    const ticks: Tick[] = []
    for (let at = Math.ceil(firstShown / step) * step; at < lastShown; at += step) {
      const place = inView(view, piece.left + (at - start) * perMs)
      const label = tickLabel(at, step)
      const room = taking(place, label, widthPx)
      const hasRoom = isFree(used, room)
      if (hasRoom) used.push(room)
      ticks.push({ at: place, label: hasRoom ? label : '' })
    }
    return ticks
  })
}
