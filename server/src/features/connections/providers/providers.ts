// The table of OAuth providers that come with the service. One more is one more row; docs/providers.md says how.

export interface Provider {
  name: string
  title: string
  /** What an agent can do with it: a sentence for the catalogue. */
  description: string
  authorization_url: string
  token_url: string
  /** The endpoint of RFC 7009; null: the provider has none, and its tokens are revoked on its own pages. */
  revocation_url: string | null
  /** What its callbacks name as `iss`, where it is known; they are held to it when they carry one. */
  issuer: string | null
  auth_method: 'client_secret_basic' | 'client_secret_post'
  /**
   * PKCE (S256): `checked`, as its documentation says; `sent`, and no more is known; `none`, where it would be refused: there the one-time
   * state and the client's secret stand alone.
   */
  pkce: 'checked' | 'sent' | 'none'
  /** How long its tokens are valid, and what happens to refresh tokens: what an operator should know. */
  renewal: string
  /** Asked for when a caller names none: enough to be useful, and to read the account's name. */
  scopes: string[]
  scope_separator: ' ' | ','
  /** Parameters of the authorisation URL without which there is no refresh token, or the wrong person is asked. */
  extra: Record<string, string>
  /** Where its credential may be sent, and nowhere else; `*.` in front takes every name below. */
  hosts: string[]
  /** The field of the token answer with the URL of the account's own server: its host is then the only one. */
  own_server?: string
  /** Null: the operator's own instance, for which none is set. */
  account: AccountRequest | null
  /** Whose client settings count where it has none of its own. */
  settings_of?: string
  /** What was read to write this row. */
  docs: string
}

/** How an account's name is read, which is also how a connection is tested. */
export interface AccountRequest {
  url: string
  method?: 'POST'
  headers?: Record<string, string>
  body?: string
  /** Dotted paths into the answer; the first that has text counts. */
  label: string[]
}

/** Refresh tokens come with offline access alone, and again only after consent; they do not rotate. PKCE is taken. */
const google = {
  authorization_url: 'https://accounts.google.com/o/oauth2/v2/auth',
  token_url: 'https://oauth2.googleapis.com/token',
  revocation_url: 'https://oauth2.googleapis.com/revoke',
  issuer: 'https://accounts.google.com',
  auth_method: 'client_secret_post',
  pkce: 'checked',
  renewal: 'An hour; the refresh token stays the same.',
  scope_separator: ' ',
  extra: { access_type: 'offline', prompt: 'consent', include_granted_scopes: 'false' },
  account: { url: 'https://openidconnect.googleapis.com/v1/userinfo', label: ['email', 'name', 'sub'] },
  docs: 'https://developers.google.com/identity/protocols/oauth2/web-server',
} as const satisfies Partial<Provider>

const googleScope = (name: string): string => `https://www.googleapis.com/auth/${name}`
/** Calendar and Drive are at the first. */
const googleHosts = ['www.googleapis.com', 'openidconnect.googleapis.com']

/** `common` takes work and personal accounts; an own tenant is set by the two URLs. Its issuer differs by tenant. */
const microsoft = {
  authorization_url: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
  token_url: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
  revocation_url: null,
  issuer: null,
  auth_method: 'client_secret_post',
  pkce: 'checked',
  renewal: 'About an hour; each renewal brings a new refresh token.',
  scope_separator: ' ',
  extra: { prompt: 'select_account' },
  hosts: ['graph.microsoft.com'],
  account: { url: 'https://graph.microsoft.com/v1.0/me', label: ['mail', 'userPrincipalName', 'displayName'] },
  docs: 'https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow',
} as const satisfies Partial<Provider>

export const providers: readonly Provider[] = [
  {
    ...google,
    name: 'google',
    title: 'Google',
    description: 'Call Google’s APIs: calendars, contacts, documents, tasks.',
    scopes: ['openid', 'email', googleScope('calendar')],
    hosts: [
      ...googleHosts,
      ...['docs', 'gmail', 'people', 'sheets', 'slides', 'tasks'].map((name) => `${name}.googleapis.com`),
    ],
  },
  {
    ...google,
    name: 'gmail',
    title: 'Gmail',
    description: 'Read, sort and send mail.',
    scopes: ['openid', 'email', googleScope('gmail.modify')],
    hosts: [...googleHosts, 'gmail.googleapis.com'],
    settings_of: 'google',
  },
  {
    ...google,
    name: 'google-sheets',
    title: 'Google Sheets',
    description: 'Read and write spreadsheets.',
    scopes: ['openid', 'email', googleScope('spreadsheets')],
    hosts: [...googleHosts, 'sheets.googleapis.com'],
    settings_of: 'google',
  },
  {
    ...google,
    name: 'google-drive',
    title: 'Google Drive',
    description: 'Find, read and store files.',
    scopes: ['openid', 'email', googleScope('drive')],
    hosts: googleHosts,
    settings_of: 'google',
  },
  {
    name: 'slack',
    title: 'Slack',
    description: 'Post and read messages in a workspace, as a bot.',
    authorization_url: 'https://slack.com/oauth/v2/authorize',
    token_url: 'https://slack.com/api/oauth.v2.access',
    // auth.revoke takes the token as a bearer and answers in Slack's own way
    revocation_url: null,
    issuer: null,
    auth_method: 'client_secret_basic',
    // only apps that gave up their secret for it take it (docs.slack.dev/authentication/using-pkce)
    pkce: 'none',
    renewal: 'Does not end, unless the app has token rotation: then 12 hours, and refresh tokens rotate.',
    // bot scopes; tokens end and rotate only where the app switched token rotation on
    scopes: ['chat:write', 'channels:read', 'channels:history', 'users:read'],
    scope_separator: ',',
    extra: {},
    hosts: ['slack.com', 'files.slack.com'],
    account: { url: 'https://slack.com/api/auth.test', method: 'POST', label: ['team', 'user'] },
    docs: 'https://docs.slack.dev/reference/methods/oauth.v2.access',
  },
  {
    name: 'github',
    title: 'GitHub',
    description: 'Read and change repositories, issues and pull requests.',
    authorization_url: 'https://github.com/login/oauth/authorize',
    token_url: 'https://github.com/login/oauth/access_token',
    // taken back by DELETE /applications/{client_id}/grant, which is not RFC 7009
    revocation_url: null,
    issuer: null,
    auth_method: 'client_secret_post',
    pkce: 'checked',
    renewal: 'Of an OAuth app it does not end; a GitHub App can have tokens that end and are renewed.',
    // no smaller scope reaches private repositories; of an OAuth app the token does not end
    scopes: ['repo', 'read:user'],
    scope_separator: ' ',
    extra: {},
    hosts: ['api.github.com', 'uploads.github.com'],
    account: { url: 'https://api.github.com/user', label: ['login', 'name'] },
    docs: 'https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps',
  },
  {
    name: 'gitlab',
    title: 'GitLab',
    description: 'Read and change projects, issues and merge requests.',
    authorization_url: 'https://gitlab.com/oauth/authorize',
    token_url: 'https://gitlab.com/oauth/token',
    revocation_url: 'https://gitlab.com/oauth/revoke',
    issuer: 'https://gitlab.com',
    auth_method: 'client_secret_post',
    pkce: 'checked',
    renewal: 'Two hours; refresh tokens rotate.',
    scopes: ['api'],
    scope_separator: ' ',
    extra: {},
    hosts: ['gitlab.com'],
    account: { url: 'https://gitlab.com/api/v4/user', label: ['username', 'name'] },
    docs: 'https://docs.gitlab.com/api/oauth2/',
  },
  {
    ...microsoft,
    name: 'microsoft',
    title: 'Microsoft 365',
    description: 'Call Microsoft Graph: files, calendars, people, Teams.',
    scopes: ['offline_access', 'User.Read', 'Files.ReadWrite', 'Calendars.ReadWrite'],
  },
  {
    ...microsoft,
    name: 'outlook',
    title: 'Outlook',
    description: 'Read, sort and send mail.',
    scopes: ['offline_access', 'User.Read', 'Mail.ReadWrite', 'Mail.Send'],
    settings_of: 'microsoft',
  },
  {
    name: 'notion',
    title: 'Notion',
    description: 'Read and write the pages that were shared with it.',
    authorization_url: 'https://api.notion.com/v1/oauth/authorize',
    token_url: 'https://api.notion.com/v1/oauth/token',
    revocation_url: 'https://api.notion.com/v1/oauth/revoke',
    issuer: null,
    auth_method: 'client_secret_basic',
    pkce: 'sent',
    renewal: 'Each renewal brings a new refresh token.',
    // what it may do is a setting of the integration, not of the request
    scopes: [],
    scope_separator: ' ',
    extra: { owner: 'user' },
    hosts: ['api.notion.com'],
    account: {
      url: 'https://api.notion.com/v1/users/me',
      headers: { 'notion-version': '2025-09-03' },
      label: ['bot.workspace_name', 'name'],
    },
    docs: 'https://developers.notion.com/reference/create-a-token',
  },
  {
    name: 'hubspot',
    title: 'HubSpot',
    description: 'Read and change contacts, companies and deals.',
    authorization_url: 'https://app.hubspot.com/oauth/authorize',
    token_url: 'https://api.hubapi.com/oauth/2026-03/token',
    revocation_url: 'https://api.hubapi.com/oauth/2026-03/token/revoke',
    issuer: null,
    auth_method: 'client_secret_post',
    pkce: 'checked',
    renewal: 'Half an hour; renewed by refresh token.',
    // must be those that the app requires in its own settings
    scopes: ['oauth', 'crm.objects.contacts.read', 'crm.objects.contacts.write'],
    scope_separator: ' ',
    extra: {},
    hosts: ['api.hubapi.com'],
    account: { url: 'https://api.hubapi.com/account-info/2026-03/details', label: ['portalName', 'portalId'] },
    docs: 'https://developers.hubspot.com/docs/api-reference/latest/authentication/manage-oauth-tokens',
  },
  {
    name: 'salesforce',
    title: 'Salesforce',
    description: 'Read and change records of an organisation.',
    // an own sandbox or domain is set by these URLs
    authorization_url: 'https://login.salesforce.com/services/oauth2/authorize',
    token_url: 'https://login.salesforce.com/services/oauth2/token',
    revocation_url: 'https://login.salesforce.com/services/oauth2/revoke',
    issuer: 'https://login.salesforce.com',
    auth_method: 'client_secret_post',
    pkce: 'checked',
    renewal: 'As long as a session of the organisation; renewed by refresh token.',
    scopes: ['api', 'refresh_token', 'openid', 'email'],
    scope_separator: ' ',
    extra: {},
    hosts: ['login.salesforce.com'],
    own_server: 'instance_url',
    account: {
      url: 'https://login.salesforce.com/services/oauth2/userinfo',
      label: ['preferred_username', 'email', 'name'],
    },
    docs: 'https://help.salesforce.com/s/articleView?id=xcloud.remoteaccess_oauth_web_server_flow.htm',
  },
  {
    name: 'atlassian',
    title: 'Atlassian',
    description: 'Read and change Jira issues and Confluence pages.',
    authorization_url: 'https://auth.atlassian.com/authorize',
    token_url: 'https://auth.atlassian.com/oauth/token',
    revocation_url: null,
    issuer: null,
    auth_method: 'client_secret_post',
    pkce: 'sent',
    renewal: 'An hour; refresh tokens rotate.',
    // refresh tokens rotate
    scopes: ['offline_access', 'read:me', 'read:jira-user', 'read:jira-work', 'write:jira-work'],
    scope_separator: ' ',
    extra: { audience: 'api.atlassian.com', prompt: 'consent' },
    hosts: ['api.atlassian.com'],
    account: { url: 'https://api.atlassian.com/me', label: ['email', 'name'] },
    docs: 'https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/',
  },
  {
    name: 'linear',
    title: 'Linear',
    description: 'Read and change issues and projects.',
    authorization_url: 'https://linear.app/oauth/authorize',
    token_url: 'https://api.linear.app/oauth/token',
    revocation_url: 'https://api.linear.app/oauth/revoke',
    issuer: null,
    auth_method: 'client_secret_post',
    pkce: 'checked',
    renewal: 'A day; renewed by refresh token.',
    scopes: ['read', 'write'],
    scope_separator: ',',
    extra: { prompt: 'consent' },
    hosts: ['api.linear.app'],
    account: {
      url: 'https://api.linear.app/graphql',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"query":"{ viewer { email organization { name } } }"}',
      label: ['data.viewer.organization.name', 'data.viewer.email'],
    },
    docs: 'https://linear.app/developers/oauth-2-0-authentication',
  },
  {
    name: 'asana',
    title: 'Asana',
    description: 'Read and change tasks and projects.',
    authorization_url: 'https://app.asana.com/-/oauth_authorize',
    token_url: 'https://app.asana.com/-/oauth_token',
    revocation_url: 'https://app.asana.com/-/oauth_revoke',
    issuer: null,
    auth_method: 'client_secret_post',
    pkce: 'sent',
    renewal: 'An hour; renewed by refresh token.',
    scopes: ['tasks:read', 'tasks:write', 'projects:read', 'users:read'],
    scope_separator: ' ',
    extra: {},
    hosts: ['app.asana.com'],
    account: { url: 'https://app.asana.com/api/1.0/users/me', label: ['data.email', 'data.name'] },
    docs: 'https://developers.asana.com/docs/oauth',
  },
  {
    name: 'stripe',
    title: 'Stripe',
    description: 'Read and change payments, customers and invoices of a connected account.',
    // OAuth of Connect, for standard accounts; the client's secret is the platform's secret key
    authorization_url: 'https://connect.stripe.com/oauth/authorize',
    token_url: 'https://connect.stripe.com/oauth/token',
    // an account is released by /oauth/deauthorize, which is not RFC 7009
    revocation_url: null,
    issuer: null,
    auth_method: 'client_secret_post',
    pkce: 'sent',
    renewal: 'Does not end until the account is disconnected.',
    scopes: ['read_write'],
    scope_separator: ' ',
    extra: {},
    hosts: ['api.stripe.com', 'files.stripe.com'],
    account: {
      url: 'https://api.stripe.com/v1/account',
      label: ['settings.dashboard.display_name', 'business_profile.name', 'email', 'id'],
    },
    docs: 'https://docs.stripe.com/connect/oauth-reference',
  },
]

export const providerNamed = (name: string): Provider | undefined => providers.find((one) => one.name === name)

const withoutMarks = (name: string): string => name.replaceAll(/[-_]/g, '')

/** Accepts the spellings of callers: `googlesheets` and `google_sheets` mean `google-sheets`. */
export const providerSpelled = (name: string): Provider | undefined =>
  providerNamed(name) ?? providers.find((one) => withoutMarks(one.name) === withoutMarks(name))
