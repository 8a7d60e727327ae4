// The half-second sweep of everything that time or a death may have left: due waits, expired requests, lost runs, miscounted slots.
import { part, type Sql } from '../../base/db.ts'
import type { WorkerPools } from '../../base/settingKinds.ts'
import { withShortLock } from '../../base/shortLock.ts'
import type { Context } from '../../kit/context.ts'
import { lookFor } from '../../kit/sharedLook.ts'
import { admitNext, recount } from '../admission/admission.ts'
import { isOrdinary, isSuspectRow, reviveOrphans } from '../admission/claim.ts'
import { isWorker } from '../ledger/notifyChannels.ts'
import { isServed } from '../admission/workerPools.ts'
import { expireRequest, expireRequestUnlocked, teamsWithExpired } from '../requests/expireRequests.ts'
import { teamsWithDue, wakeDue, wakeDueUnlocked } from '../admission/wake.ts'

const dueAtOnce = 500
/** How long a sweep may do what is due of one kind: after a day without a worker it may be much, and the rest of the sweep waits for it. */
const longestMs = 100
/** How often, in sweeps, the slots are counted again and runs whose process is gone are set free. */
const thoroughEvery = 10
/** That is for the whole database, so the oldest worker does it for all; the others rarely, in case that one hangs. */
const rareEvery = 60

/** What there may be to do for a process that takes these runs. */
function duesOf(pools: WorkerPools | undefined, processId: string | undefined) {
  const isFree = part`admitted_at is not null and worker is null and ${isServed(pools)}`
  return {
    due: part`exists (select from runs where due_at <= now())`,
    ready: part`exists (select from runs where ${isFree} and ${isOrdinary})`,
    suspect: part`exists (select from runs where ${isFree} and ${isSuspectRow})`,
    hasElder:
      processId === undefined
        ? part`false`
        : part`exists (select from processes where id < ${processId} and ${isWorker})`,
    expired: part`exists (select from human_requests where status = 'pending' and expires_at <= now())`,
  }
}

interface RunSweep {
  /** True when there are runs for a worker to take. */
  run(): Promise<boolean>
  /** Counts the slots again and gives free ones to runs that wait; true when there were any. */
  admitWaiting(): Promise<boolean>
}

export function createRunSweep(context: Context): RunSweep {
  const { db, log, config, lifecycle } = context
  let dues: ReturnType<typeof duesOf> | undefined
  let count = 0
  return {
    async run() {
      const is = await lookFor(context, (dues ??= duesOf(config.workerPools, lifecycle.processId)))
      let isReady = is.ready || is.suspect
      if (is.due) isReady = (await ofEachTeam(dueWaits)) || isReady
      if (is.expired) isReady = (await ofEachTeam(expiredRequests)) || isReady
      count += 1
      if (count % (is.hasElder ? rareEvery : thoroughEvery) === 0) isReady = (await thorough()) || isReady
      return isReady
    },
    admitWaiting,
  }

  async function ofEachTeam({ unlocked, teams, ofTeam }: DueOfTeams): Promise<boolean> {
    const until = performance.now() + longestMs
    let found = await repeated(() => db.transaction(unlocked))
    // those that were left out: a team whose slots are locked for long holds up only itself
    for (const { team_id } of await teams(db.sql)) {
      if (performance.now() >= until) break
      found = (await unlessLocked(team_id, (sql) => ofTeam(sql, team_id))) || found
    }
    return found
  }

  /** One transaction, which waits only shortly for the slots of a team. */
  async function unlessLocked(team_id: string, work: (sql: Sql) => Promise<boolean>): Promise<boolean> {
    let found = false
    const isDone = await withShortLock(db, async (sql) => void (found = await work(sql)))
    if (!isDone)
      log.warn({ team_id }, 'the slots of a team are locked; what is due of its runs is left to the next sweep')
    return isDone && found
  }

  async function thorough(): Promise<boolean> {
    const revived = await reviveOrphans(db.sql)
    if (revived > 0) log.warn({ runs: revived }, 'runs of a process that is gone are set free')
    return (await admitWaiting()) || revived > 0
  }

  async function admitWaiting(): Promise<boolean> {
    let found = false
    for (const team_id of await recount(db)) {
      found = (await unlessLocked(team_id, async (sql) => (await admitNext(sql, [team_id])).admitted > 0)) || found
    }
    return found
  }
}

/** What time brings to runs of many teams; each part answers whether there was anything. */
interface DueOfTeams {
  /** A part of it, without that of teams whose slots others have locked. */
  unlocked: (sql: Sql) => Promise<boolean>
  /** The teams of the first that is due. */
  teams: (sql: Sql) => Promise<{ team_id: string }[]>
  /** A part of what one team has. It waits for the slots. */
  ofTeam: (sql: Sql, teamId: string) => Promise<boolean>
}

const dueWaits: DueOfTeams = {
  unlocked: async (sql) => (await wakeDueUnlocked(sql, dueAtOnce)) > 0,
  teams: (sql) => teamsWithDue(sql, dueAtOnce),
  ofTeam: async (sql, teamId) => (await wakeDue(sql, dueAtOnce, teamId)) > 0,
}

const expiredRequests: DueOfTeams = {
  unlocked: async (sql) => (await expireRequestUnlocked(sql)) !== undefined,
  teams: (sql) => teamsWithExpired(sql, dueAtOnce),
  ofTeam: async (sql, teamId) => (await expireRequest(sql, teamId)) !== undefined,
}

/** Does it until nothing is left, or until the time is over: the next sweep continues. Answers whether there was anything. */
async function repeated(work: () => Promise<boolean>): Promise<boolean> {
  const until = performance.now() + longestMs
  if (!(await work())) return false
  while (performance.now() < until && (await work()));
  return true
}
