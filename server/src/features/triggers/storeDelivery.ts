// Stores what came in for a trigger, unless too much of it came in this minute, too much waits already, or the team may store no more.
import type { Sql } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import { storageProblem } from '../../engine/engine.ts'
import type { Context } from '../../kit/context.ts'
import { refuseIfOver } from '../../kit/rateLimit.ts'

/** How many deliveries of one trigger may wait. Senders try again later. */
const waitingMax = 10_000
const retryAfterS = '30'

/** Counts one delivery in the minute of its trigger; returns the headers that tell what is left of it. */
export async function countInMinute(
  { config, rateLimit }: Context,
  triggerId: string,
): Promise<Record<string, string>> {
  const headers: Record<string, string> = {}
  if (config.triggerRateLimit > 0)
    refuseIfOver(await rateLimit.take(`trigger ${triggerId}`, config.triggerRateLimit), headers)
  return headers
}

interface New {
  id: string
  teamId: string
  triggerId: string
  /** JSON that the database can store. */
  content: string
  /** What it has of the delivery that it repeats, if it repeats one. */
  replay?: { of: string; key: string | null; causedByRunId: string | null }
}

export async function storeDelivery(context: Context, sql: Sql, delivery: New): Promise<void> {
  const { id, teamId, triggerId, content, replay } = delivery
  const bytes = Buffer.byteLength(content)
  const problem = await storageProblem(context, sql, teamId, bytes)
  if (problem !== undefined) throw new Fault('entitlement_exceeded', problem)
  const stored = await sql`
    insert into trigger_deliveries (id, team_id, trigger_id, content, size_bytes, key, replay_of, caused_by_run_id)
    select ${id}, ${teamId}, ${triggerId}, ${content}::json, ${bytes}::int, ${replay?.key ?? null}, ${replay?.of ?? null}::uuid,
      ${replay?.causedByRunId ?? null}::uuid
    where (
      select count(*) from (
        select from trigger_deliveries where trigger_id = ${triggerId} and state = 'waiting' limit ${waitingMax}) w) < ${waitingMax}
    returning id`
  if (stored.length > 0) return
  const says = `${waitingMax} deliveries of this trigger wait for their turn already. Send it again later.`
  throw new Fault('rate_limited', says, { headers: { 'retry-after': retryAfterS } })
}
