// Shares the main thread and the database between teams: a team that used more than its share waits while other teams are at work.
//
// One thread serves everybody, so a piece of work of 50 ms holds every other request up. Each such piece is bounded where it is done;
// this bounds how often one team may cause it. What a team used is a debt that falls with time. Above a small allowance its next
// statement, body or turn of a run waits. A team that is alone never waits: there is nobody to protect.
import { availableParallelism } from 'node:os'
import type { Context } from './context.ts'
import { createTurnLine, type TurnLine } from './turnLine.ts'

export interface TeamTime {
  /** Resolves when the team may go on; undefined means at once. `caller` takes turns with the other callers of the team. */
  turn(teamId: string, caller?: string): Promise<void> | undefined
  /** Whether the team would have to wait now. */
  isAhead(teamId: string): boolean
  /** Does one piece of work on the main thread and charges its time. */
  piece<T>(teamId: string, work: () => T): T
  /** Charges one piece of work on the main thread that took so long. */
  usedThread(teamId: string, ms: number): void
  /** Charges bytes that pass through the process, in small pieces. */
  moved(teamId: string, bytes: number): void
  usedDatabase(teamId: string, ms: number): void
}

/** The part of the main thread that one team may use beside others. */
const threadShare = 0.2
/** How many connections one team may keep busy beside others: half of the cores, since the database usually runs on the same machine. */
const databaseShare = availableParallelism() / 2
/** How far a team may be ahead of its share before it waits. */
const threadAheadMs = 200
const databaseAheadMs = 500
/** No wait is longer than this, so that a run or a request of a team in debt still goes on. */
const waitMaxMs = 10_000
/**
 * A longer piece is charged more than its time. Whoever comes at a random moment waits for half of the piece, and the chance to come
 * just then grows with its length too: what others lose grows with the square.
 */
const smallPieceMs = 5
/** What moving a byte takes on the main thread: between a socket and a text, and between a text and the database. */
const msOfByte = 4e-6
/** A team counts as at work this long after its last turn. */
const atWorkMs = 30_000
/** Above this many accounts, those without debt are forgotten. */
const accountsMax = 1000
/** How often a waiting team looks again whether it is alone. */
const lookEveryMs = 1000

interface Account {
  /** What was used and is not yet covered by the share, as of `at`. */
  threadMs: number
  databaseMs: number
  at: number
  waiting: TurnLine<() => void>
  isLooking: boolean
}

export function createTeamTime(now: () => number = () => performance.now()): TeamTime {
  const accounts = new Map<string, Account>()
  /** The last team that was at work, and the last one before it: enough to know whether a team is alone. */
  let latest = { teamId: '', at: Number.NEGATIVE_INFINITY }
  let other = latest
  let forgetAbove = accountsMax

  function noteAtWork(teamId: string): void {
    if (teamId !== latest.teamId) other = latest
    latest = { teamId, at: now() }
  }

  const isAlone = (teamId: string): boolean => now() - (teamId === latest.teamId ? other : latest).at > atWorkMs

  function settle(account: Account): void {
    const at = now()
    account.threadMs = Math.max(0, account.threadMs - (at - account.at) * threadShare)
    account.databaseMs = Math.max(0, account.databaseMs - (at - account.at) * databaseShare)
    account.at = at
  }

  /** How long until the share has covered what was used. */
  function waitMs(account: Account): number {
    settle(account)
    const { threadMs, databaseMs } = account
    return Math.max(0, (threadMs - threadAheadMs) / threadShare, (databaseMs - databaseAheadMs) / databaseShare)
  }

  function charge(teamId: string, threadMs: number, databaseMs: number): void {
    let account = accounts.get(teamId)
    if (!account) {
      forgetSettled()
      account = { threadMs: 0, databaseMs: 0, at: now(), waiting: createTurnLine(), isLooking: false }
      accounts.set(teamId, account)
    }
    settle(account)
    account.threadMs = Math.min(account.threadMs + threadMs, threadAheadMs + waitMaxMs * threadShare)
    account.databaseMs = Math.min(account.databaseMs + databaseMs, databaseAheadMs + waitMaxMs * databaseShare)
  }

  /** Accounts do not pile up with the number of teams. */
  function forgetSettled(): void {
    if (accounts.size < forgetAbove) return
    for (const [teamId, account] of accounts) {
      settle(account)
      if (account.threadMs === 0 && account.databaseMs === 0 && account.waiting.isEmpty()) accounts.delete(teamId)
    }
    forgetAbove = Math.max(accountsMax, accounts.size * 2)
  }

  /** Lets one go on at a time: what it uses is charged before the next one is looked at. */
  function look(teamId: string, account: Account): void {
    account.isLooking = false
    if (account.waiting.isEmpty()) return
    const wait = isAlone(teamId) ? 0 : waitMs(account)
    if (wait === 0) account.waiting.take()!()
    lookLater(teamId, account, wait)
  }

  function lookLater(teamId: string, account: Account, wait: number): void {
    if (account.isLooking) return
    account.isLooking = true
    if (wait === 0) setImmediate(look, teamId, account)
    else setTimeout(look, Math.min(Math.ceil(wait), lookEveryMs), teamId, account).unref()
  }

  const time: TeamTime = {
    turn(teamId, caller = '') {
      noteAtWork(teamId)
      const account = accounts.get(teamId)
      if (!account || isAlone(teamId)) return undefined
      const wait = waitMs(account)
      if (wait === 0 && account.waiting.isEmpty()) return undefined
      return new Promise((go) => {
        account.waiting.add(caller, go)
        lookLater(teamId, account, wait)
      })
    },
    isAhead(teamId) {
      const account = accounts.get(teamId)
      return account !== undefined && !isAlone(teamId) && waitMs(account) > 0
    },
    piece(teamId, work) {
      const startedAt = now()
      try {
        return work()
      } finally {
        time.usedThread(teamId, now() - startedAt)
      }
    },
    usedThread: (teamId, ms) => charge(teamId, ms * Math.max(1, ms / smallPieceMs), 0),
    moved: (teamId, bytes) => charge(teamId, bytes * msOfByte, 0),
    usedDatabase: (teamId, ms) => charge(teamId, 0, ms),
  }
  return time
}

const ofContext = new WeakMap<Context, TeamTime>()

/** The account of this process. */
export function teamTimeOf(context: Context): TeamTime {
  let time = ofContext.get(context)
  if (!time) ofContext.set(context, (time = createTeamTime()))
  return time
}
