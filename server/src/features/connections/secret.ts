// What a connection may not show: tokens, keys and headers, sealed at rest and opened only where a call is made with them.
import type { SealedColumn } from '../../base/sealedColumns.ts'
import type { Keyring } from '../../base/secrets.ts'

/** Of an OAuth grant; `client_secret` only where the client was registered for this connection. */
export interface OAuthSecret {
  kind: 'oauth'
  access_token: string
  refresh_token: string | null
  token_type: string
  client_secret: string | null
}

/** Sent with every call, by their names; an API key is one of them. */
export interface HeadersSecret {
  kind: 'headers'
  headers: Record<string, string>
}

export type Secret = OAuthSecret | HeadersSecret

const purposeOf = (connectionId: string): string => `connection ${connectionId}`

export const sealedConnectionSecret: SealedColumn = {
  table: 'connections',
  column: 'secret',
  key: ['id'],
  purpose: ({ id }) => purposeOf(id!),
}

export const sealSecret = (keyring: Keyring, connectionId: string, secret: Secret): Buffer =>
  keyring.seal(JSON.stringify(secret), purposeOf(connectionId))

export const openSecret = (keyring: Keyring, connectionId: string, sealed: Uint8Array): Secret =>
  JSON.parse(keyring.open(sealed, purposeOf(connectionId)).toString()) as Secret

/** Headers that say how to speak, not who speaks: cutting `application/json` out of answers would only spoil them. */
const openHeader = /^(accept|accept-.*|content-type|user-agent|.*-version)$/i

/** Every value of it that must not be seen anywhere. */
export function hiddenValues(secret: Secret): string[] {
  if (secret.kind === 'headers') {
    // of `Bearer x` and `session=x`, the x alone gives it away as well
    return Object.entries(secret.headers).flatMap(([name, value]) =>
      openHeader.test(name) ? [] : [value, ...value.split(/[\s;,=]+/).filter((word) => word.length >= 8)],
    )
  }
  return [secret.access_token, secret.refresh_token, secret.client_secret].filter((value) => value !== null)
}
