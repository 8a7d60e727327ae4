// A native connection in the proofs: the provider github, with a real OAuth server of the proof in its place.
import type { OauthServer } from '../fakes/oauthServer.ts'
import { bodyOf, type Yard } from './yard.ts'

/** Settings of a service that takes this server for github; `host`: where its tokens may be sent. */
export const githubSettings = (oauth: OauthServer, host: string): Record<string, string> => ({
  OAUTH_GITHUB_CLIENT_ID: oauth.client.client_id,
  OAUTH_GITHUB_CLIENT_SECRET: oauth.client.client_secret,
  OAUTH_GITHUB_AUTHORIZATION_URL: oauth.endpoints.authorization,
  OAUTH_GITHUB_TOKEN_URL: oauth.endpoints.token,
  OAUTH_GITHUB_ACCOUNT_URL: oauth.endpoints.account,
  OAUTH_GITHUB_ISSUER: oauth.issuer,
  OAUTH_GITHUB_HOSTS: host,
  OAUTH_GITHUB_SCOPES: 'openid,offline_access',
})

/** Made, or authorised again, as a person does it; gives its id. */
export async function connectGithub(yard: Yard, oauth: OauthServer, reconnect?: string): Promise<string> {
  const path = `/v2/teams/${yard.apis[0]!.teamId}/connections/oauth/native/github/start`
  const body = reconnect === undefined ? {} : { reconnect_connection_id: reconnect }
  const begun = bodyOf(await yard.call({ method: 'POST', path, body }))
  const page = await fetch(await oauth.agree(begun['authorization_url'] as string), { redirect: 'manual' })
  if (page.status !== 200) throw new Error(`the callback answered ${page.status}: ${await page.text()}`)
  const [made] = await yard.sql<{ id: string }>`
    select id from connections where provider = 'github' and status = 'active'`
  return made!.id
}
