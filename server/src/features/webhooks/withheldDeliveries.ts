// Deliveries of events that a credential may not read: it neither reads nor replays them, and turns none to a URL of its own.
import { literals, one, part, type Part, type Sql } from '../../base/db.ts'
import { scopeOfEvent, type EventName } from '../../kit/event.ts'
import type { Scope } from '../../kit/scopes.ts'
import { waitingStates } from './delivery.ts'

/** How many rows of one kind a request looks at, which holds the row of a webhook until it ends: 0.1 to 0.5 s. */
export const lookedAtMax = 100_000

/** Why a credential with these scopes neither reads nor replays a delivery of this kind; undefined: it may. */
export function whyWithheld(scopes: ReadonlySet<Scope>, event: EventName): string | undefined {
  const scope = scopeOfEvent(event)
  return scopes.has(scope) ? undefined : `This delivery sends ${event}, which your credential lacks ${scope} for.`
}

/**
 * Why a credential that may not read these kinds must not change the URL of a webhook; undefined: it may. It must not either when more waits than
 * is looked at.
 * Tests may wait: they send examples, not events.
 */
export async function whyNotTurned(
  sql: Sql,
  { id, team_id }: { id: string; team_id: string },
  withheld: EventName[],
  max = lookedAtMax,
): Promise<string | undefined> {
  if (withheld.length === 0) return undefined
  const { event, looked_at } = await one(sql<{ event: EventName | null; looked_at: number }>`
    with target as (select id from delivery_targets where id = ${id} and team_id = ${team_id}),
    batches as materialized (
      select b.* from target t cross join lateral (
        select kinds, waiting from delivery_batches where target_id = t.id and has_waiting order by n limit ${max}) b
    ),
    alone as materialized (${waitingStates.map((state) => waitingIn(state, max)).reduce((all, next) => part`${all} union all ${next}`)})
    select coalesce(
      (select event_name(substr(kinds, place + 1, 1)) from batches, generate_series(0, length(kinds) - 1) place
       where get_bit(waiting, place) = 1 and event_name(substr(kinds, place + 1, 1)) = any(${withheld}::text[]) limit 1),
      (select event from alone where data is null and event = any(${withheld}::text[]) limit 1)) as event,
      (select count(*) from batches) + (select count(*) from alone) as looked_at`)
  if (event !== null) {
    return (
      `A delivery of ${event} still waits for this webhook, and your credential lacks ${scopeOfEvent(event)} to read it. ` +
      'Change the url with a credential that has this scope, or when no such delivery waits any more.'
    )
  }
  if (looked_at < max) return undefined
  const scopes = [...new Set(withheld.map(scopeOfEvent))].join(', ')
  return (
    `At least ${max} deliveries wait for this webhook, too many to look at each. Some may need ${scopes}, which your credential lacks. ` +
    'Change the url with a credential that has all of these, or when fewer wait.'
  )
}

/** What waits in one state for `target` and is in no batch, in the order of the index of this state: no index has all of them. */
const waitingIn = (state: (typeof waitingStates)[number], max: number): Part => part`
  (select d.* from target t cross join lateral (
    select event, data from deliveries where target_id = t.id and state = ${literals([state])}
    order by ${state === 'retrying' ? part`due_at` : part`n`} limit ${max}) d)`
