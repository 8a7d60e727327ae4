// runyard key revoke: an API key that works nowhere any more, within a second.
import { isId } from '../base/ids.ts'
import { revokeApiKey } from '../features/credentials/apiKey.ts'
import { recordCommand } from '../kit/audit.ts'
import { CommandFailed, type Call } from './command.ts'
import { withDatabase } from './joinDatabase.ts'
import { requireCurrentSchema } from './requireCurrentSchema.ts'

export async function keyRevoke({ config, log, positionals: [id = ''], print }: Call): Promise<void> {
  const revoked = await withDatabase({ config, log, role: 'key revoke' }, async ({ client, sql, transaction }) => {
    await requireCurrentSchema(client)
    return transaction(async () => {
      const teamId = isId(id) ? await revokeApiKey(sql, id) : undefined
      if (teamId !== undefined) await recordCommand(sql, teamId, 'key revoke', { type: 'key', id })
      return teamId !== undefined
    })
  })
  // the argument may be a secret that was pasted by mistake: it is not repeated
  if (!revoked) throw new CommandFailed('No working key has this id. `runyard call listApiKeys` lists them.')
  print(`Revoked ${id}.`)
}
