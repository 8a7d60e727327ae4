// Sets and removes limits of a team. Only the command line can do this, no request.
import type { Sql } from '../../base/db.ts'
import type { EntitlementKey, LimitKey } from './entitlements.ts'

/** How many of a team's runs are active at the same time unless the operator says otherwise: the default of admission.places. */
export const defaultSlots = 50

/** Every process follows it within seconds; runs that wait for a slot get theirs at the next sweep. */
export async function setEntitlement(sql: Sql, teamId: string, key: EntitlementKey, value: string): Promise<void> {
  if (key === 'max_concurrent_runs') return setPlaces(sql, teamId, Number(value))
  await sql`
    insert into entitlements (team_id, key, value) values (${teamId}, ${key}, ${value}::numeric)
    on conflict (team_id, key) do update set value = excluded.value, set_at = now()`
}

export async function unsetEntitlement(sql: Sql, teamId: string, key: EntitlementKey): Promise<void> {
  if (key === 'max_concurrent_runs') return setPlaces(sql, teamId, defaultSlots)
  await sql`delete from entitlements where team_id = ${teamId} and key = ${key satisfies LimitKey}`
}

async function setPlaces(sql: Sql, teamId: string, places: number): Promise<void> {
  await sql`
    insert into admission (team_id, places) values (${teamId}, ${places})
    on conflict (team_id) do update set places = excluded.places`
}
