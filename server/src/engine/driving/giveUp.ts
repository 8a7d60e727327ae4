// Gives up a run that three processes died over, without opening it: none of its content is read or evaluated again.
import { deathsBeforeGivenUp } from '../../kit/deaths.ts'
import { newChange } from '../ledger/change.ts'
import type { ClaimedRun } from '../admission/claim.ts'
import { readSteps } from '../ledger/history.ts'
import { fail } from './releaseRun.ts'
import type { DriveParts } from './heldRun.ts'

export async function giveUp(parts: DriveParts, run: ClaimedRun, writeSignal: AbortSignal): Promise<void> {
  const { context, applyLane, telemetry, atEnd } = parts
  const { open, lastSeq } = await readSteps(context.db.sql, run.id)
  const at = open.at(-1)
  const place = at ? `at step ${at.seq}${at.tool === null ? '' : ` (${at.tool})`}` : `after step ${lastSeq}`
  const message =
    `At least ${deathsBeforeGivenUp} processes of the service died while they worked on this run ${place}, so it was given up. ` +
    'Its operator finds the reason in the log.'
  context.log.error({ run_id: run.id, step: at?.seq ?? lastSeq }, 'a run is given up: processes died over it')
  const { steps, input_tokens, output_tokens, cost_usd } = run
  const writing = {
    run,
    context,
    writeSignal,
    line: { tail: Promise.resolve() },
    heldAtMs: -Infinity,
    applyLane,
    telemetry,
    atEnd: atEnd(run),
    watched: undefined,
    open,
    wakeSeen: run.wake_seq,
    wakeSeq: run.wake_seq,
    usage: { steps, input_tokens, output_tokens, cost_usd },
  }
  await fail(writing, newChange(run, at?.turn ?? 0), { code: 'internal_error', message, step: at?.seq ?? null })
}
