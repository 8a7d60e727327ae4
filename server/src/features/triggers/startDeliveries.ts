// Starts what has come in for triggers, as part of every working process: each delivery once, teams in turns, whichever process dies.
import { isPassing, part, retryingDeadlocks } from '../../base/db.ts'
import { inTurns } from '../../base/fairPool.ts'
import type { Context } from '../../kit/context.ts'
import type { Tick } from '../../kit/feature.ts'
import { lookFor } from '../../kit/sharedLook.ts'
import { batchMax, settleSome } from './settleSome.ts'

/** How many triggers one look finds; those beyond it are found by the next. */
const triggersMax = 1000

const asked = { any: part`exists (select from trigger_deliveries where state = 'waiting')` }

export const startDeliveries: Tick = async ({ context, signal }) => {
  if (!(await lookFor(context, asked)).any) return
  let due = await waitingTriggers(context)
  while (due.length > 0 && !signal.aborted) {
    const more: Waiting[] = []
    for (const one of inTurns(due, ({ team_id }) => team_id)) {
      if (signal.aborted) return
      if ((await startSome(context, one.trigger_id)) >= batchMax) more.push(one)
    }
    due = more
  }
}

interface Waiting {
  trigger_id: string
  team_id: string
}

/**
 * The triggers with something that waits, by one step through the index for each of them. What came in for a paused agent waits until it is
 * resumed. Triggers of events are looked at all the same: of those, what is too much to wait is dropped.
 */
const waitingTriggers = ({ db }: Pick<Context, 'db'>): Promise<Waiting[]> => db.sql<Waiting>`
  with recursive waiting as (
    (select trigger_id, team_id from trigger_deliveries where state = 'waiting' order by trigger_id limit 1)
    union all
    select next.trigger_id, next.team_id from waiting w, lateral (
      select d.trigger_id, d.team_id from trigger_deliveries d
      where d.state = 'waiting' and d.trigger_id > w.trigger_id order by d.trigger_id limit 1) next
  )
  select trigger_id, team_id from waiting w
  where not exists (
    select from triggers t join agents a on a.id = t.agent_id where t.id = w.trigger_id and a.paused_at is not null and t.kind <> 'event')
  limit ${triggersMax}`

/** Runs one transaction; answers how many deliveries it settled. */
async function startSome(context: Context, triggerId: string): Promise<number> {
  try {
    return await inTransaction(context, triggerId, batchMax)
  } catch (error) {
    if (isPassing(error)) throw error
    context.log.error(
      { err: error, trigger_id: triggerId },
      'could not start what came in for a trigger; trying one at a time',
    )
    return startAlone(context, triggerId)
  }
}

/** A delivery that cannot be started must not delay the others: it fails, with a word that leads to the log. */
async function startAlone(context: Context, triggerId: string): Promise<number> {
  try {
    return await inTransaction(context, triggerId, 1)
  } catch (error) {
    if (isPassing(error)) throw error
    context.log.error({ err: error, trigger_id: triggerId }, 'could not start a delivery of a trigger; it has failed')
    await context.db.sql`
      update trigger_deliveries set state = 'failed', reason = 'The server failed to start it. Replay it; if it fails again, ask the operator.',
        settled_at = now()
      where id = (select id from trigger_deliveries where trigger_id = ${triggerId} and state = 'waiting' order by n limit 1) and state = 'waiting'`
    return batchMax
  }
}

const inTransaction = (context: Context, triggerId: string, max: number): Promise<number> =>
  retryingDeadlocks(() => context.db.transaction((sql) => settleSome(context, sql, triggerId, max)))
