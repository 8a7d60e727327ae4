// The dispatcher of a process: looks after queues with cases to give out, at once when something changed here, and twice a second.
import type { Context } from '../../../kit/context.ts'
import type { Work } from '../../../kit/feature.ts'
import { dispatchQueue } from './dispatch.ts'
import { createDueQueues } from './dueQueues.ts'
import { runningPart } from '../../../kit/runningPart.ts'

interface Dispatcher {
  /** Something of this process was committed that may leave cases to give out, or room for them. */
  changed(queueId?: string): void
  work(): Work
}

/** Told to workers with the id of a queue that has something to give out. */
const channel = 'case_queues'
/** What comes within so long is one look. */
const gatherMs = 5
/** A queue that gave out nothing for so long is looked after by the half-second look alone. */
const livelyMs = 5000

export const dispatcherOf = runningPart('dispatcher', createDispatcher)

function createDispatcher(context: Context): Dispatcher {
  const { db, log, listener } = context
  /** When each queue last gave something out. */
  const lively = new Map<string, number>()
  /** Queues that were announced and whose team is not known yet. */
  const told = new Set<string>()
  const due = createDueQueues()
  let isWorking = false
  let gathering: NodeJS.Timeout | undefined
  let going: Promise<void> | undefined

  function gather(): void {
    gathering ??= setTimeout(() => {
      gathering = undefined
      going ??= giveOut().finally(() => {
        going = undefined
        if (told.size > 0 && isWorking) gather()
      })
    }, gatherMs)
  }

  /** One transaction of one queue at a time. A queue that is announced during a long round gets its turn in it, and does not wait for its end. */
  async function giveOut(): Promise<void> {
    stillLively()
    let readAt = -Infinity
    for (;;) {
      if (!isWorking) return
      if (told.size > 0 && performance.now() - readAt >= gatherMs) {
        await readTeams()
        readAt = performance.now()
      }
      const queueId = due.next()
      if (queueId === undefined) return
      try {
        const given = await dispatchQueue(context, queueId)
        if (given > 0) {
          lively.set(queueId, performance.now())
          told.add(queueId)
        }
      } catch (error) {
        log.warn({ err: error, queue_id: queueId }, 'cases of a queue were not given out; it is tried again')
      }
    }
  }

  async function readTeams(): Promise<void> {
    const ids = [...told]
    told.clear()
    try {
      const queues = await db.sql<{ id: string; team_id: string }>`
        select id, team_id from queues where id = any(${ids}::uuid[])`
      for (const { id, team_id } of queues) due.add(team_id, id)
    } catch (error) {
      log.warn({ err: error }, 'queues with something to give out were not read; the next look finds them')
    }
  }

  /** Forgets the other queues: there may be any number of them. */
  function stillLively(): string[] {
    for (const [id, at] of lively) if (performance.now() - at >= livelyMs) lively.delete(id)
    return [...lively.keys()]
  }

  function changed(queueId?: string): void {
    if (!isWorking) {
      if (queueId !== undefined) call(queueId)
      return
    }
    if (queueId !== undefined) told.add(queueId)
    else for (const id of stillLively()) told.add(id)
    if (told.size > 0) gather()
  }

  function call(queueId: string): void {
    db.sql`select set_config('synchronous_commit', 'off', true), pg_notify(${channel}, ${queueId})`.catch(
      (error: unknown) => log.debug({ err: error }, 'workers were not told of new cases; they look by themselves'),
    )
  }

  return {
    changed,
    work() {
      isWorking = true
      const stopListening = listener.on(channel, (queueId) => changed(queueId))
      return {
        async look() {
          const ready = await db.sql<{ team_id: string; queue_id: string }>`
            select distinct t.team_id, t.queue_id from case_triggers t where t.enabled and (
              exists (select from cases c where c.queue_id = t.queue_id and c.display_status = 'pending')
              or exists (select from cases c where c.queue_id = t.queue_id and c.display_status = 'postponed' and c.postponed_to <= now()))`
          for (const { team_id, queue_id } of ready) due.add(team_id, queue_id)
          if (ready.length > 0) gather()
        },
        async stop() {
          isWorking = false
          stopListening()
          clearTimeout(gathering)
          await going
        },
      }
    },
  }
}
