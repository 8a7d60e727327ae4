// Proof: PostgreSQL goes away and comes back again and again under runs; what was acknowledged is there, once, and everything goes on.
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { connectionSettings } from '../../src/base/db.ts'
import { embeddedPostgres, type EmbeddedPostgres } from '../../src/base/embeddedPostgres.ts'
import { newId } from '../../src/base/ids.ts'
import { compareCalls, readLedger, type Calls, type Ledger } from '../../src/drill/ledger.ts'
import { honestPerson, type Answers } from '../../src/drill/person.ts'
import { percentile, send, type Service } from './processes.ts'
import { signalTree } from './processTree.ts'
import { block, bodyOf, until, untilQuiet, type Yard } from './yard.ts'

export interface Restarted extends Ledger, Calls, Answers {
  restarts: number
  /** Starts that were answered with 201, at last; each was sent with one key until then. */
  acknowledged: number
  /** Of them, sent more than once because the answer was a 5xx. */
  sentAgain: number
  /** Must be 0: acknowledged and not there. */
  lost: number
  /** Must be 0: runs beyond one for each key. */
  doubled: number
  completed: number
  /** Must be 0: under way for ever. */
  stuck: number
  /** From the first connection that PostgreSQL takes to a good answer of every API. */
  healthyP50Ms: number
  healthyMaxMs: number
  /** And to the end of the runs that were started so, which take 0.4 s. */
  runsMaxMs: number
}

interface Options {
  forMs: number
  /** Between two restarts. */
  pauseMs: [number, number]
  clients: number
}

const procedure = (url: string) =>
  [
    block('http', `GET ${url}/look`),
    block('memory path=progress.md', 'looked in {{ run.id }}'),
    block('http', `POST ${url}/pay\n\nonce`),
    block('output', 'done'),
  ].join('\n')

/** A fast shutdown, an immediate one, and the end without any. */
const ways: NodeJS.Signals[] = ['SIGINT', 'SIGQUIT', 'SIGKILL']

export async function restartPostgresUnderRuns(yard: Yard, dataDir: string, options: Options): Promise<Restarted> {
  const agentId = await yard.newAgent(procedure(yard.counter.url))
  const person = honestPerson(yard)
  const postgres = await embeddedPostgres({ dataDir, log: () => undefined })
  const deadline = performance.now() + options.forMs
  const load = { acknowledged: [] as string[], sentAgain: 0 }
  const healthyMs: number[] = []
  const runsMs: number[] = []

  /** A run that never ends is counted when all is over. */
  const untilEnded = (runId: string) =>
    until(
      'a run ends',
      () => hasEnded(yard, runId),
      (ended) => ended || performance.now() > deadline,
      { forMs: options.forMs * 2 },
    )

  async function client(): Promise<void> {
    while (performance.now() < deadline) {
      const runId = await startUntilAcknowledged(yard, agentId, load)
      await untilEnded(runId)
    }
  }

  async function restart(): Promise<void> {
    const [leastMs, mostMs] = options.pauseMs
    for (let round = 0; ; round++) {
      await sleep(leastMs + Math.random() * (mostMs - leastMs))
      if (performance.now() > deadline) return
      const returnedAt = await restartOnce(postgres, ways[round % ways.length]!)
      const runs = await Promise.all(yard.apis.map((api) => startUntilAcknowledged(yard, agentId, load, api)))
      healthyMs.push(performance.now() - returnedAt)
      for (const id of runs) await untilEnded(id)
      runsMs.push(performance.now() - returnedAt)
    }
  }

  await Promise.all([restart(), ...Array.from({ length: options.clients }, client)])
  const stuck = await untilQuiet(yard)
  await person.leave()
  const rows = await yard.sql<{ id: string; status: string }>`select id, status from runs`
  const there = new Set(rows.map(({ id }) => id))
  return {
    restarts: healthyMs.length,
    acknowledged: load.acknowledged.length,
    sentAgain: load.sentAgain,
    lost: load.acknowledged.filter((id) => !there.has(id)).length,
    doubled: rows.length - new Set(load.acknowledged).size,
    completed: rows.filter(({ status }) => status === 'completed').length,
    stuck,
    ...person.answers,
    ...(await compareCalls(yard.sql, await yard.counter.arrivals())),
    ...(await readLedger(yard.sql)),
    healthyP50Ms: Math.round(percentile(healthyMs, 50)),
    healthyMaxMs: Math.round(Math.max(0, ...healthyMs)),
    runsMaxMs: Math.round(Math.max(0, ...runsMs)),
  }
}

interface Load {
  acknowledged: string[]
  sentAgain: number
}

/** The same key until it is answered well, as clients do; anything but a 5xx or a broken connection is a mistake. */
async function startUntilAcknowledged(yard: Yard, agentId: string, load: Load, api?: Service): Promise<string> {
  const { teamId, key } = yard.apis[0]!
  const idempotencyKey = newId()
  const request = { method: 'POST', path: `/v2/teams/${teamId}/runs`, body: { agent_id: agentId }, idempotencyKey }
  for (;;) {
    const answer = await (api ? send(api.baseUrl, { ...request, key }) : yard.call(request))
    if (answer.status < 500) {
      const runId = bodyOf(answer)['run_id'] as string
      load.acknowledged.push(runId)
      return runId
    }
    load.sentAgain += 1
    await sleep(50)
  }
}

async function hasEnded(yard: Yard, runId: string): Promise<boolean> {
  const answer = await yard.call({ path: `/v2/runs/${runId}` })
  return answer.status === 200 && ['completed', 'failed', 'stopped'].includes(bodyOf(answer)['status'] as string)
}

/** Answers with the time when a connection was taken again. Whoever of the service notices first starts it: nobody is asked to. */
async function restartOnce(postgres: EmbeddedPostgres, way: NodeJS.Signals): Promise<number> {
  const pid = postgres.serverPid()!
  if (way === 'SIGKILL') await signalTree(pid, way)
  else process.kill(pid, way)
  await until(
    'another server takes connections',
    () => takesConnections(postgres, pid),
    (takes) => takes,
  )
  return performance.now()
}

async function takesConnections(postgres: EmbeddedPostgres, oldPid: number): Promise<boolean> {
  const pid = postgres.serverPid()
  if (pid === undefined || pid === oldPid) return false
  const client = new Client(connectionSettings(postgres.address()))
  client.on('error', () => undefined) // told by connect
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    return false // not yet
  }
}
