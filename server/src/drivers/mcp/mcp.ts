// An MCP server as its client: streamable HTTP of either protocol era, or the older SSE; its tools listed and called.
import type { Door } from '../oauth/answer.ts'
import { isSecure } from '../oauth/secureUrl.ts'
import { McpTrouble } from './failures.ts'
import type { McpSession } from './mcpSession.ts'

export { McpTrouble, McpUnauthorized } from './failures.ts'
export type { McpAnswer, McpSession } from './mcpSession.ts'
export type { ListedTool } from './toolList.ts'

interface Asked {
  url: string
  /** Null: not known yet; streamable HTTP is tried first. */
  transport: 'http' | 'sse' | null
  headers: Record<string, string>
}

/** `door.signal` ends the session. */
export async function openMcp({ url: address, transport, headers }: Asked, door: Door): Promise<McpSession> {
  const url = new URL(address)
  if (Object.keys(headers).length > 0 && !isSecure(url)) {
    throw new McpTrouble(`${url.host} must be reached by https: a credential would be readable on its way.`)
  }
  // the library takes 30 MB and a fifth of a second, which a process that calls no MCP server need not spend
  const { openSession } = await import('./session.ts')
  return openSession({ url, headers, door, secrets: secretsOf(headers) }, transport)
}

/** The words of a header's value, because a server may repeat one of them, such as the x of `Bearer x`. */
const secretsOf = (headers: Record<string, string>): string[] =>
  Object.values(headers).flatMap((value) => [value, ...value.split(' ').filter((word) => word.length >= 8)])
