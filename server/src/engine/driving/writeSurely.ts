// Writes a change of a held run exactly once, however long the database is away: the result of a call or a model is not lost.
import { setTimeout as sleep } from 'node:timers/promises'
import { isConnectionTrouble, untilWritten, type Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import type { Context } from '../../kit/context.ts'
import { readEpochs, type Applied } from '../ledger/apply.ts'
import type { Change } from '../ledger/change.ts'
import { isTransient, type Write, type ApplyLane } from '../ledger/applyLane.ts'
import type { ClaimedRun } from '../admission/claim.ts'

/** What writing a change needs. */
export interface SureWriting {
  run: ClaimedRun
  context: Context
  applyLane: ApplyLane
  /** Aborted when the run was stopped, and when the process stops. A limit does not abort it: what has happened is still written. */
  writeSignal: AbortSignal
  /** The end of the last write: writes of a run go one after the other. */
  line: { tail: Promise<unknown> }
  /** When this process sent the last statement that succeeded only because it held the run (performance.now()). */
  heldAtMs: number
}

/** A write that PostgreSQL postpones (a lock, a deadlock, a timeout) is tried this often; one that does not reach PostgreSQL, without limit. */
const putOffMax = 10
const pauseMs = 100

/**
 * A run has one write at a time. When a connection breaks, nobody knows whether its commit happened. So we read the row, which names the
 * last change, and we fence what may still be under way on that connection before the change is written again.
 */
export const writeSurely = (writing: SureWriting, write: Write): Promise<Applied> =>
  inLine(writing, () => attempt(writing, write))

function inLine<T>({ line }: SureWriting, work: () => Promise<T>): Promise<T> {
  const turn = line.tail.then(work)
  line.tail = turn.catch(() => undefined)
  return turn
}

/**
 * No process is taken for dead sooner than this after it was missed, and who is missed is cut off from the database as a rule. So whoever could write
 * less than this ago still holds its runs. One that could write while it was missed is not found here: the call that it begins is in doubt then, like
 * one under way.
 */
const noticedAfterMs = 400

/**
 * Asked before something begins that another holder must not begin as well. A process that is cut off from the database alone, and has waited for
 * it, may have lost the run meanwhile. Asked in line, because a write of our own may be raising the epoch.
 */
export async function stillHolds(writing: SureWriting): Promise<boolean> {
  if (performance.now() - writing.heldAtMs < noticedAfterMs) return true
  const { run, context, writeSignal } = writing
  return inLine(writing, async () => {
    const askedAtMs = performance.now()
    const [now] = await untilWritten(() => readEpochs(context.db.sql, [run.id]), writeSignal, isTransient)
    if (now?.epoch !== run.epoch) return false
    writing.heldAtMs = askedAtMs
    return true
  })
}

async function attempt(writing: SureWriting, write: Write): Promise<Applied> {
  const { applyLane, run, context, writeSignal: signal } = writing
  const { change } = write
  for (let tries = 1; ; tries++) {
    const sentAtMs = performance.now()
    try {
      change.epoch = run.epoch
      change.messagesBefore = run.message_seq
      const applied = await applyLane.write(write)
      if (applied.outcome === 'written') writing.heldAtMs = sentAtMs
      return applied
    } catch (error) {
      if (!isTransient(error) || (!isConnectionTrouble(error) && tries >= putOffMax)) throw error
      context.log.warn({ err: error, run_id: run.id }, 'a run could not be written; will retry')
      const fence = newId()
      // a row that is locked is asked about until it is free: whoever gave up here would lose the result of a call that was made
      const found = await untilWritten(() => find(context.db.sql, change, fence), signal, isTransient)
      if ('outcome' in found) return found
      run.epoch = found.epoch
      await sleep(pauseMs, undefined, { signal })
    }
  }
}

interface Found {
  epoch: number
  wake_seq: number
  is_written: boolean
  fenced: number | null
}

/**
 * The result of the change if it was committed; else the epoch for writing it, which fences everything that was sent before. The fence leaves
 * its id on the row: if the answer is lost and this is asked again, it tells our own epoch + 1 from that of another holder, who claimed the run
 * after the change had released it.
 */
async function find(sql: Sql, { id, runId, epoch, move }: Change, fence: string): Promise<Applied | { epoch: number }> {
  const [run] = await sql<Found>`
    with was as materialized (
      select id, epoch, wake_seq, last_change is not distinct from ${id}::uuid as is_written, last_change is not distinct from ${fence}::uuid as is_fenced,
        worker
      from runs where id = ${runId} for update
    ),
    fenced as (
      update runs r set epoch = r.epoch + 1, last_change = ${fence}::uuid from was
      where r.id = was.id and r.id = ${runId} and not was.is_written and was.worker is not null
        and (was.epoch = ${epoch}::int or was.epoch = ${epoch}::int + 1 and was.is_fenced)
      returning r.epoch
    )
    select epoch, wake_seq, is_written, (select epoch from fenced) as fenced from was`
  // written, but the run was stopped or freed since then: its writer must not begin what the change announced
  const isStillOurs = run?.epoch === epoch || move !== null
  if (run?.is_written) return { outcome: isStillOurs ? 'written' : 'fenced', wakeSeq: run.wake_seq }
  if (run === undefined || run.fenced === null) return { outcome: 'fenced', wakeSeq: 0 }
  return { epoch: run.fenced }
}
