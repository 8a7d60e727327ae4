// An authorisation under way: begun by a caller, finished once by the browser that comes back with its state.
import { hash, randomBytes } from 'node:crypto'
import { one, type Sql } from '../../../base/db.ts'
import type { SealedColumn } from '../../../base/sealedColumns.ts'
import type { Keyring } from '../../../base/secrets.ts'
import {
  authorizationUrl,
  newVerifier,
  type AuthorizationServer,
  type OAuthClient,
} from '../../../drivers/oauth/oauth.ts'
import type { Context } from '../../../kit/context.ts'
import type { Caller, CredentialType } from '../../../kit/credential.ts'
import { effectiveScopes, type Role } from '../../../kit/scopes.ts'
import { workingSessions } from '../../../kit/workingSessions.ts'
import { hasRight, requireRight } from '../store/connectionRight.ts'

const lifeS = 600

/** What is stored of a flow besides its secrets. */
interface FlowFacts {
  server: AuthorizationServer
  client_id: string
  auth_method: OAuthClient['auth_method']
  resource: string | null
  scopes: string[]
  redirect_uri: string
  return_url: string | null
}

interface WantedFlow {
  caller: Caller
  kind: 'native' | 'mcp'
  provider: string
  /** The name of the connection that it makes; null: the name is chosen when the account is known. */
  name: string | null
  serverUrl: string | null
  /** The connection that it authorises again. */
  connectionId: string | null
  server: AuthorizationServer
  client: OAuthClient
  /** Whether the secret was made by a registration for this team: then it is stored with the connection. */
  isRegistered: boolean
  resource: string | null
  scopes: string[]
  scopeSeparator?: string
  /** Further parameters of the authorisation URL. */
  extra?: Record<string, string>
  /** False: this server refuses it. */
  hasPkce?: boolean
  redirectUri: string
  returnUrl: string | null
}

interface BegunFlow {
  authorization_url: string
  state: string
  expires_at: Date
}

/** 256 random bits name it; only their hash is stored, so whoever reads the table cannot finish a flow. */
export async function beginFlow(sql: Sql, context: Context, wanted: WantedFlow): Promise<BegunFlow> {
  const { caller, server, client, redirectUri, scopes, resource } = wanted
  const state = randomBytes(32).toString('base64url')
  const verifier = wanted.hasPkce === false ? null : newVerifier()
  const url = authorizationUrl({
    server,
    client,
    redirectUri,
    state,
    verifier,
    scopes,
    ...(wanted.scopeSeparator !== undefined && { scopeSeparator: wanted.scopeSeparator }),
    ...(resource !== null && { resource }),
    ...(wanted.extra && { extra: wanted.extra }),
  })
  const facts: FlowFacts = {
    server,
    client_id: client.client_id,
    auth_method: client.auth_method,
    resource,
    scopes,
    redirect_uri: redirectUri,
    return_url: wanted.returnUrl,
  }
  const secret: FlowSecret = { verifier, client_secret: wanted.isRegistered ? client.client_secret : null }
  if (wanted.connectionId !== null) {
    const connection = { id: wanted.connectionId, team_id: caller.team_id, name: wanted.name ?? wanted.provider }
    await requireRight(sql, caller.member_id, connection)
  }
  const stateHash = hashOf(state)
  const begun = await one(sql<{ expires_at: Date }>`
    insert into oauth_flows (state_hash, team_id, user_id, credential_kind, credential_id, connection_id, kind, provider, name,
      server_url, facts, secret, expires_at)
    values (${stateHash}, ${caller.team_id}, ${caller.member_id}, ${caller.credential.type}, ${caller.credential.id},
      ${wanted.connectionId}, ${wanted.kind}, ${wanted.provider}, ${wanted.name}, ${wanted.serverUrl}, ${JSON.stringify(facts)}::jsonb,
      ${sealFlow(context.keyring, stateHash, secret)}, now() + make_interval(secs => ${lifeS}))
    returning expires_at`)
  return { authorization_url: url.href, state, expires_at: begun.expires_at }
}

interface FlowSecret {
  /** Null: without PKCE. */
  verifier: string | null
  client_secret: string | null
}

interface FlowRow {
  state_hash: Buffer
  team_id: string
  user_id: string | null
  credential_kind: CredentialType
  credential_id: string
  connection_id: string | null
  kind: 'native' | 'mcp'
  provider: string
  name: string | null
  server_url: string | null
  facts: FlowFacts
  secret: Buffer
}

export type Flow = Omit<FlowRow, 'state_hash' | 'secret'> & FlowSecret & { state: string }

/** Whether each of these states belongs to a flow. One statement asks for all of them, since anybody can make up states. */
export async function areFlows(sql: Sql, states: string[]): Promise<boolean[]> {
  const hashes = states.map(hashOf)
  const rows = await sql<{ state_hash: Buffer }>`
    select state_hash from oauth_flows where state_hash = any(${hashes}::bytea[])`
  return hashes.map((stateHash) => rows.some((row) => row.state_hash.equals(stateHash)))
}

/** Takes it: whoever asks second finds nothing. Undefined: unknown, used already, or older than ten minutes. */
export async function takeFlow(sql: Sql, keyring: Keyring, state: string): Promise<Flow | undefined> {
  const [row] = await sql<FlowRow & { is_late: boolean }>`
    delete from oauth_flows where state_hash = ${hashOf(state)}
    returning state_hash, team_id, user_id, credential_kind, credential_id, connection_id, kind, provider, name, server_url, facts,
      secret, expires_at <= now() as is_late`
  if (!row || row.is_late) return undefined
  const { state_hash: stateHash, secret, ...flow } = row
  return { ...flow, ...openFlow(keyring, stateHash, secret), state }
}

/** Whether the credential that began the flow is still valid, and may still make connections or change this one. */
export async function mayFinish(sql: Sql, flow: Flow): Promise<boolean> {
  if (flow.connection_id !== null && !(await hasRight(sql, flow.user_id, { id: flow.connection_id, ...flow })))
    return false
  const [held] = await sql<{ scopes: string[]; role: Role }>`
    select k.scopes, m.role from api_keys k join members m on m.id = k.member_id and m.removed_at is null
    where ${flow.credential_kind} = 'api_key' and k.id = ${flow.credential_id} and k.team_id = ${flow.team_id}
      and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
    union all
    select c.scopes, m.role from oauth_clients c join members m on m.id = c.member_id and m.removed_at is null
    where ${flow.credential_kind} = 'oauth_client' and c.id = ${flow.credential_id} and c.team_id = ${flow.team_id}
      and (c.expires_at is null or c.expires_at > now())
    union all
    select s.scopes, m.role from ${workingSessions}
      and ${flow.credential_kind} = 'session' and s.id = ${flow.credential_id} and s.team_id = ${flow.team_id}`
  return held !== undefined && effectiveScopes(held.scopes, held.role).has('connections:write')
}

const hashOf = (state: string): Buffer => hash('sha256', state, 'buffer')

/** Spelled as PostgreSQL writes the key: a new encryption key makes the purpose from the row's key as text. */
const purposeOf = (stateHash: string): string => `authorisation ${stateHash}`
const textOf = (stateHash: Buffer): string => `\\x${stateHash.toString('hex')}`

const sealFlow = (keyring: Keyring, stateHash: Buffer, secret: FlowSecret): Buffer =>
  keyring.seal(JSON.stringify(secret), purposeOf(textOf(stateHash)))

const openFlow = (keyring: Keyring, stateHash: Buffer, sealed: Buffer): FlowSecret =>
  JSON.parse(keyring.open(sealed, purposeOf(textOf(stateHash))).toString()) as FlowSecret

export const sealedFlowSecret: SealedColumn = {
  table: 'oauth_flows',
  column: 'secret',
  key: ['state_hash'],
  purpose: ({ state_hash }) => purposeOf(state_hash!),
}
