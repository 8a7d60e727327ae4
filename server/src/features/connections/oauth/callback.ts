// GET /oauth/callback: where a provider sends the browser back to. There is no bearer token: the state is the permission, and works once.
import { isConnectionTrouble } from '../../../base/db.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Fault } from '../../../base/errors.ts'
import { GrantRefused, OAuthTrouble } from '../../../drivers/oauth/oauth.ts'
import type { Context } from '../../../kit/context.ts'
import { shareLookups } from '../../../kit/sharedLookups.ts'
import { addressOf, countStranger } from '../../../kit/strangers.ts'
import { callbackHeaders, callbackPage, type Page } from './callbackPage.ts'
import type { Connection } from '../store/connection.ts'
import { finishFlow } from './finishFlow.ts'
import { areFlows, takeFlow, type Flow } from './oauthFlow.ts'
import { callbackPath } from './redirectUri.ts'
import { withEnding, type FlowEnding } from './returnUrl.ts'
import { listTools } from '../mcpTools/toolList.ts'

/** A state that belongs to a flow never waits for made-up states, although both may come from the same address. */
export function mountCallback(app: FastifyInstance, context: Context): void {
  const isFlow = shareLookups((states: string[]) => areFlows(context.db.sql, states))
  app.get(callbackPath, async (request, reply) => {
    reply.headers(callbackHeaders)
    const { raw, id: requestId } = request
    const callback = new URLSearchParams(raw.url!.slice(callbackPath.length + 1))
    const [state, ...more] = callback.getAll('state')
    const isGood = state && more.length === 0 && (await isFlow(state))
    const flow = isGood ? await takeFlow(context.db.sql, context.keyring, state) : undefined
    if (!flow) {
      await countStranger(context, addressOf(context, raw))
      return sendPage(reply, 400, lost)
    }
    const { ending, page } = await finish(context, flow, callback, requestId)
    // 303: the browser follows with a GET, whatever method it used here
    if (flow.facts.return_url !== null) return reply.redirect(withEnding(flow.facts.return_url, ending), 303)
    return sendPage(reply, ending.status === 'connected' ? 200 : 400, page)
  })
}

interface Finished {
  ending: FlowEnding
  page: Page
}

async function finish(context: Context, flow: Flow, callback: URLSearchParams, requestId: string): Promise<Finished> {
  const facts = { request_id: requestId, team_id: flow.team_id, provider: flow.provider }
  try {
    const connection = await finishFlow(context, flow, callback, requestId)
    context.log.info({ ...facts, connection_id: connection.id }, 'a connection was authorised')
    if (flow.kind === 'mcp') await listSoon(context, connection)
    return {
      ending: { status: 'connected', connection_id: connection.id },
      page: { title: `${connection.name} is connected`, sentences: ['You can close this page.'] },
    }
  } catch (error) {
    const { code, title, sentence } = toldOf(error, requestId)
    if (code === 'internal_error') context.log.error({ ...facts, err: error }, 'an authorisation failed')
    else context.log.info({ ...facts, reason: sentence }, 'an authorisation failed')
    return {
      ending: { status: 'failed', error: code },
      page: { title, sentences: [sentence, 'Nothing was changed. You can close this page.'] },
    }
  }
}

const lost: Page = {
  title: 'This authorisation is over',
  sentences: [
    'It took longer than ten minutes, was used already, or did not begin here.',
    'Go back to where you began and start it again. Nothing was changed.',
  ],
}

interface Told {
  code: string
  title: string
  sentence: string
}

/** What the person reads. */
function toldOf(error: unknown, requestId: string): Told {
  const title = 'Could not be connected'
  if (error instanceof GrantRefused) {
    return error.code === 'access_denied'
      ? { code: 'access_denied', title: 'Not connected', sentence: `Access was not allowed. ${error.message}` }
      : { code: 'refused', title, sentence: error.message }
  }
  if (error instanceof OAuthTrouble) {
    return { code: 'unreachable', title, sentence: `${error.message} Go back to where you began and start it again.` }
  }
  if (error instanceof Fault) return { code: error.code, title, sentence: error.message }
  if (isConnectionTrouble(error)) {
    return {
      code: 'internal_error',
      title,
      sentence: 'The database does not answer right now. Start it again in a moment.',
    }
  }
  const sentence = `The server failed to carry this out. Start it again; if it stays, give the operator this id: ${requestId}.`
  return { code: 'internal_error', title, sentence }
}

/** How long the browser waits for the tools of an MCP server, so that they are there when the person looks. */
const listMs = 5000

/** The connection is made in any case: what fails or takes longer here is done again later. */
async function listSoon(context: Context, connection: Connection): Promise<void> {
  const listing = listTools(context, connection).catch((error: unknown) => {
    context.log.warn({ err: error, connection_id: connection.id }, 'the tools of a connection could not be listed')
  })
  await Promise.race([listing, sleep(listMs, undefined, { ref: false })])
}

function sendPage(reply: FastifyReply, status: number, page: Page): FastifyReply {
  const { headers, html } = callbackPage(page)
  return reply.code(status).headers(headers).send(html)
}
