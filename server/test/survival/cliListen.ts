// Proof: `runyard listen` is closed and opened again while events happen; its receiver gets each once, in order, with true signatures.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Webhook } from 'standardwebhooks'
import { Stripe } from 'stripe'
import { programFile } from '../kit/programFile.ts'
import { send, startService } from './processes.ts'
import type { Proof } from './proof.ts'
import { bodyOf, until } from './yard.ts'

const cli = fileURLToPath(new URL('../../../cli/src/main.ts', import.meta.url))

export interface Listened {
  events: number
  closes: number
  received: number
  /** Must be 0: came twice, came never, came before an earlier one. */
  doubles: number
  missing: number
  outOfOrder: number
  /** Must be 0: refused by one of the two packages that verify. */
  refused: number
  /** Exit codes of the closed ones: must be 0 alone. */
  codes: number[]
}

interface Target {
  baseUrl: string
  key: string
  teamId: string
  /** The home of its user, where the cursor is. */
  folder: string
}

interface Size {
  closes: number
  /** Events between two closes, and while it is closed. */
  perPhase: number
  /** How long to wait after each event. */
  pauseMs: number
}

export async function listenOverCloses(target: Target, { closes, perPhase, pauseMs }: Size): Promise<Listened> {
  const { baseUrl, key, teamId } = target
  const post = async (path: string, body: object) => bodyOf(await send(baseUrl, { method: 'POST', path, key, body }))
  const queueId = (await post(`/v2/teams/${teamId}/queues`, { name: 'Heard' }))['queue_id'] as string
  const secretAnswer = await send(baseUrl, { path: `/v2/teams/${teamId}/webhook-secret`, key })
  const receiver = await startVerifier(bodyOf(secretAnswer)['secret'] as string)
  const made: string[] = []
  const happen = async () => {
    for (let n = 0; n < perPhase; n += 1) {
      const added = await post(`/v2/queues/${queueId}/cases`, { case: { title: `Case ${made.length}` } })
      made.push((added['added_cases'] as { id: string }[])[0]?.id ?? '')
      await sleep(pauseMs)
    }
  }
  const codes: number[] = []
  try {
    for (let close = 0; close <= closes; close += 1) {
      const listening = await openListen(target, receiver.url)
      // the first ones find nobody, and are tried again
      receiver.isAway = close === 1
      await happen()
      receiver.isAway = false
      if (close === closes)
        await until(
          'all have come',
          async () => receiver.ids.length,
          (n) => n >= made.length,
          { everyMs: 50, forMs: 60_000 },
        )
      codes.push(await listening.close())
      if (close < closes) await happen()
    }
  } finally {
    receiver.close()
  }
  const unique = [...new Set(receiver.ids)]
  return {
    events: made.length,
    closes: codes.length,
    received: receiver.ids.length,
    doubles: receiver.ids.length - unique.length,
    missing: made.filter((id) => !unique.includes(id)).length,
    outOfOrder: unique.filter((id, index) => id !== made[index]).length,
    refused: receiver.refused(),
    codes: [...new Set(codes)],
  }
}

async function openListen({ baseUrl, key, folder }: Target, url: string): Promise<{ close: () => Promise<number> }> {
  const env = { PATH: process.env['PATH'], HOME: folder, RUNYARD_URL: baseUrl, RUNYARD_API_KEY: key }
  const words = ['listen', '--forward-to', url, '--events', 'queue.case.created']
  const child: ChildProcess = spawn(process.execPath, [programFile(cli), ...words], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr?.on('data', (text: Buffer) => (said += text.toString()))
  const exited = once(child, 'exit') as Promise<[number | null]>
  await until('it listens', async () => said.includes('Listening') || child.exitCode !== null, Boolean, {
    everyMs: 20,
    forMs: 60_000,
  })
  if (child.exitCode !== null) throw new Error(`listen ended: ${said}`)
  return {
    async close() {
      child.kill('SIGINT')
      const [code] = await exited
      return code ?? -1
    },
  }
}

interface Verifier {
  url: string
  /** Connections are cut without an answer. */
  isAway: boolean
  /** The cases whose events came, as they came. */
  ids: string[]
  refused: () => number
  close: () => void
}

async function startVerifier(secret: string): Promise<Verifier> {
  const { webhooks } = new Stripe('sk_test_of_nobody')
  const standard = new Webhook(secret)
  let refused = 0
  const verifier: Verifier = {
    url: '',
    isAway: false,
    ids: [],
    refused: () => refused,
    close: () => server.close().closeAllConnections(),
  }
  const server = createServer((request, response) => {
    if (verifier.isAway) {
      request.socket.destroy()
      return
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const headers = request.headers as Record<string, string>
      try {
        webhooks.constructEvent(body, headers['x-service-signature'] ?? '', secret)
        standard.verify(body, headers)
      } catch {
        refused += 1
      }
      verifier.ids.push((JSON.parse(body) as { data: { case_id: string } }).data.case_id)
      response.writeHead(204).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  verifier.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return verifier
}

export const isHeard = ({ doubles, missing, outOfOrder, refused, codes, events, received }: Listened): boolean =>
  doubles + missing + outOfOrder + refused === 0 && codes.join() === '0' && events === received

export const cliListenProof: Proof = {
  name: 'runyard listen over 5 minutes of events, closed and opened 30 times, its receiver away for a while',
  must: 'every event once, in order, signatures verified by stripe and standardwebhooks',
  async run(dataDir) {
    const service = await startService({ dataDir, env: { LOG_LEVEL: 'error', RUNYARD_RATE_LIMIT: '0' } })
    try {
      const counts = await listenOverCloses({ ...service, folder: dataDir }, { closes: 30, perPhase: 50, pauseMs: 90 })
      return { counts, holds: isHeard(counts) }
    } finally {
      await service.stop()
    }
  },
}
