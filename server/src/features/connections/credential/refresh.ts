// Renewing a connection's tokens: by one process at a time, whoever needs them, and never twice with the same refresh token.
import { setTimeout as sleep } from 'node:timers/promises'
import { isConnectionTrouble, part, type Sql } from '../../../base/db.ts'
import { GrantRefused, OAuthTrouble, refreshGrant, type Grant } from '../../../drivers/oauth/oauth.ts'
import { enqueueOn } from '../../../kit/job.ts'
import { isFree, leaseUntil } from '../../../kit/lease.ts'
import type { Context } from '../../../kit/context.ts'
import { clientOfGrant, nativeClient } from '../providers/nativeClient.ts'
import type { OAuthFacts } from '../store/newConnection.ts'
import { providerNamed } from '../providers/providers.ts'
import { openSecret, sealSecret, type OAuthSecret } from '../store/secret.ts'
import { breakConnection, reauthorized, refreshInS } from '../store/connectionState.ts'
import { runningPart } from '../../../kit/runningPart.ts'
import { giveBackGrant } from './giveBackGrant.job.ts'

type Renewal =
  /** It is newer than it was, or gone: read it again. */
  | { kind: 'changed' }
  /** Not now; the message says until when. */
  | { kind: 'trouble'; message: string }

/** A connection that this process renews, and no other, until `refreshing_until`. */
interface Taken {
  id: string
  team_id: string
  name: string
  provider: string
  generation: number
  secret: Buffer | null
  oauth: OAuthFacts | null
}

interface Wanted {
  id: string
  generation: number
}

/** How long a renewal is claimed, by the database's clock. The request to the provider ends before that. */
const leaseS = 30
const askMs = 20_000
/** How long a call waits for whoever renews. */
const patienceMs = 40_000
const lookMs = 100
const takenColumns = part`id, team_id, name, provider, generation, secret, oauth`

const underWayOf = runningPart('renewals under way', () => new Map<string, Promise<Renewal>>())

/** Resolves when these tokens were renewed, by this process or another, or cannot be. `runId`: whose call needs them. */
export function renew(context: Context, { id, generation }: Wanted, runId?: string): Promise<Renewal> {
  const mine = underWayOf(context)
  const key = `${id} ${generation}`
  let renewal = mine.get(key)
  if (!renewal) {
    renewal = renewOrWait(context, { id, generation }, runId).finally(() => mine.delete(key))
    mine.set(key, renewal)
  }
  return renewal
}

async function renewOrWait(context: Context, wanted: Wanted, runId: string | undefined): Promise<Renewal> {
  const { sql } = context.db
  const deadline = performance.now() + patienceMs
  for (;;) {
    // one in trouble is not asked again before its time, however many calls want it
    const [taken] = await sql<Taken>`
      update connections set refreshing_until = ${leaseUntil(leaseS)}
      where id = ${wanted.id} and generation = ${wanted.generation} and status = 'active'
        and ${isFree(part`refreshing_until`)} and (refresh_attempts = 0 or refresh_at <= now())
      returning ${takenColumns}`
    if (taken) return renewTaken(context, taken, runId)
    const [now] = await sql<{ name: string; is_held: boolean; refresh_problem: string | null; refresh_at: Date }>`
      select name, coalesce(refreshing_until > now(), false) as is_held, refresh_problem, refresh_at from connections
      where id = ${wanted.id} and generation = ${wanted.generation} and status = 'active'`
    if (!now) return { kind: 'changed' }
    if (!now.is_held && now.refresh_problem !== null) return trouble(now.name, now.refresh_problem, now.refresh_at)
    if (performance.now() > deadline) {
      return { kind: 'trouble', message: `The token of ${now.name} is being renewed and that takes long. Try again.` }
    }
    await sleep(lookMs)
  }
}

/** SQL condition on `connections`: its tokens are to be renewed, and nobody does it. */
export const isToRenew = part`refresh_at <= now() and status = 'active' and ${isFree(part`refreshing_until`)}`

/** Connections whose time has come, taken for this process; others skip what it locks. */
export const takeDue = (
  { db }: Context,
  { max, notOf }: { max: number; notOf: string[] },
): Promise<Taken[]> => db.sql<Taken>`
  update connections set refreshing_until = ${leaseUntil(leaseS)}
  where id = any(array(
    select id from connections where ${isToRenew} and provider <> all(${notOf}::text[])
    order by refresh_at limit ${max} for update skip locked))
  returning ${takenColumns}`

/**
 * A process that dies between the server's answer and the write loses the new refresh token, and the old one is used up. The next try sends
 * the old one: servers with a grace period accept it. Others refuse, and a person must authorise the connection again; its runs wait for
 * that.
 */
export async function renewTaken(context: Context, taken: Taken, runId?: string): Promise<Renewal> {
  const secret = taken.secret && openSecret(context.keyring, taken.id, taken.secret)
  if (secret?.kind !== 'oauth' || secret.refresh_token === null || !taken.oauth) {
    return giveUp(context, taken, 'Its token has ended, and the service gave none to renew it with.', runId)
  }
  try {
    const grant = await ask(context, taken, taken.oauth, secret)
    await keep(context, taken, secret, grant)
    return { kind: 'changed' }
  } catch (error) {
    if (error instanceof GrantRefused && !isOurFault(taken, secret, error))
      return giveUp(context, taken, error.message, runId)
    return putOff(context, taken, error)
  }
}

/** The operator's own client is refused, not what people granted to it: they need do nothing once its settings are right. */
const isOurFault = ({ provider }: Taken, secret: OAuthSecret, { code }: GrantRefused): boolean =>
  secret.client_secret === null && providerNamed(provider) !== undefined && code !== null && clientRefused.has(code)

const clientRefused = new Set(['invalid_client', 'unauthorized_client'])

async function ask(context: Context, taken: Taken, oauth: OAuthFacts, secret: OAuthSecret): Promise<Grant> {
  const { server, client_id, auth_method, resource } = oauth
  const { config } = context
  const client_secret =
    secret.client_secret ?? clientOfGrant(config, taken.provider, oauth)?.client.client_secret ?? null
  if (client_secret === null && auth_method !== 'none') {
    // nobody refused the grant: it can be renewed as soon as the settings name its client again
    throw new OAuthTrouble(
      nativeClient(config, taken.provider)
        ? `This connection was authorised with another OAuth client than the one in this server’s settings for ${taken.provider}. ` +
            'Either the operator sets the earlier client again, or a person authorises the connection again.'
        : `This server has no client settings for ${taken.provider} any more. Its operator must set them again.`,
    )
  }
  return refreshGrant(
    {
      server,
      client: { client_id, client_secret, auth_method },
      refreshToken: secret.refresh_token!,
      ...(resource !== null && { resource }),
    },
    { fetch: context.outbound.fetch, signal: AbortSignal.timeout(askMs) },
  )
}

/** Repeats the write of a new grant until it succeeds, because the old refresh token is used up. */
async function keep(context: Context, taken: Taken, old: OAuthSecret, grant: Grant): Promise<void> {
  const { id, generation } = taken
  const secret: OAuthSecret = {
    ...old,
    access_token: grant.access_token,
    refresh_token: grant.refresh_token ?? old.refresh_token,
    token_type: grant.token_type,
  }
  const sealed = sealSecret(context.keyring, id, secret)
  const expiresInS = grant.expires_in_s
  const dueInS = refreshInS({ expiresInS, isRefreshable: true })
  const deadline = performance.now() + leaseS * 1000
  for (;;) {
    try {
      return await context.db.transaction(async (sql) => {
        // written whatever its status is by now, because the old token is worth nothing; another generation is newer than ours
        const [was] = await sql<{ status: string }>`
          with was as (select id, status from connections where id = ${id} and generation = ${generation} for update)
          update connections c set secret = ${sealed}, generation = generation + 1, refreshing_until = null, refresh_attempts = 0,
            refresh_problem = null, renewed_at = now(), expires_at = now() + make_interval(secs => ${expiresInS}::float8),
            refresh_at = now() + make_interval(secs => ${dueInS}::float8), scopes = coalesce(${grant.scopes}::text[], scopes),
            status = case c.status when 'action_required' then 'active' else c.status end, broken_at = null, broken_reason = null
          from was where c.id = was.id returning was.status`
        if (was?.status === 'action_required') await reauthorized(sql, taken, { isGiven: false })
        if (!was) await giveBackIfDeleted(sql, taken, sealed)
      })
    } catch (error) {
      if (!isConnectionTrouble(error) || performance.now() > deadline) throw error
      await sleep(500)
    }
  }
}

/** Whoever deleted it while the provider answered gave back the old token, and only we have the new one. */
async function giveBackIfDeleted(sql: Sql, { id, team_id, provider, oauth }: Taken, sealed: Buffer): Promise<void> {
  if (!oauth?.server.revocation_endpoint) return
  const orphaned = await sql`
    insert into revocations (connection_id, team_id, provider, secret, oauth)
    select ${id}, t.id, ${provider}, ${sealed}, ${JSON.stringify(oauth)}::jsonb from teams t
    where t.id = ${team_id} and not exists (select from connections where id = ${id} and team_id = ${team_id})
    on conflict (connection_id) do update set secret = excluded.secret
    returning connection_id`
  if (orphaned.length > 0) await enqueueOn(sql)(giveBackGrant, { connection_id: id })
}

async function giveUp(context: Context, taken: Taken, reason: string, runId: string | undefined): Promise<Renewal> {
  await context.db.transaction((sql) => breakConnection(sql, taken, reason, runId))
  context.log.warn(
    { connection_id: taken.id, provider: taken.provider, reason },
    'a connection must be authorised again',
  )
  return { kind: 'changed' }
}

/** How many seconds pass before the next try: 15, then more and more up to an hour, with a random fifth more or less. */
async function putOff(context: Context, { id, generation, name }: Taken, error: unknown): Promise<Renewal> {
  const problem = error instanceof Error ? error.message : String(error)
  context.log.warn({ err: error, connection_id: id }, 'could not renew a connection; will retry')
  const [next] = await context.db.sql<{ refresh_at: Date }>`
    update connections set refreshing_until = null, refresh_attempts = refresh_attempts + 1, refresh_problem = ${problem},
      refresh_at = now() + make_interval(secs => least(3600, 15 * 2 ^ least(refresh_attempts, 10)) * (0.8 + 0.4 * random()))
    where id = ${id} and generation = ${generation} returning refresh_at`
  return next ? trouble(name, problem, next.refresh_at) : { kind: 'changed' }
}

const trouble = (name: string, problem: string, nextAt: Date): Renewal => ({
  kind: 'trouble',
  message: `The token of ${name} is not valid any more and could not be renewed: ${problem.replace(/\.$/, '')}. It is tried again at ${nextAt.toISOString()}.`,
})
