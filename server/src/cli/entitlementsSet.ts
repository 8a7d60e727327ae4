// runyard entitlements set: a limit of a team, which no request can set.
import type { EntitlementKey } from '../engine/counting/entitlements.ts'
import { setEntitlement } from '../engine/counting/setEntitlement.ts'
import { recordCommand } from '../kit/audit.ts'
import { UsageError, type Call } from './command.ts'
import { requireKey, withTeam } from './entitlementsOfTeam.ts'

export async function entitlementsSet({
  config,
  log,
  positionals: [teamId = '', word = '', value = ''],
  print,
}: Call): Promise<void> {
  const key = requireKey(word)
  requireValue(key, value)
  await withTeam({ config, log }, { role: 'entitlements set', teamId }, async (sql) => {
    await setEntitlement(sql, teamId, key, value)
    await recordCommand(sql, teamId, 'entitlements set', { type: 'entitlement', id: `${key}=${value}` })
  })
  print(`${key} of this team is ${value} now.`)
}

/** Money has ten decimals here; the rest are whole numbers that JSON can hold, and slots fit the database's int. */
function requireValue(key: EntitlementKey, value: string): void {
  if (key === 'monthly_cost_usd') {
    if (!/^\d{1,12}(\.\d{1,10})?$/.test(value)) throw new UsageError('VALUE must be dollars, such as 250 or 99.50.')
    return
  }
  const most = key === 'max_concurrent_runs' ? 1_000_000 : Number.MAX_SAFE_INTEGER
  if (/^\d{1,16}$/.test(value) && Number(value) <= most) return
  throw new UsageError(`VALUE must be a whole number from 0 to ${most}.`)
}
