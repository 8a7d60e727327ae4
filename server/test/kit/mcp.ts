// Speaks MCP in tests the way a bare HTTP client does: one JSON-RPC request, one answer.
import type { TestTeam } from './seed.ts'
import type { Answer } from './testApp.ts'

export interface RpcOptions {
  /** Behind the `?`. */
  query?: string
  key?: string
  idempotencyKey?: string
  headers?: Record<string, string>
}

export function rpc(team: TestTeam, method: string, params: object = {}, options: RpcOptions = {}): Promise<Answer> {
  const { query, ...rest } = options
  const body = { jsonrpc: '2.0', id: 1, method, params }
  return team.call(`POST /v2/mcp${query === undefined ? '' : `?${query}`}`, { body, ...rest })
}

export interface ToolAnswer {
  isError: boolean
  // answers are read the way a client reads them
  // oxlint-disable-next-line typescript/no-explicit-any
  value: any
}

export async function callTool(
  team: TestTeam,
  name: string,
  given: object = {},
  options: RpcOptions = {},
): Promise<ToolAnswer> {
  const { body, text } = await rpc(team, 'tools/call', { name, arguments: given }, options)
  if (!body.result) throw new Error(text)
  return { isError: body.result.isError ?? false, value: JSON.parse(body.result.content[0].text) }
}
