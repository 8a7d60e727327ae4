// One exchange with an authorization server: through the guard, bounded in time and size, its answer read as JSON.
import { parseBounded } from '../../base/boundedJson.ts'
import { allowInsecureRequests, customFetch } from 'oauth4webapi'
import { troubleOf, OAuthTrouble } from './failures.ts'
import { secureUrl } from './secureUrl.ts'

/** How requests leave the service: the `fetch` of the outbound guard, and the signal that ends them. */
export interface Door {
  fetch: typeof fetch
  signal: AbortSignal
}

export type Json = Record<string, unknown>

export interface Answer {
  status: number
  headers: Headers
  /** Undefined: it was not a JSON object. */
  body: Json | undefined
}

const exchangeMs = 20_000
/** The largest metadata documents in use are a twentieth of this. */
const answerBytesMax = 256 * 1024

/** For oauth4webapi; plain http only where secureUrl has admitted it. */
interface LibraryOptions {
  [customFetch]: typeof fetch
  [allowInsecureRequests]: boolean
  signal: AbortSignal
}

/** Sends what the library writes to an endpoint of the server. */
export function ask(
  door: Door,
  { endpoint, what }: { endpoint: string | null; what: string },
  send: (options: LibraryOptions) => Promise<Response>,
): Promise<Answer> {
  const url = secureUrl(endpoint, what)
  return within(door, url, (signal) =>
    send({ [customFetch]: door.fetch, [allowInsecureRequests]: url.protocol === 'http:', signal }),
  )
}

export async function within(door: Door, url: URL, send: (signal: AbortSignal) => Promise<Response>): Promise<Answer> {
  const signal = AbortSignal.any([door.signal, AbortSignal.timeout(exchangeMs)])
  try {
    const response = await send(signal)
    const { status, headers } = response
    return { status, headers, body: jsonOf(await textOf(response, url)) }
  } catch (error) {
    throw troubleOf(error, url.hostname, door.signal)
  }
}

async function textOf(response: Response, url: URL): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > answerBytesMax) throw new OAuthTrouble(`${url.hostname} answered with too much.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function jsonOf(text: string): Json | undefined {
  try {
    const value: unknown = parseBounded(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined
  } catch {
    return undefined // not JSON: its readers decide what that means
  }
}
