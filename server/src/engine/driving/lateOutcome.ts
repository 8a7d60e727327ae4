// The outcome of a call whose run was taken over although its process lives: a fact about that step and attempt, whoever holds the run now.
import { isConnectionTrouble, one, untilWritten, type Sql } from '../../base/db.ts'
import { storableJson } from '../../base/storable.ts'
import { CannotSave, type Outcome, type WrittenFile } from '../../kit/tool.ts'
import type { CallStep } from '../ledger/change.ts'
import { toolCallOf, type HeldRun } from './heldRun.ts'
import { capped, filesOf } from './outcome.ts'
import { wakeRuns } from '../admission/wake.ts'
import { cancelRequestOf } from '../requests/humanRequests.ts'
import { isTransient } from '../ledger/applyLane.ts'

/**
 * Stores the outcome on its step if that attempt is still open or in doubt. The same transaction closes the question to a person and wakes
 * the run, and the run's holder then records the outcome like any other. False: the step already has another outcome or attempt.
 */
export async function saveLateOutcome(held: HeldRun, step: CallStep, outcome: Outcome): Promise<boolean> {
  const { context, run } = held
  // a row that stays locked does not keep a process from its end
  const mayPass = (error: unknown) => isConnectionTrouble(error) || (isTransient(error) && !held.writeSignal.aborted)
  const keep = (what: Outcome) =>
    untilWritten(() => context.db.transaction((sql) => write(sql, held, step, what)), undefined, mayPass)
  try {
    return await keep(outcome)
  } catch (error) {
    if (isTransient(error)) throw error
    context.log.error({ err: error, run_id: run.id }, 'the result of a call could not be saved')
    const because = error instanceof CannotSave ? error.message : saveFailure
    return keep({ error: because })
  }
}

/** Reported when a call was made and nothing of its result can be written. */
export const saveFailure = 'The call succeeded but its result could not be saved; see the server log.'

async function write(sql: Sql, held: HeldRun, step: CallStep, outcome: Outcome): Promise<boolean> {
  const { run, context, toolRegistry } = held
  const [open] = await sql<{ id: string }>`
    select id from runs where id = ${run.id} and completed_at is null for update`
  const [asked] = await sql<{ has_arrived: boolean }>`
    select coalesce((arrived ->> 'attempt')::int = attempt, false) as has_arrived
    from run_steps where run_id = ${run.id} and seq = ${step.seq} and attempt = ${step.attempt} and state in ('intent', 'in_doubt')`
  if (!open || !asked) return false
  // committed before, by a transaction whose answer was lost
  if (asked.has_arrived) return true
  const { outcome: clean, overflow } = capped(step, outcome)
  const files: WrittenFile[] = 'files' in clean ? [...(clean.files ?? [])] : []
  const fileTool = toolRegistry.find('sandbox_write_file')
  for (const input of filesOf(outcome, overflow)) {
    if (fileTool?.kind !== 'inside') throw new CannotSave('This server does not store files.')
    const written = await one(fileTool.apply([{ ...toolCallOf(held, step), input } as never], sql, context))
    if ('error' in written) throw new CannotSave(`The result of the call could not be saved: ${written.error}`)
    files.push(...(written.files ?? []))
  }
  await outcome.record?.(sql)
  const { shows } = clean
  const kept = {
    ...('error' in clean ? { error: clean.error } : { result: clean.result, files }),
    ...(shows && { shows }),
  }
  await sql`
    update run_steps set arrived = ${storableJson({ attempt: step.attempt, at: new Date(), outcome: kept })}::jsonb
    where run_id = ${run.id} and seq = ${step.seq}`
  await cancelRequestOf(sql, run.id, step.seq)
  await wakeRuns(sql, [run.id])
  return true
}

/**
 * The outcome that arrived for this attempt of a step after its run was taken over, or for one before it: what has arrived is taken before
 * a call is made again, so the attempts since then were begun by processes that died before they made theirs.
 */
export async function readLateOutcome(
  sql: Sql,
  runId: string,
  { seq, attempt }: CallStep,
): Promise<Outcome | undefined> {
  const [row] = await sql<{ arrived: { attempt: number; outcome: Outcome } | null }>`
    select arrived from run_steps where run_id = ${runId} and seq = ${seq}`
  return row?.arrived && row.arrived.attempt <= attempt ? row.arrived.outcome : undefined
}
