// POST /oauth/token: a client's secret for a one-hour access token (RFC 6749 §4.4), with that RFC's own errors.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Sql } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import { isId } from '../../base/ids.ts'
import { hashToken, randomWord, sameBytes } from '../../base/secrets.ts'
import type { Context } from '../../kit/context.ts'
import { refuseIfOver } from '../../kit/rateLimit.ts'
import { readBytes, strangerBodyMs } from '../../kit/requestBody.ts'
import { effectiveScopes, grantableScopes, scopesBeyond, type Role } from '../../kit/scopes.ts'
import { shareLookups } from '../../kit/sharedLookups.ts'
import { addressOf, countStranger } from '../../kit/strangers.ts'

const tokenSeconds = 3600
const formBytesMax = 16 * 1024

/** An error as RFC 6749 §5.2 spells it. */
class TokenError extends Error {
  readonly code: 'invalid_request' | 'invalid_client' | 'unsupported_grant_type' | 'invalid_scope'
  readonly headers: Record<string, string>
  constructor(code: TokenError['code'], description: string, headers: Record<string, string> = {}) {
    super(description)
    this.code = code
    this.headers = headers
  }
}

/**
 * A caller who knows a client's secret is counted as that client, with its other requests. Everybody else is counted by address, after the
 * look-up, so that strangers behind the same address do not keep a client from its token.
 */
export function mountTokenEndpoint(app: FastifyInstance, context: Context): void {
  const { config, db, rateLimit } = context
  const findClient = shareLookups((ids: string[]) => clientsOf(db.sql, ids))
  app.post('/oauth/token', async (request, reply) => {
    reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' })
    let isKnown = false
    try {
      const form = await readForm(request)
      if (form.get('grant_type') !== 'client_credentials') {
        throw new TokenError('unsupported_grant_type', 'Only grant_type=client_credentials is offered.')
      }
      const { id, secret } = presented(request, form)
      const client = isId(id) ? await findClient(id) : undefined
      if (!client || !sameBytes(client.secret_hash, hashToken(secret))) {
        throw new TokenError('invalid_client', 'The client id or its secret is wrong.')
      }
      isKnown = true
      if (config.rateLimit > 0) {
        refuseIfOver(await rateLimit.take(`credential ${client.id}`, config.rateLimit), {})
      }
      const scopes = narrow(client, form.get('scope'))
      const access_token = `ryt_${randomWord(43)}`
      const expires_in = await storeToken(db.sql, client.id, access_token, scopes)
      return { access_token, token_type: 'Bearer', expires_in, scope: scopes.join(' ') }
    } catch (error) {
      if (!(error instanceof TokenError)) throw error
      if (!isKnown) await countStranger(context, addressOf(context, request.raw))
      return sendTokenError(request, reply, error)
    }
  })
}

function sendTokenError(request: FastifyRequest, reply: FastifyReply, error: TokenError): FastifyReply {
  const isClientError = error.code === 'invalid_client'
  if (isClientError && request.headers.authorization) reply.header('www-authenticate', 'Basic realm="runyard"')
  return reply
    .headers(error.headers)
    .code(isClientError ? 401 : 400)
    .send({ error: error.code, error_description: error.message })
}

/** RFC 6749 §3.2: parameters in a form body, each at most once. */
async function readForm(request: FastifyRequest): Promise<URLSearchParams> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '')) {
    throw new TokenError('invalid_request', 'Send the parameters as application/x-www-form-urlencoded.')
  }
  const bytes = await readBytes(request, formBytesMax, strangerBodyMs).catch((error: unknown) => {
    throw error instanceof Fault ? new TokenError('invalid_request', error.message, error.headers) : error
  })
  const form = new URLSearchParams(new TextDecoder().decode(bytes))
  const twice = [...form.keys()].find((name, index, names) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new TokenError('invalid_request', 'A parameter is given more than once.')
  return form
}

const decode = (text: string): string => new URLSearchParams(`x=${text}`).get('x') ?? ''

interface Client {
  id: string
  secret_hash: Buffer
  scopes: string[]
  role: Role
}

/** RFC 6749 §2.3.1: client_secret_basic (form-encoded inside the header) or client_secret_post, not both. */
function presented(request: FastifyRequest, form: URLSearchParams): { id: string; secret: string } {
  const basic = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(request.headers.authorization ?? '')?.[1]
  const posted = form.get('client_secret')
  if (basic !== undefined && posted !== null) {
    throw new TokenError('invalid_request', 'Authenticate by header or by form, not by both.')
  }
  if (basic === undefined) return { id: form.get('client_id') ?? '', secret: posted ?? '' }
  const [id = '', secret = ''] = Buffer.from(basic, 'base64').toString().split(':')
  return { id: decode(id), secret: decode(secret) }
}

async function clientsOf(sql: Sql, ids: string[]): Promise<(Client | undefined)[]> {
  const clients = await sql<Client>`
    select c.id, c.secret_hash, c.scopes, m.role
    from oauth_clients c join members m on m.id = c.member_id and m.removed_at is null 
    where c.id = any(${ids}::uuid[]) and (c.expires_at is null or c.expires_at > now())`
  const found = new Map(clients.map((client) => [client.id, client]))
  return ids.map((id) => found.get(id.toLowerCase()))
}

function narrow(client: Client, wanted: string | null): string[] {
  if (!wanted?.trim()) return client.scopes
  const scopes = [...new Set(wanted.trim().split(/ +/))]
  const held = effectiveScopes(client.scopes, client.role)
  const isUnknown = scopes.some((scope) => !(grantableScopes as readonly string[]).includes(scope))
  if (isUnknown || scopesBeyond(scopes, held).length > 0) {
    throw new TokenError('invalid_scope', 'The client may not have one of these scopes.')
  }
  return scopes
}

/** The token is valid for an hour, and never longer than the client; answers with its seconds. */
async function storeToken(sql: Sql, clientId: string, token: string, scopes: string[]): Promise<number> {
  const [stored] = await sql<{ seconds: number }>`
    insert into access_tokens (secret_hash, client_id, scopes, expires_at)
    select ${hashToken(token)}, id, ${scopes}, least(now() + make_interval(secs => ${tokenSeconds}), expires_at)
    from oauth_clients where id = ${clientId}
    returning floor(extract(epoch from expires_at - now()) + 0.001)::int as seconds`
  if (!stored) throw new TokenError('invalid_client', 'The client id or its secret is wrong.')
  return stored.seconds
}
