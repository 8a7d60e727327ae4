// docs/providers.md: the table of providers for operators, and how one more comes into it.
import { providers, type Provider } from './providers.ts'

const intro = `# OAuth providers

This page is generated from \`server/src/features/connections/providers/providers.ts\` by \`npm run openapi\`.

Users can connect a provider once the server has an OAuth client there. Make an OAuth app at the provider with the redirect URI
\`<PUBLIC_URL>/oauth/callback\` (on your own machine \`http://127.0.0.1:4700/oauth/callback\`), set \`OAUTH_<PROVIDER>_CLIENT_ID\` and
\`OAUTH_<PROVIDER>_CLIENT_SECRET\`, and restart the server. [Configuration](configuration.md#oauth-providers) lists what else can be set: the URLs
of your own instance, other scopes, other hosts.

PKCE (S256) is sent unless the table says "none"; "checked" means that the provider's documentation promises to check it. A credential is sent only
to the listed hosts. If a provider has no revocation (RFC 7009), end the grant of a deleted connection on the provider's own pages.

If your own instance, or a broker, is on a private network, name it in \`RUNYARD_ALLOW_PRIVATE_HOSTS\` too.
`

const outro = `## Add a provider

A provider is a row in \`providers.ts\`:

1. Read its documentation and put the URL of the page in \`docs\`. If you cannot find a fact, leave it out: \`revocation_url: null\`, \`issuer: null\`.
2. Set \`authorization_url\`, \`token_url\`, and how the client authenticates there (\`auth_method\`).
3. Set \`scopes\` that are enough to be useful and to read the account's name, and how they are separated (\`scope_separator\`).
4. Set \`extra\`, the parameters that a refresh token needs (\`access_type=offline\`, \`prompt=consent\`, an \`offline_access\` scope …).
5. Set \`hosts\` of its API, as few as possible: whoever can write a procedure can have the credential sent there. If each account has a server of
   its own, \`own_server\` names the field of the token answer that has it.
6. Set \`account\`, a cheap request that says whose account it is. Connections are tested with it.
7. \`providers.test.ts\` checks the shape of the row. Then connect a real account once.

All endpoints of a row can be set by environment variables, so you can try the flow with any OAuth server: the tests point GitHub's row at a real
one on loopback (\`nativeFlow.test.ts\`).
`

export function providersPage(): string {
  const head =
    '| Provider | Scopes by default | PKCE | How long a token lasts | Revocation | Hosts | Read |\n|---|---|---|---|---|---|---|'
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
