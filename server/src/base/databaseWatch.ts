// Knows within about a second that PostgreSQL no longer answers, and makes every waiting request hear of it at once.
import type { Client, Pool, PoolClient } from 'pg'
import type { Log } from './log.ts'
import { cut } from './session.ts'

export interface DatabaseWatch {
  isPresent(): boolean
  /** Runs the work unless the database is away; what is under way when it goes away fails instead of hanging. */
  whilePresent<T>(work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

export class DatabaseAway extends Error {
  constructor() {
    super('the database does not answer')
    this.name = 'DatabaseAway'
  }
}

interface WatchOptions {
  pool: Pool
  log: Log
  connect: () => Client
  onAway?: () => void
}

const pingEveryMs = 500
/** Long enough for a machine that is busy with everything else, short enough to answer within 2 s of the last good ping. */
const pingTimeoutMs = 1250

/**
 * A connection that breaks is noticed by its own error. What is not noticed is a server that hangs (stopped, or its machine
 * gone): its sockets stay open and queries wait. So one connection of its own asks `select 1`, and when no answer comes the
 * sockets of all clients are cut, which makes their queries fail.
 */
export function watchDatabase({ pool, log, connect, onAway }: WatchOptions): DatabaseWatch {
  const clients = new Set<PoolClient>()
  pool.on('connect', (client) => clients.add(client))
  pool.on('remove', (client) => clients.delete(client))

  let present = true
  let closed = false
  let probe: Client | undefined
  let timer: NodeJS.Timeout | undefined
  let pinging: Promise<void> = Promise.resolve()

  async function ping(): Promise<void> {
    if (!probe) {
      const fresh = connect()
      fresh.on('error', (error) => log.debug({ err: error }, 'the watch lost its connection'))
      await fresh.connect()
      probe = fresh
    }
    await probe.query('select 1')
  }

  function turn(isPresent: boolean, reason?: unknown): void {
    if (present === isPresent) return
    present = isPresent
    if (isPresent) return log.info('the database answers again')
    log.error({ err: reason }, 'the database does not answer; requests fail until it does')
    for (const client of clients) cut(client)
    onAway?.()
  }

  async function tick(): Promise<void> {
    let late: NodeJS.Timeout | undefined
    const timeout = new Promise<never>((_, reject) => {
      // one more turn of the event loop: when this process itself was busy, the answer is already in the socket
      late = setTimeout(() => setImmediate(() => reject(new DatabaseAway())), pingTimeoutMs)
    })
    try {
      await Promise.race([ping(), timeout])
      turn(true)
    } catch (error) {
      if (probe) cut(probe)
      probe = undefined
      if (!closed) turn(false, error)
    } finally {
      clearTimeout(late)
    }
    if (!closed) next()
  }

  function next(): void {
    timer = setTimeout(() => {
      pinging = tick()
    }, pingEveryMs)
    timer.unref()
  }
  next()

  return {
    isPresent: () => present,
    whilePresent: (work) => (present ? work() : Promise.reject(new DatabaseAway())),
    async close() {
      closed = true
      clearTimeout(timer)
      await pinging
      await probe?.end()
    },
  }
}
