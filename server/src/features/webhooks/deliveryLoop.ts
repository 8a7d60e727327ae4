// Delivering in one process, round by round: claim targets, load what is due to them, send it, release what has nothing to do.
import { setTimeout as sleep } from 'node:timers/promises'
import { part } from '../../base/db.ts'
import { createOnceMore, type OnceMore } from '../../base/onceMore.ts'
import type { Context } from '../../kit/context.ts'
import type { WorkingProcess } from '../../kit/feature.ts'
import { lookFor } from '../../kit/sharedLook.ts'
import { claimWithWork, lookSoon, refreshTargets, releaseAll, releaseIdle } from './claimTargets.ts'
import { deliveriesChannel, announceMs } from './deliveriesChannel.ts'
import type { DeliveryState, OneByOne, Round } from './deliveryState.ts'
import { beforeAllRetries, beforeAllTargets, hasRetry } from './deliveryRows.ts'
import { loadDue, loadNew } from './loadDeliveries.ts'
import { isPaused, type Outbox } from './outbox.ts'
import { giveUpSomeDisabled, resultLane } from './recordResult.ts'
import { forgetIdleKeys } from './signingKeys.ts'

/** How many polls pass between two searches for deliveries to disabled subscriptions that a dead process did not give up. */
const giveUpEvery = 20

/** Whether any target has something to send. Who it is, and whether it rests now, is asked only then. */
export const asked = {
  fresh: part`exists (select from deliveries where state = 'new')`,
  batches: part`exists (select from delivery_batches where has_waiting)`,
  retries: part`exists (select from delivery_targets where ${hasRetry})`,
}

export interface DeliveryLoop {
  /** Events were written, by this process (then others may have to know) or by others: what its targets have is loaded at once. */
  announced(isOurs: boolean): void
  /** True when nothing of this target is under way, and nothing may be sent to it now. */
  isDoneWith(targetId: string): boolean
  poll(): Promise<void>
  stop(): Promise<void>
}

export function startDeliveryLoop(context: Context, process: WorkingProcess, oneByOne?: OneByOne): DeliveryLoop {
  const outboxes = new Map<string, Outbox>()
  const rounds = createOnceMore<Round>({
    async run(round) {
      if (!state.isStopping) await goRound(state, round)
    },
    merge: (first, second) => ({
      load: first.load || second.load,
      claim: first.claim || second.claim,
      due: first.due || second.due,
    }),
    onError: (error) => context.log.warn({ err: error }, 'could not read deliveries; will retry'),
  })
  const state: DeliveryState = {
    context,
    process,
    oneByOne,
    outboxes,
    inFlight: 0,
    teamInFlight: new Map(),
    underWay: 0,
    onNoneUnderWay: undefined,
    isStarved: false,
    toSend: { all: false, outboxes: new Set() },
    keys: new Map(),
    elsewhere: new Set(),
    results: resultLane(context.db, process.id, outboxes),
    startRound: (round) => startRound(state, rounds, round),
    turn: 0,
    polls: 0,
    isGivingUp: false,
    claimedAt: -Infinity,
    lookedTo: beforeAllTargets,
    retriedTo: beforeAllRetries,
    isToLookAgain: false,
    isToLoad: false,
    isToAnnounce: false,
    claimTimer: undefined,
    lost: undefined,
    isStopping: false,
  }
  const stopListening = context.listener.on(deliveriesChannel, (deletedId) => {
    if (deletedId === '') announced(state, false)
    else giveUp(state, deletedId)
  })
  announced(state, false)
  return {
    announced: (isOurs) => announced(state, isOurs),
    isDoneWith: (targetId) => isDoneWith(state, targetId),
    poll: () => poll(state, rounds),
    async stop() {
      state.isStopping = true
      stopListening()
      clearTimeout(state.claimTimer)
      await rounds.settled()
      const drained = sleep(context.config.drainS * 1000, undefined, { ref: false })
      await Promise.race([noneUnderWay(state), drained])
      await releaseAll(state)
    },
  }
}

async function noneUnderWay(state: DeliveryState): Promise<void> {
  if (state.underWay > 0) await new Promise<void>((resolve) => (state.onNoneUnderWay = resolve))
}

function announced(state: DeliveryState, isOurs: boolean): void {
  if (state.isStopping) return
  const isEarly = performance.now() - state.claimedAt < announceMs
  state.isToLookAgain = true
  if (isOurs) state.isToAnnounce = true
  if (isEarly) {
    state.isToLoad = true
    lookSoon(state)
  }
  state.startRound({ load: true, claim: !isEarly, due: false })
}

/** The next poll releases it. */
function giveUp({ outboxes }: DeliveryState, targetId: string): void {
  const outbox = outboxes.get(targetId)
  if (outbox) outbox.isGivenUp = true
}

function startRound(state: DeliveryState, rounds: OnceMore<Round>, round: Round): void {
  if (state.isStopping) return
  if (round.claim) {
    clearTimeout(state.claimTimer)
    state.claimTimer = undefined
    if (round.load) state.isToLoad = false
  }
  rounds.ask(round)
}

async function goRound(state: DeliveryState, { load, claim, due }: Round): Promise<void> {
  if (load) await loadAll(state, claim)
  const claimed = claim ? await claimWithWork(state, { fresh: load, retries: due }) : []
  if (claim && (load || claimed.length > 0)) await loadNew(state)
  if (due) await loadDue(state, load ? state.outboxes.values() : claimed)
}

async function loadAll(state: DeliveryState, withRows: boolean): Promise<void> {
  for (const outbox of state.outboxes.values()) {
    outbox.hasMore = true
    if (withRows) outbox.hasMoreRows = true
  }
  await loadNew(state)
}

async function poll(state: DeliveryState, rounds: OnceMore<Round>): Promise<void> {
  if (state.process.lost().aborted) return
  const { fresh, batches, retries } = await lookFor(state.context, asked)
  if (fresh || batches || retries || state.outboxes.size > 0) {
    await refreshTargets(state)
    state.startRound({ load: true, claim: true, due: true })
    await rounds.settled()
    await releaseIdle(state)
  }
  forgetIdleKeys(state)
  if (state.polls++ % giveUpEvery === 0 || state.isGivingUp) await giveUpSomeDisabled(state)
}

function isDoneWith({ outboxes }: DeliveryState, targetId: string): boolean {
  const outbox = outboxes.get(targetId)
  if (!outbox) return true
  const isResting = outbox.known.size === 0 || isPaused(outbox.target, new Date())
  return isResting && outbox.inFlight + outbox.unwritten === 0
}
