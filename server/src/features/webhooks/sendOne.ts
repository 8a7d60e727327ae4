// Sends deliveries: in order and side by side, as many as this process, a team and a target may have in flight.
import { attempt, type AttemptOutcome } from './attempt.ts'
import type { Loaded } from './deliveryRows.ts'
import type { DeliveryState } from './deliveryState.ts'
import { takeNext, type Outbox } from './outbox.ts'
import { noteOutcome, recordResult } from './recordResult.ts'
import { signingKeysOf } from './signingKeys.ts'

/** How many requests of one process are in flight, and of one team in it: a team whose receivers all hang leaves room for the others. */
const inFlightMax = 256
const teamInFlightMax = 64

/** Begins with another target each time, so that each gets its turn when slots are few. */
export function sendAll(state: DeliveryState): void {
  const all = [...state.outboxes.values()]
  state.turn = all.length === 0 ? 0 : (state.turn + 1) % all.length
  for (const outbox of [...all.slice(state.turn), ...all.slice(0, state.turn)]) sendWaiting(state, outbox)
}

const hasRoom = ({ isStopping, inFlight, teamInFlight, oneByOne }: DeliveryState, { target }: Outbox): boolean =>
  !isStopping && inFlight < (oneByOne ? 1 : inFlightMax) && (teamInFlight.get(target.team_id) ?? 0) < teamInFlightMax

function sendWaiting(state: DeliveryState, outbox: Outbox): void {
  const { attempts, context } = state
  const now = new Date()
  for (;;) {
    const next = hasRoom(state, outbox) ? takeNext(outbox, now) : undefined
    if (!next) return
    const sending: Promise<void> = sendOne(state, outbox, next)
      .catch((error: unknown) =>
        context.log.error({ err: error, delivery_id: next.id }, 'the result of a delivery was not recorded'),
      )
      .finally(() => attempts.delete(sending))
    attempts.add(sending)
  }
}

async function sendOne(state: DeliveryState, outbox: Outbox, delivery: Loaded): Promise<void> {
  const runId = delivery.state === 'new' ? delivery.run_id : null
  countInFlight(state, outbox, 1)
  if (runId !== null) outbox.busyRuns.add(runId)
  const outcome = await attemptOne(state, outbox, delivery)
  const wasFull = !hasRoom(state, outbox)
  if (runId !== null) outbox.busyRuns.delete(runId)
  countInFlight(state, outbox, -1)
  outbox.idleSince = performance.now()
  if (wasFull) sendAll(state)
  if (!outcome) {
    outbox.isGivenUp = true
    return
  }
  const result = noteOutcome(state, outbox, delivery, outcome)
  // the next delivery need not wait until this result is written
  sendWaiting(state, outbox)
  await recordResult(state, outbox, result)
}

/** Undefined after an error of the service itself: the delivery stays as it was, and whoever has its target next sends it. */
async function attemptOne(
  state: DeliveryState,
  { target }: Outbox,
  delivery: Loaded,
): Promise<AttemptOutcome | undefined> {
  const { context, oneByOne } = state
  try {
    await oneByOne?.before(delivery)
    return await attempt(context, delivery, target.url, await signingKeysOf(state, target.team_id))
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
