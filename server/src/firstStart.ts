// What happens once per database: the first team, its admin, its key, a demo agent and an example artifact; and how later starts find that key again.
import { join } from 'node:path'
import type { Config } from './base/config.ts'
import type { Sql } from './base/db.ts'
import { readIfThere, writeWhole } from './base/atomicFile.ts'
import type { Log } from './base/log.ts'
import { hashToken } from './base/secrets.ts'
import { createDemoAgent, findDemoAgent } from './demoAgent.ts'
import { createDemoArtifact } from './demoArtifact.ts'
import { issueApiKey, newSecret } from './features/credentials/apiKey.ts'
import { createTeam } from './features/teams/team.ts'

export interface FirstKey {
  teamId: string
  /** Undefined: its clear copy is gone or it was revoked; another one is made with `runyard key create`. */
  secret: string | undefined
  /** Whether this very start made the key: it is shown once, to a terminal. */
  isNew: boolean
  /** While the team has it. */
  demoAgentId: string | undefined
}

/** Where the clear copy of the first key is stored. */
export const firstKeyFile = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'first-key')

/** Runs under the migration lock, inside one transaction. */
export async function firstStart(sql: Sql, config: Config, log: Log): Promise<FirstKey> {
  const file = firstKeyFile(config)
  const [oldest] = await sql<{ team_id: string; member_id: string }>`
    select t.id as team_id, m.id as member_id from teams t
      join members m on m.team_id = t.id and m.role = 'admin' and m.removed_at is null
    order by t.created_at, t.id, m.created_at, m.id limit 1`
  if (!oldest) {
    const { teamId, memberId } = await createTeam(sql, { name: config.teamName, memberName: 'Admin' })
    const secret = config.apiKey ?? newSecret(teamId)
    // before the commit: a crash between the two leaves a file without a key, which the next start writes again
    await writeWhole(file, `${secret}\n`, 0o600)
    await issueApiKey(sql, { teamId, memberId, name: 'First key', scopes: ['*'], secret })
    // whoever sets a key of their own sets up a real installation
    const wantsDemo = config.hasDemo && config.apiKey === undefined
    const demoAgentId = wantsDemo ? await createDemoAgent(sql, { teamId, memberId }) : undefined
    if (wantsDemo) await createDemoArtifact(sql, { teamId, memberId })
    return { teamId, secret, isNew: config.apiKey === undefined, demoAgentId }
  }
  if (config.apiKey) await addGivenKey(sql, config.apiKey, oldest, log)
  const secret = config.apiKey ?? (await readIfThere(file))?.trim()
  const key = (secret ? await workingKey(sql, secret) : undefined) ?? { teamId: oldest.team_id, secret: undefined }
  return { ...key, isNew: false, demoAgentId: await findDemoAgent(sql, key.teamId) }
}

/** RUNYARD_API_KEY with a new value is one more key; one that was revoked stays revoked. */
async function addGivenKey(
  sql: Sql,
  secret: string,
  owner: { team_id: string; member_id: string },
  log: Log,
): Promise<void> {
  const [known] = await sql<{ revoked: boolean }>`
    select revoked_at is not null as revoked from api_keys where secret_hash = ${hashToken(secret)}`
  if (known?.revoked) log.warn('RUNYARD_API_KEY was revoked and stays so; set another value to get a working key')
  if (known) return
  const wanted = { teamId: owner.team_id, memberId: owner.member_id, name: 'RUNYARD_API_KEY', scopes: ['*'], secret }
  await issueApiKey(sql, wanted)
}

async function workingKey(sql: Sql, secret: string): Promise<Pick<FirstKey, 'teamId' | 'secret'> | undefined> {
  const [key] = await sql<{ team_id: string }>`
    select k.team_id from api_keys k join members m on m.id = k.member_id and m.removed_at is null
    where k.secret_hash = ${hashToken(secret)} and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`
  return key && { teamId: key.team_id, secret }
}
