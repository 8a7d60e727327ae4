// Who may see and drill the whole installation: admins of the teams that run it.
import type { Sql } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import type { Context } from '../../kit/context.ts'

/** Refuses teams that do not run the installation. */
export async function requireInstallation(sql: Sql, { config }: Context, teamId: string): Promise<void> {
  const { systemTeams } = config
  if (systemTeams ? systemTeams.includes('*') || systemTeams.includes(teamId) : await isOldest(sql, teamId)) return
  throw new Fault(
    'forbidden',
    'Only admins of the team that runs this installation see it as a whole. RUNYARD_SYSTEM_TEAMS says which teams those are.',
  )
}

async function isOldest(sql: Sql, teamId: string): Promise<boolean> {
  const [oldest] = await sql<{ id: string }>`select id from teams order by created_at, id limit 1`
  return oldest?.id === teamId
}
