// A login: a user name and a password for the pages of one domain, with the seed of its one-time codes where it has some.
import { part, type Sql } from '../../../base/db.ts'
import { Fault } from '../../../base/errors.ts'
import { isCuttable, lengthMin } from '../../../base/knownSecrets.ts'
import { isId } from '../../../base/ids.ts'
import { readDomain } from '../../../base/pageDomain.ts'
import type { SealedColumn } from '../../../base/sealedColumns.ts'
import type { Keyring } from '../../../base/secrets.ts'
import { resource } from '../../../kit/resources.ts'
import { Id, named, nullable, Time, Type, type Static } from '../../../kit/schema.ts'
import { readSeed } from './totp.ts'

export const Login = named(
  'Login',
  Type.Object({
    id: Id,
    team_id: Id,
    user_id: nullable(Id),
    domain: Type.String({ examples: ['shop.example.com'] }),
    username: Type.String({ examples: ['orders@example.com'] }),
    shared: Type.Boolean({ description: 'False: only runs that act for its maker alone can use it.' }),
    has_password: Type.Boolean(),
    has_otp: Type.Boolean(),
    last_used_at: nullable(Time),
    created_at: Time,
    updated_at: Time,
  }),
)

export type Login = Static<typeof Login>

/** Columns of `logins l`. */
export const loginColumns = part`
  l.id, l.team_id, l.user_id, l.domain, l.username, l.shared, true as has_password, l.has_otp, l.last_used_at, l.created_at, l.updated_at`

export const loginResource = resource(
  'login',
  (sql, id, teamId) => sql<Login>`select ${loginColumns} from logins l where l.id = ${id} and l.team_id = ${teamId}`,
)

declare module '../../../kit/resources.ts' {
  interface Resources {
    login: Login
  }
}

export const fields = {
  domain: Type.String({
    minLength: 1,
    maxLength: 253,
    description:
      'The host whose pages it is filled into, and no others; with `:port` where that is not the usual one. `*.example.com`: all hosts below it.',
    examples: ['shop.example.com'],
  }),
  username: Type.String({ minLength: 1, maxLength: 500, examples: ['orders@example.com'] }),
  password: Type.String({
    minLength: 1,
    maxLength: 1000,
    description: `Never shown again. One of fewer than ${lengthMin} characters is taken too, since the site chose it; the answer says what that means.`,
    examples: ['example-0123456789'],
  }),
  otp_secret: Type.String({
    minLength: 1,
    maxLength: 1000,
    description: 'The seed of its one-time codes (TOTP): in base32, or as an `otpauth://` URL. Never shown again.',
    examples: ['JBSWY3DPEHPK3PXP'],
  }),
  shared: Type.Boolean({ description: 'False: only runs that act for its maker alone can use it.' }),
}

/** The domain as it is stored. */
export function checkedDomain(text: string): string {
  const read = readDomain(text)
  if ('problem' in read) throw new Fault('invalid_request', read.problem)
  return read.domain
}

export function requireSeed(text: string | null | undefined): void {
  if (text !== undefined && text !== null && !readSeed(text)) {
    throw new Fault('invalid_request', 'otp_secret must be a seed in base32, or an otpauth://totp/ URL.')
  }
}

export const Note = nullable(
  Type.String({ description: 'What is worth knowing about the password that was sent; null: nothing.' }),
)

/** A site may want a PIN of four digits: nobody can choose a longer one, so it is taken, and not silently. */
export const noteOn = (password: string | undefined): string | null =>
  password === undefined || isCuttable(password)
    ? null
    : `The password has fewer than ${lengthMin} characters. Fields and pictures of pages hide it, but it is not cut out of texts, where it could be any word.`

/** What must not be seen anywhere. */
interface LoginSecret {
  password: string
  otp_secret: string | null
}

const purposeOf = (loginId: string): string => `login ${loginId}`

export const sealedLogin: SealedColumn = {
  table: 'logins',
  column: 'sealed',
  key: ['id'],
  purpose: ({ id }) => purposeOf(id!),
}

export const sealLogin = (keyring: Keyring, loginId: string, secret: LoginSecret): Buffer =>
  keyring.seal(JSON.stringify(secret), purposeOf(loginId))

export const openLogin = (keyring: Keyring, loginId: string, sealed: Uint8Array): LoginSecret =>
  JSON.parse(keyring.open(sealed, purposeOf(loginId)).toString()) as LoginSecret

/** The team's logins with these ids or for these domains. */
export const loginsNamed = (sql: Sql, teamId: string, wanted: string[]): Promise<Login[]> => sql<Login>`
  select ${loginColumns} from logins l
  where l.team_id = ${teamId} and (l.domain = any(${wanted}::text[]) or l.id = any(${wanted.filter(isId)}::uuid[]))`
