// The axis of the waterfall: from moments of a run to places from 0 to 1. Long waits are folded, so that seconds of work stay readable beside
// hours of waiting.

/** A stretch of time in which the run waited, in milliseconds. */
export interface Wait {
  from: number
  to: number
  isForPerson: boolean
}

/** A part of the axis on which time passes evenly. */
export interface Piece {
  from: number
  to: number
  left: number
  right: number
  /** The wait that it folds; undefined: time as it is. */
  folds?: Wait
}

export interface Axis {
  from: number
  to: number
  /** In order, from 0 to 1 without gaps. */
  pieces: Piece[]
  /** How much time is not folded. */
  shownMs: number
}

/** How much of the axis one fold takes, and all of them together. */
const foldShare = 0.085
const foldsShare = 0.45
/** A run in which no time has passed has an axis too. */
const leastMs = 50

/** Waits in order, those that touch or overlap as one: a run may wait for several calls at once. */
export function mergeWaits(waits: Wait[]): Wait[] {
  const merged: Wait[] = []
  for (const wait of waits.toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1)
    if (last && wait.from <= last.to) {
      last.to = Math.max(last.to, wait.to)
      last.isForPerson ||= wait.isForPerson
    } else merged.push({ ...wait })
  }
  return merged
}

export function makeAxis({ from, to, waits }: { from: number; to: number; waits: Wait[] }): Axis {
  const end = Math.max(to, from + leastMs)
  const inside = mergeWaits(waits)
    .map((wait) => ({ ...wait, from: Math.max(from, wait.from), to: Math.min(end, wait.to) }))
    .filter((wait) => wait.to > wait.from)
  const waited = inside.reduce((sum, wait) => sum + wait.to - wait.from, 0)
  // a wait that is not longer than its fold would be stays as it is
  const longest = Math.max(leastMs, end - from - waited) * (foldShare / (1 - foldShare))
  const folded = inside.filter((wait) => wait.to - wait.from > longest)
  const share = folded.length === 0 ? 0 : Math.min(foldShare, foldsShare / folded.length)
  const shownMs = end - from - folded.reduce((sum, wait) => sum + wait.to - wait.from, 0)
  const perMs = shownMs > 0 ? (1 - share * folded.length) / shownMs : 0
  const pieces: Piece[] = []
  let at = from
  let left = 0
  const add = (until: number, width: number, folds?: Wait) => {
    if (until > at) pieces.push({ from: at, to: until, left, right: left + width, ...(folds && { folds }) })
    at = until
    left += width
  }
  for (const wait of folded) {
    add(wait.from, (wait.from - at) * perMs)
    add(wait.to, shownMs > 0 ? share : 1 / folded.length, wait)
  }
  add(end, (end - at) * perMs)
  // sums of fractions end close to 1, not at it
  const last = pieces.at(-1)
  if (last) last.right = 1
  return { from, to: end, pieces, shownMs }
}

/** Which piece has the moment: by halving, for a run may have thousands of waits. */
function pieceAt(pieces: Piece[], at: number, end: 'to' | 'right'): Piece | undefined {
  let low = 0
  let high = pieces.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((pieces[middle]?.[end] ?? 0) < at) low = middle + 1
    else high = middle
  }
  return pieces[low]
}

const between = (value: number, from: number, to: number): number =>
  to > from ? Math.min(1, Math.max(0, (value - from) / (to - from))) : 0

/** The place of a moment; what lies outside is at the nearest end. */
export function placeOf({ pieces }: Axis, at: number): number {
  const piece = pieceAt(pieces, at, 'to')
  return piece ? piece.left + between(at, piece.from, piece.to) * (piece.right - piece.left) : 0
}

/** The moment at a place. */
export function momentAt({ pieces, from }: Axis, place: number): number {
  const piece = pieceAt(pieces, place, 'right')
  return piece ? piece.from + between(place, piece.left, piece.right) * (piece.to - piece.from) : from
}
