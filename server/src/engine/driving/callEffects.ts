// What a call does in our own database, as effects that join the change which records the call.
import type { Sql } from '../../base/db.ts'
import { CannotSave, type Begun, type Outcome, type Tool } from '../../kit/tool.ts'
import { addEvent, putStep, type CallStep } from '../ledger/change.ts'
import { withMoment } from '../ledger/moments.ts'
import type { Effect } from '../ledger/applyLane.ts'
import { toolCallOf, type HeldRun } from './heldRun.ts'
import { capped, recordOutcome, withoutSecrets, type FileToSave } from './outcome.ts'

/** The error of a call whose effect our own database refused. */
export const insideFailure = 'This call failed inside the service. Its operator finds the reason in the log.'

/** The error of a call that needed files which their store did not give. */
export const storeFailure = 'The store of files does not answer, so this call could not be made. Try it again later.'

export function insideEffect(held: HeldRun, step: CallStep, note: (outcome: Outcome) => void): Effect {
  return {
    kind: 'inside',
    tool: step.tool,
    call: toolCallOf<never>(held, step),
    record(change, outcome) {
      // a file or a memory may hold what a command wrote there
      const clean = capped(step, withoutSecrets(outcome, held.scrub)).outcome
      recordOutcome(change, step, clean)
      note(clean)
    },
  }
}

export function beginEffect(held: HeldRun, step: CallStep, tool: Tool, note: (outcome: Outcome) => void): Effect {
  if (tool.kind !== 'waiting') throw new Error(`${tool.name} is not a tool that waits`)
  const call = toolCallOf<never>(held, step)
  return waitEffect(held, { ...step, state: 'waiting' }, (sql) => tool.begin(call, sql, held.context), note)
}

export function waitEffect(
  held: HeldRun,
  step: CallStep,
  open: (sql: Sql) => Promise<Begun | Outcome>,
  note: (outcome: Outcome) => void,
): Effect {
  return {
    kind: 'begin',
    begin: open,
    record(change, begun) {
      held.open = held.open.filter(({ seq }) => seq !== step.seq)
      if (!('waiting_on' in begun)) {
        recordOutcome(change, step, begun)
        return note(begun)
      }
      const { waiting_on, events = [] } = begun
      const waiting = { ...noted(step, waiting_on.kind), result: { waiting_on } }
      putStep(change, waiting)
      for (const { event, data } of events) addEvent(change, event, data)
      held.open.push(waiting)
    },
  }
}

/** A call that acts outside waits only because it could not be made yet. */
function noted(step: CallStep, waitsFor: Begun['waiting_on']['kind']): CallStep {
  if (step.kind !== 'tool' || step.state !== 'waiting') return step
  const { attempt } = step
  return withMoment(step, { kind: 'put_off', at: new Date().toISOString(), attempt, waits_for: waitsFor })
}

/** Writes a file that comes with a result to the run's workspace, such as text that is too long for a message. */
export function writeEffect(held: HeldRun, step: CallStep, file: FileToSave): Effect {
  return {
    kind: 'inside',
    tool: 'sandbox_write_file',
    call: { ...toolCallOf(held, step), input: file } as never,
    record(change, written) {
      if ('error' in written) throw new CannotSave(`The result of the call could not be saved: ${written.error}`)
      for (const one of written.files ?? []) addEvent(change, 'run.file.created', one)
    },
  }
}

export function recordEffect(record: NonNullable<Outcome['record']>): Effect {
  return {
    kind: 'begin',
    async begin(sql) {
      await record(sql)
      return { result: null }
    },
    record: () => undefined,
  }
}
