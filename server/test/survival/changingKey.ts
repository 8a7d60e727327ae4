// Proof: runs whose connection breaks and is mended again and again all get through, and make each call once.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Proof } from './proof.ts'
import { block, bodyOf, openYard, untilQuiet, type Yard } from './yard.ts'

export interface Changed {
  runs: number
  /** How often the key changed at the API, and only a moment later in the connection. */
  changes: number
  /** Calls that came with an older key. */
  refused: number
  /** Must be all of them. */
  completed: number
  /** Must be six for each run. */
  taken: number
  /** Must be 0. */
  takenTwice: number
  /** Must be 0: waits that nobody ended. */
  waitsLeft: number
}

const callsOfRun = 6

async function startApi() {
  const seen = { key: newKey(), refused: 0, taken: new Map<string, number>() }
  const server = createServer((request, response) => {
    const isGood = request.headers.authorization === `Bearer ${seen.key}`
    const id = String(request.headers['idempotency-key'])
    if (isGood) seen.taken.set(id, (seen.taken.get(id) ?? 0) + 1)
    else seen.refused += 1
    response.writeHead(isGood ? 200 : 401).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, seen, close: () => server.close() }
}

const newKey = (): string => randomBytes(12).toString('hex')

async function changeUnderLoad(yard: Yard, runs: number): Promise<Changed> {
  const { url, seen, close } = await startApi()
  const wanted = { name: 'API', type: 'api', server_url: url, api_key: seen.key }
  const made = await yard.call({ method: 'POST', path: `/v2/teams/${yard.apis[0]!.teamId}/connections`, body: wanted })
  const id = bodyOf(made)['connection_id'] as string
  const procedure = block('http connection=API', `POST ${url}/pay`).repeat(callsOfRun)
  const agentId = await yard.newAgent(procedure, { connections: [id] })
  const done = new AbortController()
  let changes = 0
  const changing = (async () => {
    while (!done.signal.aborted) {
      seen.key = newKey()
      await sleep(20 + Math.random() * 150)
      const change = () => yard.call({ method: 'PATCH', path: `/v2/connections/${id}`, body: { api_key: seen.key } })
      let answer = await change()
      // refused runs mark the same row: on a machine without time to spare somebody may hold it for two seconds
      while (answer.status === 409) answer = await change()
      bodyOf(answer)
      changes += 1
      await sleep(50 + Math.random() * 200)
    }
  })()
  for (let begun = 0; begun < runs; begun += 50) {
    await Promise.all(Array.from({ length: 50 }, () => yard.startRun(agentId)))
  }
  await untilQuiet(yard)
  done.abort()
  await changing
  await untilQuiet(yard)
  const [left] = await yard.sql<{ completed: number; waitsLeft: number }>`
    select (select count(*)::int from runs where agent_id = ${agentId} and status = 'completed') as completed,
      (select count(*)::int from connection_waits) as "waitsLeft"`
  close()
  const takenTwice = [...seen.taken.values()].filter((times) => times > 1).length
  return { runs, changes, refused: seen.refused, ...left!, taken: seen.taken.size, takenTwice }
}

const isThrough = ({ runs, refused, completed, taken, takenTwice, waitsLeft }: Changed): boolean =>
  refused > 0 && completed === runs && taken === runs * callsOfRun && takenTwice + waitsLeft === 0

export const changingKeyProof: Proof = {
  name: 'a key that changes again and again under 600 runs of 6 calls each',
  must: 'every run completed, every call taken once, no wait left over',
  async run(dataDir) {
    const yard = await openYard({ options: { dataDir, env: { LOG_LEVEL: 'error' } }, workers: 2 })
    try {
      const counts = await changeUnderLoad(yard, 600)
      return { counts, holds: isThrough(counts) }
    } finally {
      await yard.close()
    }
  },
}
