// The first list of a connection's tools, for a run that needs them now: one process asks the server, the others wait, and none waits long.
import { setTimeout as sleep } from 'node:timers/promises'
import { part } from '../../../base/db.ts'
import { storable } from '../../../base/storable.ts'
import type { Context } from '../../../kit/context.ts'
import { isFree, leaseUntil } from '../../../kit/lease.ts'
import { listTools } from '../mcpTools/toolList.ts'

/** Measured by the database's clock; the outside request ends before. If the asking process dies, the next one asks after this time. */
const leaseS = 45
/** How long a run waits for the list. */
const patienceMs = 20_000
const lookMs = 100
/** Nobody asks again this soon after a failure: a server that does not answer must not delay every run. */
const pauseS = 15

interface Unlisted {
  id: string
  team_id: string
  name: string
}

interface Now {
  is_over: boolean
  list_problem: string | null
  is_held: boolean
}

/** Undefined when its tools are listed, or when it cannot be used and its calls say why. Else a sentence that says what is wrong. */
export async function listFirst(context: Context, { id, team_id, name }: Unlisted): Promise<string | undefined> {
  const { sql } = context.db
  const deadline = performance.now() + patienceMs
  for (;;) {
    const taken = await sql`
      update connections set listing_until = ${leaseUntil(leaseS)}, list_problem = null
      where id = ${id} and team_id = ${team_id} and tools_listed_at is null and status = 'active'
        and ${isFree(part`listing_until`)} returning id`
    const listing = taken.length > 0 ? list(context, { id, team_id }) : undefined
    for (let isFirst = true; ; isFirst = false) {
      await (isFirst && listing ? Promise.race([listing, sleep(patienceMs, undefined, { ref: false })]) : sleep(lookMs))
      const [now] = await sql<Now>`
        select tools_listed_at is not null or status <> 'active' as is_over, list_problem,
          coalesce(listing_until > now(), false) as is_held
        from connections where id = ${id} and team_id = ${team_id}`
      if (!now || now.is_over) return undefined
      if (now.list_problem !== null) return `The tools of ${name} could not be listed: ${now.list_problem}`
      if (performance.now() > deadline) return `${name} has not listed its tools yet. Try again later.`
      // the process that held the lease is gone
      if (!now.is_held) break
    }
  }
}

/** Ends within its lease, and stores the reason if it fails. */
async function list(context: Context, connection: { id: string; team_id: string }): Promise<void> {
  const listing = await listTools(context, connection).catch((error: unknown) => {
    context.log.warn({ err: error, connection_id: connection.id }, 'a connection could not be asked for its tools')
    return { error: 'the service could not ask for them' }
  })
  if (!('error' in listing)) return
  await context.db.sql`
    update connections set listing_until = ${leaseUntil(pauseS)}, list_problem = ${storable(listing.error)}
    where id = ${connection.id} and team_id = ${connection.team_id} and tools_listed_at is null`.catch(
    (error: unknown) =>
      context.log.warn(
        { err: error, connection_id: connection.id },
        'why a connection could not list its tools was not stored',
      ),
  )
}
