// What a caller may set of a connection that is made without OAuth: where it leads, and the key or headers that it sends.
import { Fault } from '../../../base/errors.ts'
import { isSecure } from '../../../drivers/oauth/secureUrl.ts'
import { oneOf, Type, url, type Static } from '../../../kit/schema.ts'
import { transports } from './connection.ts'
import type { HeadersSecret } from './secret.ts'

const headerName = "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$"

/** Control and format characters, spelled out: readers of a schema need not know the classes of Unicode. */
const unseen = '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff'

const headersMax = 20

const HeaderMap = Type.Record(
  Type.String({ pattern: headerName }),
  // RFC 9110 §5.5
  Type.String({ minLength: 1, maxLength: 8000, pattern: '^[!-~]([\\t -~]*[!-~])?$' }),
  { minProperties: 1, maxProperties: headersMax },
)

export const fields = {
  name: Type.String({
    minLength: 1,
    maxLength: 200,
    // agents name it in their calls: no blanks at its ends, nothing that cannot be seen
    pattern: `^[^\\s${unseen}](?:[^${unseen}]*[^\\s${unseen}])?$`,
    description: 'Its name, unique in the team; agents use it.',
    examples: ['Our CRM'],
  }),
  server_url: url('The URL of the MCP server, or the base URL of the API. The credential is sent only to this host.', [
    'https://mcp.example.com/mcp',
  ]),
  transport: oneOf(transports, {
    description: 'For an MCP server. Absent: first the newer transport is tried, then the older one.',
  }),
  api_key: Type.String({
    minLength: 1,
    maxLength: 8000,
    pattern: '^[!-~]+$',
    description: 'Sent as `Authorization: Bearer …`, or as the header that `api_key_header` names. Never shown again.',
    examples: ['sk_example_0123456789'],
  }),
  api_key_header: Type.String({
    maxLength: 100,
    pattern: headerName,
    description: 'The header that carries the key alone.',
    examples: ['X-Api-Key'],
  }),
  headers: Type.Union(
    [
      HeaderMap,
      Type.Object(
        { plaintext: Type.Optional(HeaderMap), secret: Type.Optional(HeaderMap) },
        { additionalProperties: false, minProperties: 1 },
      ),
    ],
    {
      description:
        'Headers that are sent with every call, beside the key where there is one. Never shown again. Also accepted as two maps, ' +
        '`plaintext` and `secret`, which are both encrypted.',
      examples: [{ 'X-Api-Key': 'example-0123456789' }],
    },
  ),
  shared: Type.Boolean({ description: 'False: only runs that act for its maker alone can use it.' }),
}

const Sent = Type.Object({
  api_key: Type.Optional(fields.api_key),
  api_key_header: Type.Optional(fields.api_key_header),
  headers: Type.Optional(fields.headers),
})

/** Headers that belong to the connection between two machines, or that the service sets itself. */
const notSettable = new Set(
  'connection content-encoding content-length content-type host keep-alive te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
)

export interface SentSecret {
  secret: HeadersSecret
  auth_method: 'apikey' | 'headers'
}

/** The credential of a body: a key, headers, or a key and more headers; undefined when there is none, or one with problems. */
export function secretOf(body: Static<typeof Sent>, problems: string[]): SentSecret | undefined {
  const { api_key, api_key_header } = body
  const headers = body.headers && mergedHeaders(body.headers, problems)
  if (api_key_header !== undefined && api_key === undefined) problems.push('api_key_header needs an api_key.')
  if (api_key === undefined) {
    return headers && { secret: { kind: 'headers', headers: checked(headers, problems) }, auth_method: 'headers' }
  }
  const name = api_key_header ?? 'authorization'
  if (Object.keys(headers ?? {}).some((other) => other.toLowerCase() === name.toLowerCase())) {
    problems.push(`headers must not set ${name} too: the key is sent there.`)
  }
  const sent = { ...headers, [name]: api_key_header === undefined ? `Bearer ${api_key}` : api_key }
  return { secret: { kind: 'headers', headers: checked(sent, problems) }, auth_method: 'apikey' }
}

type Headers = Record<string, string>

/** Merges the two maps that a caller may give. An object whose values are texts is already one map, whatever its headers are called. */
function mergedHeaders(given: NonNullable<Static<typeof Sent>['headers']>, problems: string[]): Headers {
  if (Object.values(given).every((value) => typeof value === 'string')) return given as Headers
  const { plaintext = {}, secret = {} } = given as { plaintext?: Headers; secret?: Headers }
  const open = new Set(Object.keys(plaintext).map((name) => name.toLowerCase()))
  if (Object.keys(secret).some((name) => open.has(name.toLowerCase()))) {
    problems.push('headers has one header in both plaintext and secret. Give it once.')
  }
  const merged = { ...plaintext, ...secret }
  if (Object.keys(merged).length > headersMax) problems.push(`headers must not have more than ${headersMax} headers.`)
  return merged
}

function checked(headers: Headers, problems: string[]): Headers {
  const names = Object.keys(headers)
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length) {
    problems.push('headers has one header twice; their names must differ in more than case.')
  }
  // a key that does not fit the schema's pattern is an unknown field to it, and so no mistake
  if (names.some((name) => !new RegExp(headerName).test(name))) {
    problems.push('headers has a name that is not a name of a header.')
  }
  for (const name of names.filter((one) => notSettable.has(one.toLowerCase()))) {
    problems.push(`headers must not set ${name}: it follows from the call itself.`)
  }
  return headers
}

/** A credential must not be sent over the internet unencrypted. */
export const secureProblem = (serverUrl: string): string | undefined =>
  isSecure(new URL(serverUrl)) ? undefined : 'server_url must be an https URL, since a credential is sent there.'

export function requireSecure(serverUrl: string): void {
  const problem = secureProblem(serverUrl)
  if (problem !== undefined) throw new Fault('invalid_request', problem)
}
