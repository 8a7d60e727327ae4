// The rows of the timeline: steps, and below each that is unfolded the steps of the run that it started. Found by their place, never laid out
// as a whole.
import type { StepLine } from './stepLine.ts'

export interface Row {
  step: StepLine
  /** Undefined for a step of the run itself, else the step that started its run. */
  under: number | undefined
}

/** The steps of a run that a step started. */
export interface Unfolded {
  seq: number
  steps: StepLine[]
}

interface Stretch {
  /** The place of its first row. */
  at: number
  count: number
  steps: StepLine[]
  /** The first of `steps` that it has. */
  first: number
  under: number | undefined
}

export interface Rows {
  count: number
  at: (place: number) => Row | undefined
  /** The place of a step of the run itself. */
  placeOf: (seq: number) => number
}

/** Steps are numbered from 1 without gaps, so a step's number says where it is. */
export function rowsOf(steps: StepLine[], unfolded: Unfolded[]): Rows {
  const stretches: Stretch[] = []
  let count = 0
  const add = (of: StepLine[], first: number, many: number, under: number | undefined) => {
    if (many <= 0) return
    stretches.push({ at: count, count: many, steps: of, first, under })
    count += many
  }
  let next = 0
  for (const { seq, steps: inside } of unfolded.toSorted((one, other) => one.seq - other.seq)) {
    if (seq > steps.length || seq <= next) continue
    add(steps, next, seq - next, undefined)
    add(inside, 0, inside.length, seq)
    next = seq
  }
  add(steps, next, steps.length - next, undefined)
  return {
    count,
    at(place) {
      const stretch = stretches.findLast((one) => one.at <= place)
      const step = stretch?.steps[stretch.first + place - stretch.at]
      return stretch && step && place < stretch.at + stretch.count ? { step, under: stretch.under } : undefined
    },
    placeOf(seq) {
      const stretch = stretches.find(
        ({ under, first, count: many }) => under === undefined && seq - 1 >= first && seq - 1 < first + many,
      )
      return stretch ? stretch.at + seq - 1 - stretch.first : -1
    },
  }
}
