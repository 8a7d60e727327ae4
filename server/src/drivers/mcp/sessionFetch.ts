// The fetch of one MCP session: to its own origin only, refusals turned into errors, answers bounded in size.
import { createDepthWatch } from '../../base/boundedJson.ts'
import type { Door } from '../oauth/answer.ts'
import { challengeOf } from '../oauth/challenge.ts'
import { McpTrouble, McpUnauthorized } from './failures.ts'

const listBytesMax = 4 * 1024 * 1024
const answerBytesMax = 8 * 1024 * 1024

export interface SessionFetch {
  fetch: typeof fetch
  /** The last refusal: when a stream is refused, the library learns only that it failed. */
  refusal: () => McpUnauthorized | undefined
  /** A new list of tools begins, whose pages are counted together. */
  beginList: () => void
}

export function createSessionFetch(url: URL, door: Door): SessionFetch {
  let refusal: McpUnauthorized | undefined
  let listed = { bytes: 0 }

  async function sessionFetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
    const target = new URL(input instanceof Request ? input.url : input)
    // the credential is for this server; the library keeps to it as well, and neither relies on the other
    if (target.origin !== url.origin)
      throw new McpTrouble(`${url.host} points to ${target.host}, which is not followed.`)
    const response = await door.fetch(input, init)
    const isPost = init?.method === 'POST'
    if (response.status === 401 || (response.status === 403 && isPost)) {
      await response.body?.cancel()
      refusal = new McpUnauthorized(url.host, response.status, challengeOf(response.headers))
      throw refusal
    }
    if (!response.body) return response
    // what the server sends on its own has no end, so only its depth is watched
    if (!isPost) return metered(response, { bytes: 0 }, Infinity)
    // notifications and the rest are small; only these two may be large
    const isList = typeof init.body === 'string' && init.body.includes('"method":"tools/list"')
    return isList ? metered(response, listed, listBytesMax) : metered(response, { bytes: 0 }, answerBytesMax)
  }

  function metered(response: Response, counted: { bytes: number }, bytesMax: number): Response {
    const isEvents = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    const watchDepth = createDepthWatch({ perLine: isEvents })
    const meter = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        counted.bytes += chunk.byteLength
        if (counted.bytes > bytesMax) throw tooMuch()
        try {
          watchDepth(chunk)
        } catch (error) {
          throw new McpTrouble(`${url.host} answered with JSON that cannot be taken: ${(error as Error).message}.`)
        }
        controller.enqueue(chunk)
      },
    })
    const { status, statusText, headers } = response
    return new Response(response.body?.pipeThrough(meter) ?? null, { status, statusText, headers })
  }

  const tooMuch = () => new McpTrouble(`${url.host} answered with too much.`)
  const beginList = () => {
    listed = { bytes: 0 }
  }
  return { fetch: sessionFetch, refusal: () => refusal, beginList }
}
