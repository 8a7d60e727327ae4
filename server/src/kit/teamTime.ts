// Shares the main thread and the database between teams: a team that used more than its share waits while other teams are at work.
//
// One thread serves everybody, so a piece of work of 50 ms holds every other request up. Each such piece is bounded where it is done;
// this bounds how often one team may cause it. What a team used is a debt that falls with time. Above a small allowance its next
// request, large body or turn of a run waits. A team that is alone never waits: there is nobody to protect.
import { availableParallelism } from 'node:os'
import { PoolFull } from '../base/fairPool.ts'
import { threadTimeMs } from '../base/threadTime.ts'
import { createTurnLine, type TurnLine } from './turnLine.ts'
import { runningPart } from './runningPart.ts'

export interface TeamTime {
  /**
   * Resolves when the team may continue; undefined means at once. `caller` takes turns with the other callers of the team. With
   * `patienceMs`, a longer wait is refused with PoolFull.
   */
  turn(teamId: string, options?: { caller?: string; patienceMs?: number }): Promise<void> | undefined
  /**
   * Resolves when the team may do the next part of a long piece of work, and in any case after `patienceMs`; undefined means at once. It takes
   * turns with the callers of the team, and says nothing about what a turn uses.
   */
  nextPart(teamId: string, patienceMs: number): Promise<void> | undefined
  /** Whether the team would have to wait now. */
  isAhead(teamId: string): boolean
  /** Does one piece of work on the main thread and charges its time. */
  piece<T>(teamId: string, work: () => T): T
  /** Charges one piece of work on the main thread that took this much processor time. */
  usedThread(teamId: string, ms: number): void
  /** Charges bytes that pass through the process, in small pieces. */
  moved(teamId: string, bytes: number): void
  /** Charges files that are looked at, read or written: many short pieces of work. */
  handledFiles(teamId: string, files: number, bytes: number): void
  /** Charges the time of a statement while it lasts. */
  inDatabase<T>(teamId: string, work: () => Promise<T>): Promise<T>
}

/** The part of the main thread that one team may use beside others. */
const threadShare = 0.2
/** The database usually runs on the same machine. More statements than cores take longer in proportion. */
const cores = availableParallelism()
/** How many cores one team may keep busy in the database beside others. */
const databaseShare = cores * 0.5
/** How far a team may be ahead of its share before it waits. */
const threadAheadMs = 200
const databaseAheadMs = 500
/**
 * Statements of everybody take longer while one team overloads the database. So a team waits only if it owes at least this part of what
 * the team with the largest debt owes.
 */
const partOfLargest = 0.5
/** A debt is never larger than what this much time pays, so that the work of a team in debt still continues. */
const debtMaxMs = 5000
/**
 * A longer piece is charged more than its time. Whoever comes at a random moment waits for half of the piece, and the chance to come
 * just then grows with its length too: what others lose grows with the square.
 */
const smallPieceMs = 1
/**
 * What moving a byte is charged. Between a socket, a text and the database it takes a tenth of this. The rest is for the garbage that it leaves:
 * collecting it stops the thread for 10 to 30 ms at a time, and long pieces are charged by their square.
 */
const msOfByte = 4e-5
/** What a file is charged: to find, open, read and close one are five calls, and each comes back to the main thread. */
const msOfFile = 0.2
/** Bytes of files leave little garbage. What is hashed and then stored is charged twice. */
const msOfFileByte = 5e-6
/**
 * What a turn uses is known only after it began. So the average of the team's last turns is reserved for each that had to wait: otherwise
 * everyone who waits would continue at the same moment and reach the database together.
 */
const turnsInAverage = 30
/** The part of the allowance that one turn reserves at most. A few may continue together, whatever the turns before used. */
const reservedPart = 0.25
/** A reservation fades in about this time: by then the turn itself was charged. */
const reservedMs = 100
/** How soon a team is looked at again that waits only because of what is reserved. */
const lookAgainMs = 10
/** A team counts as at work this long after its last turn. It is shorter than a request waits, so nobody is refused because of a team that left. */
const atWorkMs = 8000
/** Above this many accounts, those without debt are forgotten. */
const accountsMax = 1000
/** How often it is checked whether a waiting team is alone by now. */
const serveEveryMs = 1000

interface Used {
  threadMs: number
  databaseMs: number
}

interface Account {
  /** What was used and is not yet covered by the share, as of `at`. */
  threadMs: number
  databaseMs: number
  at: number
  /** What turns that just began are expected to use. */
  reserved: Used
  /** What was charged since the last turn began, and what a turn uses on average. */
  sinceTurn: Used
  perTurn: Used
  /** Statements under way, charged up to `statementsAt` of the ledger's statement time. */
  statements: number
  statementsAt: number
  waiting: TurnLine<Waiting>
  /** A later call of `serve` is due. */
  isServedLater: boolean
}

interface Waiting {
  isPart: boolean
  go: () => void
}

interface Turn {
  caller?: string
  patienceMs?: number
  isPart?: boolean
}

interface TeamTimeOptions {
  now?: () => number
  /** The processor time of this thread. */
  threadTime?: () => number
  /** True when the process stops: then nobody waits any more, since that would hold up its end. */
  isStopping?: () => boolean
}

/** The time that the teams of one process used. */
interface Ledger {
  accounts: Map<string, Account>
  /** The last team that was at work, and the last one before it: enough to know whether a team is alone. */
  latest: { teamId: string; at: number }
  other: { teamId: string; at: number }
  forgetAbove: number
  /** What one statement used of the database so far, if it had been under way all the time: its part of the cores beside the others. */
  statementMs: number
  statementAt: number
  /** Statements of all teams that are under way. */
  statements: number
  now: () => number
  isStopping: () => boolean
}

export function createTeamTime({
  now = () => performance.now(),
  threadTime = threadTimeMs,
  isStopping = () => false,
}: TeamTimeOptions = {}): TeamTime {
  const nobody = { teamId: '', at: Number.NEGATIVE_INFINITY }
  const ledger: Ledger = {
    accounts: new Map(),
    latest: nobody,
    other: nobody,
    forgetAbove: accountsMax,
    statementMs: 0,
    statementAt: now(),
    statements: 0,
    now,
    isStopping,
  }
  const usedThread = (teamId: string, ms: number): void =>
    chargeThread(ledger, teamId, ms * Math.max(1, ms / smallPieceMs))
  return {
    turn: (teamId, options) => takeTurn(ledger, teamId, options),
    nextPart: (teamId, patienceMs) =>
      takeTurn(ledger, teamId, { caller: 'parts', isPart: true, patienceMs })?.catch(goOnUnlessBroken),
    isAhead(teamId) {
      const account = ledger.accounts.get(teamId)
      return account !== undefined && !isAlone(ledger, teamId) && waitMs(ledger, account) > 0
    },
    piece(teamId, work) {
      // the clock costs a twentieth, and a team that is alone does not wait
      const clock = isAlone(ledger, teamId) ? now : threadTime
      const startedAt = clock()
      try {
        return work()
      } finally {
        usedThread(teamId, clock() - startedAt)
      }
    },
    usedThread,
    moved: (teamId, bytes) => chargeThread(ledger, teamId, bytes * msOfByte),
    handledFiles: (teamId, files, bytes) => chargeThread(ledger, teamId, files * msOfFile + bytes * msOfFileByte),
    async inDatabase(teamId, work) {
      const account = accountOf(ledger, teamId)
      countStatement(ledger, account, 1)
      try {
        return await work()
      } finally {
        countStatement(ledger, account, -1)
      }
    },
  }
}

/** What has begun is not refused. */
function goOnUnlessBroken(error: unknown): void {
  if (!(error instanceof PoolFull)) throw error
}

function takeTurn(
  ledger: Ledger,
  teamId: string,
  { caller = '', patienceMs, isPart = false }: Turn = {},
): Promise<void> | undefined {
  noteAtWork(ledger, teamId)
  if (isAlone(ledger, teamId)) return undefined
  const account = accountOf(ledger, teamId)
  const left = waitMs(ledger, account)
  if (left === 0 && account.waiting.isEmpty()) {
    if (!isPart) countTurn(account)
    return undefined
  }
  const turn = waitIn(account, caller, { patienceMs, isPart })
  serveLater(ledger, teamId, account, left)
  return turn
}

function noteAtWork(ledger: Ledger, teamId: string): void {
  if (teamId !== ledger.latest.teamId) ledger.other = ledger.latest
  ledger.latest = { teamId, at: ledger.now() }
}

/** Nobody else needs protection from this team. */
const isAlone = ({ latest, other, now, isStopping }: Ledger, teamId: string): boolean =>
  isStopping() || now() - (teamId === latest.teamId ? other : latest).at > atWorkMs

const nothing = (): Used => ({ threadMs: 0, databaseMs: 0 })

function accountOf(ledger: Ledger, teamId: string): Account {
  let account = ledger.accounts.get(teamId)
  if (!account) {
    forgetPaid(ledger)
    account = {
      ...nothing(),
      reserved: nothing(),
      sinceTurn: nothing(),
      perTurn: nothing(),
      at: ledger.now(),
      statements: 0,
      statementsAt: ledger.statementMs,
      isServedLater: false,
      waiting: createTurnLine(),
    }
    ledger.accounts.set(teamId, account)
  }
  return account
}

/** Accounts do not pile up with the number of teams. */
function forgetPaid(ledger: Ledger): void {
  const { accounts } = ledger
  if (accounts.size < ledger.forgetAbove) return
  for (const [teamId, account] of accounts) {
    payOff(ledger, account)
    const isIdle = account.statements === 0 && account.waiting.isEmpty()
    if (isIdle && account.threadMs + account.databaseMs === 0) accounts.delete(teamId)
  }
  ledger.forgetAbove = Math.max(accountsMax, accounts.size * 2)
}

function countStatement(ledger: Ledger, account: Account, change: 1 | -1): void {
  payOff(ledger, account)
  account.statements += change
  ledger.statements += change
}

/** More statements than cores slow each other down. Each is charged its part of the cores, so nobody pays for the statements of others. */
function passStatementTime(ledger: Ledger, at: number): void {
  ledger.statementMs += (at - ledger.statementAt) * Math.min(1, cores / ledger.statements)
  ledger.statementAt = at
}

/** Brings the account up to date: the share pays the debt off, statements under way raise it, and what is reserved fades. */
function payOff(ledger: Ledger, account: Account): void {
  const at = ledger.now()
  passStatementTime(ledger, at)
  const passed = at - account.at
  account.at = at
  account.threadMs = within(account.threadMs - passed * threadShare, threadAheadMs + debtMaxMs * threadShare)
  const inDatabase = (ledger.statementMs - account.statementsAt) * account.statements
  account.statementsAt = ledger.statementMs
  account.databaseMs = within(
    account.databaseMs + inDatabase - passed * databaseShare,
    databaseAheadMs + debtMaxMs * databaseShare,
  )
  account.sinceTurn.databaseMs += inDatabase
  const remains = Math.exp(-passed / reservedMs)
  account.reserved.threadMs *= remains
  account.reserved.databaseMs *= remains
}

function countTurn({ sinceTurn, perTurn }: Account): void {
  for (const kind of ['threadMs', 'databaseMs'] as const) {
    perTurn[kind] += (sinceTurn[kind] - perTurn[kind]) / turnsInAverage
    sinceTurn[kind] = 0
  }
}

/** What a turn will use is expected to be like the turns before it. */
function reserve({ reserved, perTurn }: Account): void {
  reserved.threadMs += Math.min(perTurn.threadMs, threadAheadMs * reservedPart)
  reserved.databaseMs += Math.min(perTurn.databaseMs, databaseAheadMs * reservedPart)
}

/** How long until the share has covered what was used, if no more is used. */
function waitMs(ledger: Ledger, account: Account): number {
  payOff(ledger, account)
  const { threadMs, databaseMs, reserved } = account
  const thread = leftOf(threadMs - threadAheadMs, reserved.threadMs, threadShare)
  const database = leftOf(databaseMs - databaseAheadMs, reserved.databaseMs, databaseShare)
  return Math.max(0, owesMost(ledger, account, 'threadMs', thread), owesMost(ledger, account, 'databaseMs', database))
}

function leftOf(owedMs: number, reservedNowMs: number, share: number): number {
  if (owedMs > 0) return owedMs / share
  return owedMs + reservedNowMs > 0 ? lookAgainMs : 0
}

/** The wait, or 0 while another team owes much more. */
function owesMost(ledger: Ledger, account: Account, kind: 'threadMs' | 'databaseMs', ms: number): number {
  if (ms <= 0) return 0
  const owed = account[kind]
  for (const other of ledger.accounts.values()) {
    payOff(ledger, other)
    if (owed < other[kind] * partOfLargest) return 0
  }
  return ms
}

function chargeThread(ledger: Ledger, teamId: string, ms: number): void {
  const account = accountOf(ledger, teamId)
  payOff(ledger, account)
  account.threadMs += ms
  account.sinceTurn.threadMs += ms
}

/** Lets one continue at a time: what it uses at once is charged before the next one is looked at. */
function serve(ledger: Ledger, teamId: string, account: Account): void {
  account.isServedLater = false
  if (account.waiting.isEmpty()) return
  const left = isAlone(ledger, teamId) ? 0 : waitMs(ledger, account)
  if (left === 0) {
    const next = account.waiting.take()
    if (next && !next.isPart) {
      countTurn(account)
      reserve(account)
    }
    next?.go()
  }
  serveLater(ledger, teamId, account, left)
}

function serveLater(ledger: Ledger, teamId: string, account: Account, leftMs: number): void {
  if (account.isServedLater) return
  account.isServedLater = true
  if (leftMs === 0) setImmediate(serve, ledger, teamId, account)
  else setTimeout(serve, Math.min(Math.ceil(leftMs), serveEveryMs), ledger, teamId, account).unref()
}

function waitIn(
  { waiting: line }: Account,
  caller: string,
  { patienceMs, isPart }: { patienceMs: number | undefined; isPart: boolean },
): Promise<void> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined
    const waiting: Waiting = {
      isPart,
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

const within = (value: number, most: number): number => Math.min(Math.max(0, value), most)

/** The account of this process. */
export const teamTimeOf = runningPart('team time', (context) =>
  createTeamTime({ isStopping: () => context.lifecycle.draining }),
)
