// Streamable HTTP without sessions: one message in, one answer out, by a server that is made for it, in either version of the protocol.
import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import {
  createMcpHandler,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isLegacyRequest,
  parseJSONRPCMessage,
  PerRequestHTTPServerTransport,
  type Server,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server'
import { refusal, rpcCodes } from './message.ts'

export interface McpExchange {
  message: Record<string, unknown>
  /** Where the message was sent, for those who look at it. */
  url: string
  headers: IncomingHttpHeaders
  /** A new one for every message: nothing of one caller can reach another. */
  makeServer: () => Server
  onError: (error: Error) => void
}

/** JSON, or a stream of events once the server sends something before its answer. */
export async function answerMessage(exchange: McpExchange): Promise<Response> {
  const { message, url, headers, makeServer, onError } = exchange
  // nothing is ever announced here, so that a stream of announcements would be held open for nothing
  if (message['method'] === 'subscriptions/listen') {
    return refusal(404, { code: rpcCodes.methodNotFound, message: 'Method not found' }, message['id'])
  }
  // no signal: a caller who is gone has not cancelled anything (2025-11-25, basic/transports, Sending Messages to the Server, 6)
  const request = new Request(url, { method: 'POST', headers: forwarded(headers) })
  if (await isLegacyRequest(request, message)) return answerOlder(exchange, request)
  const handler = createMcpHandler(makeServer, { legacy: 'reject', onerror: onError })
  return handler.fetch(request, { parsedBody: message })
}

/**
 * For the protocol with `initialize`, up to 2025-11-25. Its clients take an error of the protocol only with a 200. The id of the session
 * names the conversation in the log; nothing is stored under it, so that any process can take the next message.
 */
async function answerOlder(
  { message, headers, makeServer, onError }: McpExchange,
  request: Request,
): Promise<Response> {
  const version = headers['mcp-protocol-version']
  if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(String(version))) {
    const says = `Unsupported MCP-Protocol-Version. Send one of: ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}.`
    return refusal(400, { code: rpcCodes.invalidRequest, message: says }, message['id'])
  }
  let parsed
  try {
    parsed = parseJSONRPCMessage(message)
  } catch {
    return refusal(400, {
      code: rpcCodes.invalidRequest,
      message: 'This is not a JSON-RPC 2.0 message as MCP defines them.',
    })
  }
  // an answer to a question that we never ask
  if (!isJSONRPCRequest(parsed) && !isJSONRPCNotification(parsed)) return new Response(null, { status: 202 })
  const server = makeServer()
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is not an EventTarget
  server.onerror = onError
  const transport = new PerRequestHTTPServerTransport({ classification: { era: 'legacy' } })
  await server.connect(transport)
  const response = await transport.handleMessage(parsed, { request })
  if (response.status === 202) await server.close()
  if (parsed.method === 'initialize') response.headers.set('mcp-session-id', randomUUID())
  return response.ok ? response : new Response(response.body, { headers: response.headers })
}

/** What the protocol reads of a request; whether JSON came in was seen before. */
function forwarded(headers: IncomingHttpHeaders): Record<string, string> {
  const names = ['mcp-protocol-version', 'mcp-method', 'mcp-name']
  const given = names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]))
  return { ...Object.fromEntries(given), 'content-type': 'application/json' }
}
