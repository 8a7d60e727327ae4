// Shares the main thread and the database between teams: a team that used more than its share waits while other teams are at work.
//
// One thread serves everybody, so a piece of work of 50 ms holds every other request up. Each such piece is bounded where it is done;
// this bounds how often one team may cause it. What a team used is a debt that falls with time. Above a small allowance its next
// request, large body or turn of a run waits. A team that is alone never waits: there is nobody to protect.
import { availableParallelism } from 'node:os'
import { PoolFull } from '../base/fairPool.ts'
import { createTurnLine, type TurnLine } from './turnLine.ts'
import { runningPart } from './runningPart.ts'

export interface TeamTime {
  /**
   * Resolves when the team may go on; undefined means at once. `caller` takes turns with the other callers of the team. With
   * `patienceMs`, a longer wait is refused with PoolFull.
   */
  turn(teamId: string, options?: { caller?: string; patienceMs?: number }): Promise<void> | undefined
  /** Whether the team would have to wait now. */
  isAhead(teamId: string): boolean
  /** Does one piece of work on the main thread and charges its time. */
  piece<T>(teamId: string, work: () => T): T
  /** Charges one piece of work on the main thread that took this long. */
  usedThread(teamId: string, ms: number): void
  /** Charges bytes that pass through the process, in small pieces. */
  moved(teamId: string, bytes: number): void
  /** Charges the time of a statement while it lasts. */
  inDatabase<T>(teamId: string, work: () => Promise<T>): Promise<T>
}

/** The part of the main thread that one team may use beside others. */
const threadShare = 0.2
/** How many connections one team may keep busy beside others: the database usually runs on the same machine. */
const databaseShare = availableParallelism() * 0.5
/** How far a team may be ahead of its share before it waits. */
const threadAheadMs = 200
const databaseAheadMs = 500
/**
 * Statements of everybody take longer while one team overloads the database. So a team waits only if it owes at least this part of what
 * the team with the largest debt owes.
 */
const partOfLargest = 0.5
/** A debt is never larger than what this much time pays, so that the work of a team in debt still goes on. */
const debtMaxMs = 5000
/**
 * A longer piece is charged more than its time. Whoever comes at a random moment waits for half of the piece, and the chance to come
 * just then grows with its length too: what others lose grows with the square.
 */
const smallPieceMs = 1
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
  /** Statements under way. */
  statements: number
  waiting: TurnLine<Waiting>
  isLooking: boolean
}

interface Waiting {
  go: () => void
}

interface TeamTimeOptions {
  now?: () => number
  /** True when the process stops: then nobody waits any more, since that would hold up its end. */
  isStopping?: () => boolean
}

export function createTeamTime({
  now = () => performance.now(),
  isStopping = () => false,
}: TeamTimeOptions = {}): TeamTime {
  const accounts = new Map<string, Account>()
  /** The last team that was at work, and the last one before it: enough to know whether a team is alone. */
  let latest = { teamId: '', at: Number.NEGATIVE_INFINITY }
  let other = latest
  let forgetAbove = accountsMax

  function noteAtWork(teamId: string): void {
    if (teamId !== latest.teamId) other = latest
    latest = { teamId, at: now() }
  }

  /** Nobody else needs protection from this team. */
  const isAlone = (teamId: string): boolean =>
    isStopping() || now() - (teamId === latest.teamId ? other : latest).at > atWorkMs

  function accountOf(teamId: string): Account {
    let account = accounts.get(teamId)
    if (!account) {
      forgetSettled()
      const nothing = { threadMs: 0, databaseMs: 0, at: now(), statements: 0, isLooking: false }
      accounts.set(teamId, (account = { ...nothing, waiting: createTurnLine() }))
    }
    return account
  }

  /** Accounts do not pile up with the number of teams. */
  function forgetSettled(): void {
    if (accounts.size < forgetAbove) return
    for (const [teamId, account] of accounts) {
      settle(account)
      const isIdle = account.statements === 0 && account.waiting.isEmpty()
      if (isIdle && account.threadMs + account.databaseMs === 0) accounts.delete(teamId)
    }
    forgetAbove = Math.max(accountsMax, accounts.size * 2)
  }

  /** Brings the debt up to date: the share pays it off, and statements under way raise it. */
  function settle(account: Account): void {
    const at = now()
    const passed = at - account.at
    account.at = at
    account.threadMs = within(account.threadMs - passed * threadShare, threadAheadMs + debtMaxMs * threadShare)
    account.databaseMs = within(
      account.databaseMs + passed * (account.statements - databaseShare),
      databaseAheadMs + debtMaxMs * databaseShare,
    )
  }

  /** How long until the share has covered what was used, if no more is used. */
  function waitMs(account: Account): number {
    settle(account)
    const thread = (account.threadMs - threadAheadMs) / threadShare
    const database = (account.databaseMs - databaseAheadMs) / databaseShare
    return Math.max(0, owesMost(account, 'threadMs', thread), owesMost(account, 'databaseMs', database))
  }

  /** The wait, or 0 while another team owes much more. */
  function owesMost(account: Account, kind: 'threadMs' | 'databaseMs', ms: number): number {
    if (ms <= 0) return 0
    const owed = account[kind]
    for (const one of accounts.values()) {
      settle(one)
      if (owed < one[kind] * partOfLargest) return 0
    }
    return ms
  }

  function chargeThread(teamId: string, ms: number): void {
    const account = accountOf(teamId)
    settle(account)
    account.threadMs += ms
  }

  /** Lets one go on at a time: what it uses at once is charged before the next one is looked at. */
  function look(teamId: string, account: Account): void {
    account.isLooking = false
    if (account.waiting.isEmpty()) return
    const left = isAlone(teamId) ? 0 : waitMs(account)
    if (left === 0) account.waiting.take()!.go()
    lookLater(teamId, account, left)
  }

  function lookLater(teamId: string, account: Account, leftMs: number): void {
    if (account.isLooking) return
    account.isLooking = true
    if (leftMs === 0) setImmediate(look, teamId, account)
    else setTimeout(look, Math.min(Math.ceil(leftMs), lookEveryMs), teamId, account).unref()
  }

  function waitIn({ waiting: line }: Account, caller: string, patienceMs: number | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined
      const waiting: Waiting = {
        go() {
          clearTimeout(timer)
          resolve()
        },
      }
      line.add(caller, waiting)
      if (patienceMs !== undefined) {
        timer = setTimeout(() => {
          line.remove(caller, waiting)
          reject(new PoolFull('time', `This team used more than its share of this server for ${patienceMs / 1000} s.`))
        }, patienceMs)
      }
    })
  }

  const time: TeamTime = {
    turn(teamId, { caller = '', patienceMs } = {}) {
      noteAtWork(teamId)
      const account = accounts.get(teamId)
      if (!account || isAlone(teamId)) return undefined
      const left = waitMs(account)
      if (left === 0 && account.waiting.isEmpty()) return undefined
      const turn = waitIn(account, caller, patienceMs)
      lookLater(teamId, account, left)
      return turn
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
    usedThread: (teamId, ms) => chargeThread(teamId, ms * Math.max(1, ms / smallPieceMs)),
    moved: (teamId, bytes) => chargeThread(teamId, bytes * msOfByte),
    async inDatabase(teamId, work) {
      const account = accountOf(teamId)
      settle(account)
      account.statements += 1
      try {
        return await work()
      } finally {
        settle(account)
        account.statements -= 1
      }
    },
  }
  return time
}

const within = (value: number, most: number): number => Math.min(Math.max(0, value), most)

/** The account of this process. */
export const teamTimeOf = runningPart('team time', (context) =>
  createTeamTime({ isStopping: () => context.lifecycle.draining }),
)
