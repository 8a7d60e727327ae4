// Judges recorded runs by rules as the live ones would have been judged: run by run in the order of their starts, call by call.
import {
  leavingOf,
  nextDay,
  stopByCalls,
  stopByCost,
  stopByHour,
  stopToAsk,
  stopToRefuse,
  type Stop,
} from '../../engine/guardrails/judge.ts'
import type { RuleName, Rules } from '../../engine/guardrails/rules.ts'
import { isMore, sum } from '../../engine/ledger/money.ts'
import type { Context } from '../../kit/context.ts'
import { teamTimeOf } from '../../kit/teamTime.ts'
import type { Leaving, Tool } from '../../kit/tool.ts'
import type { Report } from './dryRun.ts'

export interface RecordedRun {
  id: string
  run_number: number
  agent_name: string
  parent_run_id: string | null
  created_at: Date
  has_log: boolean
  /** Runs of artifacts that only some members may see are counted and not named. */
  is_named: boolean
}

export interface RecordedStep {
  seq: number
  kind: 'model' | 'tool' | 'human' | 'wait' | 'sub_run'
  tool: string | null
  arguments: unknown
  cost_usd: string | null
  /** The live rules judge a call when it is made, which may be days after it was planned. */
  made_at: Date
}

/** What only the run's own build can tell about a call. */
export interface CallFacts {
  tool: Tool
  /** Its build, or the tool itself, asks one person already. */
  isAskedAnyway: () => boolean
  /** What the call's connection is refused for. */
  byConnection: (leaving: Leaving) => Promise<Stop | undefined>
}

const firstMax = 50
/** How many runs that would not have started are remembered: their sub-runs would not have started either. */
const unstartedMax = 100_000

interface Judging {
  rules: Rules
  context: Context
  teamId: string
  /** The key is the number of the day since 1970. */
  days: Map<number, { runs: number; calls: number; cost: string }>
  unstarted: Set<string>
  report: Report
}

export const newJudging = (context: Context, teamId: string, rules: Rules): Judging => ({
  rules,
  context,
  teamId,
  days: new Map(),
  unstarted: new Set(),
  report: { rows_since: null, runs: 0, calls: 0, runs_without_log: 0, is_cut: false, runs_stopped: 0, rules: [] },
})

/** Undefined: the tool of a call is not known any more. */
type FactsOf = (step: RecordedStep) => Promise<CallFacts | undefined>

/** `steps`: the calls of the run, which are read only as far as they are judged. */
export async function judgeRun(
  judging: Judging,
  run: RecordedRun,
  steps: AsyncIterable<RecordedStep>,
  factsOf: FactsOf,
): Promise<void> {
  const { report, unstarted } = judging
  if (run.parent_run_id !== null && unstarted.has(run.parent_run_id)) return leaveOut(judging, run)
  report.rows_since ??= run.created_at
  report.runs += 1
  report.runs_without_log += Number(!run.has_log)
  const touched = new Set<RuleName>()
  const note = (stop: Stop, step: RecordedStep | null, at: number) => addStop(judging, run, touched, stop, step, at)
  const started = run.created_at.getTime()
  const refused = stopStart(judging, started)
  if (refused) {
    leaveOut(judging, run)
    note(refused, null, started)
  } else {
    dayOf(judging, started).runs += 1
    await judgeSteps(judging, steps, run.has_log ? factsOf : undefined, note)
  }
  report.runs_stopped += Number(touched.size > 0)
}

function leaveOut({ unstarted }: Judging, { id }: RecordedRun): void {
  if (unstarted.size < unstartedMax) unstarted.add(id)
}

type Note = (stop: Stop, step: RecordedStep | null, at: number) => void

async function judgeSteps(
  judging: Judging,
  steps: AsyncIterable<RecordedStep>,
  factsOf: FactsOf | undefined,
  note: Note,
): Promise<void> {
  let earliest = 0
  for await (const step of steps) {
    let at = Math.max(step.made_at.getTime(), earliest)
    if (step.kind === 'model') {
      const stop = spend(judging, step.cost_usd ?? '0', at)
      if (stop) note(stop, step, at)
      earliest = Math.max(earliest, stop?.until ?? 0)
      continue
    }
    const facts = await factsOf?.(step)
    if (!facts) continue
    judging.report.calls += 1
    const met = new Set<RuleName>()
    for await (const stop of stopsOf(judging, facts, step, at)) {
      // a call that waits for the same rule day after day is one call
      if (!met.has(stop.rule)) note(stop, step, at)
      met.add(stop.rule)
      if (stop.way === 'refused') return
      at = Math.max(at, stop.until ?? 0)
      earliest = Math.max(earliest, at)
    }
  }
}

/** Every rule that a call would have met, in the order in which the live ones are asked. */
async function* stopsOf(
  judging: Judging,
  { tool, isAskedAnyway, byConnection }: CallFacts,
  step: RecordedStep,
  recordedAt: number,
): AsyncGenerator<Stop> {
  const { rules, context, teamId } = judging
  const { leaving, refused, asks } = teamTimeOf(context).piece(teamId, () => {
    const found = leavingOf(tool, step.arguments, context)
    return {
      leaving: found,
      refused: stopToRefuse(rules, found),
      asks: stopToAsk(rules, tool, step.arguments, isAskedAnyway()),
    }
  })
  if (refused) {
    yield refused
    return
  }
  if (asks) yield asks
  if (!leaving) return
  const byName = await byConnection(leaving)
  if (byName) {
    yield byName
    return
  }
  let at = recordedAt
  // a call that waited for one rule may meet another when its time comes
  for (let waits = 0; waits < waitsMax; waits += 1) {
    const stop = stopByHour(rules, leaving, at) ?? takeCall(judging, at)
    if (!stop) return
    yield stop
    at = Math.max(at, stop.until ?? 0)
  }
}

const waitsMax = 40

function takeCall(judging: Judging, at: number): Stop | undefined {
  const { rules } = judging
  if (rules.outside_calls_per_day === null) return undefined
  const day = dayOf(judging, at)
  if (day.calls >= rules.outside_calls_per_day) return stopByCalls(rules, nextDay(at))
  day.calls += 1
  return undefined
}

/** What the call did cost counts: what it might have cost at most is not recorded. */
function spend(judging: Judging, cost: string, at: number): Stop | undefined {
  const { rules } = judging
  const limit = rules.cost_usd_per_day
  const day = dayOf(judging, at)
  if (limit !== null && isMore(sum(day.cost, cost), limit)) {
    const next = dayOf(judging, nextDay(at))
    next.cost = sum(next.cost, cost)
    return stopByCost(rules, nextDay(at), cost)
  }
  day.cost = sum(day.cost, cost)
  return undefined
}

/** What builders and judges cost counts for the live rules too. Only its day is known, so it counts from the beginning of that day. */
export function spendBesideRuns(judging: Judging, at: number, cost: string): void {
  const day = dayOf(judging, at)
  day.cost = sum(day.cost, cost)
}

function stopStart(judging: Judging, at: number): Stop | undefined {
  const { rules } = judging
  const { runs_per_day: runs, cost_usd_per_day: cost, version } = rules
  const day = dayOf(judging, at)
  if (cost !== null && !isMore(cost, day.cost)) {
    return { rule: 'cost_usd_per_day', way: 'refused', version, says: `The ${cost} dollars of this day were spent.` }
  }
  if (runs !== null && day.runs >= runs) {
    return { rule: 'runs_per_day', way: 'refused', version, says: `The ${runs} runs of this day were started.` }
  }
  return undefined
}

function dayOf({ days }: Judging, at: number) {
  const number = Math.floor(at / 86_400_000)
  const known = days.get(number) ?? { runs: 0, calls: 0, cost: '0' }
  days.set(number, known)
  return known
}

function addStop(
  { report }: Judging,
  run: RecordedRun,
  touched: Set<RuleName>,
  { rule, way, says }: Stop,
  step: RecordedStep | null,
  at: number,
): void {
  let found = report.rules.find((one) => one.rule === rule && one.way === way)
  if (!found) report.rules.push((found = { rule, way, calls: 0, runs: 0, first: [] }))
  found.calls += 1
  found.runs += Number(!touched.has(rule))
  touched.add(rule)
  if (!run.is_named || found.first.length >= firstMax) return
  const { id: run_id, run_number, agent_name } = run
  found.first.push({
    run_id,
    run_number,
    agent_name,
    step: step?.seq ?? null,
    tool: step?.tool ?? null,
    at: new Date(at).toISOString(),
    says,
  })
}
