// What one process knows while it delivers: its targets, the attempts in flight, and the round under way.
import type { Context } from '../../kit/context.ts'
import type { WorkingProcess } from '../../kit/feature.ts'
import type { Lane } from '../../kit/lane.ts'
import type { AttemptResult, Loaded, RetryPlace } from './deliveryRows.ts'
import type { Outbox } from './outbox.ts'
import type { SigningKey } from './signature.ts'

/** What a round does. */
export interface Round {
  /** Load what is new for the targets that this process has. Without it, only what it claims in this round is loaded. */
  load: boolean
  /** Look for targets that no process has. */
  claim: boolean
  /** Load what is to be sent again. The look finds targets with retries too. */
  due: boolean
}

/** Delivers to one target, one delivery at a time. */
export interface OneByOne {
  targetId: string
  /** The sender waits for this before each attempt. */
  before(delivery: Loaded): Promise<void>
}

/** What signs the deliveries of a team. */
export interface RememberedKeys {
  keys: SigningKey[]
  /** When reading them began. */
  at: number
  reading: { at: number; keys: Promise<SigningKey[]> } | undefined
}

export interface DeliveryState {
  context: Context
  process: WorkingProcess
  oneByOne: OneByOne | undefined
  outboxes: Map<string, Outbox>
  /** Requests in flight of this process, and of each team in it. */
  inFlight: number
  teamInFlight: Map<string, number>
  /** How many attempts are under way, until their results are written. */
  underWay: number
  /** Called when none is under way any more. */
  onNoneUnderWay: (() => void) | undefined
  /** A target has something to send, and only waits because its team or this process has too many requests in flight. */
  isStarved: boolean
  /** Targets that got an answer, and can be sent to again in the next turn of the event loop; or all targets. */
  toSend: { all: boolean; outboxes: Set<Outbox> }
  keys: Map<string, RememberedKeys>
  /** Targets that an isolated process sends to. */
  elsewhere: Set<string>
  results: Lane<AttemptResult, void>
  /** Starts a round, or one more after the round under way. */
  startRound(round: Round): void
  /** Which target is served first when slots are few. */
  turn: number
  polls: number
  /** More may wait for disabled subscriptions than was given up at once. */
  isGivingUp: boolean
  claimedAt: number
  /** The target up to which the last look for new deliveries came, and for retries; the next one begins behind it. */
  lookedTo: string
  retriedTo: RetryPlace
  /** Events were written since the looks last began at the first target: targets that they have passed may have something to send. */
  isToLookAgain: boolean
  /** The same soon after a look: the next one also loads what is new for the targets that this process has. */
  isToLoad: boolean
  /** This process wrote events: the next look notifies the other processes if they have something to send. */
  isToAnnounce: boolean
  claimTimer: NodeJS.Timeout | undefined
  /** Aborted when the claims of this process are lost; of the last claim. */
  lost: AbortSignal | undefined
  isStopping: boolean
}
