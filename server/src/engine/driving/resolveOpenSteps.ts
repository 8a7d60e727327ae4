// The calls of a held run that have no outcome yet: some have got one since they began, some may be made now, some continue to wait.
import { untilWritten, type Sql } from '../../base/db.ts'
import type { Bound, Outcome, Tool } from '../../kit/tool.ts'
import { cancelRequestOf } from '../requests/humanRequests.ts'
import { isCall, newChange, putStep, type CallStep } from '../ledger/change.ts'
import { withMoment } from '../ledger/moments.ts'
import { checkApproval } from './approvedCall.ts'
import { beginEffect, insideEffect, waitEffect } from './callEffects.ts'
import { stopWithoutPeople } from './guardedCall.ts'
import { commit, feedOutcome, type HeldRun } from './heldRun.ts'
import { readLateOutcome } from './lateOutcome.ts'
import { askAgain, makeCall, recordResult } from './makeCall.ts'
import { commitCalls } from './performCalls.ts'
import { approvalReason } from './planCalls.ts'
import { askAbout, resolveStep, type Resolved } from './resolveStep.ts'

export async function resolveOpenSteps(held: HeldRun): Promise<void> {
  const { sql } = held.context.db
  for (const step of held.open.filter(isCall)) {
    const resolved = await resolveStep(held, step, sql)
    if (resolved.kind === 'outcome') await recordResult(held, step, withoutQuestion(held, step, resolved.outcome))
    else if (resolved.kind === 'make' || resolved.kind === 'probe') await makeIfApproved(held, resolved, sql)
    else if (resolved.kind === 'ask') {
      const open = (tx: Sql) => askAbout(held, resolved.step, resolved.request, tx)
      const waits = waitEffect(held, resolved.step, open, () => undefined)
      await commit(held, newChange(held.run, held.turn), [waits])
    }
  }
}

/** The answer of a call may arrive while a person is being asked about it: nobody needs to say any more what became of it. */
const withoutQuestion = ({ run }: HeldRun, { state, seq }: CallStep, outcome: Outcome): Outcome =>
  state === 'in_doubt' ? { ...outcome, record: (sql) => cancelRequestOf(sql, run.id, seq) } : outcome

type MayBeMade = Extract<Resolved, { kind: 'make' | 'probe' }>

async function makeIfApproved(held: HeldRun, { kind, step, tool }: MayBeMade, sql: Sql): Promise<void> {
  const approval = await checkApproval(held, step, tool, sql)
  if ('changed' in approval) return askAgain(held, step, approval.changed)
  // before anything is written: a call that is asked about again has not begun
  const unasked = stopWithoutPeople(held, step, tool, approval.approvals)
  // its tool may have changed since it was postponed
  const reason = approval.approvals === 0 ? approvalReason(tool) : undefined
  if (unasked) await askAgain(held, step, unasked.says, unasked)
  else if (reason !== undefined) await askAgain(held, step, reason)
  else if (kind === 'probe') await makeCall(held, beginning(held, step), { probe: true, ...approval })
  else await makeNow(held, step, tool, approval)
}

/** The step as its next attempt begins. */
const beginning = (held: HeldRun, step: CallStep): CallStep =>
  withMoment(step, {
    kind: 'attempt',
    at: new Date().toISOString(),
    attempt: step.attempt,
    worker: held.workerId,
  })

async function makeNow(
  held: HeldRun,
  step: CallStep,
  tool: Tool,
  approval: { bound?: Bound; approvals: number },
): Promise<void> {
  const change = newChange(held.run, held.turn)
  if (tool.kind === 'outside') {
    const begun = beginning(held, step)
    putStep(change, begun)
    await commit(held, change)
    // until that commit, a process that had lost the run could still store the outcome of the attempt before; a database that is away
    // now must not leave this attempt in doubt
    const read = () => readLateOutcome(held.context.db.sql, held.run.id, begun)
    const late = begun.attempt > 1 ? await untilWritten(read, held.signal) : undefined
    return late ? recordResult(held, begun, late) : makeCall(held, begun, approval)
  }
  const results = new Map<number, Outcome>()
  const note = (outcome: Outcome) => results.set(step.seq, outcome)
  const effect = tool.kind === 'inside' ? insideEffect(held, step, note) : beginEffect(held, step, tool, note)
  await commitCalls(held, change, { plans: [{ way: tool.kind, step, tool }], effects: [effect], results })
  const outcome = results.get(step.seq)
  if (!outcome) return
  held.open = held.open.filter(({ seq }) => seq !== step.seq)
  feedOutcome(held, step, outcome)
}
