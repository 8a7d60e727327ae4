// runyard entitlements unset: takes a limit of a team back.
import { defaultSlots, unsetEntitlement } from '../engine/counting/setEntitlement.ts'
import { recordCommand } from '../kit/audit.ts'
import { command } from './command.ts'
import { requireKey, withTeam } from './entitlementsOfTeam.ts'

export const entitlementsUnset = command({
  words: 'entitlements unset',
  positionals: ['TEAM', 'KEY'],
  says: `Remove a limit of a team; max_concurrent_runs is then ${defaultSlots} again.`,
  async run({ config, log, positionals: [teamId = '', word = ''], print }) {
    const key = requireKey(word)
    await withTeam({ config, log }, { role: 'entitlements unset', teamId }, async (sql) => {
      await unsetEntitlement(sql, teamId, key)
      await recordCommand(sql, teamId, 'entitlements unset', { type: 'entitlement', id: key })
    })
    print(`${key} of this team is ${key === 'max_concurrent_runs' ? defaultSlots : 'not limited'} now.`)
  },
})
