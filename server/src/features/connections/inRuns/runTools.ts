// The tools of MCP connections in a run: as a person approved them, called with the connection's credential.
import { zip } from '../../../base/zip.ts'
import type { Sql } from '../../../base/db.ts'
import { isId } from '../../../base/ids.ts'
import { McpUnauthorized, openMcp, type McpAnswer, type McpSession } from '../../../drivers/mcp/mcp.ts'
import type { Context } from '../../../kit/context.ts'
import type { ConnectionUse, ToolSet } from '../../../kit/feature.ts'
import { Type, type TObject } from '../../../kit/schema.ts'
import {
  hostOf,
  Outdated,
  outsideTool,
  type Bound,
  type Leaving,
  type Outcome,
  type Outside,
  type Tool,
  type ToolCall,
} from '../../../kit/tool.ts'
import { boundTo, outdatedConnection } from '../credential/boundConnection.ts'
import type { Connection } from '../store/connection.ts'
import { withCredential, type Credential } from '../credential/credential.ts'
import { listFirst } from './firstList.ts'
import { mcpOutcome, textsOf } from './mcpOutcome.ts'
import { reasonToApprove, type PinnedTool } from '../mcpTools/approvedTool.ts'
import { mayUse } from '../store/connectionRight.ts'
import { listTools } from '../mcpTools/toolList.ts'
import { possibleNames, slugOf, toolNames } from '../mcpTools/toolNames.ts'
import { hasCome, waitFor } from '../credential/connectionWaits.ts'

const timeoutMs = 60_000

interface Named {
  id: string
  team_id: string
  name: string
  tools_prefix: string | null
  provider: string
  status: Connection['status']
  server_url: string | null
  user_id: string | null
  given: number
  is_listed: boolean
  may_use: boolean
}

interface Row extends PinnedTool {
  connection_id: string
  connection_name: string
  tools_prefix: string | null
  server_url: string | null
}

/** One set per connection, the oldest connection first: the names of the tools depend on this order. */
export const toolsForRun: ConnectionUse['tools'] = async ({ sql, context, run, connectionIds, mayAsk }) => {
  const named = await sql<Named>`
    select id, team_id, name, tools_prefix, provider, status, server_url, user_id, given, tools_listed_at is not null as is_listed,
      ${mayUse({ runId: run.id })} as may_use
    from connections c
    where team_id = ${run.team_id} and id = any(${connectionIds.filter(isId)}::uuid[]) and type in ('mcp', 'custom_mcp')
    order by created_at, id`
  const unlisted = named.filter(({ may_use, status, is_listed }) => may_use && status === 'active' && !is_listed)
  const asked = unlisted.filter(({ id, server_url }) => mayAsk?.({ connection_id: id, server_url }))
  await Promise.all(asked.map((one) => listFirst(context, one)))
  const usable = named.filter(({ may_use, status }) => may_use && status !== 'disabled')
  const rows = await sql<Row>`
    select c.id as connection_id, c.name as connection_name, c.tools_prefix, c.server_url, t.name, t.listed, t.listed_hash,
      t.approved, t.approved_hash, t.is_gone
    from connections c join connection_tools t on t.connection_id = c.id and not t.is_gone
    where c.team_id = ${run.team_id} and c.id = any(${usable.map(({ id }) => id)}::uuid[])
    order by c.created_at, c.id, t.name`
  const tools = zip(rows, toolNames(rows)).map(([row, name]) => ({ id: row.connection_id, tool: toolOf(row, name) }))
  const byConnection = Map.groupBy(tools, ({ id }) => id)
  return named.map((one): ToolSet => {
    const own = byConnection.get(one.id)?.map(({ tool }) => tool) ?? []
    const isOpen = own.length > 0 || (one.is_listed && usable.includes(one))
    return {
      name: `connection:${one.id}`,
      title: one.name,
      description: `Tools of ${one.name}.`,
      provider: one.provider,
      tools: own,
      ...(!isOpen && standInFor(one)),
    }
  })
}

const look = async () => ({ answer: undefined, isRefused: false })

/**
 * Stands in for a connection whose tools are unknown or not for this run. Its calls say why, or wait until a person has authorised it
 * again. If waiting or trying again may help, the model is shown one tool for it.
 */
function standInFor(connection: Named): Pick<ToolSet, 'tools' | 'standIn'> {
  const { id, name, may_use } = connection
  const prefix = `${connection.tools_prefix ?? slugOf(name)}__`
  const tool = outsideTool({
    name: `${prefix}not_available`,
    description: `The tools of ${name} are not known yet. Call this to find out why, and to wait until they are.`,
    input: Type.Object({}),
    isForeign: true,
    onDoubt: 'retry',
    leaves: () => leavingOf(connection.id, connection.server_url, false),
    timeoutMs,
    async execute({ run }, { context }) {
      const which = { teamId: run.team_id, id }
      const used = await withCredential(context, which, look, { runId: run.id })
      if (used.kind === 'broken') throw waitFor(run, used.connection)
      if (used.kind !== 'done') return { error: used.kind === 'failed' ? used.message : outdatedConnection }
      const problem = await listFirst(context, connection)
      return { error: problem ?? `The tools of ${name} have been listed only now. Make the call again.` }
    },
    hasCome: ({ run }, { waitingOn, sql }) => hasCome({ sql, run, waitingOn }),
  })
  return { tools: may_use ? [tool] : [], standIn: { prefix, tool } }
}

function toolOf(row: Row, name: string): Tool {
  const needsApproval = reasonToApprove(row.connection_name, row)
  // what nobody approved may have been written to mislead: a model sees neither its text nor its schema
  const { description, input_schema, annotations } = row.approved ?? {
    description: `A tool of ${row.connection_name} that nobody has approved yet: a person is asked before each call.`,
    input_schema: { type: 'object' },
    annotations: null,
  }
  const isHarmless = annotations?.['readOnlyHint'] === true || annotations?.['idempotentHint'] === true
  return outsideTool({
    name,
    description: description ?? `The tool ${row.name} of ${row.connection_name}.`,
    input: shownSchema(input_schema),
    isForeign: true,
    takesSecrets: true,
    ...(needsApproval !== undefined && { needsApproval }),
    onDoubt: isHarmless && needsApproval === undefined ? 'retry' : 'ask',
    leaves: () => leavingOf(row.connection_id, row.server_url, annotations?.['readOnlyHint'] !== true),
    // a rule about the tool counts whatever else the build lists
    actsAs: () => possibleNames(row),
    timeoutMs,
    execute: (call, outside) => execute(row, call, outside),
    boundTo: ({ run }, { sql }) => boundNow(sql, run.team_id, row),
    hasCome: ({ run }, { waitingOn, sql }) => hasCome({ sql, run, waitingOn }),
  })
}

function leavingOf(connection: string, serverUrl: string | null, isEffect: boolean): Leaving {
  const host = serverUrl === null ? null : hostOf(serverUrl)
  return { isEffect, hosts: host === null ? [] : [host], connection }
}

/** Providers of models refuse tools whose schema is not a plain object at its top; the server checks the arguments by the whole schema. */
function shownSchema(schema: Record<string, unknown>): TObject {
  const plain = Object.entries(schema).filter(([word]) => !notAtTop.has(word))
  return { properties: {}, ...Object.fromEntries(plain), type: 'object' } as unknown as TObject
}

const notAtTop = new Set(['$schema', '$ref', 'allOf', 'anyOf', 'not', 'oneOf'])

/** Reads the current state: the connection and the tool may have changed since this run was claimed. */
async function boundNow(sql: Sql, teamId: string, { connection_id, name }: Row): Promise<Bound> {
  const [now] = await sql<Parameters<typeof boundTo>[0] & { listed_hash: string }>`
    select c.id, c.server_url, c.user_id, c.given, t.listed_hash
    from connections c join connection_tools t on t.connection_id = c.id and t.name = ${name}
    where c.id = ${connection_id} and c.team_id = ${teamId}`
  return now ? boundTo(now, now.listed_hash) : {}
}

async function execute(row: Row, { id, run, step, input }: ToolCall<object>, outside: Outside): Promise<Outcome> {
  const { context, signal } = outside
  const which = { teamId: run.team_id, id: row.connection_id }
  const work = async (credential: Credential) => {
    try {
      const session = await sessionOf(credential, outside)
      const answer = await session.callTool(row.name, input as Record<string, unknown>, { signal, callId: id })
      return { answer, isRefused: false }
    } catch (error) {
      if (!(error instanceof McpUnauthorized)) throw error
      if (error.status === 401) await outside.openResources.drop(keyOf(credential))
      else await noteScopes(context, which, error)
      const isInvalidToken = error.challenge.error === 'invalid_token'
      return { answer: refusal(row, error), isRefused: error.status === 401, isInvalidToken }
    }
  }
  const used = await withCredential(context, which, work, { runId: run.id }, outside.bound)
  if (used.kind === 'changed') throw new Outdated(outdatedConnection)
  if (used.kind === 'broken') throw waitFor(run, used.connection)
  if (used.kind === 'failed') return { error: used.message }
  // the server has other tools than those that it listed: the next process that takes the run reads the new list
  if (isUnknownTool(used.answer)) await listTools(context, { id: row.connection_id, team_id: run.team_id })
  return mcpOutcome(used.answer, used.scrub, { step, connectionName: row.connection_name })
}

const scopesMax = 20

const scopesWanted = ({ challenge }: McpUnauthorized): string[] =>
  (challenge.scope ?? '')
    .split(' ')
    .filter((scope) => /^[\x21-\x7e]{1,100}$/.test(scope))
    .slice(0, scopesMax)

/** What the server wants beyond what was granted: asked for when a person authorises the connection again. */
async function noteScopes(
  { db }: Context,
  { id, teamId }: { id: string; teamId: string },
  error: McpUnauthorized,
): Promise<void> {
  const scopes = scopesWanted(error)
  if (error.challenge.error !== 'insufficient_scope' || scopes.length === 0) return
  await db.sql`
    update connections set oauth = jsonb_set(oauth, '{wanted_scopes}', ${JSON.stringify(scopes)}::jsonb)
    where id = ${id} and team_id = ${teamId} and oauth is not null`
}

const keyOf = ({ connection: { id, generation, given } }: Credential): string =>
  `connection ${id} ${generation} ${given}`

/** The session stays open from one call of the run to the next; another token or URL opens another session. */
async function sessionOf(credential: Credential, { context, signal, openResources }: Outside): Promise<McpSession> {
  const { connection, headers } = credential
  return openResources.get(keyOf(credential), async () => {
    const life = new AbortController()
    const cut = () => life.abort(signal.reason)
    signal.addEventListener('abort', cut, { once: true })
    try {
      const door = { fetch: context.outbound.fetch, signal: life.signal }
      const session = await openMcp({ url: connection.server_url!, transport: connection.transport, headers }, door)
      return {
        ...session,
        async close() {
          await session.close()
          life.abort()
        },
      }
    } finally {
      signal.removeEventListener('abort', cut)
    }
  })
}

const isUnknownTool = ({ is_error, content }: McpAnswer): boolean =>
  is_error &&
  /(unknown|no) tool|tool .{0,200} (not found|does not exist)/i.test(textsOf(content).join('\n').slice(0, 1000))

/** 403: another token of the same grant would be refused as well. */
function refusal({ connection_name }: Row, error: McpUnauthorized): McpAnswer {
  const scopes = scopesWanted(error).join(' ')
  const again = `Authorise the connection ${connection_name} again${scopes && ` with the scopes ${scopes}`} if it should.`
  const text = error.status === 403 ? `${error.message} ${again}` : error.message
  return { is_error: true, content: [{ type: 'text', text }], structured_content: null }
}
