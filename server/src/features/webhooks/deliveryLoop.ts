// Delivering in one process: has some targets, loads what is due to them, sends it in order and side by side, and writes what came of it.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../kit/context.ts'
import { mustBeAlone, suspectDeaths } from '../../kit/deaths.ts'
import type { WorkingProcess } from '../../kit/feature.ts'
import { createLane } from '../../kit/lane.ts'
import { attempt, type Outcome } from './attempt.ts'
import { deliveriesChannel, lookMs } from './deliveriesChannel.ts'
import {
  dropWhatFollows,
  isPaused,
  isStuck,
  noteFailure,
  noteSuccess,
  openOutbox,
  refreshFrom,
  remember,
  takeNext,
  writtenState,
  type Outbox,
} from './outbox.ts'
import { resultOf, tell } from './attemptResult.ts'
import { signingSecrets } from './secret.ts'
import { signingKey, type SigningKey } from './signature.ts'
import { sendElsewhere, targetKind } from './sendElsewhere.ts'
import * as rows from './deliveryRows.ts'

/** Requests in flight of one process, and of one team in it: a team whose receivers all hang leaves room for the others. */
const flightsMax = 256
const teamFlightsMax = 64
const targetsMax = 1000
/** So many of a target's deliveries are in memory; with fewer than the second number more are loaded. */
const loadedMax = 64
const loadedMin = 16
/** A target with nothing to do is let go after this; until then its next event needs no claim. */
const idleMs = 5000
/** How old a secret may be that signs: a rotation counts everywhere after this. */
const secretMs = 50
const failingMaxMs = 5 * 24 * 3600_000
const buriedAtOnce = 5000
/** Looks between two looks for what a dead process left unburied. */
const buryEvery = 20

/** What a round does beside loading what is new to the targets that we have. */
interface Wanted {
  /** Look for targets of nobody. */
  look: boolean
  /** Tell the others when they have something to send. */
  announce: boolean
  /** Load what is to be tried again. */
  due: boolean
}

/** Delivers to one target, one delivery at a time. */
interface OneByOne {
  targetId: string
  /** The sender waits for this before each attempt. */
  before(deliveryId: string): Promise<void>
}

export function startDelivering(context: Context, { id: workerId, lost, alone }: WorkingProcess, oneByOne?: OneByOne) {
  const { db, log, config, keyring } = context
  const outboxes = new Map<string, Outbox>()
  const teamFlights = new Map<string, number>()
  const keys = new Map<string, { at: number; keys: Promise<SigningKey[]> }>()
  /** Suspects that a process of their own sends to. */
  const elsewhere = new Set<string>()
  let flights = 0
  let turn = 0
  let looks = 0
  let isStopping = false
  let cycling: Promise<void> | undefined
  let again: Wanted | undefined
  let lookedAt = -Infinity
  let lookTimer: NodeJS.Timeout | undefined
  /** Attempts under way, until what came of them is written. */
  const landing = new Set<Promise<void>>()

  const marks = createLane<rows.Result, void>({
    keyOf: ({ delivery }) => delivery.id,
    // a target belongs to one team, and its attempts in flight are capped there
    teamOf: ({ delivery }) => delivery.target_id,
    opsMax: 256,
    flushesMax: 1,
    async flush(results) {
      await rows.markResults(db.sql, results)
      const dirty = [...outboxes.values()].filter(({ isDirty }) => isDirty)
      for (const outbox of dirty) outbox.isDirty = false
      if (dirty.length > 0) {
        await rows.saveHealth(
          db.sql,
          workerId,
          dirty.map(({ target }) => target),
        )
      }
      return results.map(() => undefined)
    },
  })

  /** Something was written, by us (then others may have to know) or by others: what our targets have is loaded at once. */
  function nudge(isOurs: boolean): void {
    if (isStopping) return
    const isEarly = performance.now() - lookedAt < lookMs
    if (isEarly) lookTimer ??= setTimeout(() => cycle({ look: true, announce: isOurs, due: false }), lookMs)
    cycle({ look: !isEarly, announce: isOurs, due: false })
  }

  function cycle(wanted: Wanted): void {
    if (isStopping) return
    if (wanted.look) {
      clearTimeout(lookTimer)
      lookTimer = undefined
    }
    if (cycling) {
      again = {
        look: wanted.look || !!again?.look,
        announce: wanted.announce || !!again?.announce,
        due: wanted.due || !!again?.due,
      }
      return
    }
    cycling = goRound(wanted)
      .catch((error: unknown) => log.warn({ err: error }, 'deliveries could not be read; it is tried again'))
      .finally(() => {
        cycling = undefined
        const next = again
        again = undefined
        if (next) cycle(next)
      })
  }

  async function goRound({ look, announce, due }: Wanted): Promise<void> {
    for (const outbox of outboxes.values()) outbox.hasMore = true
    await load()
    if (look) {
      await claim(announce)
      await load()
    }
    if (due) await loadDue()
  }

  const isSuspect = ({ deaths }: { deaths: number }) => alone !== undefined && deaths >= suspectDeaths

  async function claim(announce: boolean): Promise<void> {
    lookedAt = performance.now()
    const found = await rows.targetsWithWork(db.sql, workerId)
    const untaken = found.filter(({ holder, id }) => holder === null || (holder === 'mine' && !outboxes.has(id)))
    const free = untaken.filter((one) => (oneByOne ? one.id === oneByOne.targetId : !isSuspect(one)))
    for (const suspect of untaken.filter(isSuspect)) sendSuspect(suspect)
    if (announce && found.some(({ holder }) => holder === 'other')) {
      await db.sql`select set_config('synchronous_commit', 'off', true), pg_notify(${deliveriesChannel}, '')`
    }
    const wanted = free.slice(0, targetsMax - outboxes.size).map(({ id }) => id)
    if (wanted.length === 0 || isStopping || lost().aborted) return
    const claimed = await rows.claimTargets(db.sql, workerId, wanted)
    for (const target of claimed) outboxes.set(target.id, openOutbox(target))
  }

  /** Until the other process has taken the target, only this process knows that it is under way. */
  function sendSuspect(target: { id: string; team_id: string; deaths: number }): void {
    if (isStopping || elsewhere.has(target.id)) return
    const seat = alone?.reserve({ kind: targetKind, teamId: target.team_id, mustBeAlone: mustBeAlone(target) })
    if (!seat) return
    elsewhere.add(target.id)
    void sendElsewhere(context, seat, target.id).finally(() => elsewhere.delete(target.id))
  }

  /** Of every target that has room for more; then sends what may be sent. */
  async function load(): Promise<void> {
    const now = new Date()
    const wanting = [...outboxes.values()].filter(
      ({ target, hasMore, fresh }) => hasMore && fresh.length < loadedMin && !isPaused(target, now),
    )
    if (wanting.length === 0) return pump()
    // read meanwhile, where it is not known
    for (const { target } of wanting) void keysOf(target.team_id)
    const known = wanting.flatMap((outbox) => [...outbox.known])
    const loaded = await rows.loadNew(
      db.sql,
      wanting.map(({ target }) => target.id),
      known,
      loadedMax,
    )
    const of = Map.groupBy(loaded, ({ target_id }) => target_id)
    for (const outbox of wanting) {
      const some = of.get(outbox.target.id) ?? []
      outbox.hasMore = some.length === loadedMax
      for (const delivery of some) remember(outbox, delivery, outbox.fresh)
    }
    pump()
  }

  /** Round and round over the targets, so that each gets its turn when places are few. */
  function pump(): void {
    const all = [...outboxes.values()]
    turn = all.length === 0 ? 0 : (turn + 1) % all.length
    for (const outbox of [...all.slice(turn), ...all.slice(0, turn)]) pumpOne(outbox)
  }

  const hasRoom = ({ target }: Outbox): boolean =>
    !isStopping && flights < (oneByOne ? 1 : flightsMax) && (teamFlights.get(target.team_id) ?? 0) < teamFlightsMax

  function pumpOne(outbox: Outbox): void {
    const now = new Date()
    for (;;) {
      const next = hasRoom(outbox) ? takeNext(outbox, now) : undefined
      if (!next) return
      const flight: Promise<void> = fly(outbox, next)
        .catch((error: unknown) => log.error({ err: error, delivery_id: next.id }, 'a delivery was not settled'))
        .finally(() => landing.delete(flight))
      landing.add(flight)
    }
  }

  async function fly(outbox: Outbox, delivery: rows.Loaded): Promise<void> {
    const { target } = outbox
    const isFirst = delivery.state === 'new' && delivery.run_id !== null
    count(outbox, 1)
    if (isFirst) outbox.busyRuns.add(delivery.run_id!)
    let outcome: Outcome | undefined
    try {
      await oneByOne?.before(delivery.id)
      outcome = await attempt(context, delivery, target.url, await keysOf(target.team_id))
    } catch (error) {
      // of our own: the delivery is as it was, and whoever has its target next tries it again
      log.error({ err: error, delivery_id: delivery.id }, 'a delivery could not be attempted')
    }
    const wasFull = !hasRoom(outbox)
    if (isFirst) outbox.busyRuns.delete(delivery.run_id!)
    count(outbox, -1)
    outbox.idleSince = performance.now()
    if (wasFull) pump()
    if (outcome) await settle(outbox, delivery, outcome)
    else outbox.isGivenUp = true
  }

  function count(outbox: Outbox, change: 1 | -1): void {
    flights += change
    outbox.flights += change
    const { team_id } = outbox.target
    teamFlights.set(team_id, (teamFlights.get(team_id) ?? 0) + change)
    if (teamFlights.get(team_id) === 0) teamFlights.delete(team_id)
  }

  async function settle(outbox: Outbox, delivery: rows.Loaded, outcome: Outcome): Promise<void> {
    const { target } = outbox
    const now = new Date()
    if (outcome.attempt.ok) noteSuccess(outbox)
    else noteFailure(outbox, now)
    const dropped = outcome.isGone ? dropWhatFollows(outbox, delivery) : []
    const isHopeless = target.failing_since !== null && now.getTime() - target.failing_since.getTime() > failingMaxMs
    const isOver = target.kind === 'subscription' && (outcome.isGone || isHopeless)
    // before the outcome is written: a retry that is due at once must not fly before the target is disabled
    if (isOver) outbox.isGivenUp = true
    const result = resultOf(config.webhookScheduleS, delivery, outcome)
    tell(log, target, result)
    context.metrics.deliveries.attempted(outcome.attempt)
    // the next one need not wait until this one is written
    pumpOne(outbox)
    outbox.unwritten += 1
    const written = write(result)
    const isShort = outbox.hasMore && outbox.fresh.length < loadedMin
    const isDueShort = outbox.hasMoreDue && outbox.retries.length + outbox.replays.length === 0
    if (isShort || isDueShort) cycle({ look: false, announce: false, due: isDueShort })
    try {
      await written
      // the target is ours until it is disabled: nobody else may claim it meanwhile
      if (isOver) await disable(target, outcome.isGone)
    } finally {
      outbox.unwritten -= 1
    }
    outbox.known.delete(delivery.id)
    if (outcome.isGone && target.kind === 'callback' && delivery.run_id !== null) {
      await rows.endCallbacks(db.sql, target.id, delivery.run_id)
      for (const { id } of dropped) outbox.known.delete(id)
    }
  }

  /** What is known must be written, however long the database is away; only the end of the process, or of its right to, ends it. */
  async function write(result: rows.Result): Promise<void> {
    for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 5000)) {
      try {
        return await marks.add(result)
      } catch (error) {
        log.warn({ err: error, delivery_id: result.delivery.id }, 'the outcome of a delivery was not written')
        if (lost().aborted || isStopping) return
        await sleep(waitMs)
      }
    }
  }

  async function disable(target: rows.Target, isGone: boolean): Promise<void> {
    const reason = isGone ? 'The receiver answered 410 Gone.' : 'No delivery succeeded for 5 days.'
    await rows.disableTarget(db.sql, target.id, reason)
    log.warn({ subscription_id: target.id, team_id: target.team_id, reason }, 'a subscription is disabled')
    forget(target.id)
    await buryAll()
  }

  async function buryAll(): Promise<void> {
    while ((await rows.buryDisabled(db.sql, buriedAtOnce)) === buriedAtOnce);
  }

  /** It is no longer ours, or not to be sent to; what flies comes down by itself. */
  function forget(targetId: string): void {
    outboxes.delete(targetId)
  }

  function keysOf(teamId: string): Promise<SigningKey[]> {
    const now = performance.now()
    const kept = keys.get(teamId)
    if (kept && now - kept.at < secretMs) return kept.keys
    const fresh = signingSecrets(db.sql, keyring, teamId).then((all) => all.map(signingKey))
    // one that could not be read is not remembered
    fresh.catch(() => keys.delete(teamId))
    keys.set(teamId, { at: now, keys: fresh })
    return fresh
  }

  async function loadDue(): Promise<void> {
    const ids = [...outboxes.values()]
      .filter(({ retries, replays }) => retries.length + replays.length === 0)
      .map(({ target }) => target.id)
    if (ids.length === 0) return
    const known = ids.flatMap((id) => [...outboxes.get(id)!.known])
    const due = await rows.loadDue(db.sql, ids, known, loadedMax)
    const of = Map.groupBy(due, ({ target_id }) => target_id)
    for (const id of ids) {
      const outbox = outboxes.get(id)
      if (outbox) outbox.hasMoreDue = (of.get(id)?.length ?? 0) >= loadedMax
    }
    for (const delivery of due) {
      const outbox = outboxes.get(delivery.target_id)
      if (outbox) remember(outbox, delivery, delivery.state === 'retrying' ? outbox.retries : outbox.replays)
    }
    const settled = ids.filter((id) => !of.has(id) && outboxes.has(id))
    if (settled.length > 0) await rows.settleRetries(db.sql, workerId, settled)
    pump()
  }

  /** Lets go of what has nothing to do, and of what is to be left alone for a while. */
  async function letGo(all: boolean): Promise<void> {
    const now = new Date()
    const isIdle = ({ target, known, idleSince }: Outbox) =>
      known.size === 0 && (performance.now() - idleSince > idleMs || isPaused(target, now))
    const gone = [...outboxes.values()].filter((outbox) => all || isIdle(outbox) || isStuck(outbox, now))
    await release(gone.map(({ target }) => target.id))
  }

  async function release(ids: string[]): Promise<void> {
    if (ids.length === 0) return
    for (const id of ids) forget(id)
    await rows.releaseTargets(db.sql, workerId, ids)
  }

  async function refresh(): Promise<void> {
    if (outboxes.size === 0) return
    const before = new Map([...outboxes].map(([id, outbox]) => [id, writtenState(outbox)]))
    const present = new Map(
      (await rows.readTargets(db.sql, workerId, [...outboxes.keys()])).map((row) => [row.id, row]),
    )
    for (const outbox of outboxes.values()) {
      const row = present.get(outbox.target.id)
      if (row) refreshFrom(outbox, before.get(outbox.target.id), row)
    }
    await release([...before.keys()].filter((id) => !present.has(id)))
  }

  const stopListening = context.listener.on(deliveriesChannel, () => nudge(false))
  nudge(false)

  return {
    nudge,
    /** True when nothing of this target is under way, and nothing may be sent to it now. */
    isDoneWith(targetId: string): boolean {
      const outbox = outboxes.get(targetId)
      if (!outbox) return true
      const isResting = outbox.known.size === 0 || isPaused(outbox.target, new Date())
      return isResting && outbox.flights + outbox.unwritten === 0
    },
    async look(): Promise<void> {
      if (lost().aborted) {
        outboxes.clear()
        return
      }
      await refresh()
      cycle({ look: true, announce: false, due: true })
      await cycling
      await letGo(false)
      for (const [teamId, { at }] of keys) if (performance.now() - at > idleMs) keys.delete(teamId)
      // who disabled a target may have died before it buried what waited there
      if (looks++ % buryEvery === 0) await buryAll()
    },
    async stop(): Promise<void> {
      isStopping = true
      stopListening()
      clearTimeout(lookTimer)
      await cycling
      await Promise.race([Promise.all(landing), sleep(config.drainS * 1000, undefined, { ref: false })])
      await letGo(true)
    },
  }
}
