// docs/providers.md: the table of providers for operators, and how one more comes into it.
import { providers, type Provider } from './providers.ts'

const intro = `# OAuth providers

This page is generated from \`server/src/features/connections/providers/providers.ts\` by \`npm run openapi\`.

A provider is offered when the server has a client there. Make an OAuth app at the provider with the redirect URI
\`<PUBLIC_URL>/oauth/callback\` (on your own machine \`http://127.0.0.1:4700/oauth/callback\`), set \`OAUTH_<PROVIDER>_CLIENT_ID\` and
\`OAUTH_<PROVIDER>_CLIENT_SECRET\`, and start the server again. [Configuration](configuration.md#oauth-providers) lists what else can be
set: another address for an instance of your own, other scopes, other hosts.

PKCE with S256 is sent wherever it is taken; "checked" says that the provider's documentation promises to look at it. A credential is sent to the
listed hosts alone. Where there is no revocation by RFC 7009, a deleted connection's grant is taken back on the provider's own pages.

An instance of your own, or a broker, that is on a private network must also be named in \`RUNYARD_ALLOW_PRIVATE_HOSTS\`.
`

const outro = `## One more

Adding a provider is adding a row to \`providers.ts\`:

1. Read its documentation and note the page in \`docs\`. Where a fact cannot be found, leave it out: \`revocation_url: null\`, \`issuer: null\`.
2. \`authorization_url\`, \`token_url\`, and how the client proves itself there (\`auth_method\`).
3. \`scopes\` that are enough to be useful and to read the account's name, and how they are parted (\`scope_separator\`).
4. \`extra\`: parameters without which no refresh token comes (\`access_type=offline\`, \`prompt=consent\`, an \`offline_access\` scope …).
5. \`hosts\` of its API, as few as possible: whoever can write a procedure can have the credential sent there. A provider that gives each account
   a server of its own names the field of the token answer in \`own_server\`.
6. \`account\`: one cheap request that says whose account it is. Connections are tested with it.
7. \`providers.test.ts\` checks the row's shape. Then connect a real account once.

A row's endpoints can all be set by environment variables, so the flow can be tried against any OAuth server: the tests point GitHub's row at
a real one on loopback (\`nativeFlow.test.ts\`).
`

export function providersPage(): string {
  const head =
    '| Provider | Scopes by default | PKCE | Token | Revocation | Hosts | Read |\n|---|---|---|---|---|---|---|'
  return [intro, [head, ...providers.map(rowOf)].join('\n'), '', outro].join('\n')
}

function rowOf(provider: Provider): string {
  const { title, name, scopes, pkce, renewal, revocation_url, hosts, docs, settings_of, own_server } = provider
  return `| ${[
    `${title}<br>\`${name}\`${settings_of ? ` (client of \`${settings_of}\` unless it has its own)` : ''}`,
    scopes.map((scope) => `\`${scope}\``).join(' ') || 'none',
    pkce,
    renewal,
    revocation_url === null ? 'no' : 'yes',
    own_server === undefined ? hosts.join(', ') : `the account’s own server (\`${own_server}\`)`,
    `[documentation](${docs})`,
  ].join(' | ')} |`
}
