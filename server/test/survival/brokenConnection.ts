// Proof: runs whose connection was revoked wait as rows, outlive every worker, and each makes its call once when it is mended.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startOauthServer, type OauthServer } from '../fakes/oauthServer.ts'
import type { Proof } from './proof.ts'
import { connectGithub, githubSettings } from './githubAccount.ts'
import { freePort } from './processes.ts'
import { block, openYard, until, untilQuiet, type Yard } from './yard.ts'

export interface Waited {
  runs: number
  /** Must be all of them, with nobody alive that could hold one. */
  waiting: number
  /** Must be 1: however many calls found out. */
  alarms: number
  killed: number
  /** Must be all of them. */
  completed: number
  /** Calls that the API took: must be one for each run. */
  taken: number
  /** Must be 0. */
  takenTwice: number
}

/** An API that takes a call only with a token that is good now, and remembers which it took. */
async function startApi(oauth: OauthServer) {
  const taken = new Map<string, number>()
  const server = createServer((request, response) => {
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
    void oauth.find(token).then((found) => {
      const id = String(request.headers['idempotency-key'])
      if (found) taken.set(id, (taken.get(id) ?? 0) + 1)
      return response.writeHead(found ? 200 : 401).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, taken, close: () => server.close() }
}

async function outlive(yard: Yard, oauth: OauthServer, api: Awaited<ReturnType<typeof startApi>>): Promise<Waited> {
  const runs = 100
  const id = await connectGithub(yard, oauth)
  const procedure = block('http connection=github', `POST http://${api.host}/pay`)
  const agentId = await yard.newAgent(procedure, { connections: [id] })
  await oauth.revokeAll()
  await Promise.all(Array.from({ length: runs }, () => yard.startRun(agentId)))
  const count = async (status: string) => {
    const [row] = await yard.sql<{ count: number }>`
      select count(*)::int from runs where agent_id = ${agentId} and status = ${status}`
    return row!.count
  }
  await until(
    'all wait',
    () => count('waiting'),
    (waiting) => waiting === runs,
  )
  const killed = yard.workers.length
  await Promise.all(yard.workers.splice(0).map((worker) => worker.stop('SIGKILL')))
  const waiting = await count('waiting')
  await connectGithub(yard, oauth, id)
  yard.workers.push(await yard.startWorker(), await yard.startWorker())
  await until(
    'all go on',
    () => count('waiting'),
    (left) => left === 0,
  )
  await untilQuiet(yard)
  const [told] = await yard.sql<{ alarms: number }>`
    select count(*)::int as alarms from events where event = 'connection.action_required'`
  const takenTwice = [...api.taken.values()].filter((times) => times > 1).length
  return { runs, waiting, ...told!, killed, completed: await count('completed'), taken: api.taken.size, takenTwice }
}

const isOutlived = ({ runs, waiting, alarms, completed, taken, takenTwice }: Waited): boolean =>
  waiting === runs && alarms === 1 && completed === runs && taken === runs && takenTwice === 0

export const brokenConnectionProof: Proof = {
  name: 'a revoked grant, 100 runs that need it, every worker killed while they wait',
  must: 'all wait, one alarm, all go on when it is authorised again, each call made once',
  async run(dataDir) {
    const port = String(await freePort())
    const oauth = await startOauthServer({ redirectUris: [`http://127.0.0.1:${port}/oauth/callback`] })
    const api = await startApi(oauth)
    const env = { LOG_LEVEL: 'error', PORT: port, ...githubSettings(oauth, api.host) }
    const yard = await openYard({ options: { dataDir, env }, workers: 2 })
    try {
      const counts = await outlive(yard, oauth, api)
      return { counts, holds: isOutlived(counts) }
    } finally {
      await yard.close()
      api.close()
      await oauth.close()
    }
  },
}
