// One hostile caller: it sends what it likes with its team's key, or without one, and counts the answers.
import { Agent, request as httpRequest, type ClientRequest } from 'node:http'
import type { Team } from '../secondTeam.ts'
import type { Random } from './random.ts'

export interface Reply {
  status: number
  // an attacker reads answers as loosely as it writes requests
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
}

export interface Attacker {
  baseUrl: string
  team: Team
  random: Random
  ask: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>
  /** Opens a request and leaves it open; the stream ends when the attack is over. */
  open: (path: string) => Promise<number>
}

export interface Trick {
  name: string
  /** Time between two attempts of one of its callers. */
  everyMs: number
  /** How many callers try it at the same time. */
  atOnce: number
  /** Prepares what its callers share; `act` is then called again and again. */
  prepare: (attacker: Attacker) => Promise<(n: number) => Promise<Reply | undefined>>
}

const patienceMs = 60_000

export function createAttacker(
  { baseUrl, team, random }: Pick<Attacker, 'baseUrl' | 'team' | 'random'>,
  signal: AbortSignal,
): Attacker {
  const agent = new Agent({ keepAlive: true, maxSockets: 128 })
  const streams = new Agent({ maxSockets: Infinity })

  function begin(
    method: string,
    path: string,
    headers: Record<string, string>,
    own: Agent,
    onStatus: (status: number, text: () => Promise<string>) => void,
    onError: (error: Error) => void,
  ): ClientRequest {
    const outgoing = httpRequest(`${baseUrl}${path}`, { method, headers, agent: own, signal }, (incoming) => {
      const text = async () => {
        const chunks: Buffer[] = []
        for await (const chunk of incoming) chunks.push(chunk as Buffer)
        return Buffer.concat(chunks).toString()
      }
      incoming.on('error', () => undefined) // its reader gets the same error
      onStatus(incoming.statusCode!, text)
    })
    outgoing.on('error', onError)
    return outgoing
  }

  const ask: Attacker['ask'] = (method, path, body, headers = {}) =>
    new Promise((resolve, reject) => {
      const payload = body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
      const outgoing = begin(
        method,
        path,
        {
          authorization: `Bearer ${team.key}`,
          ...(payload && { 'content-type': 'application/json', 'content-length': String(payload.length) }),
          ...headers,
        },
        agent,
        (status, text) =>
          void text().then((read) => resolve({ status, body: read.startsWith('{') ? JSON.parse(read) : read }), reject),
        reject,
      )
      outgoing.setTimeout(patienceMs, () => outgoing.destroy(new Error('no answer in time')))
      outgoing.end(payload)
    })

  const open: Attacker['open'] = (path) =>
    new Promise((resolve, reject) => {
      begin(
        'GET',
        path,
        { authorization: `Bearer ${team.key}` },
        streams,
        (status, text) => {
          // read on, so that the stream stays open; it breaks off when the attack is over
          text().catch(() => undefined)
          resolve(status)
        },
        reject,
      ).end()
    })

  return { baseUrl, team, random, ask, open }
}
