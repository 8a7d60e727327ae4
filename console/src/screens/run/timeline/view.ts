// What of the axis is in sight: the zoom of the waterfall. Places are shares of the axis, from 0 to 1.

export interface View {
  left: number
  right: number
}

export const whole: View = { left: 0, right: 1 }

/** The smallest part that can be looked at: a millisecond of a run of two minutes is then as wide as the screen. */
const narrowest = 1e-5

export const isWhole = ({ left, right }: View): boolean => left <= 0 && right >= 1

/** Within the axis, and never narrower than what can be drawn. */
function within(left: number, right: number): View {
  const width = Math.min(1, Math.max(narrowest, right - left))
  const from = Math.min(1 - width, Math.max(0, left))
  return { left: from, right: from + width }
}

/** Larger than 1 zooms in. What lies at `around`, a share of what is in sight, stays where it is. */
export function zoomed({ left, right }: View, factor: number, around = 0.5): View {
  const at = left + (right - left) * around
  return within(at - (at - left) / factor, at + (right - at) / factor)
}

/** Moved by a share of the axis. */
export const moved = ({ left, right }: View, by: number): View => {
  const width = right - left
  const from = Math.min(1 - width, Math.max(0, left + by))
  return { left: from, right: from + width }
}

/** From one place to another, in any order. */
export const spanning = (one: number, other: number): View => within(Math.min(one, other), Math.max(one, other))

/** A place of the axis as a share of what is in sight: below 0 or above 1 it is out of sight. */
export const inView = ({ left, right }: View, place: number): number => (place - left) / (right - left)

/** `12.5-40`, in percent, as the address has it. */
export function readView(text: string | undefined): View {
  const [, left, right] = /^(\d{1,3}(?:\.\d{1,4})?)-(\d{1,3}(?:\.\d{1,4})?)$/.exec(text ?? '') ?? []
  if (left === undefined || right === undefined || Number(left) >= Number(right)) return whole
  return within(Number(left) / 100, Number(right) / 100)
}

const percent = (share: number): string => String(Math.round(share * 1e6) / 1e4)

/** Undefined for the whole. */
export const writtenView = (view: View): string | undefined =>
  isWhole(view) ? undefined : `${percent(view.left)}-${percent(view.right)}`
