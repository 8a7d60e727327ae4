// Deliveries of events that a credential may not read: it neither reads nor replays them, and turns none to a URL of its own.
import { joined, literals, part, type Part, type Sql } from '../../base/db.ts'
import { scopeOfEvent, type EventName } from '../../kit/event.ts'
import type { Scope } from '../../kit/scopes.ts'
import { waitingStates, type DeliveryState } from './delivery.ts'

/** Why a credential with these scopes neither reads nor replays a delivery of this kind; undefined: it may. */
export function whyWithheld(scopes: ReadonlySet<Scope>, event: EventName): string | undefined {
  const scope = scopeOfEvent(event)
  return scopes.has(scope) ? undefined : `This delivery sends ${event}, which your credential lacks ${scope} for.`
}

/** One of these kinds of which something waits for a webhook. Tests do not count: they send examples, not events. */
export async function kindThatWaits(
  sql: Sql,
  target: { id: string; team_id: string },
  kinds: EventName[],
): Promise<EventName | undefined> {
  if (kinds.length === 0) return undefined
  // each state by itself, and those in batches by their own: no index has all of them
  const [found] = await sql<{ event: EventName | null }>`
    select coalesce(
      (select event_name(substr(kinds, place + 1, 1)) from delivery_batches, generate_series(0, length(kinds) - 1) place
       where target_id = ${target.id} and team_id = ${target.team_id} and has_waiting and get_bit(waiting, place) = 1
         and event_name(substr(kinds, place + 1, 1)) = any(${kinds}::text[]) limit 1),
      ${joined(waitingStates.map((state) => firstIn(state, target, kinds)))}) as event`
  return found?.event ?? undefined
}

const firstIn = (state: DeliveryState, target: { id: string; team_id: string }, kinds: EventName[]): Part => part`
  (select event from deliveries
   where target_id = ${target.id} and team_id = ${target.team_id} and state = ${literals([state])} and data is null
     and event = any(${kinds}::text[]) limit 1)`
