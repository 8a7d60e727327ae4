// An API key: `ry_<team part>_<random>_<checksum>`, shown once, stored as a hash, bound to a member and to scopes.
import { one, part, type Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { checksumWord, hashToken, randomWord } from '../../base/secrets.ts'
import { resource } from '../../kit/resources.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'
import { grantableScopes } from '../../kit/scopes.ts'

export const Scopes = Type.Array(oneOf(grantableScopes), {
  minItems: 1,
  maxItems: 50,
  examples: [['runs:read', 'runs:write']],
})

export const ApiKey = named(
  'ApiKey',
  Type.Object({
    id: Id,
    team_id: Id,
    user_id: Id,
    name: Type.String(),
    hint: Type.String({ description: 'The beginning of the key, to tell keys apart.', examples: ['ry_4f5b6c7d_Jq'] }),
    scopes: Scopes,
    expires_at: nullable(Time),
    last_used_at: nullable(Time),
    created_at: Time,
  }),
)

export type ApiKey = Static<typeof ApiKey>

/** A revoked key, or one whose member was removed, is gone for everyone. */
export const workingKeys = (teamId: string) => part`
  api_keys k join members m on m.id = k.member_id and m.removed_at is null
    left join credential_uses u on u.credential_id = k.id
  where k.team_id = ${teamId} and k.revoked_at is null`

export const keyColumns = part`
  k.id, k.team_id, k.member_id as user_id, k.name, k.hint, k.scopes, k.expires_at, u.last_used_at, k.created_at`

const findKey = (sql: Sql, id: string, teamId: string): Promise<ApiKey[]> => sql<ApiKey>`
  select ${keyColumns} from ${workingKeys(teamId)} and k.id = ${id}`

export const key = resource('key', findKey)

declare module '../../kit/resources.ts' {
  interface Resources {
    key: ApiKey
  }
}

interface NewApiKey {
  teamId: string
  memberId: string
  name: string
  scopes: readonly string[]
  expiresAt?: Date | null
  /** A secret chosen by the operator (RUNYARD_API_KEY) instead of a random one. */
  secret?: string
}

/** The last group of the team id is random: it distinguishes teams without naming them. */
export function newSecret(teamId: string): string {
  const body = `ry_${teamId.slice(-12)}_${randomWord(40)}`
  return `${body}_${checksumWord(body)}`
}

export async function issueApiKey(sql: Sql, wanted: NewApiKey): Promise<{ apiKey: ApiKey; secret: string }> {
  const secret = wanted.secret ?? newSecret(wanted.teamId)
  const hint = secret.startsWith('ry_') ? secret.slice(0, 18) : `${secret.slice(0, 4)}…`
  const apiKey = await one(sql<ApiKey>`
    insert into api_keys (id, team_id, member_id, name, hint, secret_hash, scopes, expires_at)
    values (${newId()}, ${wanted.teamId}, ${wanted.memberId}, ${wanted.name}, ${hint}, ${hashToken(secret)},
      ${[...new Set(wanted.scopes)]}, ${wanted.expiresAt ?? null})
    returning id, team_id, member_id as user_id, name, hint, scopes, expires_at, null as last_used_at, created_at`)
  return { apiKey, secret }
}

/** Returns the team it belonged to; undefined: no such key works. */
export async function revokeApiKey(sql: Sql, id: string): Promise<string | undefined> {
  const [revoked] = await sql<{ team_id: string }>`
    update api_keys set revoked_at = now() where id = ${id} and revoked_at is null returning team_id`
  return revoked?.team_id
}
