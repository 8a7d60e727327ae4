// Which targets this process delivers to: it claims those that no process has, and releases those with nothing to do.
import { inTurns } from '../../base/fairPool.ts'
import { mustBeAlone, suspectDeaths } from '../../kit/deaths.ts'
import { announceMs, deliveriesChannel } from './deliveriesChannel.ts'
import * as rows from './deliveryRows.ts'
import type { TargetWithWork } from './deliveryRows.ts'
import type { DeliveryState } from './deliveryState.ts'
import { isPaused, isStuck, letGo, openOutbox, refreshFrom, writtenState, type Outbox } from './outbox.ts'
import { sendElsewhere, targetKind } from './sendElsewhere.ts'

/** How many targets one process has at most. */
const targetsMax = 1000
/** How long a target with nothing to do is still held: until then its next event needs no claim. */
const idleMs = 5000

/** What a look is for. Whatever it says, a look that others have begun is continued. */
interface Wanted {
  fresh: boolean
  retries: boolean
}

/** Claims targets that have something to send and that no process has; answers with those that it claimed. */
export async function claimWithWork(state: DeliveryState, wanted: Wanted): Promise<Outbox[]> {
  const { process, outboxes, oneByOne } = state
  const isSuspect = ({ deaths }: { deaths: number }) =>
    process.suspectProcesses !== undefined && deaths >= suspectDeaths
  const found = await lookForWork(state, wanted)
  const untaken = found.filter(({ holder, id }) => holder === null || (holder === 'mine' && !outboxes.has(id)))
  const free = untaken.filter((target) => oneByOne || !isSuspect(target))
  for (const suspect of untaken.filter(isSuspect)) sendSuspect(state, suspect)
  const claimed = await claim(state, withinShares(outboxes, free))
  const hasRoom = outboxes.size < targetsMax
  if (hasRoom && (isWithin(state) || state.isToLookAgain)) lookSoon(state)
  return claimed
}

async function claim(state: DeliveryState, ids: string[]): Promise<Outbox[]> {
  const { context, process, outboxes } = state
  const lost = process.lost()
  if (ids.length === 0 || state.isStopping || lost.aborted) return []
  const claimed = await rows.claimTargets(context.db.sql, process.id, ids)
  if (lost.aborted) return []
  letGoAtLoss(state, lost)
  const opened = claimed.map(openOutbox)
  for (const outbox of opened) outboxes.set(outbox.target.id, outbox)
  return opened
}

/** The looks have passed some targets, and not yet all. */
const isWithin = ({ lookedTo, retriedTo }: DeliveryState): boolean =>
  lookedTo !== rows.beforeAllTargets || retriedTo !== rows.beforeAllRetries

/** Looks once for all who ask. */
export function lookSoon(state: DeliveryState): void {
  if (state.isStopping) return
  state.claimTimer ??= setTimeout(() => {
    state.startRound({ load: state.isToLoad, claim: true, due: state.retriedTo !== rows.beforeAllRetries })
  }, announceMs)
}

/**
 * The next targets with work, behind those of the look before. While there are more, looks follow, in pieces: many targets of one team hold up
 * nobody's deliveries for long.
 */
async function lookForWork(state: DeliveryState, wanted: Wanted): Promise<TargetWithWork[]> {
  const { context, process, oneByOne } = state
  const { sql } = context.db
  const by = { workerId: process.id, drillTeam: context.config.drillTeam }
  const isFirst = state.lookedTo === rows.beforeAllTargets
  const isFresh = wanted.fresh || !isFirst || state.isToLookAgain
  // others have looked since this was asked for
  if (!isFresh && !wanted.retries) return []
  state.claimedAt = performance.now()
  // before the statement, which may miss what is written while it runs
  if (isFirst) state.isToLookAgain = false
  if (oneByOne) return rows.targetIfDue(sql, by, oneByOne.targetId)
  const isToAnnounce = state.isToAnnounce
  state.isToAnnounce = false
  const { found, reached, reached_retry } = await rows.targetsWithWork(sql, by, {
    after: isFresh ? state.lookedTo : rows.afterAllTargets,
    retriesAfter: wanted.retries ? state.retriedTo : undefined,
  })
  state.lookedTo = reached ?? rows.beforeAllTargets
  if (wanted.retries) state.retriedTo = reached_retry ?? rows.beforeAllRetries
  // who has those that this look did not pass is not known
  if (isToAnnounce && (!isFirst || reached !== null || found.some(({ holder }) => holder === 'other'))) {
    await sql`select set_config('synchronous_commit', 'off', true), pg_notify(${deliveriesChannel}, '')`
  }
  return found
}

/**
 * Chooses as many as there is room for, in turns by team. A team gets another one only while it has less than three times as many as are free: alone it
 * has three quarters of all, and several with thousands still leave some for the next.
 */
function withinShares(outboxes: ReadonlyMap<string, Outbox>, free: TargetWithWork[]): string[] {
  const held = new Map<string, number>()
  for (const { target } of outboxes.values()) held.set(target.team_id, (held.get(target.team_id) ?? 0) + 1)
  let room = targetsMax - outboxes.size
  return inTurns(free, ({ team_id }) => team_id).flatMap(({ id, team_id }) => {
    const has = held.get(team_id) ?? 0
    if (has >= 3 * room) return []
    held.set(team_id, has + 1)
    room -= 1
    return [id]
  })
}

/** From the moment at which others may have these targets, nothing more is sent to them from here. */
function letGoAtLoss(state: DeliveryState, lost: AbortSignal): void {
  if (state.lost === lost) return
  state.lost = lost
  lost.addEventListener('abort', () => letGo(state.outboxes, [...state.outboxes.keys()]), { once: true })
}

/** Until the isolated process has claimed the target, only this process knows that it is under way. */
function sendSuspect(state: DeliveryState, target: { id: string; team_id: string; deaths: number }): void {
  const { context, process, elsewhere } = state
  if (state.isStopping || elsewhere.has(target.id)) return
  const seat = process.suspectProcesses?.reserve({
    kind: targetKind,
    teamId: target.team_id,
    mustBeAlone: mustBeAlone(target),
  })
  if (!seat) return
  elsewhere.add(target.id)
  void sendElsewhere(context, seat, target.id).finally(() => elsewhere.delete(target.id))
}

/** Reads what people have changed, and forgets the targets that are no longer this process's to send to. */
export async function refreshTargets({ context, process, outboxes }: DeliveryState): Promise<void> {
  if (outboxes.size === 0) return
  const before = new Map([...outboxes].map(([id, outbox]) => [id, writtenState(outbox)]))
  const read = await rows.readTargets(context.db.sql, process.id, [...outboxes.keys()])
  const present = new Map(read.map((row) => [row.id, row]))
  for (const outbox of outboxes.values()) {
    const row = present.get(outbox.target.id)
    if (row) refreshFrom(outbox, before.get(outbox.target.id), row)
  }
  await release(
    { context, process, outboxes },
    [...before.keys()].filter((id) => !present.has(id)),
  )
}

/** Releases the targets that have nothing to do, and those that must rest for a while. */
export async function releaseIdle(state: DeliveryState): Promise<void> {
  const now = new Date()
  const isIdle = ({ target, known, idleSince }: Outbox) =>
    known.size === 0 && (performance.now() - idleSince > idleMs || isPaused(target, now))
  const idle = [...state.outboxes.values()].filter((outbox) => isIdle(outbox) || isStuck(outbox, now))
  await release(
    state,
    idle.map(({ target }) => target.id),
  )
}

export const releaseAll = (state: DeliveryState): Promise<void> => release(state, [...state.outboxes.keys()])

async function release(
  { context, process, outboxes }: Pick<DeliveryState, 'context' | 'process' | 'outboxes'>,
  ids: string[],
): Promise<void> {
  if (ids.length === 0) return
  letGo(outboxes, ids)
  await rows.releaseTargets(context.db.sql, process.id, ids)
}
