// What follows from an attempt: its result is written, the health of its target changes, and a target that is gone is disabled.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../base/db.ts'
import { createLane, type Lane } from '../../kit/lane.ts'
import type { AttemptOutcome } from './attempt.ts'
import { logAttempt, resultOf } from './attemptResult.ts'
import { markDelivered, setApart, setDisabledApart, setRunApart, type InBatch } from './deliveryBatches.ts'
import { disableTarget, endCallbacks, giveUpDisabled, markResults, saveHealth } from './deliveryRows.ts'
import type { Loaded, AttemptResult, Target } from './deliveryRows.ts'
import type { DeliveryState } from './deliveryState.ts'
import { dropWhatFollows, isDueShort, isFreshShort, letGo, noteFailure, noteSuccess, type Outbox } from './outbox.ts'

/** How long deliveries to a subscription may fail before it is disabled. */
const failingMaxMs = 5 * 24 * 3600_000
/** How many waiting deliveries of disabled subscriptions one statement gives up. */
const givenUpAtOnce = 5000
/** How many batches of them one statement makes rows of their own before that. */
const apartAtOnce = 500
/** How long at least between two writes of results: a process that dies has sent this much more than it has written. */
const pauseMs = 25

interface Noted {
  result: AttemptResult
  /** Deliveries in memory that are not sent, because the receiver of their run is gone. */
  dropped: Loaded[]
  /** The subscription is to be disabled. */
  isOver: boolean
}

/**
 * Writes results, many in one statement, and with them the health of the targets that changed. Under load a write waits for more results:
 * those of one batch are then one change of its row.
 */
export function resultLane(db: Database, workerId: string, outboxes: Map<string, Outbox>): Lane<AttemptResult, void> {
  const { sql } = db
  return createLane<AttemptResult, void>({
    keyOf: ({ delivery }) => delivery.id,
    // a target belongs to one team, and its attempts in flight are limited there
    teamOf: ({ delivery }) => delivery.target_id,
    opsMax: 512,
    flushesMax: 1,
    pauseMs,
    async flush(results) {
      const [delivered, others] = [
        results.filter(isDeliveredInBatch),
        results.filter((one) => !isDeliveredInBatch(one)),
      ]
      await markDelivered(sql, delivered)
      if (others.length > 0) {
        const apart = others.flatMap(({ delivery: { target_id, batch } }) => (batch ? [{ target_id, batch }] : []))
        // together: a row of its own that still seems untried would be loaded, and sent once too often
        await db.transaction(async (inOne) => {
          await setApart(inOne, apart)
          await markResults(inOne, others)
        })
      }
      const dirty = [...outboxes.values()].filter(({ isDirty }) => isDirty)
      for (const outbox of dirty) outbox.isDirty = false
      const targets = dirty.map(({ target }) => target)
      if (targets.length > 0) await saveHealth(sql, workerId, targets)
      return results.map(() => undefined)
    },
  })
}

const isDeliveredInBatch = (result: AttemptResult): result is InBatch =>
  result.state === 'delivered' && result.delivery.batch !== undefined

/** What an attempt means for what is in memory. Before the result is written: a retry that is due at once must not be sent to a target that is to be disabled. */
export function noteOutcome(
  { context }: DeliveryState,
  outbox: Outbox,
  delivery: Loaded,
  outcome: AttemptOutcome,
): Noted {
  const { target } = outbox
  const now = new Date()
  if (outcome.attempt.ok) noteSuccess(outbox)
  else noteFailure(outbox, now)
  const dropped = outcome.isGone ? dropWhatFollows(outbox, delivery) : []
  const isHopeless = target.failing_since !== null && now.getTime() - target.failing_since.getTime() > failingMaxMs
  const isOver = target.kind === 'subscription' && (outcome.isGone || isHopeless)
  if (isOver) outbox.isGivenUp = true
  const result = resultOf(context.config.webhookScheduleS, delivery, outcome)
  logAttempt(context.log, target, result)
  context.metrics.deliveries.attempted(outcome.attempt)
  return { result, dropped, isOver }
}

export async function recordResult(state: DeliveryState, outbox: Outbox, noted: Noted): Promise<void> {
  const { result, dropped, isOver } = noted
  const { delivery, outcome } = result
  const { target } = outbox
  outbox.unwritten += 1
  const written = writeResult(state, result)
  const due = isDueShort(outbox)
  if (due || isFreshShort(outbox)) state.startRound({ load: true, claim: false, due })
  try {
    await written
    // this process holds the target until it is disabled: nobody else may claim it before
    if (isOver) await disable(state, target, outcome.isGone)
  } finally {
    outbox.unwritten -= 1
  }
  outbox.known.delete(delivery.id)
  // the rest of a batch is loaded when its first deliveries are written
  if (outbox.loadedInPart !== undefined && isFreshShort(outbox)) {
    state.startRound({ load: true, claim: false, due: false })
  }
  if (outcome.isGone && target.kind === 'callback' && delivery.run_id !== null) {
    await setRunApart(state.context.db.sql, target.id, delivery.run_id)
    await endCallbacks(state.context.db.sql, target.id, delivery.run_id)
    outbox.goneRuns.set(delivery.run_id, { isWritten: true })
    for (const { id } of dropped) outbox.known.delete(id)
  }
}

/** A result must be written, however long the database is away. Only the end of the process, or of its right to write, ends this. */
async function writeResult(state: DeliveryState, result: AttemptResult): Promise<void> {
  for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 5000)) {
    try {
      return await state.results.add(result)
    } catch (error) {
      state.context.log.warn(
        { err: error, delivery_id: result.delivery.id },
        'could not write the result of a delivery; will retry',
      )
      if (state.process.lost().aborted || state.isStopping) return
      await sleep(waitMs)
    }
  }
}

async function disable(state: DeliveryState, target: Target, isGone: boolean): Promise<void> {
  const { db, log } = state.context
  const reason = isGone ? 'The receiver answered 410 Gone.' : 'No delivery succeeded for 5 days.'
  await disableTarget(db.sql, target.id, reason)
  log.warn({ subscription_id: target.id, team_id: target.team_id, reason }, 'a subscription is disabled')
  letGo(state.outboxes, [target.id])
  await giveUpSomeDisabled(state)
}

/**
 * Gives up some of what waits for disabled subscriptions; the next poll goes on if there may be more. There may be millions, and all other
 * targets wait for the end of a poll.
 */
export async function giveUpSomeDisabled(state: DeliveryState): Promise<void> {
  const { sql } = state.context.db
  const apart = await setDisabledApart(sql, apartAtOnce)
  const givenUp = await giveUpDisabled(sql, givenUpAtOnce)
  state.isGivingUp = apart === apartAtOnce || givenUp === givenUpAtOnce
}
