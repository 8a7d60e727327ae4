// Which waits of a run are folded on its axis: those during which nothing else was done.
import { mergeWaits, type Wait } from './axis.ts'
import type { Unfolded } from './rows.ts'
import { barsOf, type StepLine } from './stepLine.ts'

/** A sub-run is work that one wants to see, unless it takes much longer than everything else. */
const subRunMs = 60_000
const subRunShare = 2

interface Span {
  from: number
  to: number
}

/** A wait that is not over has no end: the axis ends it. */
export function waitsToFold(steps: StepLine[], unfolded: Unfolded[] = []): Wait[] {
  const waits: Wait[] = []
  const work: Span[] = []
  const subRuns: Span[] = []
  const gather = (of: StepLine[], isInside: boolean) => {
    for (const step of of) {
      for (const bar of barsOf(step, Infinity)) {
        if (bar.kind === 'asked' || bar.kind === 'wait')
          waits.push({ from: bar.from, to: bar.to, isForPerson: bar.kind === 'asked' })
        else if (bar.kind !== 'sub_run') work.push(bar)
        else if (isInside || !unfolded.some(({ seq }) => seq === step.seq)) subRuns.push(bar)
      }
    }
  }
  gather(steps, false)
  for (const { steps: inside } of unfolded) gather(inside, true)
  const worked = work.reduce((sum, { from, to }) => (to === Infinity ? sum : sum + to - from), 0)
  for (const span of subRuns)
    if (span.to - span.from > Math.max(subRunMs, worked * subRunShare)) waits.push({ ...span, isForPerson: false })
    else work.push(span)
  return without(mergeWaits(waits), joined(work))
}

function joined(spans: Span[]): Span[] {
  const all: Span[] = []
  for (const span of spans.toSorted((one, other) => one.from - other.from)) {
    const last = all.at(-1)
    if (last && span.from <= last.to) last.to = Math.max(last.to, span.to)
    else all.push({ from: span.from, to: span.to })
  }
  return all
}

/** What is left of the waits where nothing was done. Both are in order and without overlaps. */
function without(waits: Wait[], work: Span[]): Wait[] {
  const left: Wait[] = []
  let next = 0
  for (const wait of waits) {
    let from = wait.from
    while (next < work.length && (work[next]?.to ?? 0) <= from) next += 1
    for (let at = next; at < work.length; at += 1) {
      const span = work[at]
      if (!span || span.from >= wait.to) break
      if (span.from > from) left.push({ ...wait, from, to: span.from })
      from = Math.max(from, span.to)
    }
    if (from < wait.to) left.push({ ...wait, from })
  }
  return left
}
