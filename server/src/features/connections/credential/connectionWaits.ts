// Runs that wait for a connection: how a wait begins, when it is over, and who wakes them.
import { part, type Sql } from '../../../base/db.ts'
import { wakeUnlocked } from '../../../engine/admission/wake.ts'
import type { ConnectionUse, Tick } from '../../../kit/feature.ts'
import { NotYet, type CallingRun } from '../../../kit/tool.ts'
import type { Vaulted } from './credential.ts'
import { runningPart } from '../../../kit/runningPart.ts'
import { lookFor } from '../../../kit/sharedLook.ts'
import { begunList } from '../../../engine/ledger/lifecycle.ts'

/** The call of this run is made when a person has authorised the connection again. */
export function waitFor(run: CallingRun, { id, name, provider, broken_reason: reason }: Vaulted): NotYet {
  return new NotYet(async (sql) => {
    // a connection that was fixed between the call and this write: the wait is over as it begins
    await sql`
      insert into connection_waits (connection_id, run_id, is_over)
      values (${id}, ${run.id}, not exists (
        select from connections where id = ${id} and team_id = ${run.team_id} and status = 'action_required'))
      on conflict (connection_id, run_id) do update set is_over = excluded.is_over`
    return { waiting_on: { kind: 'connection', detail: { connection_id: id, name, provider, reason } } }
  })
}

/**
 * Asks for the wait and not for the connection, which may be broken again by now: a run whose wait is over makes its call, and that
 * begins another wait if it must. So every run that waits has a row, which whoever fixes the connection finds.
 */
export async function hasCome({ sql, run, waitingOn }: Parameters<ConnectionUse['hasCome']>[0]): Promise<boolean> {
  const { connection_id: id } = waitingOn.detail as { connection_id: string }
  const open = await sql`
    select from connection_waits where connection_id = ${id} and run_id = ${run.id} and not is_over`
  return open.length === 0
}

const wakesAtOnce = 200
const beforeAll = '00000000-0000-0000-0000-000000000000'
/** How many ticks with waits pass between two searches for those whose end nobody marked, since it was committed while the wait began. */
const markEvery = 20
/** How many pass between two removals of the waits of stopped runs. Until then they do no harm. */
const forgetEvery = 240
const ticksOf = runningPart('ticks of connection waits', () => ({ count: 0 }))

const asked = { any: part`exists (select from connection_waits)` }

export const wakeWaitingRuns: Tick = async ({ context, signal }) => {
  if (!(await lookFor(context, asked)).any) return
  const { sql } = context.db
  const ticks = ticksOf(context)
  const tick = ticks.count
  ticks.count += 1
  if (tick % markEvery === 0) await markEnded(sql)
  if (tick % forgetEvery === 0) await forgetStopped(sql)
  for (let last = beforeAll; !signal.aborted;) {
    const over = await sql<{ run_id: string }>`
      select run_id from connection_waits where is_over and run_id > ${last} order by run_id limit ${wakesAtOnce}`
    if (over.length === 0) return
    const ids = over.map(({ run_id }) => run_id)
    await context.db.transaction(async (tx) => {
      // runs before waits: a run that begins to wait locks them in this order too. What is locked is left to the next tick.
      const woken = await wakeUnlocked(tx, ids)
      await tx`delete from connection_waits where run_id = any(${woken}::uuid[]) and is_over`
    })
    last = ids.at(-1)!
  }
}

/** Ends the waits for connections that work, are switched off or are gone: few, however many runs wait for each. */
export async function markEnded(sql: Sql): Promise<void> {
  await sql`
    update connection_waits set is_over = true
    where not is_over and connection_id = any(array(
      select w.connection_id from (select distinct connection_id from connection_waits where not is_over) w
      where not exists (select from connections c where c.id = w.connection_id and c.status = 'action_required')))`
}

export async function forgetStopped(sql: Sql): Promise<void> {
  await sql`
    delete from connection_waits w
    where not exists (select from runs r where r.id = w.run_id and r.status in ${begunList})`
}
