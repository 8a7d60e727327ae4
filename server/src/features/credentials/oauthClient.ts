// An OAuth client of the client-credentials grant (RFC 6749 §4.4): exchanges its secret for one-hour access tokens.
import { part, type Sql } from '../../base/db.ts'
import { resource } from '../../kit/resources.ts'
import { Id, named, nullable, Time, Type, type Static } from '../../kit/schema.ts'
import { Scopes } from './apiKey.ts'

export const OauthClient = named(
  'OauthClient',
  Type.Object({
    id: Id,
    team_id: Id,
    user_id: Id,
    name: Type.String(),
    scopes: Scopes,
    expires_at: nullable(Time),
    last_used_at: nullable(Time),
    created_at: Time,
  }),
)

export type OauthClient = Static<typeof OauthClient>

/** A client whose member was removed is gone for everyone. */
export const workingClients = (teamId: string) => part`
  oauth_clients c join members m on m.id = c.member_id and m.removed_at is null
    left join credential_uses u on u.credential_id = c.id
  where c.team_id = ${teamId}`

export const clientColumns = part`
  c.id, c.team_id, c.member_id as user_id, c.name, c.scopes, c.expires_at, u.last_used_at, c.created_at`

const findClient = (sql: Sql, id: string, teamId: string): Promise<OauthClient[]> => sql<OauthClient>`
  select ${clientColumns} from ${workingClients(teamId)} and c.id = ${id}`

export const client = resource('client', findClient)

declare module '../../kit/resources.ts' {
  interface Resources {
    client: OauthClient
  }
}
