// Stores what came in for a trigger, unless too much of it waits already.
import type { Sql } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'

/** How many deliveries of one trigger may wait. Senders try again later. */
const waitingMax = 10_000
const retryAfterS = '30'

interface New {
  id: string
  teamId: string
  triggerId: string
  /** JSON that the database can store. */
  content: string
}

export async function storeDelivery(sql: Sql, { id, teamId, triggerId, content }: New): Promise<void> {
  const stored = await sql`
    insert into trigger_deliveries (id, team_id, trigger_id, content, size_bytes)
    select ${id}, ${teamId}, ${triggerId}, ${content}::json, ${Buffer.byteLength(content)}::int
    where (
      select count(*) from (
        select from trigger_deliveries where trigger_id = ${triggerId} and state = 'waiting' limit ${waitingMax}) w) < ${waitingMax}
    returning id`
  if (stored.length > 0) return
  const says = `${waitingMax} deliveries of this trigger wait for their turn already. Send it again later.`
  throw new Fault('rate_limited', says, { headers: { 'retry-after': retryAfterS } })
}
