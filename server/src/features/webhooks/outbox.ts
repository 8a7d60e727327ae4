// What one process holds of one target: what is loaded, what is in flight, and what may be sent next.
import type { Loaded, Target } from './deliveryRows.ts'

/** How many requests to one target are in flight. */
const inFlightMax = 4
/** After how many failures in a row only one attempt is made at a time, and the pause between two such attempts. */
const failuresMax = 5
const pauseMs = 30_000
/** While new deliveries wait, one of this many attempts is a retry. */
const retryEvery = 4

export interface Outbox {
  target: Target
  /** In memory, by id: waiting, in flight, or not written yet. What is loaded next leaves them out. */
  known: Map<string, Loaded>
  /** New ones in their order. */
  fresh: Loaded[]
  retries: Loaded[]
  replays: Loaded[]
  inFlight: number
  /** Attempts that have ended and are not written yet. */
  unwritten: number
  /** Runs whose first attempt is under way: the next of theirs waits for it. */
  busyRuns: Set<string>
  /** Runs whose receiver is gone, and whether their rows say so yet. A load that began before they did still finds deliveries of them. */
  goneRuns: Map<string, { isWritten: boolean }>
  sent: number
  /** The health of the target changed since it was last written. */
  isDirty: boolean
  /** How often the health has changed. */
  changes: number
  /** There may be more new ones than are loaded. */
  hasMore: boolean
  /** Some of those may be rows of their own: they are older than batches, and loaded before them. */
  hasMoreRows: boolean
  /** What was loaded last was small, so more can be loaded at once. */
  isSmall: boolean
  /** A batch of which only the first deliveries are loaded, by its n: what comes after them must not overtake the rest. */
  loadedInPart: number | undefined
  /** There may be more to be sent again than is loaded. */
  hasMoreDue: boolean
  /** Nothing more of it is sent from here: the target was released or deleted, or it is to be released after an error of the service itself. */
  isGivenUp: boolean
  idleSince: number
}

export const openOutbox = (target: Target): Outbox => ({
  target,
  known: new Map(),
  fresh: [],
  retries: [],
  replays: [],
  inFlight: 0,
  unwritten: 0,
  busyRuns: new Set(),
  goneRuns: new Map(),
  sent: 0,
  isDirty: false,
  changes: 0,
  hasMore: true,
  hasMoreRows: true,
  isSmall: false,
  loadedInPart: undefined,
  hasMoreDue: false,
  isGivenUp: false,
  idleSince: performance.now(),
})

/** Nothing more of these targets is sent from here: what is in flight ends by itself, and what is loaded is sent by whoever has them next. */
export function letGo(outboxes: Map<string, Outbox>, ids: string[]): void {
  for (const id of ids) {
    const outbox = outboxes.get(id)
    if (outbox) outbox.isGivenUp = true
    outboxes.delete(id)
  }
}

const isBroken = ({ failures }: Target): boolean => failures >= failuresMax

/** Nothing is sent to it for now. */
export const isPaused = ({ paused_until }: Target, now: Date): boolean => paused_until !== null && paused_until > now

/** Something is loaded, and the target takes one more at a time. It may still be paused, or all may wait for others of their runs. */
export const mayTake = ({ target, isGivenUp, inFlight, fresh, retries, replays }: Outbox): boolean =>
  !isGivenUp &&
  inFlight < (isBroken(target) ? 1 : inFlightMax) &&
  (fresh.length > 0 || retries.length > 0 || replays.length > 0)

/** Removes and returns the next delivery that may be sent now, of a target that takes one more. */
export function takeNext(outbox: Outbox, now: Date): Loaded | undefined {
  const { target, fresh, retries, replays } = outbox
  if (isPaused(target, now)) return undefined
  const isRetrysTurn = isBroken(target) || outbox.sent % retryEvery === retryEvery - 1
  const next =
    (isRetrysTurn ? retries.shift() : undefined) ?? takeFresh(outbox) ?? retries.shift() ?? takeReplay(fresh, replays)
  if (next) outbox.sent += 1
  return next
}

function takeFresh({ fresh, busyRuns }: Outbox): Loaded | undefined {
  const index = fresh.findIndex(({ run_id }) => run_id === null || !busyRuns.has(run_id))
  if (index < 0) return undefined
  // almost always the first, which is quick to take away
  return index === 0 ? fresh.shift() : fresh.splice(index, 1)[0]
}

/** Replays wait until nothing new is left. */
const takeReplay = (fresh: Loaded[], replays: Loaded[]): Loaded | undefined =>
  fresh.length === 0 ? replays.shift() : undefined

export function noteSuccess(outbox: Outbox): void {
  const { target } = outbox
  if (target.failures === 0 && target.failing_since === null) return
  Object.assign(target, { failures: 0, failing_since: null, paused_until: null })
  noteChange(outbox)
}

export function noteFailure(outbox: Outbox, now: Date): void {
  const { target } = outbox
  target.failures += 1
  target.failing_since ??= now
  if (isBroken(target)) target.paused_until = new Date(now.getTime() + pauseMs)
  noteChange(outbox)
}

function noteChange(outbox: Outbox): void {
  outbox.isDirty = true
  outbox.changes += 1
}

/**
 * Takes over what people changed in the row. What the row says of the target's health counts only if nothing of ours was unwritten when
 * the row was read, which `before` says, and nothing has changed since.
 */
export function refreshFrom(outbox: Outbox, before: number | undefined, row: Target): void {
  const isNewest = before !== undefined && before === writtenState(outbox)
  Object.assign(outbox.target, isNewest ? row : { url: row.url })
}

/** Undefined while something of ours is under way or unwritten; otherwise the same number for as long as nothing changes. */
export const writtenState = ({ inFlight, unwritten, isDirty, changes }: Outbox): number | undefined =>
  inFlight + unwritten === 0 && !isDirty ? changes : undefined

/** With how few new deliveries in memory more are loaded. */
const freshMin = 16

/** More new deliveries can be loaded, and there is room for them. */
export const isFreshShort = ({ hasMore, fresh, known, loadedInPart }: Outbox): boolean =>
  hasMore &&
  fresh.length < freshMin &&
  (loadedInPart === undefined || ![...known.values()].some(({ batch }) => batch?.n === loadedInPart))

/** More retries and replays can be loaded, and none is left in memory. */
export const isDueShort = ({ hasMoreDue, retries, replays }: Outbox): boolean =>
  hasMoreDue && retries.length + replays.length === 0

export function remember(outbox: Outbox, delivery: Loaded, into: Loaded[]): void {
  if (outbox.known.has(delivery.id) || isOfGoneRun(outbox, delivery)) return
  outbox.known.set(delivery.id, delivery)
  into.push(delivery)
}

const isOfGoneRun = ({ goneRuns }: Outbox, { run_id }: Loaded): boolean => run_id !== null && goneRuns.has(run_id)

/** The receiver wants nothing more: a callback nothing of this run, a subscription nothing at all. */
export function dropWhatFollows(outbox: Outbox, { run_id }: Loaded): Loaded[] {
  if (outbox.target.kind === 'subscription') {
    outbox.isGivenUp = true
    return []
  }
  if (run_id === null) return []
  outbox.goneRuns.set(run_id, { isWritten: false })
  const { fresh, retries, replays } = outbox
  for (const list of ['fresh', 'retries', 'replays'] as const) {
    outbox[list] = outbox[list].filter((other) => other.run_id !== run_id)
  }
  return [...fresh, ...retries, ...replays].filter((other) => other.run_id === run_id)
}

/** The gone runs whose rows say so: a load that begins now finds nothing of them. */
export const writtenGoneRuns = ({ goneRuns }: Outbox): string[] =>
  [...goneRuns].filter(([, { isWritten }]) => isWritten).map(([runId]) => runId)

/** Nothing of it is under way, and nothing will be for a while: whoever claims the target next loads again what is in memory here. */
export const isStuck = (outbox: Outbox, now: Date): boolean =>
  (outbox.isGivenUp || isPaused(outbox.target, now)) && outbox.inFlight === 0 && outbox.unwritten === 0
