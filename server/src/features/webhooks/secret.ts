// The secret that signs a team's deliveries: made when it is first needed, sealed at rest, and for a while two after a rotation.
import { randomBytes } from 'node:crypto'
import { firstRow, one, type Sql } from '../../base/db.ts'
import type { SealedColumn } from '../../base/sealedColumns.ts'
import type { Keyring } from '../../base/secrets.ts'
import { nullable, Time, Type, type Static } from '../../kit/schema.ts'

export const Secret = Type.Object({
  secret: Type.String({ description: 'Signs every delivery of the team.', examples: ['whsec_…'] }),
  created_at: Time,
  previous_expires_at: nullable(
    Type.Unsafe<Date | string>({ ...Time, description: 'Until then the previous secret signs too.' }),
  ),
})
export type Secret = Static<typeof Secret>

const purposeOf = (teamId: string): string => `webhook secret of ${teamId}`

export const sealedSecrets: SealedColumn[] = ['secret', 'previous'].map((column) => ({
  table: 'webhook_secrets',
  column,
  key: ['team_id'],
  purpose: (row) => purposeOf(row['team_id']!),
}))

interface Row {
  team_id: string
  secret: Buffer
  created_at: Date
  previous: Buffer | null
  previous_expires_at: Date | null
}

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

const shown = (keyring: Keyring, row: Row): Secret => ({
  secret: keyring.open(row.secret, purposeOf(row.team_id)).toString(),
  created_at: row.created_at,
  previous_expires_at: row.previous_expires_at,
})

/** Makes the secret if there is none; two callers that do so at once get the same one. */
export async function readSecret(sql: Sql, keyring: Keyring, teamId: string): Promise<Secret> {
  await sql`
    insert into webhook_secrets (team_id, secret) values (${teamId}, ${keyring.seal(newSecret(), purposeOf(teamId))})
    on conflict do nothing`
  const row = await one(sql<Row>`
    select team_id, secret, created_at, case when previous_expires_at > now() then previous end as previous,
      case when previous_expires_at > now() then previous_expires_at end as previous_expires_at
    from webhook_secrets where team_id = ${teamId}`)
  return shown(keyring, row)
}

/** The one before continues to sign for the overlap; one before that is dropped at once. */
export async function rotateSecret(sql: Sql, keyring: Keyring, teamId: string, overlapS: number): Promise<Secret> {
  const sealed = keyring.seal(newSecret(), purposeOf(teamId))
  const row = await one(sql<Row>`
    insert into webhook_secrets as s (team_id, secret) values (${teamId}, ${sealed})
    on conflict (team_id) do update set secret = excluded.secret, created_at = now(),
      previous = case when ${overlapS}::int > 0 then s.secret end,
      previous_expires_at = case when ${overlapS}::int > 0 then now() + make_interval(secs => ${overlapS}::int) end
    returning team_id, secret, created_at, previous, previous_expires_at`)
  return shown(keyring, row)
}

/** What signs now, the newest first. */
export async function signingSecrets(sql: Sql, keyring: Keyring, teamId: string): Promise<string[]> {
  const find = () => sql<Row>`
    select team_id, secret, case when previous_expires_at > now() then previous end as previous
    from webhook_secrets where team_id = ${teamId}`
  let rows = await find()
  if (rows.length === 0) {
    await readSecret(sql, keyring, teamId)
    rows = await find()
  }
  const { secret, previous } = firstRow(rows)
  return [secret, previous].flatMap((sealed) => (sealed ? [keyring.open(sealed, purposeOf(teamId)).toString()] : []))
}
