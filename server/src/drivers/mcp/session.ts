// A session with an MCP server: one connection, and another when the server forgot it.
import { SdkHttpError, type Client } from '@modelcontextprotocol/client'
import { without } from '../oauth/grant.ts'
import { connect, isRefusal, NoSuchPost, troubleOf, type Connected, type Talk } from './connect.ts'
import { McpTrouble, McpUnauthorized } from './failures.ts'
import { callIdKey, type McpAnswer, type McpSession } from './mcpSession.ts'
import { readTools } from './toolList.ts'

const listMs = 30_000
/** Only a bound: a call ends with its caller's signal. */
const callMs = 3_600_000

/** Streamable HTTP first, where the transport is not known. */
export async function openSession(talk: Talk, transport: 'http' | 'sse' | null): Promise<McpSession> {
  if (transport !== null) return session(talk, transport, await connect(talk, transport))
  try {
    return session(talk, 'http', await connect(talk, 'http'))
  } catch (error) {
    // MCP's rule for servers of 2024-11-05
    if (!(error instanceof NoSuchPost)) throw error
    const older = await connect(talk, 'sse').catch((failed: unknown) => {
      // when both transports fail, the error of the newer one is reported
      throw failed instanceof McpUnauthorized || talk.door.signal.aborted ? failed : error
    })
    return session(talk, 'sse', older)
  }
}

function session(talk: Talk, transport: 'http' | 'sse', first: Connected): McpSession {
  const { url, door, secrets } = talk
  let current = Promise.resolve(first)
  const forgotten = new Set<Connected>()
  let isClosed = false

  const reopen = (): Promise<Connected> => (current = connect(talk, transport))

  /** One that was cut, or could not be opened again, is tried again: the server may be back. */
  async function connected(): Promise<Connected> {
    const held = current
    const by = await held.catch(() => undefined)
    if (by && !by.isCut()) return by
    return current === held ? reopen() : current
  }

  /** A server that forgot our session answers 404 without acting (MCP, session management): a new one is opened, once. */
  async function during<T>(act: (by: Connected) => Promise<T>): Promise<T> {
    door.signal.throwIfAborted()
    if (isClosed) throw new McpTrouble(`The session with ${url.host} is closed.`)
    const used = await connected()
    try {
      return await act(used)
    } catch (error) {
      const isForgotten = error instanceof SdkHttpError && error.data.status === 404 && used.hasSession()
      if (!isForgotten) throw error
      // of several calls at once, the first that learns of it opens the new session for all; the others learn of it later
      if (!forgotten.has(used)) {
        forgotten.add(used)
        await reopen()
      }
      return act(await current)
    }
  }

  return {
    transport,
    async listTools() {
      try {
        return await during(async ({ client, sessionFetch }) => {
          if (!client.getServerCapabilities()?.tools) return []
          sessionFetch.beginList()
          const { tools } = await client.listTools(undefined, {
            cacheMode: 'refresh',
            timeout: listMs,
            signal: door.signal,
          })
          return readTools(tools, url.host)
        })
      } catch (error) {
        throw door.signal.aborted ? door.signal.reason : troubleOf(error, url.host, secrets)
      }
    },
    async callTool(name, args, { signal, callId }) {
      const params = { name, arguments: args, _meta: { [callIdKey]: callId } }
      const options = { signal: AbortSignal.any([signal, door.signal]), timeout: callMs }
      try {
        return answerOf(await during(({ client }) => client.callTool(params, options)))
      } catch (error) {
        if (options.signal.aborted) throw options.signal.reason
        // the server answered, with an error of the protocol: that is its answer, and the model's to read
        if (isRefusal(error)) return refusedAnswer(without(secrets, error.message))
        throw troubleOf(error, url.host, secrets)
      }
    },
    async close() {
      isClosed = true
      // a session that could not be opened again needs no end, and its caller got the error
      const last = await current.catch(() => undefined)
      await Promise.all([last?.leave(), ...[...forgotten].map(({ client }) => client.close())])
    },
  }
}

function answerOf(result: Awaited<ReturnType<Client['callTool']>>): McpAnswer {
  const { isError, content, structuredContent } = result
  return { is_error: isError === true, content, structured_content: structuredContent ?? null }
}

const refusedAnswer = (text: string): McpAnswer => ({
  is_error: true,
  content: [{ type: 'text', text }],
  structured_content: null,
})
