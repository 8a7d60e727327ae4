// Reads the steps of a run as lines of the timeline.
import type { RunAxis, RunStep } from '@runyard/sdk'
import { runyard } from '../../../app/client.ts'
import { visible } from '../../../parts/visibleText.ts'
import type { StepLine } from './stepLine.ts'
import type { StepsPage } from './stepStore.ts'

/** The first page comes soon; the others are as large as the service gives them. */
const firstPage = 200
const nextPages = 1000

export async function readSteps(runId: string, after: number, signal: AbortSignal): Promise<StepsPage> {
  const limit = after === 0 ? firstPage : nextPages
  const { steps, total, axis } = await runyard.runs.listSteps(runId, { limit, offset: after }, { signal }).page()
  return { steps: linesOf(steps, axis), total, activeMs: axis.active_ms, now: Date.parse(axis.now) }
}

export function linesOf(steps: RunStep[], { waits, cuts }: Pick<RunAxis, 'waits' | 'cuts'>): StepLine[] {
  const waitsOf = Map.groupBy(waits, ({ step }) => step)
  const cutsOf = new Map<number, number[]>()
  for (const { at, steps: lost } of cuts)
    for (const { seq } of lost) cutsOf.set(seq, [...(cutsOf.get(seq) ?? []), Date.parse(at)])
  return steps.map((step) => ({
    seq: step.seq,
    kind: step.kind === 'tool' && step.name?.startsWith('browser_') ? 'browser' : step.kind,
    isRoom: step.room !== null,
    tool: step.kind === 'model' ? undefined : (step.name ?? undefined),
    name: visible(step.title),
    detail: visible(step.status === 'failed' && step.error !== null ? step.error : (step.detail ?? '')),
    state: step.status,
    waitsFor: step.waits_for ?? undefined,
    attempts: step.attempts,
    from: Date.parse(step.started_at),
    to: step.completed_at === null ? undefined : Date.parse(step.completed_at),
    cuts: cutsOf.get(step.seq) ?? [],
    waits: (waitsOf.get(step.seq) ?? []).map(({ kind, from, until }) => ({
      for: kind,
      from: Date.parse(from),
      to: until === null ? undefined : Date.parse(until),
    })),
    subRunId: step.sub_run_id ?? undefined,
    isCopied: step.is_copied,
  }))
}
