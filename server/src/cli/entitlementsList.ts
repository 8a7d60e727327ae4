// runyard entitlements list: what a team may use, and how much of it is used.
import { readEntitlements } from '../features/billing/entitlement.ts'
import type { Call } from './command.ts'
import { withTeam } from './entitlementsOfTeam.ts'

export async function entitlementsList({ config, log, positionals: [teamId = ''], print }: Call): Promise<void> {
  const asked = { role: 'entitlements list', teamId }
  const { entitlements } = await withTeam({ config, log }, asked, (sql) =>
    readEntitlements(sql, teamId, config.teamStorageBytes),
  )
  for (const { key, limit, used, unit } of entitlements) {
    print(`${key.padEnd(20)} ${limit === null ? 'no limit' : `${limit} ${unit}`}, ${used} used`)
  }
}
