// Makes a connection, or gives a grant to one: both seal a secret for the first time.
import { one, part, type Sql } from '../../../base/db.ts'
import { Fault } from '../../../base/errors.ts'
import { newId } from '../../../base/ids.ts'
import type { AuthorizationServer, Grant, OAuthClient } from '../../../drivers/oauth/oauth.ts'
import type { Context } from '../../../kit/context.ts'
import { emitEvent } from '../../../kit/event.ts'
import { connectionColumns, type Connection } from './connection.ts'
import { sealSecret, type Secret } from './secret.ts'
import { reauthorized, refreshInS } from './connectionState.ts'

/** What a refresh and a revocation need besides secrets. */
export interface OAuthFacts {
  server: AuthorizationServer
  client_id: string
  auth_method: OAuthClient['auth_method']
  resource: string | null
  /** Who agreed, as the provider calls them; null: it does not say. */
  account: string | null
}

export interface NewConnection extends Pick<
  Connection,
  'name' | 'type' | 'provider' | 'server_url' | 'transport' | 'auth_method' | 'user_id' | 'scopes'
> {
  shared?: boolean
  secret: Secret | null
  oauth?: OAuthFacts | { provider_config_key: string } | null
  grant?: GrantTimes | null
  broker_connection_id?: string | null
}

/** How long a grant is good, and whether it can be renewed. */
interface GrantTimes {
  expiresInS: number | null
  isRefreshable: boolean
}

export const timesOf = ({ expires_in_s, refresh_token }: Grant): GrantTimes => ({
  expiresInS: expires_in_s,
  isRefreshable: refresh_token !== null,
})

/** `expires_at` and `refresh_at`, by the database's clock. */
const timeColumns = (grant: GrantTimes | null | undefined) => part`
  now() + make_interval(secs => ${grant?.expiresInS ?? null}::float8),
  now() + make_interval(secs => ${grant ? refreshInS(grant) : null}::float8)`

/** How many connections a team may have: every run that begins may read all of them. */
const connectionsMax = 1000

/** Undefined: the team has a connection of this name. */
export async function insertConnection(
  sql: Sql,
  { keyring }: Pick<Context, 'keyring'>,
  teamId: string,
  wanted: NewConnection,
): Promise<Connection | undefined> {
  const count = await one(sql<{ made: number }>`select count(*) as made from connections where team_id = ${teamId}`)
  if (count.made >= connectionsMax) {
    const says = `This team has ${connectionsMax} connections, which is the most. Delete one that is no longer used.`
    throw new Fault('conflict', says)
  }
  const id = newId()
  const sealed = wanted.secret === null ? null : sealSecret(keyring, id, wanted.secret)
  const [made] = await sql<Connection>`
    with c as (
      insert into connections (id, team_id, user_id, name, type, provider, server_url, transport, auth_method, scopes, shared, secret,
        oauth, broker_connection_id, expires_at, refresh_at)
      values (${id}, ${teamId}, ${wanted.user_id}, ${wanted.name}, ${wanted.type}, ${wanted.provider}, ${wanted.server_url},
        ${wanted.transport}, ${wanted.auth_method}, ${wanted.scopes}::text[], ${wanted.shared ?? true}, ${sealed},
        ${wanted.oauth ? JSON.stringify(wanted.oauth) : null}::jsonb, ${wanted.broker_connection_id ?? null}, ${timeColumns(wanted.grant)})
      on conflict (team_id, name) do nothing
      returning *)
    select ${connectionColumns} from c`
  if (!made) return undefined
  await emitEvent(sql, teamId, 'connection.updated', {
    connection_id: id,
    provider: made.provider,
    status: made.status,
    change: 'created',
  })
  return made
}

const namesTried = 100

/** For a connection whose name nobody can be asked about any more: a taken name gets a number at its end. */
export async function insertUnderFreeName(
  sql: Sql,
  context: Pick<Context, 'keyring'>,
  teamId: string,
  wanted: NewConnection,
): Promise<Connection> {
  for (let n = 1; n <= namesTried; n++) {
    const name = n === 1 ? wanted.name : `${wanted.name} ${n}`
    const made = await insertConnection(sql, context, teamId, { ...wanted, name })
    if (made) return made
  }
  throw new Error(`${namesTried} connections of one name`)
}

interface Renewal {
  secret: Secret
  oauth: OAuthFacts
  grant: GrantTimes
  scopes: string[] | null
  server_url: string | null
  /** Null: it keeps the one that it has. */
  name: string | null
}

/** A person authorised it again. Undefined: it is gone. */
export async function renewConnection(
  sql: Sql,
  { keyring }: Pick<Context, 'keyring'>,
  { id, teamId }: { id: string; teamId: string },
  renewal: Renewal,
): Promise<Connection | undefined> {
  const [renewed] = await sql<Connection>`
    with c as (
      update connections set secret = ${sealSecret(keyring, id, renewal.secret)}, generation = generation + 1, status = 'active',
        oauth = ${JSON.stringify(renewal.oauth)}::jsonb, scopes = ${renewal.scopes}::text[],
        server_url = coalesce(${renewal.server_url}, server_url), name = coalesce(${renewal.name}, name),
        (expires_at, refresh_at) = row (${timeColumns(renewal.grant)}), broken_at = null, broken_reason = null, updated_at = now()
      where id = ${id} and team_id = ${teamId}
      returning *)
    select ${connectionColumns} from c`
  if (renewed) await reauthorized(sql, renewed)
  return renewed
}
