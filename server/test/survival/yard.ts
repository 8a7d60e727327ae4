// A small yard for the proofs about runs: API processes and workers on one database, an outside counter, and what the proofs ask of them.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { sqlOn, type Sql } from '../../src/base/db.ts'
import { block } from '../../src/drill/procedures.ts'
import { processIdOf } from '../../src/drill/processId.ts'
import { bodyOf } from '../../src/drill/requests.ts'
import { until } from '../../src/drill/until.ts'
import { startCallCounter, type CallCounter } from '../../src/drill/callCounter.ts'
import { send, startService, type HttpAnswer, type Request, type Service, type StartOptions } from './processes.ts'

export { block, bodyOf, processIdOf, until }

export interface Yard {
  apis: Service[]
  workers: Service[]
  counter: CallCounter
  sql: Sql
  /** What every process of the yard is started with. */
  env: Record<string, string>
  startWorker: () => Promise<Service>
  startApi: () => Promise<Service>
  /** One request to one of the APIs, in turn. */
  call: (request: Omit<Request, 'key'>) => Promise<HttpAnswer>
  /** Makes an agent whose live build follows this procedure. */
  newAgent: (procedure: string, data?: Record<string, unknown>, name?: string) => Promise<string>
  /** Answers with the id of the run, once it is acknowledged. */
  startRun: (agentId: string, message?: string) => Promise<string>
  close: () => Promise<void>
}

interface YardOptions {
  options: StartOptions
  apis?: number
  workers?: number
}

/** Every process may call the counter, which is on loopback, and nobody is slowed down. */
const yardEnv = { RUNYARD_ALLOW_PRIVATE_HOSTS: '127.0.0.1', RUNYARD_RATE_LIMIT: '0' }

export async function openYard({ options, apis = 1, workers = 3 }: YardOptions): Promise<Yard> {
  const counter = await startCallCounter()
  const env = { ...yardEnv, OPENAI_COMPATIBLE_URL: `${counter.url}/ms/30000`, ...options.env }
  const startApi = () => startService({ ...options, env, args: ['--role', 'api'] })
  const startWorker = () => startService({ ...options, env: { ...env, PORT: '' }, args: ['--role', 'worker'] })
  const first = await startApi()
  const facts = JSON.parse(await readFile(join(options.dataDir, 'service.json'), 'utf8')) as { database_url: string }
  const pool = new Pool({ connectionString: facts.database_url, max: 6 })
  // a connection that the proof itself takes away fails its next statement, which is soon enough
  pool.on('error', () => undefined)
  let turn = 0
  const yard: Yard = {
    apis: [first],
    workers: [],
    counter,
    sql: sqlOn(pool),
    env: { ...env, RUNYARD_DATA_DIR: options.dataDir },
    startApi,
    startWorker,
    call: (request) => send(yard.apis[turn++ % yard.apis.length]!.baseUrl, { ...request, key: first.key }),
    async newAgent(procedure, data = {}, name = 'Proven') {
      const config = { version: 'v2', data: { input: procedure, plugins: ['http', 'human', 'sandbox'], ...data } }
      const path = `/v2/teams/${first.teamId}/agents`
      return bodyOf(await yard.call({ method: 'POST', path, body: { name, build: { config } } }))['agent_id'] as string
    },
    async startRun(agentId, message = 'go') {
      const path = `/v2/teams/${first.teamId}/runs`
      return bodyOf(await yard.call({ method: 'POST', path, body: { agent_id: agentId, message } }))['run_id'] as string
    },
    async close() {
      await Promise.all(yard.workers.map((worker) => worker.stop('SIGINT')))
      await Promise.all([counter.stop(), pool.end()])
      await Promise.all(yard.apis.map((api) => api.stop('SIGINT')))
    },
  }
  yard.apis.push(...(await Promise.all(Array.from({ length: apis - 1 }, startApi))))
  yard.workers.push(...(await Promise.all(Array.from({ length: workers }, startWorker))))
  return yard
}

/** Runs that have not ended; those above all others with a depth of 0. */
export async function activeRuns({ sql }: Yard, { depth = 100 } = {}): Promise<number> {
  const [row] = await sql<{ count: string }>`
    select count(*) from runs where status in ('pending', 'running', 'waiting') and depth <= ${depth}`
  return Number(row!.count)
}

/** Until no run is under way, or nothing has happened for half a minute; answers with how many were left. */
export async function untilQuiet(yard: Yard): Promise<number> {
  let lastChange = ''
  let since = performance.now()
  for (;;) {
    const left = await activeRuns(yard)
    if (left === 0) return 0
    const [{ at } = { at: '' }] = await yard.sql<{
      at: string
    }>`select max(updated_at)::text || count(*) as at from runs`
    if (at !== lastChange) since = performance.now()
    lastChange = at
    if (performance.now() - since > 30_000) return left
    await sleep(50)
  }
}
