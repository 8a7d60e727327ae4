// Decides whose body is read and parsed next: the memory and time that one team's large bodies take are bounded, so that others do not wait.
import type { Caller } from './credential.ts'

/** A smaller body never waits: the rate limit bounds what such bodies cost. */
const smallBytes = 16 * 1024
/** How many bytes the large bodies of one team may hold before they are parsed, in one process. One body is always let in. */
const heldBytesMax = 64 * 1024 * 1024
/** The share of the process's time that parsing and checking the bodies of one team may take. */
const share = 0.2
/** How much time may be spent ahead of that share; past it the next large body waits. */
const aheadMs = 200

export interface BodyTurn {
  /** Resolves when it is this body's turn to be parsed. */
  toParse(): Promise<void>
  /** Reports that the body was parsed and checked, in this many milliseconds. */
  parsed(ms: number): void
  /** Reports that the body is not needed any more. A second call does nothing. */
  leave(): void
}

export interface BodyTurns {
  /** Resolves when the body may be read. `bytes` is the announced size, or the largest that is allowed. */
  enter(caller: Caller, bytes: number): Promise<BodyTurn>
}

interface Account {
  heldBytes: number
  /** Spent time that the share has not covered yet, as of `at`. */
  debtMs: number
  at: number
  isParsing: boolean
  reading: Line
  parsing: Line
  timer: NodeJS.Timeout | undefined
}

export function createBodyTurns(now: () => number = () => performance.now()): BodyTurns {
  const accounts = new Map<string, Account>()

  function accountOf(teamId: string): Account {
    let account = accounts.get(teamId)
    if (!account) {
      const empty = { heldBytes: 0, debtMs: 0, isParsing: false, timer: undefined }
      accounts.set(teamId, (account = { ...empty, at: now(), reading: createLine(), parsing: createLine() }))
    }
    return account
  }

  function debtOf(account: Account): number {
    const at = now()
    account.debtMs = Math.max(0, account.debtMs - (at - account.at) * share)
    account.at = at
    return account.debtMs
  }

  /** Lets every body continue that may, and comes back when the debt is small enough for the next. */
  function look(account: Account): void {
    account.reading.letGo(({ bytes }) => {
      if (account.heldBytes > 0 && account.heldBytes + bytes > heldBytesMax) return false
      account.heldBytes += bytes
      return true
    })
    account.parsing.letGo(() => {
      if (account.isParsing || debtOf(account) > aheadMs) return false
      return (account.isParsing = true)
    })
    if (account.parsing.isEmpty() || account.isParsing || account.timer) return
    const waitMs = Math.ceil((debtOf(account) - aheadMs) / share) + 1
    account.timer = setTimeout(() => {
      account.timer = undefined
      look(account)
    }, waitMs).unref()
  }

  function charge(account: Account, ms: number): void {
    account.debtMs = debtOf(account) + ms
  }

  async function enterLarge(caller: Caller, account: Account, bytes: number): Promise<BodyTurn> {
    let state: 'held' | 'parsing' | 'left' = 'held'
    const waitIn = (line: Line) =>
      new Promise<void>((go) => {
        line.add(caller.credential.id, { bytes, go })
        look(account)
      })
    await waitIn(account.reading)
    return {
      async toParse() {
        await waitIn(account.parsing)
        state = 'parsing'
      },
      parsed: (ms) => charge(account, ms),
      leave() {
        if (state === 'left') return
        if (state === 'parsing') account.isParsing = false
        state = 'left'
        account.heldBytes -= bytes
        look(account)
      },
    }
  }

  return {
    async enter(caller, bytes) {
      const account = accountOf(caller.team_id)
      if (bytes > smallBytes) return enterLarge(caller, account, bytes)
      return { toParse: async () => undefined, parsed: (ms) => charge(account, ms), leave: () => undefined }
    },
  }
}

interface Waiting {
  bytes: number
  go: () => void
}

interface Line {
  add(credentialId: string, waiting: Waiting): void
  /** Takes the first body of each credential in turn; stops at the first that may not continue. */
  letGo(mayGo: (waiting: Waiting) => boolean): void
  isEmpty(): boolean
}

/** Bodies of one credential wait for each other, but no credential waits for all bodies of another in its team. */
function createLine(): Line {
  const byCredential = new Map<string, Waiting[]>()
  return {
    add(credentialId, waiting) {
      const own = byCredential.get(credentialId)
      if (own) own.push(waiting)
      else byCredential.set(credentialId, [waiting])
    },
    letGo(mayGo) {
      for (let first = byCredential.entries().next(); !first.done; first = byCredential.entries().next()) {
        const [credentialId, own] = first.value
        if (!mayGo(own[0]!)) return
        byCredential.delete(credentialId)
        const { go } = own.shift()!
        if (own.length > 0) byCredential.set(credentialId, own)
        go()
      }
    },
    isEmpty: () => byCredential.size === 0,
  }
}
