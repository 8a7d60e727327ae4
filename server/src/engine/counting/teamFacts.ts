// Facts about the few teams that have any: the process caches them, hears of changes, and reads again what is too old. Other teams cost one look at a map.
import type { Sql } from '../../base/db.ts'
import type { Log } from '../../base/log.ts'
import type { Listener } from '../../kit/listener.ts'

/**
 * How old what is known may be before it is read again in the background, and before a caller waits for it. A notification may be lost, or the
 * process may have been paused. Where none reach us, a change must still count within about a second.
 */
const hearing = { freshMs: 2000, usableMs: 5000 }
const deaf = { freshMs: 500, usableMs: 1000 }

interface TeamFacts<Fact> {
  /** Called before `of`; waits only where what is known is too old. */
  refresh(inTransaction?: Sql): Promise<void> | undefined
  /** What was so at the last refresh; undefined: the team has none. */
  of(teamId: string): Fact | undefined
  /** How many changes this process was notified of. */
  changes(): number
}

/** What reading them needs of a process. */
export interface FactSources {
  sql: Sql
  listener: Listener
  log: Log
}

interface Options<Fact> extends FactSources {
  /** What they are, for the log. */
  name: string
  /** A trigger notifies here of every change. */
  channel: string
  /** Reads all of them. `known` is what was read before, for those who read only what is new; empty at first. */
  read: (sql: Sql, known: Map<string, Fact>) => Promise<Map<string, Fact>>
}

export function createTeamFacts<Fact>({ sql: ownSql, listener, log, name, channel, read }: Options<Fact>) {
  let known = new Map<string, Fact>()
  let readAt = -Infinity
  let changes = 0
  let reading: Promise<void> | undefined
  let isListening = false

  async function readAll(sql: Sql): Promise<void> {
    for (;;) {
      const startedAt = performance.now()
      const changesSeen = changes
      known = await read(sql, known)
      // a change that was announced while this was read may not be in it
      if (changes !== changesSeen) continue
      readAt = startedAt
      return
    }
  }

  function listen(): void {
    isListening = true
    listener.on(channel, () => {
      changes += 1
      readAt = -Infinity
    })
  }

  const facts: TeamFacts<Fact> = {
    refresh(inTransaction) {
      if (!isListening) listen()
      const age = performance.now() - readAt
      const { freshMs, usableMs } = listener.hears(channel) ? hearing : deaf
      if (age < freshMs) return undefined
      // it reads on the caller's own connection: whoever waits for another one may wait for those who wait for us
      if (inTransaction) return age < usableMs ? undefined : readAll(inTransaction)
      reading ??= readAll(ownSql).finally(() => (reading = undefined))
      if (age >= usableMs) return reading
      reading.catch((error: unknown) => log.debug({ err: error }, `${name} were not read; will retry`))
      return undefined
    },
    of: (teamId) => known.get(teamId),
    changes: () => changes,
  }
  return facts
}
