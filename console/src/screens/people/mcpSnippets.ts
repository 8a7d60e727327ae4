// The set-ups of MCP clients with the origin of this page in them.
import type { McpClient } from '../../generated/mcpClients.ts'

/** `mcp-remote` takes a URL without TLS only on this machine. */
const isSafe = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || ['localhost', '127.0.0.1'].includes(hostname)

export async function mcpSnippets(origin: string): Promise<McpClient[]> {
  const { placeholder, safeClients, plainClients } = await import('../../generated/mcpClients.ts')
  const clients = isSafe(new URL(origin)) ? safeClients : plainClients
  const put = (text: string) => text.replaceAll(new RegExp(`https?:${placeholder}`, 'g'), origin)
  // the words are Markdown; here the marks would only disturb
  return clients.map(({ name, where, snippet }) => ({
    name,
    where: where.replaceAll('`', ''),
    snippet: put(snippet),
  }))
}
