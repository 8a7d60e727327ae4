// GET /auth/oidc and its callback: sends a browser to the OpenID Connect provider, and signs it in when it comes back.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isConnectionTrouble } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import { findProvider, redeemIdentity, type OidcProvider } from '../../drivers/oauth/oidc.ts'
import { authorizationUrl, GrantRefused, OAuthTrouble, type OAuthClient } from '../../drivers/oauth/oauth.ts'
import type { Context } from '../../kit/context.ts'
import { readCookie, setCookie } from '../../kit/sessionCookie.ts'
import { shareLookups } from '../../kit/sharedLookups.ts'
import { addressOf, countStranger } from '../../kit/strangers.ts'
import { memberOfClaims } from './memberOfClaims.ts'
import { areBegun, beginOidc, oidcLifeS, takeOidc } from './oidcSignIn.ts'
import { browserOf, cookieOf } from './routes.ts'
import { openSession } from './session.ts'

const callbackPath = '/auth/oidc/callback'
const browserCookie = 'runyard_oidc'
const returnToMax = 2000
/** How long the provider's metadata is used before it is read again. */
const providerMs = 600_000

const notOffered = 'This service has no OpenID Connect provider. Sign in with a link or an API key.'
const lost = 'This sign-in took longer than ten minutes, was used already, or began in another browser. Start it again.'

export function mountOidc(app: FastifyInstance, context: Context): void {
  const providerOf = rememberedProvider(context)
  const isBegun = shareLookups((states: string[]) => areBegun(context.db.sql, states))

  app.get('/auth/oidc', (request, reply) =>
    answered(context, request, reply, async () => {
      await countStranger(context, addressOf(context, request.raw))
      const provider = await providerOf()
      const begun = await beginOidc(context.db.sql, context.keyring, returnPath(context, request))
      const { state, nonce, verifier } = begun
      const client = clientOf(context, provider)
      const scopes = ['openid', 'email', 'profile']
      const redirectUri = `${context.baseUrl()}${callbackPath}`
      const url = authorizationUrl({ server: provider, client, redirectUri, state, verifier, scopes, extra: { nonce } })
      return reply.header('set-cookie', ownCookie(context, begun.browser)).redirect(url.href, 302)
    }),
  )

  app.get(callbackPath, (request, reply) =>
    answered(context, request, reply, async () => {
      const callback = queryOf(request)
      const [state, ...more] = callback.getAll('state')
      const browser = readCookie(context.baseUrl(), request.headers, browserCookie)
      const isKnown = state && more.length === 0 && browser !== undefined && (await isBegun(state))
      const begun = isKnown ? await takeOidc(context.db.sql, context.keyring, { state, browser }) : undefined
      if (!begun || !state) {
        await countStranger(context, addressOf(context, request.raw))
        throw new Fault('forbidden', lost)
      }
      const provider = await providerOf()
      const asked = {
        provider,
        client: clientOf(context, provider),
        redirectUri: `${context.baseUrl()}${callbackPath}`,
      }
      const claims = await redeemIdentity(
        { ...asked, state, ...begun, callback, claims: claimsFor(context) },
        doorOf(context),
      )
      const token = await context.db.transaction(async (sql) => {
        const member = await memberOfClaims(sql, context, claims)
        const wanted = { ...member, came_by: 'oidc', scopes: ['*'], key_id: null, until: null } as const
        return openSession(sql, { ...wanted, scopes: [...wanted.scopes] }, browserOf(context, request))
      })
      const cookies = [cookieOf(context, token), ownCookie(context, undefined)]
      return reply.header('set-cookie', cookies).redirect(begun.returnTo, 303)
    }),
  )
}

const doorOf = ({ outbound }: Context) => ({ fetch: outbound.fetch, signal: new AbortController().signal })

const claimsFor = ({ config: { oidcRoleClaim } }: Context): string[] =>
  oidcRoleClaim === undefined ? ['email', 'email_verified'] : ['email', 'email_verified', oidcRoleClaim]

/** Undefined clears the cookie. It must be `Lax`: the provider's page sends the browser back to us. */
const ownCookie = (context: Context, value: string | undefined): string =>
  setCookie(context.baseUrl(), {
    name: browserCookie,
    value: value ?? '',
    maxAgeS: value === undefined ? 0 : oidcLifeS,
    sameSite: 'Lax',
  })

function clientOf({ config }: Context, { auth_methods }: OidcProvider): OAuthClient {
  const { oidcClientId, oidcClientSecret } = config
  if (oidcClientId === undefined) throw new Fault('not_found', notOffered)
  const takesBasic = auth_methods === null || auth_methods.includes('client_secret_basic')
  const withSecret = takesBasic ? 'client_secret_basic' : 'client_secret_post'
  return {
    client_id: oidcClientId,
    client_secret: oidcClientSecret ?? null,
    auth_method: oidcClientSecret === undefined ? 'none' : withSecret,
  }
}

/** The provider's metadata is read once for all who sign in; a failure is not remembered. */
function rememberedProvider(context: Context): () => Promise<OidcProvider> {
  const { oidcIssuer } = context.config
  let known: { provider: Promise<OidcProvider>; readAt: number } | undefined
  return async () => {
    if (oidcIssuer === undefined) throw new Fault('not_found', notOffered)
    if (!known || performance.now() - known.readAt > providerMs) {
      const provider = findProvider(oidcIssuer, doorOf(context))
      known = { provider, readAt: performance.now() }
      provider.catch(() => (known = undefined))
    }
    return known.provider
  }
}

const queryOf = ({ raw }: FastifyRequest): URLSearchParams => new URLSearchParams((raw.url ?? '').split('?')[1] ?? '')

/** Only a path of our own page; anything else leads to the first page. */
function returnPath(context: Context, request: FastifyRequest): string {
  const wanted = queryOf(request).get('return_to') ?? '/'
  const own = new URL(context.baseUrl()).origin
  const url = /^\/(?![/\\])/.test(wanted) && wanted.length <= returnToMax ? URL.parse(wanted, own) : null
  return url?.origin === own ? `${url.pathname}${url.search}${url.hash}` : '/'
}

/** Whatever goes wrong is a sentence on the sign-in page. */
async function answered(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  try {
    return await work()
  } catch (error) {
    // a stranger who asks too often gets the usual 429
    if (error instanceof Fault && error.code === 'rate_limited') throw error
    const isExpected = error instanceof Fault || error instanceof GrantRefused || error instanceof OAuthTrouble
    if (isExpected) context.log.info({ request_id: request.id, reason: error.message }, 'a sign-in failed')
    else context.log.error({ request_id: request.id, err: error }, 'a sign-in failed')
    const says = isExpected ? error.message : unexpected(error, request.id)
    return reply.redirect(`/sign-in?error=${encodeURIComponent(says)}`, 303)
  }
}

const unexpected = (error: unknown, requestId: string): string =>
  isConnectionTrouble(error)
    ? 'The database does not answer right now. Start it again in a moment.'
    : `The server failed to sign you in. Start it again; if it stays, give the operator this id: ${requestId}.`
