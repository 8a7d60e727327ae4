// The use of a connection by a caller: its credential, which is valid when the call is made, and what follows when it is refused.
import { setTimeout as sleep } from 'node:timers/promises'
import { isConnectionTrouble } from '../../../base/db.ts'
import { GrantRefused, OAuthTrouble } from '../../../drivers/oauth/oauth.ts'
import type { Context } from '../../../kit/context.ts'
import type { Bound } from '../../../kit/tool.ts'
import { brokerToken } from './broker.ts'
import type { Connection } from '../store/connection.ts'
import { renew } from './refresh.ts'
import { mayUse, notForThisRun, type Behalf } from '../store/connectionRight.ts'
import { scrubberOf, type Scrub } from '../../../base/knownSecrets.ts'
import { hiddenValues, openSecret, type Secret } from '../store/secret.ts'
import { breakConnection } from '../store/connectionState.ts'

/** What a caller needs of its row; the credential itself is sealed in `secret`. */
export interface Vaulted extends Pick<
  Connection,
  'id' | 'team_id' | 'name' | 'type' | 'provider' | 'server_url' | 'transport' | 'auth_method' | 'status'
> {
  secret: Buffer | null
  generation: number
  broken_reason: string | null
  broker_connection_id: string | null
  /** Its token ends within half a minute, or has ended. */
  needs_renewal: boolean
  has_ended: boolean
  /** Whether it may be used on this behalf. */
  may_use: boolean
  given: number
  /** Its token is less than a minute old. */
  is_new: boolean
  /** A run used it within the last minute. */
  is_in_use: boolean
}

export interface Credential {
  connection: Vaulted
  headers: Record<string, string>
}

export interface Worked<T> {
  answer: T
  /** The credential was refused (401): the work did not happen. */
  isRefused: boolean
  /** The service also says that the token itself is invalid (RFC 6750 §3.1), not that the call is not allowed. */
  isInvalidToken?: boolean
}

type Used<T> =
  | { kind: 'done'; answer: T; scrub: Scrub }
  /** Nothing was done: a person must authorise it again. */
  | { kind: 'broken'; connection: Vaulted }
  /** Nothing was done: a person changed the credential or URL after the call was approved. */
  | { kind: 'changed' }
  /** Nothing was done; the sentence says why and what to do. */
  | { kind: 'failed'; message: string }

interface Which {
  teamId: string
  id: string
}

async function readVaulted({ db }: Context, { teamId, id }: Which, behalf: Behalf): Promise<Vaulted | undefined> {
  const [found] = await db.sql<Vaulted>`
    select id, team_id, name, type, provider, server_url, transport, auth_method, status, secret, generation, given, broken_reason,
      broker_connection_id, ${mayUse(behalf)} as may_use,
      coalesce(expires_at <= now() or (expires_at < now() + interval '30 seconds' and refresh_at <= now()), false) as needs_renewal,
      coalesce(expires_at <= now(), false) as has_ended,
      coalesce(renewed_at > now() - interval '1 minute', false) as is_new,
      coalesce(last_used_at > now() - interval '1 minute', false) as is_in_use
    from connections c where id = ${id} and team_id = ${teamId}`
  return found
}

const brokerMs = 15_000
/** How often the row is read again for one call, because it has changed. */
const looksMax = 10

/**
 * Does the work with the connection's credential. One that is refused (`isRefused`: the work did not happen) is renewed, or read again
 * if somebody else has renewed it, and the work is done again; one that cannot be renewed breaks the connection. A token that is called
 * invalid less than a minute after its renewal is renewed once more; if that does not help, it breaks the connection too.
 */
export async function withCredential<T>(
  context: Context,
  which: Which,
  work: (credential: Credential) => Promise<Worked<T>>,
  behalf: Behalf,
  bound?: Bound,
): Promise<Used<T>> {
  const runId = behalf !== 'upkeep' && 'runId' in behalf ? behalf.runId : undefined
  const hidden: string[] = []
  const state = { hasRenewedNew: false }
  for (let look = 1; look <= looksMax; look++) {
    const connection = await retryWhileAway(() => readVaulted(context, which, behalf))
    if (!connection)
      return { kind: 'failed', message: 'The connection was deleted. Make it again, or remove it from the build.' }
    const { name, status } = connection
    if (!connection.may_use) return { kind: 'failed', message: notForThisRun(name) }
    if (bound?.['given'] !== undefined && bound['given'] !== connection.given) return { kind: 'changed' }
    if (status === 'disabled')
      return { kind: 'failed', message: `The connection ${name} is switched off. Switch it on to use it.` }
    const isBroken = status === 'action_required'
    // what this call itself has just broken is not tried again
    const isTried = look === 1 && isTest(behalf) && mayWorkAgain(connection)
    if (isBroken && !isTried) return { kind: 'broken', connection }
    if (connection.needs_renewal) {
      const renewal = await retryWhileAway(() => renew(context, connection, runId))
      if (renewal.kind !== 'trouble') continue
      if (connection.has_ended) return { kind: 'failed', message: renewal.message }
    }
    const held = await secretOf(context, connection)
    if ('reason' in held) {
      if (isBroken) return stillBroken(connection, held.reason)
      await breakNow(context, connection, held.reason, runId)
      continue
    }
    if ('problem' in held) return { kind: 'failed', message: held.problem }
    const { secret } = held
    if (runId !== undefined && !connection.is_in_use) await retryWhileAway(() => noteUse(context, connection))
    if (secret) hidden.push(...hiddenValues(secret))
    const scrub = scrubberOf(hidden)
    const worked = await scrubbingErrors(scrub, () => work({ connection, headers: headersOf(secret) }))
    const { answer, isRefused, isInvalidToken = false } = worked
    if (!isRefused) return { kind: 'done', answer, scrub }
    if (isBroken) return stillBroken(connection, reasonOf(connection))
    const next = await makeNewer(context, connection, secret, { runId, isInvalidToken, state })
    if (next.kind === 'answered') return { kind: 'done', answer, scrub }
    if (next.kind === 'failed') return next
  }
  return { kind: 'failed', message: 'The connection kept changing during this call. Try again.' }
}

const isTest = (behalf: Behalf): boolean => behalf !== 'upkeep' && 'isTest' in behalf

/** A key, headers or what a broker has may work again without having changed: whoever made them may have fixed it. Nothing can fix a refused grant. */
const mayWorkAgain = ({ auth_method, broker_connection_id }: Vaulted): boolean =>
  auth_method !== 'oauth' || broker_connection_id !== null

/** Everybody knows of it already. */
const stillBroken = (connection: Vaulted, broken_reason: string) =>
  ({ kind: 'broken', connection: { ...connection, broken_reason } }) as const

interface Refusal {
  runId: string | undefined
  isInvalidToken: boolean
  /** For one call: whether a token that was already new was renewed once more. */
  state: { hasRenewedNew: boolean }
}

/** After a refusal: the credential is newer or broken now, or there is no newer one. */
async function makeNewer(
  context: Context,
  refused: Vaulted,
  secret: Secret | null,
  { runId, isInvalidToken, state }: Refusal,
): Promise<{ kind: 'answered' | 'look_again' } | { kind: 'failed'; message: string }> {
  const now = await readVaulted(context, { teamId: refused.team_id, id: refused.id }, 'upkeep')
  if (now?.generation !== refused.generation || now.status !== 'active') return { kind: 'look_again' }
  if (secret?.kind === 'oauth' && secret.refresh_token !== null) {
    // a token that was just renewed is refused: unless the service calls it invalid, the grant is good and the call is not allowed
    if (now.is_new && !isInvalidToken) return { kind: 'answered' }
    if (now.is_new && state.hasRenewedNew) {
      await breakNow(context, refused, 'The service calls its tokens invalid (401), also those just renewed.', runId)
      return { kind: 'look_again' }
    }
    state.hasRenewedNew = now.is_new
    const renewal = await renew(context, refused, runId)
    return renewal.kind === 'trouble' ? { kind: 'failed', message: renewal.message } : { kind: 'look_again' }
  }
  await breakNow(context, refused, reasonOf(refused), runId)
  return { kind: 'look_again' }
}

/** The stored credential, or the one that its broker has now; else why it needs a person, or what is wrong at the moment. */
async function secretOf(
  context: Context,
  connection: Vaulted,
): Promise<{ secret: Secret | null } | { reason: string } | { problem: string }> {
  const { id, secret, broker_connection_id } = connection
  if (broker_connection_id === null) return { secret: secret && openSecret(context.keyring, id, secret) }
  try {
    const access_token = await brokerToken(context, connection, AbortSignal.timeout(brokerMs))
    return { secret: { kind: 'oauth', access_token, refresh_token: null, token_type: 'Bearer', client_secret: null } }
  } catch (error) {
    if (error instanceof GrantRefused) return { reason: error.message }
    if (error instanceof OAuthTrouble) return { problem: error.message }
    throw error
  }
}

/** Before the call, so that nothing can fail after it. Who holds the row writes something more important, and is not waited for. */
async function noteUse({ db }: Context, { id, team_id }: Vaulted): Promise<void> {
  await db.sql`
    update connections set last_used_at = now() where id = (
      select id from connections where id = ${id} and team_id = ${team_id} for no key update skip locked)`
}

async function breakNow(
  context: Context,
  connection: Vaulted,
  reason: string,
  runId: string | undefined,
): Promise<void> {
  await context.db.transaction((sql) => breakConnection(sql, connection, reason, runId))
}

function reasonOf({ auth_method }: Vaulted): string {
  if (auth_method === 'oauth') return 'The service refused its token (401), and there is none to renew it with.'
  if (auth_method === 'none') return 'The service asks for a credential (401), and this connection has none.'
  return 'The service refused its key or headers (401).'
}

/** RFC 6750 §2.1: the scheme is Bearer, however the token endpoint spelled it. */
function headersOf(secret: Secret | null): Record<string, string> {
  if (secret === null) return {}
  if (secret.kind === 'headers') return secret.headers
  const scheme = secret.token_type.toLowerCase() === 'bearer' ? 'Bearer' : secret.token_type
  return { authorization: `${scheme} ${secret.access_token}` }
}

const patienceMs = 10_000

/** Repeats a question that comes before a call while the database is away: then only time is lost, not the call. */
export async function retryWhileAway<T>(ask: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!isConnectionTrouble(error) || performance.now() > deadline) throw error
      await sleep(200)
    }
  }
}

async function scrubbingErrors<T>(scrub: Scrub, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Error) || scrub(error.message) === error.message) throw error
    // oxlint-disable-next-line eslint/preserve-caught-error -- the cause says it as well
    throw new Error(scrub(error.message))
  }
}
