// An entitlement: something that a team may use, its limit, and how much of it is used.
import { one, type Sql } from '../../base/db.ts'
import { entitlementKinds, type EntitlementKey } from '../../engine/counting/entitlements.ts'
import { agentsOf, bytesStored, costOfMonth, slotsHeld, runsOfMonth } from '../../engine/counting/usageSql.ts'
import { defaultSlots } from '../../engine/counting/setEntitlement.ts'
import { currentMonth } from '../../engine/counting/usage.ts'
import { named, nullable, oneOf, Type, type Static } from '../../kit/schema.ts'

const keys = Object.keys(entitlementKinds) as EntitlementKey[]

export const Entitlement = named(
  'Entitlement',
  Type.Object({
    key: oneOf(keys),
    label: Type.String({ examples: ['Runs started in a month'] }),
    enabled: Type.Boolean({ description: 'Whether the team may use it at all: false where the limit is 0.' }),
    limit: nullable(Type.Number({ minimum: 0, description: 'Null: no limit.' })),
    used: nullable(
      Type.Number({
        minimum: 0,
        description: 'Now, or since the month (UTC) began; cost with what is held back for calls under way.',
      }),
    ),
    unit: nullable(oneOf(['runs', 'usd', 'bytes', 'agents'])),
  }),
)
export type Entitlement = Static<typeof Entitlement>

interface Row {
  plan: string
  /** Null before the team's first start. */
  places: number | null
  limits: Partial<Record<EntitlementKey, number>>
  used: Record<EntitlementKey, number>
}

/** All entitlements, also those without a limit. */
export async function readEntitlements(
  sql: Sql,
  teamId: string,
  /** The storage limit of a team without one of its own; 0 means no limit. */
  storageUnlessSet: number,
): Promise<{ entitlements: Entitlement[]; plan: string }> {
  const month = await currentMonth(sql)
  const row = await one(sql<Row>`
    select plan, (select places from admission where team_id = ${teamId}) as places,
      coalesce((select json_object_agg(key, value) from entitlements where team_id = ${teamId}), '{}') as limits,
      json_build_object('max_concurrent_runs', ${slotsHeld(teamId)}, 'monthly_runs', ${runsOfMonth(teamId, month)},
        'monthly_cost_usd', ${costOfMonth(teamId, month)}, 'storage_bytes', ${bytesStored(teamId)}, 'agents', ${agentsOf(teamId)}) as used
    from teams where id = ${teamId}`)
  const { plan, places, used, ...set } = row
  const limits: Row['limits'] = {
    ...(storageUnlessSet > 0 && { storage_bytes: storageUnlessSet }),
    ...set.limits,
    max_concurrent_runs: places ?? defaultSlots,
  }
  const entitlements = keys.map((key) => {
    const limit = limits[key] ?? null
    return { key, ...entitlementKinds[key], enabled: limit !== 0, limit, used: used[key] }
  })
  return { entitlements, plan }
}
