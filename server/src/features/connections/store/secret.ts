// What a connection may not show: tokens, keys and headers, sealed at rest and opened only where a call is made with them.
import type { SealedColumn } from '../../../base/sealedColumns.ts'
import type { Keyring } from '../../../base/secrets.ts'

/** The secret of an OAuth grant; it has a `client_secret` only if the client was registered for this connection. */
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

/** Headers whose parts are secret too: in `Bearer x` and `session=x`, the x alone is as secret as the whole. */
const credentialHeader = /auth|cookie|token|key|secret|session|signature|password|credential/i
const scheme = /^(bearer|basic|token|apikey|api-key|key|jwt|oauth)\s/i
const partLengthMin = 8

/** Every value of it that must not be seen anywhere. */
export function hiddenValues(secret: Secret): string[] {
  if (secret.kind === 'headers') {
    return Object.entries(secret.headers).flatMap(([name, value]) => {
      if (openHeader.test(name)) return []
      const hasParts = credentialHeader.test(name) || scheme.test(value)
      // other headers may be plain words ("Acme Incorporated"), which occur in any text
      return [value, ...(hasParts ? partsOf(value) : [])]
    })
  }
  return [secret.access_token, secret.refresh_token, secret.client_secret].filter((value) => value !== null)
}

/** Includes the parts of a Basic credential (RFC 7617): a server that echoes what it decoded shows the password. */
function partsOf(value: string): string[] {
  const words = value.split(/[\s;,=]+/)
  const basic = /^basic\s+([A-Za-z0-9+/]+)/i.exec(value)?.[1]
  const [, password] = /^[^:]*:(.*)$/s.exec(basic === undefined ? '' : Buffer.from(basic, 'base64').toString()) ?? []
  return [...words, ...(password === undefined ? [] : [password])].filter((part) => part.length >= partLengthMin)
}
