// Sends deliveries: in order and side by side, as many as this process, a team and a target may have in flight.
import { attempt, type AttemptOutcome } from './attempt.ts'
import type { Loaded } from './deliveryRows.ts'
import type { DeliveryState } from './deliveryState.ts'
import { mayTake, takeNext, type Outbox } from './outbox.ts'
import { noteOutcome, recordResult } from './recordResult.ts'
import { signingKeysOf } from './signingKeys.ts'

/** How many requests of one process are in flight, and of one team in it: a team whose receivers all hang leaves room for the others. */
const inFlightMax = 256
const teamInFlightMax = 64

/** Begins with another target each time, so that each gets its turn when slots are few. */
export function sendAll(state: DeliveryState): void {
  state.isStarved = false
  const { outboxes } = state
  const turn = (state.turn = outboxes.size === 0 ? 0 : (state.turn + 1) % outboxes.size)
  let at = 0
  for (const outbox of outboxes.values()) if (at++ >= turn) sendWaiting(state, outbox)
  at = 0
  for (const outbox of outboxes.values()) {
    if (at++ >= turn) return
    sendWaiting(state, outbox)
  }
}

const hasRoom = ({ inFlight, teamInFlight, oneByOne }: DeliveryState, { target }: Outbox): boolean =>
  inFlight < (oneByOne ? 1 : inFlightMax) && (teamInFlight.get(target.team_id) ?? 0) < teamInFlightMax

function sendWaiting(state: DeliveryState, outbox: Outbox): void {
  if (state.isStopping || !mayTake(outbox)) return
  for (const now = new Date(); mayTake(outbox);) {
    if (!hasRoom(state, outbox)) {
      state.isStarved = true
      return
    }
    const next = takeNext(outbox, now)
    if (!next) return
    void sendOne(state, outbox, next)
  }
}

/** Sends what waits, once for all answers that have come in this turn of the event loop: their connections are free after it. */
function sendSoon(state: DeliveryState, outbox: Outbox): void {
  const { toSend } = state
  if (toSend.outboxes.size === 0) setImmediate(() => sendNow(state))
  toSend.outboxes.add(outbox)
}

function sendNow(state: DeliveryState): void {
  const { all, outboxes } = state.toSend
  state.toSend = { all: false, outboxes: new Set() }
  if (all) sendAll(state)
  for (const outbox of outboxes) sendWaiting(state, outbox)
}

async function sendOne(state: DeliveryState, outbox: Outbox, delivery: Loaded): Promise<void> {
  const runId = delivery.state === 'new' ? delivery.run_id : null
  state.underWay += 1
  countInFlight(state, outbox, 1)
  if (runId !== null) outbox.busyRuns.add(runId)
  try {
    const outcome = await attemptOne(state, outbox, delivery)
    const wasFull = !hasRoom(state, outbox)
    if (runId !== null) outbox.busyRuns.delete(runId)
    countInFlight(state, outbox, -1)
    outbox.idleSince = performance.now()
    if (wasFull && state.isStarved) state.toSend.all = true
    sendSoon(state, outbox)
    if (!outcome) {
      outbox.isGivenUp = true
      return
    }
    // the next delivery does not wait until this result is written
    await recordResult(state, outbox, noteOutcome(state, outbox, delivery, outcome))
  } catch (error) {
    state.context.log.error({ err: error, delivery_id: delivery.id }, 'the result of a delivery was not recorded')
  } finally {
    state.underWay -= 1
    if (state.underWay === 0) state.onNoneUnderWay?.()
  }
}

/** Undefined after an error of the service itself: the delivery stays as it was, and whoever has its target next sends it. */
async function attemptOne(
  state: DeliveryState,
  { target }: Outbox,
  delivery: Loaded,
): Promise<AttemptOutcome | undefined> {
  const { context, oneByOne } = state
  try {
    if (oneByOne) await oneByOne.before(delivery)
    const keys = signingKeysOf(state, target.team_id)
    return await attempt(context, delivery, target.url, Array.isArray(keys) ? keys : await keys)
  } catch (error) {
    context.log.error({ err: error, delivery_id: delivery.id }, 'a delivery could not be attempted')
    return undefined
  }
}

function countInFlight(state: DeliveryState, outbox: Outbox, change: 1 | -1): void {
  const { team_id } = outbox.target
  state.inFlight += change
  outbox.inFlight += change
  const ofTeam = (state.teamInFlight.get(team_id) ?? 0) + change
  if (ofTeam === 0) state.teamInFlight.delete(team_id)
  else state.teamInFlight.set(team_id, ofTeam)
}
