// runyard entitlements unset: takes a limit of a team back.
import { defaultSlots, unsetEntitlement } from '../engine/counting/setEntitlement.ts'
import { recordCommand } from '../kit/audit.ts'
import type { Call } from './command.ts'
import { requireKey, withTeam } from './entitlementsOfTeam.ts'

export async function entitlementsUnset({
  config,
  log,
  positionals: [teamId = '', word = ''],
  print,
}: Call): Promise<void> {
  const key = requireKey(word)
  await withTeam({ config, log }, { role: 'entitlements unset', teamId }, async (sql) => {
    await unsetEntitlement(sql, teamId, key)
    await recordCommand(sql, teamId, 'entitlements unset', { type: 'entitlement', id: key })
  })
  print(`${key} of this team is ${key === 'max_concurrent_runs' ? defaultSlots : 'not limited'} now.`)
}
