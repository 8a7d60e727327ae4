// What a working process does for replays: takes recorded runs that are due, a few at a time and fair between teams, and ends each in every case.
import { part, untilWritten } from '../../../base/db.ts'
import { teamShare } from '../../../base/fairPool.ts'
import type { Context } from '../../../kit/context.ts'
import { deathsBeforeGivenUp, givenUpDeaths, isSuspect, mustBeAlone } from '../../../kit/deaths.ts'
import type { DriveSuspect, Work, WorkingProcess } from '../../../kit/feature.ts'
import { LeaseLost, whileLeased } from '../../../kit/lease.ts'
import { createSharedPool } from '../../../kit/sharedPools.ts'
import { lookFor } from '../../../kit/sharedLook.ts'
import type { SuspectProcesses } from '../../../kit/suspectProcesses.ts'
import { monthSpent } from '../../../engine/counting/monthSpent.ts'
import type { RecordingContent } from '../recording.ts'
import {
  claimReplayRuns,
  finish,
  noteSuspectDeath,
  putOff,
  renew,
  takeSuspect,
  usualTimes,
  type Ending,
  type HeldReplayRun,
  type ReplayTimes,
} from './heldReplayRun.ts'
import { Later, liveTurns, NotReplayable } from './liveTurns.ts'
import { openReplay, type ReplayedBuild } from './openReplay.ts'
import { replayRun } from './replayRun.ts'

/** How many runs are replayed at a time: each may wait for a model for minutes. */
const replaysMax = 4
/** How often in a row no model may answer: about four minutes with the pauses. */
const troublesMax = 6
const pauseMaxMs = 10 * 60_000
/** How long a run waits for calls that hold what is left of the replay's money, or for a seat. */
const soonMs = 1000

const asked = { replays: part`exists (select from replay_runs where state = 'pending' and due_at <= now())` }

/** The kind of these units among the work of processes for suspects. */
export const replayKind = 'replay'

export function startReplayer(context: Context, { id: worker, suspectProcesses }: WorkingProcess): Work {
  const { db, log } = context
  const stopping = new AbortController()
  const underWay = new Set<Promise<void>>()
  const slots = createSharedPool(context, {
    name: 'replays',
    size: replaysMax,
    perTeam: teamShare(replaysMax, context.config.teamShare),
  })

  /** Begins what is due, one at a time, so that each counts what the one before it took; the end of each begins the next. */
  async function begin(): Promise<void> {
    while (slots.taken() < slots.size && !stopping.signal.aborted) {
      const [held] = await claimReplayRuns(db.sql, { max: 1, times: usualTimes, full: slots.fullTeams(), worker })
      if (!held) return
      const release = slots.tryTake(held.team_id)
      const work: Promise<void> = one(held)
        .catch((error: unknown) =>
          log.warn({ err: error, replay_id: held.replay_id }, 'could not replay a run; will retry'),
        )
        .finally(() => {
          underWay.delete(work)
          release?.()
          beginning ??= beginOnce()
        })
      underWay.add(work)
    }
  }

  const one = (held: HeldReplayRun): Promise<void> =>
    suspectProcesses && isSuspect(held)
      ? replayElsewhere(context, suspectProcesses, held)
      : drive(context, held, usualTimes, stopping.signal)

  let beginning: Promise<void> | undefined
  const beginOnce = (): Promise<void> =>
    begin()
      .catch((error: unknown) => log.warn({ err: error }, 'could not take runs to replay; will retry'))
      .finally(() => (beginning = undefined))

  return {
    async poll() {
      if ((await lookFor(context, asked)).replays) await (beginning ??= beginOnce())
    },
    async stop() {
      stopping.abort()
      await beginning
      await Promise.all(underWay)
    },
  }
}

/** Ends when the run is replayed, postponed, or given back because this process stops. */
export async function drive(
  context: Context,
  held: HeldReplayRun,
  times: ReplayTimes,
  stopping: AbortSignal,
): Promise<void> {
  await whileHeld(context, held, times, async (lost) => {
    try {
      await finish(context, held, await replay(context, held, times, AbortSignal.any([stopping, lost])))
    } catch (error) {
      if (error instanceof LeaseLost || lost.aborted) return
      if (stopping.aborted) await putOff(context.db.sql, held, 0)
      else await afterTrouble(context, held, error)
    }
  })
}

function whileHeld(
  { db, log }: Context,
  held: HeldReplayRun,
  times: ReplayTimes,
  work: (lost: AbortSignal) => Promise<void>,
): Promise<void> {
  const lease = { name: 'the lease of a replayed run', log, everyMs: times.leaseMs / 3 }
  return whileLeased({ ...lease, renew: () => renew(db.sql, held, times) }, work)
}

const notReplayed = (reason: string): Ending => ({ verdict: 'not_replayed', reason })

async function replay(context: Context, held: HeldReplayRun, times: ReplayTimes, signal: AbortSignal): Promise<Ending> {
  if (held.deaths >= givenUpDeaths) {
    return notReplayed(`At least ${deathsBeforeGivenUp} processes of the service died while they replayed this run.`)
  }
  const [found] = await context.db.sql<ReplayedBuild & { content: RecordingContent | null }>`
    select r.team_id, r.agent_id, r.build_id, r.config, r.config_hash, r.max_cost_usd is not null as is_cost_limited, c.content
    from replays r left join replay_recordings c on c.id = ${held.recording_id}::uuid and c.team_id = r.team_id
    where r.id = ${held.replay_id} and r.team_id = ${held.team_id} and r.state = 'running'`
  if (!found) throw new LeaseLost()
  const { content, ...build } = found
  const live = await liveTurns({ context, held, agentId: build.agent_id, times, signal })
  if (!content) return notReplayed('The run was deleted, and its recording with it.')
  try {
    const open = await openReplay(context, build, content)
    const spent = open.model.isPure ? undefined : await monthSpent(context.db.sql, held.team_id)
    if (spent !== undefined) return notReplayed(spent)
    return await replayRun(open, live, signal)
  } catch (error) {
    if (error instanceof NotReplayable) return notReplayed(error.message)
    throw error
  }
}

async function afterTrouble(context: Context, held: HeldReplayRun, error: unknown): Promise<void> {
  const { sql } = context.db
  if (error instanceof Later && !error.isTrouble) return putOff(sql, held, soonMs)
  const isTheirs = error instanceof Later
  if (!isTheirs) context.log.error({ err: error, replay_id: held.replay_id }, 'a run could not be replayed')
  const troubles = held.troubles + 1
  if (troubles >= troublesMax) {
    const reason = isTheirs ? error.message : 'The server failed. Its operator finds the reason in the log.'
    return endLost(finish(context, held, notReplayed(`No answer in ${troubles} attempts. The last one: ${reason}`)))
  }
  const usual = 2000 * 3 ** (troubles - 1) * (0.75 + Math.random() / 2)
  const wished = isTheirs ? (error.retryAfterMs ?? 0) : 0
  await putOff(sql, held, Math.min(pauseMaxMs, Math.max(usual, wished)), troubles)
}

/** Whoever has it now writes its end. */
async function endLost(ending: Promise<void>): Promise<void> {
  try {
    await ending
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error
  }
}

/** This process holds the run until the other process has taken it, and records how that process ended. */
async function replayElsewhere(
  context: Context,
  suspectProcesses: SuspectProcesses,
  held: HeldReplayRun,
): Promise<void> {
  const { sql } = context.db
  const seat = suspectProcesses.reserve({ kind: replayKind, teamId: held.team_id, mustBeAlone: mustBeAlone(held) })
  if (!seat) return putOff(sql, held, soonMs)
  await whileHeld(context, held, usualTimes, async () => {
    const ending = await seat.drive({ kind: replayKind, id: held.id, epoch: held.attempts })
    if (ending.how === 'untouched') await putOff(sql, held, 0)
    if (ending.how === 'died') await untilWritten(() => noteSuspectDeath(sql, held, ending.isSure))
  })
}

export const replayAsSuspect: DriveSuspect = async ({ context, unit, process, took, signal }) => {
  const held = await takeSuspect(context.db.sql, process.id, unit, usualTimes)
  if (!held) return false
  await took()
  await drive(context, held, usualTimes, signal)
  return true
}

/** Does everything that is due until nothing is left. Tests use it instead of waiting. */
export async function drainReplays(context: Context, times: ReplayTimes = usualTimes): Promise<void> {
  for (;;) {
    const held = await claimReplayRuns(context.db.sql, { max: replaysMax, times })
    if (held.length === 0) return
    await Promise.all(held.map((one) => drive(context, one, times, new AbortController().signal)))
  }
}
