// Makes a real call with a connection, and says whether it works.
import type { Sql } from '../../base/db.ts'
import { OutboundFailure } from '../../base/outbound/fetch.ts'
import type { Context } from '../../kit/context.ts'
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { askAccount } from './providers/readAccount.ts'
import type { Connection } from './store/connection.ts'
import { foreignHost } from './credential/allowedHosts.ts'
import { withCredential, type Credential, type Vaulted } from './credential/credential.ts'
import { nativeClient } from './providers/nativeClient.ts'
import { providerNamed, type AccountRequest } from './providers/providers.ts'
import { requireRight, type Behalf } from './store/connectionRight.ts'
import { reauthorized } from './store/connectionState.ts'
import { listTools } from './mcpTools/toolList.ts'

const callMs = 30_000

interface Outcome {
  error?: string
  tools_count?: number
}

export const testConnection = operation({
  id: 'testConnection',
  client: 'connections.test',
  route: 'POST /v2/connections/:connection_id/test',
  summary: 'Test a connection',
  description:
    'Calls the service: an MCP server lists its tools, a provider says whose account it is, an API is asked for its `server_url`. If the ' +
    'service refuses the token, it is renewed; if that fails, the connection needs a person. A key that works again makes the connection ' +
    'active again.',
  scope: 'connections:write',
  status: 200,
  answer: Type.Object({
    success: Type.Boolean(),
    error: Type.Optional(Type.String({ description: 'Why the test failed; absent if it succeeded.' })),
    tools_count: Type.Optional(Type.Integer({ minimum: 0, description: 'The number of tools of an MCP server.' })),
  }),
  actsOutside: true,
  errors: ['forbidden'],
  async prepare({ caller, connection, context, sql, act }) {
    await requireRight(sql, caller.member_id, connection)
    const outcome = await call(context, connection, { memberId: caller.member_id, isTest: true })
    if (connection.status === 'action_required' && outcome.error === undefined) {
      await act((tx) => activate(tx, connection))
    }
    return { success: outcome.error === undefined, ...outcome }
  },
  handler: async ({ prepared }) => prepared,
})

/** Only if it is still broken as it was when the test began: a refusal since then is newer than the test. */
async function activate(sql: Sql, connection: Connection): Promise<void> {
  const { id, team_id, broken_at } = connection
  const works = await sql`
    update connections set status = 'active', broken_at = null, broken_reason = null, updated_at = now()
    where id = ${id} and team_id = ${team_id} and status = 'action_required' and broken_at = ${broken_at} returning id`
  if (works.length > 0) await reauthorized(sql, connection, { isGiven: false })
}

async function call(context: Context, connection: Connection, behalf: Behalf): Promise<Outcome> {
  if (connection.type === 'mcp' || connection.type === 'custom_mcp') {
    const listing = await listTools(context, connection, behalf)
    return 'error' in listing ? { error: listing.error } : { tools_count: listing.tools.length }
  }
  const work = (credential: Credential) => callService(context, credential)
  const used = await withCredential(context, { teamId: connection.team_id, id: connection.id }, work, behalf)
  if (used.kind === 'failed') return { error: used.message }
  if (used.kind === 'changed') return { error: 'The connection has changed since then. Try again.' }
  if (used.kind === 'broken') return { error: `It must be authorised again: ${used.connection.broken_reason}` }
  return used.answer === undefined ? {} : { error: used.scrub(used.answer) }
}

/** The answer is what is wrong; undefined: nothing. */
async function callService(
  context: Context,
  { connection, headers }: Credential,
): Promise<{ answer: string | undefined; isRefused: boolean }> {
  const signal = AbortSignal.timeout(callMs)
  try {
    const row = nativeClient(context.config, connection.provider)?.provider ?? providerNamed(connection.provider)
    if (connection.type === 'native' && !isElsewhere(context, connection, row?.account)) {
      if (!row?.account) {
        const wanted = 'OAUTH_<PROVIDER>_ACCOUNT_URL'
        return {
          answer: `There is no URL to test it with. Set ${wanted} for this provider on the server.`,
          isRefused: false,
        }
      }
      const { status, isRefused } = await askAccount(context.outbound, row.account, headers, signal)
      return { answer: isRefused ? 'The provider refused the token.' : sentenceOf(status), isRefused }
    }
    const { status } = await context.outbound.request({
      method: 'GET',
      url: connection.server_url!,
      headers: { 'accept-encoding': 'identity', ...headers },
      signal,
      timeoutMs: callMs,
    })
    // a URL that answers 404 or 405 to a bare GET still answers
    return { answer: status === 404 || status === 405 ? undefined : sentenceOf(status), isRefused: status === 401 }
  } catch (error) {
    if (error instanceof OutboundFailure) return { answer: error.message, isRefused: false }
    throw error
  }
}

/** What a broker has for a server of the account's own is nothing for the provider's: that server is asked itself. */
const isElsewhere = (context: Context, connection: Vaulted, account: AccountRequest | null | undefined): boolean =>
  connection.broker_connection_id !== null &&
  connection.server_url !== null &&
  (!account || foreignHost(context, connection, account.url) !== undefined)

const sentenceOf = (status: number): string | undefined =>
  status < 400 ? undefined : `The service answered ${status}${status === 403 ? ': this account may not do that' : ''}.`
