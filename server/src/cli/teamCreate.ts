// runyard team create: one more team, with a first member who administers it.
import { createTeam } from '../features/teams/team.ts'
import { recordCommand } from '../kit/audit.ts'
import { UsageError, type Call } from './command.ts'
import { withDatabase } from './joinDatabase.ts'
import { requireCurrentSchema } from './requireCurrentSchema.ts'

const nameCharsMax = 100

export async function teamCreate({ config, log, positionals: [given = ''], print }: Call): Promise<void> {
  const name = given.trim()
  if (name.length === 0 || name.length > nameCharsMax) {
    throw new UsageError(`NAME must have 1 to ${nameCharsMax} characters.`)
  }
  const { teamId, memberId } = await withDatabase({ config, log, role: 'team create' }, async (joined) => {
    await requireCurrentSchema(joined.client)
    return joined.transaction(async () => {
      const team = await createTeam(joined.sql, { name, memberName: 'Admin' })
      await recordCommand(joined.sql, team.teamId, 'team create', { type: 'team', id: team.teamId })
      return team
    })
  })
  print(`Team    ${teamId}`)
  print(`Member  ${memberId} (Admin)`)
  print(`Its first key: npx runyard key create --team ${teamId}`)
}
