// One connection to an MCP server by the official client, and its failures in our words.
import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { OutboundFailure } from '../../base/outbound/fetch.ts'
import { runyardVersion } from '../../base/version.ts'
import type { Door } from '../oauth/answer.ts'
import { cleaned } from '../oauth/grant.ts'
import { McpTrouble, McpUnauthorized } from './failures.ts'
import { createSessionFetch, type SessionFetch } from './sessionFetch.ts'

const openMs = 20_000
const farewellMs = 1000
const pagesMax = 50

export interface Talk {
  url: URL
  headers: Record<string, string>
  door: Door
  secrets: string[]
}

export interface Connected {
  client: Client
  sessionFetch: SessionFetch
  /** Tells the server that its session is over. */
  leave: () => Promise<void>
  /** Whether the server gave us a session that it may forget. */
  hasSession: () => boolean
  /** Its one stream was cut, and the rest of the server's messages is lost. */
  isCut: () => boolean
}

/** The URL does not accept a POST. */
export class NoSuchPost extends McpTrouble {}

export async function connect(talk: Talk, kind: 'http' | 'sse'): Promise<Connected> {
  const { url, headers, door } = talk
  const sessionFetch = createSessionFetch(url, door)
  const options = { fetch: sessionFetch.fetch, requestInit: { headers } }
  const client = newClient(kind)
  const http = kind === 'http' ? answeringCuts(new StreamableHTTPClientTransport(url, options)) : undefined
  const end = () => void client.close()
  try {
    door.signal.throwIfAborted()
    door.signal.addEventListener('abort', end, { once: true })
    const signal = AbortSignal.any([door.signal, AbortSignal.timeout(openMs)])
    await client.connect(http ?? new SSEClientTransport(url, options), { signal, timeout: openMs })
  } catch (error) {
    door.signal.removeEventListener('abort', end)
    await client.close()
    if (door.signal.aborted) throw door.signal.reason
    const trouble = sessionFetch.refusal() ?? troubleOf(error, url.host, talk.secrets)
    const isForeign = error instanceof SdkHttpError && [400, 404, 405].includes(error.data.status)
    throw isForeign ? new NoSuchPost(trouble.message) : trouble
  }
  let isCut = false
  // the library would open another stream, which the server would treat as another client
  const cut = (error: Error) => {
    if (!(error instanceof SseError)) return
    isCut = true
    end()
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it has no other way
  client.onerror = cut
  return {
    client,
    sessionFetch,
    isCut: () => isCut,
    hasSession: () => http?.sessionId !== undefined,
    async leave() {
      door.signal.removeEventListener('abort', end)
      await Promise.race([http?.terminateSession(), new Promise((resolve) => setTimeout(resolve, farewellMs).unref())])
        // a server that does not confirm the end forgets the session by itself
        .catch(() => {})
      await client.close()
    },
  }
}

/** The code of an answer that we give ourselves; outside the range of the protocol's own codes. */
const cutCode = -1

/** The library lets a request wait whose stream ended without its answer: it gets one here. Where it had one, nobody waits any more. */
function answeringCuts(transport: StreamableHTTPClientTransport): StreamableHTTPClientTransport {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    const id = !Array.isArray(message) && 'method' in message && 'id' in message ? message.id : undefined
    const error = { code: cutCode, message: 'the stream ended without an answer' }
    const onRequestStreamEnd = () => transport.onmessage?.({ jsonrpc: '2.0', id, error })
    return send(message, { ...options, ...(id !== undefined && { onRequestStreamEnd }) })
  }
  return transport
}

/** Whether the server itself refused a request, in the words of the protocol. */
export const isRefusal = (error: unknown): error is ProtocolError =>
  error instanceof ProtocolError && error.code !== cutCode

/** SSE has only the older era, and must not be asked for the newer one. */
function newClient(kind: 'http' | 'sse'): Client {
  return new Client(
    { name: 'runyard', version: runyardVersion },
    {
      versionNegotiation: { mode: kind === 'http' ? 'auto' : 'legacy' },
      listMaxPages: pagesMax,
      // schemas of strangers are never compiled here: what a tool answers is data for a model
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
    },
  )
}

/** What the library or the network threw, in our words. `secrets`: the values of the headers that were sent. */
export function troubleOf(error: unknown, host: string, secrets: string[]): Error {
  for (const one of causes(error)) {
    if (one instanceof McpUnauthorized || one instanceof McpTrouble) return one
    if (one instanceof OutboundFailure) return new McpTrouble(one.message, { cause: one })
  }
  if (error instanceof SdkHttpError) return new McpTrouble(`${host} answered ${error.data.status}.`)
  const code = error instanceof SdkError ? error.code : undefined
  if (code === SdkErrorCode.RequestTimeout) return new McpTrouble(`${host} did not answer in time.`)
  const isCut = code === SdkErrorCode.ConnectionClosed || (error instanceof ProtocolError && !isRefusal(error))
  if (isCut) return new McpTrouble(`${host} closed the connection before it answered.`)
  const said = cleaned(error instanceof Error ? error.message : String(error), secrets)
  if (isRefusal(error)) return new McpTrouble(`${host} refused: ${said}.`)
  return new McpTrouble(`${host} does not answer as an MCP server: ${said}.`)
}

function* causes(error: unknown): Generator {
  let one = error
  for (let depth = 0; depth < 5 && one instanceof Error; depth++) {
    yield one
    one = one.cause
  }
}
