// A sign-in with OpenID Connect under way: begun by a browser, finished once by the same browser with its state.
import { randomBytes } from 'node:crypto'
import type { Sql } from '../../base/db.ts'
import type { SealedColumn } from '../../base/sealedColumns.ts'
import { hashToken, type Keyring } from '../../base/secrets.ts'
import { newVerifier } from '../../drivers/oauth/oauth.ts'

/** How long a sign-in may take, in seconds. */
export const oidcLifeS = 600

interface Secret {
  nonce: string
  verifier: string
}

interface BegunSignIn extends Secret {
  state: string
  /** The other half, which only this browser has: a link with somebody else's state does not sign it in. */
  browser: string
}

const randomText = (): string => randomBytes(32).toString('base64url')

export async function beginOidc(sql: Sql, keyring: Keyring, returnTo: string): Promise<BegunSignIn> {
  const begun = { state: randomText(), browser: randomText(), nonce: randomText(), verifier: newVerifier() }
  const { state, browser, ...secret } = begun
  const stateHash = hashToken(state)
  await sql`
    insert into oidc_sign_ins (state_hash, browser_hash, secret, return_to, expires_at)
    values (${stateHash}, ${hashToken(browser)}, ${keyring.seal(JSON.stringify(secret), purposeOf(textOf(stateHash)))}, ${returnTo},
      now() + make_interval(secs => ${oidcLifeS}))`
  return begun
}

/** Whether each of these states belongs to a sign-in. One statement asks for all of them, since anybody can make up states. */
export async function areBegun(sql: Sql, states: string[]): Promise<boolean[]> {
  const hashes = states.map(hashToken)
  const rows = await sql<{ state_hash: Buffer }>`
    select state_hash from oidc_sign_ins where state_hash = any(${hashes}::bytea[])`
  const known = new Set(rows.map((row) => row.state_hash.toString('hex')))
  return hashes.map((each) => known.has(each.toString('hex')))
}

/** Takes it: whoever asks second finds nothing. Undefined: unknown, used, too old, or begun by another browser. */
export async function takeOidc(
  sql: Sql,
  keyring: Keyring,
  { state, browser }: { state: string; browser: string },
): Promise<(Secret & { returnTo: string }) | undefined> {
  const stateHash = hashToken(state)
  const [row] = await sql<{ secret: Buffer; return_to: string }>`
    delete from oidc_sign_ins where state_hash = ${stateHash} and browser_hash = ${hashToken(browser)} and expires_at > now()
    returning secret, return_to`
  if (!row) return undefined
  const secret = JSON.parse(keyring.open(row.secret, purposeOf(textOf(stateHash))).toString()) as Secret
  return { ...secret, returnTo: row.return_to }
}

/** Spelled as PostgreSQL writes the key: a new encryption key makes the purpose from the row's key as text. */
const purposeOf = (stateHash: string): string => `sign-in ${stateHash}`
const textOf = (stateHash: Buffer): string => `\\x${stateHash.toString('hex')}`

export const sealedOidcSecret: SealedColumn = {
  table: 'oidc_sign_ins',
  column: 'secret',
  key: ['state_hash'],
  purpose: ({ state_hash }) => purposeOf(state_hash ?? ''),
}
