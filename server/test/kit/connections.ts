// Connections for tests: with given secrets, or with a grant of a real OAuth server.
import {
  authorizationUrl,
  newVerifier,
  redeemCode,
  type AuthorizationServer,
  type OAuthClient,
} from '../../src/drivers/oauth/oauth.ts'
import {
  insertConnection,
  renewConnection,
  timesOf,
  type NewConnection,
} from '../../src/features/connections/store/newConnection.ts'
import { refreshConnections } from '../../src/features/connections/inRuns/refreshConnections.ts'
import type { Secret } from '../../src/features/connections/store/secret.ts'
import type { OauthServer } from '../fakes/oauthServer.ts'
import type { TestTeam } from './seed.ts'
import type { TestApp } from './testApp.ts'

export const redirectUri = 'http://127.0.0.1:4700/oauth/callback'

/** Ready to be used; its name must be new in the team. */
export async function seedConnection(
  service: TestApp,
  team: TestTeam,
  wanted: Pick<NewConnection, 'name'> & Partial<NewConnection>,
): Promise<string> {
  const made = await service.context.db.transaction((sql) =>
    insertConnection(sql, service.context, team.id, {
      type: 'api',
      provider: 'example',
      server_url: null,
      transport: null,
      auth_method: wanted.secret ? 'headers' : 'none',
      user_id: team.memberId,
      scopes: null,
      secret: null,
      ...wanted,
    }),
  )
  if (!made) throw new Error(`there is a connection ${wanted.name} already`)
  return made.id
}

/** The operator's own client at a server; tests give it `redirectUri`. */
export function partiesOf(oauth: OauthServer): { server: AuthorizationServer; client: OAuthClient } {
  return {
    server: {
      issuer: oauth.issuer,
      authorization_endpoint: oauth.endpoints.authorization,
      token_endpoint: oauth.endpoints.token,
      revocation_endpoint: oauth.endpoints.revocation,
      registration_endpoint: oauth.endpoints.registration,
      sends_iss: true,
      auth_methods: null,
      scopes_supported: null,
      takes_metadata_document: false,
      code_challenge_methods: null,
    },
    client: { ...oauth.client, auth_method: 'client_secret_basic' },
  }
}

/** What a person's agreement at the server brings: everything that a connection keeps of it. */
async function granted({ context }: TestApp, oauth: OauthServer, resource: string | null) {
  const { server, client } = partiesOf(oauth)
  const verifier = newVerifier()
  const asked = { server, client, redirectUri, state: 'state', verifier, ...(resource !== null && { resource }) }
  const url = authorizationUrl({ ...asked, scopes: ['read', 'offline_access'] })
  const { searchParams: callback } = await oauth.agree(url.href)
  const grant = await redeemCode(
    { ...asked, callback },
    { fetch: context.outbound.fetch, signal: AbortSignal.timeout(10_000) },
  )
  const secret: Secret = {
    kind: 'oauth',
    access_token: grant.access_token,
    refresh_token: grant.refresh_token,
    token_type: grant.token_type,
    client_secret: client.client_secret,
  }
  const { client_id, auth_method } = client
  return {
    secret,
    grant: timesOf(grant),
    scopes: grant.scopes,
    oauth: { server, client_id, auth_method, resource, account: null },
  }
}

/** With tokens of this server, good for `serverUrl` alone where `isBound`. */
export async function seedGrantedConnection(
  service: TestApp,
  team: TestTeam,
  oauth: OauthServer,
  wanted: Pick<NewConnection, 'name' | 'type'> & { server_url: string; isBound?: boolean },
): Promise<string> {
  const { isBound = false, ...rest } = wanted
  const kept = await granted(service, oauth, isBound ? wanted.server_url : null)
  return seedConnection(service, team, { ...rest, ...kept, auth_method: 'oauth' })
}

/** A person authorises it again, at the end of the flow. */
export async function authoriseAgain(service: TestApp, team: TestTeam, oauth: OauthServer, id: string): Promise<void> {
  const [was] = await team.sql<{ oauth: { resource: string | null } }>`select oauth from connections where id = ${id}`
  const kept = await granted(service, oauth, was!.oauth.resource)
  await service.context.db.transaction((sql) =>
    renewConnection(sql, service.context, { id, teamId: team.id }, { ...kept, server_url: null, name: null }),
  )
}

/** One poll of a working process, and the end of what it began. */
export async function seeToConnections({ context }: TestApp): Promise<void> {
  const work = refreshConnections(context)
  await work.poll()
  await work.stop()
}
