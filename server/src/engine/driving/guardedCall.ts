// A call at the moment it is made, as the guardrails of its team see it: what they say then counts, not what they said when the run began.
import { untilWritten, type Sql } from '../../base/db.ts'
import type { Begun, Leaving, OutsideTool, Tool } from '../../kit/tool.ts'
import { leaseName } from '../guardrails/dayBounds.ts'
import {
  leavingOf,
  midnightIn,
  peopleFor,
  stopByBound,
  stopByCalls,
  stopByHour,
  stopToAsk,
  stopToRefuse,
  type Stop,
} from '../guardrails/judge.ts'
import { noteStop } from '../guardrails/stops.ts'
import type { CallStep } from '../ledger/change.ts'
import { databaseNow, toolCallOf, type HeldRun } from './heldRun.ts'

/** Reads the rules that are live now; nearly always they are known. A database that is away is a pause. */
export async function refreshRules(held: HeldRun): Promise<void> {
  const { guardrails, run, signal } = held
  const known = guardrails.live.of(run.team_id)
  held.rules =
    known instanceof Promise
      ? await known.catch(() => untilWritten(async () => guardrails.live.of(run.team_id), signal))
      : known
}

/** How many people must allow a call at least, where somebody is asked. */
export function peopleToAsk({ rules, toolRegistry }: HeldRun, step: CallStep): number {
  const tool = toolRegistry.find(step.tool)
  return Math.max(1, tool ? peopleFor(rules, tool, step.arguments) : 0)
}

/** `approvals`: how many people have allowed exactly this call. */
export function stopWithoutPeople(
  { rules }: HeldRun,
  { arguments: args }: CallStep,
  tool: Tool,
  approvals: number,
): Stop | undefined {
  return peopleFor(rules, tool, args) > approvals ? stopToAsk(rules, tool, args, false) : undefined
}

/** Why this outside call must not be made now; undefined: it may be, and it counts. */
export async function stopOf(held: HeldRun, step: CallStep, tool: Tool, approvals: number): Promise<Stop | undefined> {
  await refreshRules(held)
  const { rules, context, signal } = held
  if (!rules) return undefined
  const unasked = stopWithoutPeople(held, step, tool, approvals)
  if (unasked) return unasked
  const leaving = leavingOf(tool, step.arguments, context)
  if (!leaving || tool.kind !== 'outside') return undefined
  const refused = stopToRefuse(rules, leaving) ?? (await stopByItsConnection(held, step, tool, leaving))
  if (refused) return refused
  const quiet = stopByHour(rules, leaving, nowFor(held))
  if (quiet || rules.outside_calls_per_day === null) return quiet
  const { outside_calls_per_day: most } = rules
  const taken = await untilWritten(() => held.guardrails.calls.take(leaseName(held.run.team_id, rules), most), signal)
  // the day is the one that was leased: by a clock that is ahead of it the call would wait for the end of the next one
  return taken.admitted ? undefined : stopByCalls(rules, midnightIn(taken.resetSeconds, databaseNow(held)))
}

/** The connection as it is now: its name may mean another, and its URL may have changed. */
async function stopByItsConnection(
  held: HeldRun,
  step: CallStep,
  tool: OutsideTool<never>,
  leaving: Leaving,
): Promise<Stop | undefined> {
  const { rules, context, signal } = held
  if (leaving.connection === undefined || !rules || !(rules.allowed_connections || rules.allowed_hosts))
    return undefined
  const asked = { sql: context.db.sql, context }
  const bound = await untilWritten(async () => tool.boundTo?.(toolCallOf<never>(held, step), asked), signal)
  return bound && stopByBound(rules, bound)
}

/** Whether the rules would let the call wait, as far as that is known without a statement. */
export function wouldWait(held: HeldRun, step: CallStep, tool: Tool): boolean {
  const { rules, context } = held
  if (!rules?.quietWeek) return false
  return stopByHour(rules, leavingOf(tool, step.arguments, context), nowFor(held)) !== undefined
}

/** Not before the time at which the database woke the run: a clock that is behind would let the call wait again for an hour that is over. */
const nowFor = (held: HeldRun): number => Math.max(held.context.clock.now().getTime(), databaseNow(held))

/** Notes the stop in the transaction that records the call. */
export function noteStopOf(
  { run, context }: HeldRun,
  step: Pick<CallStep, 'seq' | 'tool'>,
  stop: Stop,
): (sql: Sql) => Promise<void> {
  context.metrics.runs.guardrailStops.inc({ rule: stop.rule, way: stop.way })
  return (sql) => noteStop(sql, { runId: run.id, teamId: run.team_id, step: step.seq, tool: step.tool }, stop)
}

export const waitOf = ({ rule, version, says, until }: Stop): Begun['waiting_on'] => ({
  kind: 'time',
  detail: { reason: 'guardrail', rule, version, message: says, until: new Date(until!).toISOString() },
  due_at: new Date(until!),
})

/** Whether a call that waits because of a rule still must: other rules are asked again. */
export function isStillHeld(held: HeldRun, { detail, due_at }: Begun['waiting_on']): boolean {
  if (due_at === undefined || detail['version'] !== held.rules?.version) return false
  return new Date(due_at).getTime() > nowFor(held)
}

export const isOfGuardrail = ({ detail }: Begun['waiting_on']): boolean => detail['reason'] === 'guardrail'
