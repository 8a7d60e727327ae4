// Calls workers of other processes when a run is ready: one of them, by turns. If all were called, each would look for what one of them
// takes, and a run would cost the more the more workers there are. They poll as well, so a lost call costs half a second.
import type { WorkerPools } from '../../base/settingKinds.ts'
import type { Context } from '../../kit/context.ts'
import { isWorker, readyChannel } from '../ledger/notifyChannels.ts'

interface ReadyCalls {
  /** Something is ready: calls one worker, or one of each pool. */
  one(): void
  /** The worker with this channel was called, and cannot take everything: calls all. */
  all(from: string): void
}

interface Worker {
  /** Null: it hears only when all are called. */
  channel: string | null
  pools: WorkerPools | null
}

/** For how long the workers are known; then they are read again, if there is somebody to call. */
const knownMs = 1000
/** For how long a worker that could not take everything is passed over. */
const fullMs = 1000

export function createReadyCalls({ db, log, listener }: Context): ReadyCalls {
  let workers: Worker[] = []
  let readAt = -Infinity
  let turn = 0
  const fullSince = new Map<string, number>()
  listener.on(readyChannel, (from) => {
    if (from !== '') fullSince.set(from, performance.now())
  })

  async function channels(): Promise<string[]> {
    if (performance.now() - readAt > knownMs) {
      workers = await db.sql<Worker>`
        select report ->> 'own_channel' as channel, nullif(report -> 'worker_pools', 'null') as pools
        from processes where ${isWorker} order by id`
      readAt = performance.now()
      for (const [channel, since] of fullSince) if (!isLately(since)) fullSince.delete(channel)
    }
    turn += 1
    return channelsToCall(workers, turn, (channel) => isLately(fullSince.get(channel)))
  }

  let isCalling = false
  return {
    one() {
      if (isCalling) return
      isCalling = true
      // the call comes after the commits that it is about; what becomes ready before it is sent shares it
      setImmediate(() => {
        void channels()
          .finally(() => (isCalling = false))
          .then((names) => notify(names, ''))
          .catch((error: unknown) => log.debug({ err: error }, 'no worker was called; they poll by themselves'))
      })
    },
    all(from) {
      notify([readyChannel], from).catch((error: unknown) =>
        log.debug({ err: error }, 'the workers were not called; they poll by themselves'),
      )
    },
  }

  /** It need not wait for the disk: what it is about is there already. */
  async function notify(names: string[], payload: string): Promise<void> {
    await db.sql`
      select set_config('synchronous_commit', 'off', true), pg_notify(name, ${payload}) from unnest(${names}::text[]) as c (name)`
  }
}

const isLately = (since: number | undefined): boolean => since !== undefined && performance.now() - since < fullMs

/**
 * One worker of each pool, since nobody here knows which pool is meant. All are called where one does not hear when it is called alone (it has just
 * started, or is of an older version), and where all of a pool were full: whoever has a seat again then takes what is ready.
 */
export function channelsToCall(workers: Worker[], turn: number, isFull: (channel: string) => boolean): string[] {
  const chosen: string[] = []
  for (const alike of Map.groupBy(workers, ({ pools }) => JSON.stringify(pools)).values()) {
    const free = alike.flatMap(({ channel }) => (channel !== null && !isFull(channel) ? [channel] : []))
    const next = free[turn % free.length]
    if (next === undefined || alike.some(({ channel }) => channel === null)) return [readyChannel]
    chosen.push(next)
  }
  return chosen.length > 0 ? chosen : [readyChannel]
}
