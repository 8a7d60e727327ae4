// A step as a line of the timeline: light, so that ten thousand of them fit into memory and are drawn only where they are in sight.

export type StepKind = 'model' | 'tool' | 'browser' | 'human' | 'wait' | 'sub_run'

export type StepState = 'running' | 'waiting' | 'done' | 'failed' | 'cut_off' | 'in_doubt'

/** A wait inside of a step, in milliseconds. `to` is undefined while it still waits. */
export interface StepWaited {
  for: 'human' | 'time' | 'connection' | 'sub_run'
  from: number
  to: number | undefined
}

export interface StepLine {
  seq: number
  kind: StepKind
  /** It made room in the window of the model: notes in place of old turns, old results shortened, or old pictures left out. */
  isRoom: boolean
  /** The tool; undefined for a turn of a model. */
  tool: string | undefined
  /** `http_request`, `Turn 3`, or what a person was asked. */
  name: string
  detail: string
  state: StepState
  /** While it waits or is in doubt: for what. */
  waitsFor: StepWaited['for'] | undefined
  attempts: number
  /** Milliseconds. `to` is undefined while it is not over. */
  from: number
  to: number | undefined
  /** When a process lost the run in the middle of it. */
  cuts: number[]
  waits: StepWaited[]
  /** The run that it started. */
  subRunId: string | undefined
  /** It comes with its result from the run that this one retries. */
  isCopied: boolean
}

/** `cut`: up to the loss of its process; `asked`: while a person was asked. */
export type BarKind = 'model' | 'tool' | 'browser' | 'sub_run' | 'wait' | 'asked' | 'cut'

export interface Bar {
  kind: BarKind
  from: number
  to: number
  /** It continues at this moment. */
  isOpen: boolean
}

interface Mark {
  kind: 'cut' | 'asked' | 'wait'
  from: number
  to: number
  isOpen: boolean
}

/** The bars of a step in order: its work, cut where a process was lost, hatched where it waited. */
export function barsOf(step: StepLine, now: number): Bar[] {
  const isOpen = step.to === undefined
  const end = step.to ?? Math.max(now, step.from)
  const bars: Bar[] = []
  let at = step.from
  for (const mark of marksOf(step, end)) {
    // nobody worked between the loss of a process and the question that followed
    if (mark.from > at && mark.kind !== 'cut' && bars.at(-1)?.kind !== 'cut')
      bars.push(working(step, at, mark.from, false))
    const from = mark.kind === 'cut' ? Math.min(at, mark.from) : Math.max(at, mark.from)
    bars.push({ kind: mark.kind, from, to: mark.to, isOpen: mark.isOpen && isOpen })
    at = Math.max(at, mark.to)
  }
  const isWaiting = bars.at(-1)?.isOpen ?? false
  if (!isWaiting && (bars.length === 0 || end > at || (isOpen && end >= at))) bars.push(working(step, at, end, isOpen))
  return bars
}

/** A request to a person and a wait do nothing but wait; the rest is work. */
const working = ({ kind }: StepLine, from: number, to: number, isOpen: boolean): Bar => ({
  kind: kind === 'human' ? 'asked' : kind,
  from,
  to,
  isOpen,
})

/** In the order in which they began. The wait for a sub-run is the bar of the step itself. */
function marksOf({ cuts, waits }: StepLine, end: number): Mark[] {
  const marks: Mark[] = cuts.map((cut) => ({ kind: 'cut', from: cut, to: cut, isOpen: false }))
  for (const wait of waits) {
    if (wait.for === 'sub_run') continue
    const kind = wait.for === 'human' ? 'asked' : 'wait'
    marks.push({ kind, from: wait.from, to: wait.to ?? end, isOpen: wait.to === undefined })
  }
  return marks.length < 2 ? marks : marks.sort((one, other) => one.from - other.from)
}

export const tookMs = (step: StepLine, now: number): number => Math.max(0, (step.to ?? now) - step.from)
