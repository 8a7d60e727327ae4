// One call of an MCP connection's tool on behalf of a member, outside of any run: nobody is there to be asked, so the tool must be approved.
import { newId } from '../../../base/ids.ts'
import { McpTrouble, McpUnauthorized, openMcp } from '../../../drivers/mcp/mcp.ts'
import type { Context } from '../../../kit/context.ts'
import type { ConnectionUse } from '../../../kit/feature.ts'
import { withCredential, type Credential } from '../credential/credential.ts'
import { reasonToApprove, type PinnedTool } from '../mcpTools/approvedTool.ts'
import { mayUse } from '../store/connectionRight.ts'
import { mcpOutcome } from './mcpOutcome.ts'

export const mayCall: ConnectionUse['mayCall'] = async ({ sql, teamId, memberId, connectionId }) => {
  const found = await sql`
    select 1 from connections c
    where c.id = ${connectionId} and c.team_id = ${teamId} and c.type in ('mcp', 'custom_mcp') and ${mayUse({ memberId })}`
  return found.length > 0
}

export const callTool: ConnectionUse['callTool'] = async (asked) => {
  const { context, teamId, memberId, connectionId, tool, input, signal } = asked
  const problem = await problemOf(context, teamId, connectionId, tool)
  if (problem !== undefined) return { problem }
  try {
    const work = (credential: Credential) => callOnce(context, credential, { tool, input, signal })
    const used = await withCredential(context, { teamId, id: connectionId }, work, { memberId })
    if (used.kind === 'broken') return { problem: `The connection ${used.connection.name} must be authorised again.` }
    if (used.kind === 'changed') return { problem: 'The connection changed during the call.' }
    if (used.kind === 'failed') return { problem: used.message }
    const outcome = mcpOutcome(used.answer, used.scrub, { step: 0, connectionName: 'The connection' })
    return 'error' in outcome ? { problem: outcome.error } : { result: outcome.result }
  } catch (error) {
    if (error instanceof McpTrouble || error instanceof McpUnauthorized) return { problem: error.message }
    if (signal.aborted) return { problem: 'The tool did not answer in time.' }
    throw error
  }
}

async function problemOf({ db }: Context, teamId: string, id: string, tool: string): Promise<string | undefined> {
  const [found] = await db.sql<PinnedTool & { connection_name: string }>`
    select t.name, t.listed, t.listed_hash, t.approved, t.approved_hash, t.is_gone, c.name as connection_name
    from connections c join connection_tools t on t.connection_id = c.id and not t.is_gone
    where c.id = ${id} and c.team_id = ${teamId} and t.name = ${tool}`
  if (!found) return `The connection has no tool called ${tool}, or it was deleted. List its tools.`
  return reasonToApprove(found.connection_name, found)
}

interface Call {
  tool: string
  input: Record<string, unknown>
  signal: AbortSignal
}

async function callOnce(context: Context, { connection, headers }: Credential, { tool, input, signal }: Call) {
  const life = new AbortController()
  const door = { fetch: context.outbound.fetch, signal: AbortSignal.any([signal, life.signal]) }
  try {
    const session = await openMcp({ url: connection.server_url!, transport: connection.transport, headers }, door)
    try {
      const answer = await session.callTool(tool, input, { signal, callId: newId() })
      return { answer, isRefused: false }
    } finally {
      await session.close()
    }
  } catch (error) {
    if (!(error instanceof McpUnauthorized) || error.status !== 401) throw error
    const answer = { is_error: true, content: [{ type: 'text', text: error.message }], structured_content: null }
    return { answer, isRefused: true, isInvalidToken: error.challenge.error === 'invalid_token' }
  } finally {
    life.abort()
  }
}
