// POST /auth/sign-in, POST /auth/sign-out, GET /auth/ways: how a browser gets a session and gives it back.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseBounded } from '../../base/boundedJson.ts'
import type { Sql } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import { isRecord } from '../../base/isRecord.ts'
import { hashToken, isMistypedKey } from '../../base/secrets.ts'
import type { Context } from '../../kit/context.ts'
import { refuseIfOver } from '../../kit/rateLimit.ts'
import { readJsonBytes, strangerBodyMs } from '../../kit/requestBody.ts'
import { readCookie, requireOwnPage, sessionCookie, sessionCookieS, setCookie } from '../../kit/sessionCookie.ts'
import { shareLookups } from '../../kit/sharedLookups.ts'
import { addressOf, countStranger } from '../../kit/strangers.ts'
import { closeSession, openSession, type Browser, type NewSession } from './session.ts'
import { areLinks, takeLink } from './signInLink.ts'

const bodyBytesMax = 4096
const userAgentMax = 300

const linkOver =
  'This link was used already, has expired, or is not one of ours. Get a new one with: runyard open, or from an admin of the team.'
const keyUnknown = 'This API key is unknown, expired or revoked.'

export function mountSignIn(app: FastifyInstance, context: Context): void {
  const { db } = context
  const isLink = shareLookups((tokens: string[]) => areLinks(db.sql, tokens))
  const findKey = shareLookups((secrets: string[]) => keysOf(db.sql, secrets))

  app.post('/auth/sign-in', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    requireOwnPage(context.baseUrl(), request.headers, { changes: true })
    const given = await readGiven(request)
    const browser = browserOf(context, request)
    let opened: string | undefined
    if ('token' in given) {
      const { token } = given
      if (await isLink(token))
        opened = await db.transaction((sql) => openFrom(sql, () => takeLink(sql, token), browser))
    } else {
      const key = isMistypedKey(given.api_key) ? undefined : await findKey(given.api_key)
      if (key) {
        await countKey(context, key.key_id)
        opened = await db.transaction((sql) => openFrom(sql, () => Promise.resolve(key), browser))
      }
    }
    if (opened === undefined) {
      await countStranger(context, browser.address)
      throw new Fault('unauthorized', 'token' in given ? linkOver : keyUnknown)
    }
    return reply.code(204).header('set-cookie', cookieOf(context, opened)).send()
  })

  app.post('/auth/sign-out', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    requireOwnPage(context.baseUrl(), request.headers, { changes: true })
    const token = readCookie(context.baseUrl(), request.headers, sessionCookie)
    if (token !== undefined) await db.transaction((sql) => closeSession(sql, token, request.id))
    else await countStranger(context, addressOf(context, request.raw))
    return reply.code(204).header('set-cookie', cookieOf(context, undefined)).send()
  })

  app.get('/auth/ways', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    const { oidcIssuer, oidcName } = context.config
    return { api_key: true, oidc: oidcIssuer === undefined ? null : { name: oidcName } }
  })
}

async function openFrom(
  sql: Sql,
  find: () => Promise<NewSession | undefined>,
  browser: Browser,
): Promise<string | undefined> {
  const wanted = await find()
  return wanted && openSession(sql, wanted, browser)
}

/** Undefined clears the cookie. */
export const cookieOf = (context: Context, token: string | undefined): string =>
  setCookie(context.baseUrl(), {
    name: sessionCookie,
    value: token ?? '',
    maxAgeS: token === undefined ? 0 : sessionCookieS,
    sameSite: 'Strict',
  })

export const browserOf = (context: Context, request: FastifyRequest): Browser => ({
  userAgent: (request.headers['user-agent'] ?? '').slice(0, userAgentMax),
  address: addressOf(context, request.raw),
  requestId: request.id,
})

/** A caller who knows a key is counted as that key, with its other requests. */
async function countKey({ config, rateLimit }: Context, keyId: string): Promise<void> {
  if (config.rateLimit > 0) refuseIfOver(await rateLimit.take(`credential ${keyId}`, config.rateLimit), {})
}

type Given = { token: string } | { api_key: string }

async function readGiven(request: FastifyRequest): Promise<Given> {
  const bytes = await readJsonBytes(request, bodyBytesMax, strangerBodyMs)
  const body = bytes && jsonOf(bytes)
  const { token, api_key, ...more } = isRecord(body) ? body : {}
  if (isRecord(body) && Object.keys(more).length === 0) {
    if (isToken(token) && api_key === undefined) return { token }
    if (isToken(api_key) && token === undefined) return { api_key }
  }
  throw new Fault(
    'invalid_request',
    'The body must be JSON with one field: `token` (from a sign-in link) or `api_key`, a text of 1 to 512 characters.',
  )
}

const isToken = (value: unknown): value is string =>
  typeof value === 'string' && value.length >= 1 && value.length <= 512

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return parseBounded(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined // the caller says what is expected
  }
}

type KeySession = NewSession & { key_id: string }

/** The session of a key has the key's scopes and ends with it: signing in gives nobody more than they have. */
async function keysOf(sql: Sql, secrets: string[]): Promise<(KeySession | undefined)[]> {
  const hashes = secrets.map(hashToken)
  const rows = await sql<KeySession & { secret_hash: Buffer }>`
    select k.secret_hash, k.team_id, k.member_id, 'api_key' as came_by, k.scopes, k.id as key_id, null as until
    from api_keys k join members m on m.id = k.member_id and m.removed_at is null
    where k.secret_hash = any(${hashes}::bytea[]) and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`
  return hashes.map((each) => rows.find((row) => row.secret_hash.equals(each)))
}
