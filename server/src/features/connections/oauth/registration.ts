// Ourselves as a client of authorization servers that register clients: once for a team, stored until the server forgets it.
import type { Sql } from '../../../base/db.ts'
import type { SealedColumn } from '../../../base/sealedColumns.ts'
import type { AuthorizationServer, OAuthClient } from '../../../drivers/oauth/oauth.ts'
import type { Registered } from '../../../drivers/oauth/register.ts'
import type { Context } from '../../../kit/context.ts'

/** Which registration is meant: servers register a client for the URL that browsers come back to. */
export interface RegistrationKey {
  team_id: string
  issuer: string
  redirect_uri: string
}

/** The oldest servers have no name but their origin. */
export const issuerOf = ({ issuer, token_endpoint }: AuthorizationServer): string =>
  issuer ?? new URL(token_endpoint).origin

const purposeOf = ({ team_id, issuer, redirect_uri }: RegistrationKey): string =>
  `registration ${team_id} ${issuer} ${redirect_uri}`

export const sealedRegistration: SealedColumn = {
  table: 'oauth_registrations',
  column: 'client_secret',
  key: ['team_id', 'issuer', 'redirect_uri'],
  purpose: (row) => purposeOf(row as unknown as RegistrationKey),
}

/** Undefined: there is none that stays valid for as long as an authorisation takes. */
export async function findRegistration(
  sql: Sql,
  { keyring }: Pick<Context, 'keyring'>,
  key: RegistrationKey,
): Promise<OAuthClient | undefined> {
  const [row] = await sql<{ client_id: string; auth_method: OAuthClient['auth_method']; client_secret: Buffer | null }>`
    select client_id, auth_method, client_secret from oauth_registrations
    where team_id = ${key.team_id} and issuer = ${key.issuer} and redirect_uri = ${key.redirect_uri}
      and (expires_at is null or expires_at > now() + interval '1 day')`
  return (
    row && { ...row, client_secret: row.client_secret && keyring.open(row.client_secret, purposeOf(key)).toString() }
  )
}

/** Replaces an older one; connections keep the client that they were made with. */
export async function saveRegistration(
  sql: Sql,
  { keyring }: Pick<Context, 'keyring'>,
  key: RegistrationKey,
  made: Registered,
): Promise<void> {
  const sealed = made.client_secret === null ? null : keyring.seal(made.client_secret, purposeOf(key))
  await sql`
    insert into oauth_registrations (team_id, issuer, redirect_uri, client_id, auth_method, client_secret, expires_at)
    values (${key.team_id}, ${key.issuer}, ${key.redirect_uri}, ${made.client_id}, ${made.auth_method}, ${sealed}, ${made.expires_at})
    on conflict (team_id, issuer, redirect_uri) do update set client_id = excluded.client_id, auth_method = excluded.auth_method,
      client_secret = excluded.client_secret, expires_at = excluded.expires_at, created_at = now()`
}
