// A connection: what a team may do at an outside service, and whether that still works.
import { part } from '../../../base/db.ts'
import { resource } from '../../../kit/resources.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../../kit/schema.ts'

export const connectionTypes = ['native', 'mcp', 'custom_mcp', 'api'] as const
export const authMethods = ['oauth', 'apikey', 'headers', 'none'] as const
export const transports = ['http', 'sse'] as const
export const statuses = ['active', 'action_required', 'disabled'] as const

export const Connection = named(
  'Connection',
  Type.Object({
    id: Id,
    team_id: Id,
    user_id: nullable(Id),
    name: Type.String({ examples: ['Our CRM'] }),
    type: oneOf(connectionTypes),
    provider: Type.String({ examples: ['github'] }),
    server_url: nullable(Type.String()),
    transport: nullable(oneOf(transports)),
    auth_method: oneOf(authMethods),
    status: oneOf(statuses),
    scopes: nullable(Type.Array(Type.String())),
    shared: Type.Boolean({ description: 'False: only runs that act for its maker alone can use it.' }),
    has_oauth_tokens: Type.Boolean(),
    has_headers: Type.Boolean(),
    tools_count: nullable(Type.Integer({ minimum: 0 })),
    account: nullable(Type.String({ description: 'Who agreed, as the provider calls them.', examples: ['octocat'] })),
    last_used_at: nullable(Time),
    broken_at: nullable(Time),
    broken_reason: nullable(Type.String()),
    expires_at: nullable(Time),
    created_at: Time,
    updated_at: Time,
  }),
)

export type Connection = Static<typeof Connection>

/** Columns of `connections c`; of its secret they show only whether there is one. */
export const connectionColumns = part`
  c.id, c.team_id, c.user_id, c.name, c.type, c.provider, c.server_url, c.transport, c.auth_method, c.status, c.scopes, c.shared,
  c.auth_method = 'oauth' and (c.secret is not null or c.broker_connection_id is not null) as has_oauth_tokens,
  c.auth_method in ('apikey', 'headers') and c.secret is not null as has_headers,
  case when c.tools_listed_at is not null
    then (select count(*)::int from connection_tools t where t.connection_id = c.id and not t.is_gone) end as tools_count,
  c.oauth ->> 'account' as account, c.last_used_at, c.broken_at, c.broken_reason, c.expires_at, c.created_at, c.updated_at`

export const connectionResource = resource(
  'connection',
  (sql, id, teamId) =>
    sql<Connection>`select ${connectionColumns} from connections c where c.id = ${id} and c.team_id = ${teamId}`,
)

declare module '../../../kit/resources.ts' {
  interface Resources {
    connection: Connection
  }
}
