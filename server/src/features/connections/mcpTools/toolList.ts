// Asks an MCP server for its tools and stores what it lists. Only the first list after an action of a person approves anything.
import { McpTrouble, McpUnauthorized, openMcp, type ListedTool } from '../../../drivers/mcp/mcp.ts'
import type { Sql } from '../../../base/db.ts'
import { storable } from '../../../base/storable.ts'
import type { Context } from '../../../kit/context.ts'
import { withCredential, type Credential, type Worked } from '../credential/credential.ts'
import { toolHash } from './approvedTool.ts'
import type { Behalf } from '../store/connectionRight.ts'
import { scrubbed } from '../../../base/knownSecrets.ts'
import { slugOf } from './toolNames.ts'

/** The error is a sentence; what was listed before stays. */
type Listing = { tools: ListedTool[] } | { error: string }

const listMs = 40_000

/** Never throws for what the server does. */
export async function listTools(
  context: Context,
  { id, team_id }: { id: string; team_id: string },
  behalf: Behalf = 'upkeep',
): Promise<Listing> {
  let transport: 'http' | 'sse' | null = null
  const work = async (credential: Credential): Promise<Worked<Listing>> => {
    try {
      const listed = await ask(context, credential)
      transport = listed.transport
      return { answer: { tools: listed.tools }, isRefused: false }
    } catch (error) {
      if (error instanceof McpUnauthorized) {
        const isInvalidToken = error.challenge.error === 'invalid_token'
        return { answer: { error: error.message }, isRefused: error.status === 401, isInvalidToken }
      }
      if (error instanceof McpTrouble) return { answer: { error: error.message }, isRefused: false }
      if (error instanceof Error && error.name === 'TimeoutError') {
        return { answer: { error: 'The server did not list its tools in time.' }, isRefused: false }
      }
      throw error
    }
  }
  const used = await withCredential(context, { teamId: team_id, id }, work, behalf)
  // no person approves a list
  if (used.kind === 'changed') return { error: 'The connection has changed since then. Try again.' }
  if (used.kind === 'failed') return { error: used.message }
  if (used.kind === 'broken') {
    return { error: `${used.connection.name} must be authorised again: ${used.connection.broken_reason}` }
  }
  if ('error' in used.answer) return { error: used.scrub(used.answer.error) }
  const tools = scrubbed(storable(used.answer.tools), used.scrub)
  await context.db.transaction((sql) => keep(sql, { id, team_id, transport }, tools))
  return { tools }
}

async function ask(context: Context, { connection, headers }: Credential) {
  const door = { fetch: context.outbound.fetch, signal: AbortSignal.timeout(listMs) }
  const session = await openMcp({ url: connection.server_url!, transport: connection.transport, headers }, door)
  try {
    return { tools: await session.listTools(), transport: session.transport }
  } finally {
    await session.close()
  }
}

interface Listed {
  id: string
  team_id: string
  transport: 'http' | 'sse' | null
}

async function keep(sql: Sql, { id, team_id, transport }: Listed, tools: ListedTool[]): Promise<void> {
  const [was] = await sql<{ approves_next_list: boolean; name: string }>`
    select approves_next_list, name from connections where id = ${id} and team_id = ${team_id} for no key update`
  // deleted since then
  if (!was) return
  const isApproved = was.approves_next_list
  const rows = tools.map(({ name, ...listed }, position) => ({
    name,
    position,
    listed,
    hash: toolHash(tools[position]!),
  }))
  await sql`
    insert into connection_tools as t (connection_id, name, position, listed, listed_hash, approved, approved_hash)
    select ${id}, n.name, n.position, n.listed, n.hash, case when ${isApproved} then n.listed end, case when ${isApproved} then n.hash end
    from json_to_recordset(${JSON.stringify(rows)}::json) as n (name text, position int, listed jsonb, hash text)
    on conflict (connection_id, name) do update set position = excluded.position, listed = excluded.listed,
      listed_hash = excluded.listed_hash, is_gone = false, approved = coalesce(excluded.approved, t.approved),
      approved_hash = coalesce(excluded.approved_hash, t.approved_hash)`
  await sql`
    update connection_tools set is_gone = true
    where connection_id = ${id} and not is_gone and name <> all(${tools.map(({ name }) => name)}::text[])`
  await sql`
    update connections set tools_listed_at = now(), list_tools_at = now() + interval '1 day', approves_next_list = false, listing_until = null,
      list_problem = null,
      transport = coalesce(transport, ${transport}), tools_prefix = coalesce(tools_prefix, ${slugOf(was.name)})
    where id = ${id} and team_id = ${team_id}`
}
