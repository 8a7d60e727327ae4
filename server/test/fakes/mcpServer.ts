// A real MCP server on loopback for tests: both protocol eras, older sessions or SSE, open or protected, its tools changeable.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { after } from 'node:test'
import { createMcpHandler, Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { Server as OlderServer } from '@modelcontextprotocol/sdk/server/index.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { callIdKey } from '../../src/drivers/mcp/mcpSession.ts'

export interface FakeTool {
  name: string
  title?: string
  description?: string
  input_schema?: Record<string, unknown>
  annotations?: Record<string, unknown>
  /** A token without it is answered with 403 and what is wanted. */
  scope?: string
  /** A string is one text, `{content}` a whole answer; the default repeats the arguments. */
  answer?: (args: Record<string, unknown>) => unknown
}

export interface McpServer {
  /** Its endpoint. */
  url: string
  /** What it lists from now on. */
  tools: FakeTool[]
  /** The calls of tools that it carried out. */
  calls: { name: string; arguments: Record<string, unknown>; callId: unknown; authorization: string | undefined }[]
  /** Every request, whatever became of it. */
  requests: { method: string; path: string; headers: IncomingHttpHeaders; rpc: string | undefined }[]
  /** Answered to everything while it is set. */
  broken: { status: number; headers?: Record<string, string>; body?: string } | null
  /** Of `sessions`: as after a restart. */
  forgetSessions(): void
  /** Every connection breaks off; it goes on listening. */
  cut(): void
  close(): Promise<void>
}

interface Options {
  /** `both`: 2026-07-28 and older, without sessions. `sessions`: 2025-x with them. `sse`: 2024-11-05. */
  speaks?: 'both' | 'sessions' | 'sse'
  /** Only with a token of this authorization server, made for this server. */
  protectedBy?: {
    issuer: string
    find(token: string): Promise<{ scopes: string[]; audience: string | null } | undefined>
  }
  /** Only with this header. */
  wantsHeader?: { name: string; value: string }
  /** In its challenge and metadata. */
  scopes?: string[]
  tools?: FakeTool[]
}

export async function startMcpServer(options: Options = {}): Promise<McpServer> {
  const { speaks = 'both', tools = [{ name: 'echo', description: 'Repeats what it is told.' }] } = options
  const http = createServer()
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  let talk = speaker(speaks, () => server)
  const server: McpServer = {
    url: `${origin}/${speaks === 'sse' ? 'sse' : 'mcp'}`,
    tools,
    calls: [],
    requests: [],
    broken: null,
    forgetSessions: () => {
      talk = speaker(speaks, () => server)
    },
    cut: () => http.closeAllConnections(),
    close: () =>
      new Promise<void>((resolve) => {
        http.closeAllConnections()
        http.close(() => resolve())
      }),
  }
  http.on('request', (request, response) => {
    serve(request, response).catch((error: unknown) => {
      console.error('the MCP server of the test failed', error)
      response.destroy()
    })
  })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await request.toArray()).join('')
    const { method = '', url: path = '', headers } = request
    const message = body === '' ? undefined : (JSON.parse(body) as { method?: string; params?: { name?: string } })
    server.requests.push({ method, path, headers, rpc: message?.method })
    const { broken } = server
    if (broken) return void response.writeHead(broken.status, broken.headers).end(broken.body)
    if (path.startsWith('/.well-known/')) return describe(path, response)
    if (!['/mcp', '/sse', '/messages'].includes(path.split('?')[0]!)) return void response.writeHead(404).end()
    const refusal = await refusalOf(headers, message)
    if (refusal) return void response.writeHead(refusal.status, { 'www-authenticate': refusal.challenge }).end()
    await talk(request, response, body)
  }

  /** RFC 9728, at the place that its path gives. */
  function describe(path: string, response: ServerResponse): void {
    const { protectedBy, scopes } = options
    if (!protectedBy || path !== `/.well-known/oauth-protected-resource${new URL(server.url).pathname}`) {
      return void response.writeHead(404).end()
    }
    const document = { resource: server.url, authorization_servers: [protectedBy.issuer], scopes_supported: scopes }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
  }

  async function refusalOf(
    headers: IncomingHttpHeaders,
    message: { method?: string; params?: { name?: string } } | undefined,
  ) {
    const { protectedBy, wantsHeader, scopes } = options
    if (wantsHeader && headers[wantsHeader.name.toLowerCase()] !== wantsHeader.value)
      return { status: 401, challenge: 'Bearer' }
    if (!protectedBy) return undefined
    const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource${new URL(server.url).pathname}"`
    const [, token = ''] = /^Bearer (.+)$/.exec(headers.authorization ?? '') ?? []
    const found = token === '' ? undefined : await protectedBy.find(token)
    // a token for somebody else must not open this door
    if (!found || found.audience !== server.url) {
      return { status: 401, challenge: `Bearer ${metadata}${scopes ? `, scope="${scopes.join(' ')}"` : ''}` }
    }
    const called =
      message?.method === 'tools/call' ? tools.find(({ name }) => name === message.params?.name) : undefined
    if (called?.scope === undefined || found.scopes.includes(called.scope)) return undefined
    return { status: 403, challenge: `Bearer error="insufficient_scope", scope="${called.scope}", ${metadata}` }
  }

  after(() => server.close())
  return server
}

type Speaker = (request: IncomingMessage, response: ServerResponse, body: string) => Promise<void>

function speaker(speaks: NonNullable<Options['speaks']>, of: () => McpServer): Speaker {
  if (speaks === 'sse') return olderSpeaker(of)
  if (speaks === 'sessions') return sessionSpeaker(of)
  return async (request, response, body) => {
    const handler = createMcpHandler(() => newerServer(of(), request.headers.authorization))
    await reply(response, await handler.fetch(webRequest(request, body)))
  }
}

function sessionSpeaker(of: () => McpServer): Speaker {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  return async (request, response, body) => {
    const given = request.headers['mcp-session-id']
    const known = sessions.get(String(given))
    if (given !== undefined && !known) {
      response.writeHead(404).end()
      return
    }
    const transport =
      known ??
      new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (id) => void sessions.set(id, transport),
        onsessionclosed: (id) => void sessions.delete(id),
      })
    if (!known) await newerServer(of(), request.headers.authorization).connect(transport)
    await reply(response, await transport.handleRequest(webRequest(request, body)))
  }
}

function olderSpeaker(of: () => McpServer): Speaker {
  const streams = new Map<string, SSEServerTransport>()
  return async (request, response, body) => {
    const url = new URL(request.url!, 'http://fake')
    if (url.pathname === '/messages') {
      const stream = streams.get(url.searchParams.get('sessionId') ?? '')
      if (!stream) return void response.writeHead(404).end()
      return stream.handlePostMessage(request, response, JSON.parse(body))
    }
    if (request.method !== 'GET') return void response.writeHead(405).end()
    const transport = new SSEServerTransport('/messages', response)
    streams.set(transport.sessionId, transport)
    const older = new OlderServer({ name: 'fake', version: '1' }, { capabilities: { tools: {} } })
    older.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed(of()) }))
    older.setRequestHandler(CallToolRequestSchema, ({ params }) =>
      carryOut(of(), params, request.headers.authorization),
    )
    await older.connect(transport)
  }
}

function newerServer(of: McpServer, authorization: string | undefined): Server {
  const server = new Server({ name: 'fake', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({ tools: listed(of) }))
  server.setRequestHandler('tools/call', ({ params }) => carryOut(of, params, authorization))
  return server
}

const listed = ({ tools }: McpServer) =>
  tools.map(({ name, title, description, input_schema, annotations }) => ({
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: { type: 'object' as const, ...input_schema },
    ...(annotations && { annotations }),
  }))

function carryOut(
  of: McpServer,
  params: {
    name: string
    arguments?: Record<string, unknown> | undefined
    _meta?: Record<string, unknown> | undefined
  },
  authorization: string | undefined,
): { content: { type: 'text'; text: string }[]; structuredContent?: Record<string, unknown>; isError?: boolean } {
  const { name, arguments: args = {} } = params
  const tool = of.tools.find((one) => one.name === name)
  if (!tool) return { content: [{ type: 'text', text: `There is no tool ${name}.` }], isError: true }
  of.calls.push({ name, arguments: args, callId: params._meta?.[callIdKey], authorization })
  const answer = tool.answer ? tool.answer(args) : args
  if (typeof answer === 'string') return { content: [{ type: 'text', text: answer }] }
  if (typeof answer === 'object' && answer !== null && 'content' in answer) return answer as never
  return {
    content: [{ type: 'text', text: JSON.stringify(answer) }],
    structuredContent: answer as Record<string, unknown>,
  }
}

function webRequest(request: IncomingMessage, body: string): Request {
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as [string, string])
  const { method = 'GET' } = request
  return new Request(`http://${request.headers.host}${request.url}`, {
    method,
    headers,
    body: method === 'POST' ? body : null,
  })
}

async function reply(response: ServerResponse, answer: Response): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  response.flushHeaders()
  if (!answer.body) return void response.end()
  const body = Readable.fromWeb(answer.body as never)
  response.on('close', () => body.destroy())
  body.on('error', () => response.destroy())
  body.pipe(response)
}
