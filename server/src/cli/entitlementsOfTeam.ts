// What the commands about entitlements share: the team and the limit that they are given, checked, and a transaction.
import type { Sql } from '../base/db.ts'
import { isId } from '../base/ids.ts'
import { entitlementKinds, type EntitlementKey } from '../engine/counting/entitlements.ts'
import { CommandFailed, UsageError, type Call } from './command.ts'
import { withDatabase } from './joinDatabase.ts'
import { requireCurrentSchema } from './requireCurrentSchema.ts'

const entitlementKeys = Object.keys(entitlementKinds) as EntitlementKey[]

export function requireKey(key: string): EntitlementKey {
  const known = entitlementKeys.find((one) => one === key)
  if (known === undefined) throw new UsageError(`KEY must be one of ${entitlementKeys.join(', ')}.`)
  return known
}

interface OfTeam {
  role: string
  teamId: string
}

export async function withTeam<T>(
  { config, log }: Pick<Call, 'config' | 'log'>,
  { role, teamId }: OfTeam,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  return withDatabase({ config, log, role }, async ({ client, sql, transaction }) => {
    await requireCurrentSchema(client)
    const [found] = isId(teamId) ? await sql`select id from teams where id = ${teamId}` : []
    if (!found) throw new CommandFailed('No team has this id. `runyard whoami` shows the id of your team.')
    return transaction(() => work(sql))
  })
}
