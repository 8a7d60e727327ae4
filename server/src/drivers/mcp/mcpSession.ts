// What a session with an MCP server offers, whatever transport it uses.
import type { ListedTool } from './toolList.ts'

/** The key of `_meta` under which a call's id is sent; MCP wants a vendor's prefix. */
export const callIdKey = 'runyard/call_id'

export interface McpAnswer {
  is_error: boolean
  content: unknown[]
  structured_content: unknown
}

export interface McpSession {
  transport: 'http' | 'sse'
  listTools(): Promise<ListedTool[]>
  /** `callId` goes along as `_meta`, the same for every attempt, so that a server can recognise a repetition. */
  callTool(
    name: string,
    args: Record<string, unknown>,
    options: { signal: AbortSignal; callId: string },
  ): Promise<McpAnswer>
  /** Never fails, and waits at most a second for the server to confirm the end. */
  close(): Promise<void>
}
