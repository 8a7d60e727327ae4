// The requests of sandboxed code that the service makes for it: listed hosts only, through the guard, with bounds.
import type { Outbound } from '../../base/outbound/fetch.ts'
import { mayReachUrl, type MayReach } from './allowedHosts.ts'
import { fetchBytesMax, type FetchAnswer, type FetchWanted } from './justBashProtocol.ts'

const timeoutMs = 30_000

/** Headers that belong to the connection and not to the caller's message. */
const ownHeaders = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'upgrade', 'te'])

export type HostFetch = (wanted: FetchWanted, signal: AbortSignal) => Promise<FetchAnswer>

/** Never follows a redirect: the caller sends a new request with the new URL, which is checked like the first. */
export function createHostFetch(outbound: Outbound, mayReach: MayReach): HostFetch {
  async function request(wanted: FetchWanted, signal: AbortSignal): Promise<FetchAnswer> {
    const url = URL.parse(wanted.url)
    if (url === null) return { refused: 'This is not a valid URL.' }
    if (!mayReachUrl(mayReach, url)) {
      return { refused: `${url.host} cannot be reached from here. The operator lists hosts in RUNYARD_SANDBOX_HOSTS.` }
    }
    const headers = Object.entries(wanted.headers).filter(([name]) => !ownHeaders.has(name.toLowerCase()))
    const answer = await outbound.request({
      url,
      method: wanted.method,
      headers: Object.fromEntries(headers),
      body: wanted.body === null ? null : Buffer.from(wanted.body, 'base64'),
      signal,
      timeoutMs,
      answerBytesMax: fetchBytesMax,
    })
    if (answer.truncated) return { refused: `${url.host} answered with more than ${fetchBytesMax} bytes.` }
    return { status: answer.status, headers: flat(answer.headers), body: answer.body.toString('base64') }
  }

  return async (wanted, signal) => {
    try {
      return await request(wanted, signal)
    } catch (error) {
      // the child gets every failure as an answer: a refusal of the guard, a dead host, an invalid method
      return { refused: error instanceof Error ? error.message : 'The request failed.' }
    }
  }
}

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const entries = Object.entries(headers).filter((entry) => entry[1] !== undefined)
  return Object.fromEntries(entries.map(([name, value]) => [name, [value].flat().join(', ')]))
}
