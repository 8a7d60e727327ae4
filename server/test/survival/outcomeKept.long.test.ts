// PostgreSQL goes away while calls are under way and comes back after their answers: the worker that lived through it lost nothing.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isConnectionTrouble } from '../../src/base/db.ts'
import { embeddedPostgres } from '../../src/base/embeddedPostgres.ts'
import { signalTree } from './processTree.ts'
import { send, preparedDataDir } from './processes.ts'
import { block, openYard, until } from './yard.ts'
import { proves } from '../kit/proves.ts'

const dataDir = await preparedDataDir()
const yard = await openYard({ options: { dataDir: dataDir.path, env: { LOG_LEVEL: 'error' } }, workers: 2 })
const postgres = await embeddedPostgres({ dataDir: dataDir.path, log: () => undefined })
after(async () => {
  await yard.close()
  await dataDir.remove()
})

const runs = 10

/** The outside server: it counts calls, and answers none before it is told to. */
let arrived: { answer: () => void; wasHungUp: boolean }[] = []
const outside = createServer((_, response) => {
  const call = { answer: () => void response.end('counted'), wasHungUp: false }
  response.on('close', () => (call.wasHungUp = !response.writableFinished))
  arrived.push(call)
})
await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`
after(() => outside.close())
const answerAll = () => {
  for (const { answer } of arrived) answer()
}

/** POSTs, which may not be repeated, and GETs, which may: each is answered while the database is away. */
async function whileAway(outage: () => Promise<void>) {
  arrived = []
  await until(
    'the service is ready',
    () => send(yard.apis[0]!.baseUrl, { path: '/readyz', key: '' }),
    ({ status }) => status === 200,
  )
  const agents = await Promise.all(
    [`POST ${url}/it\n\nonce`, `GET ${url}/it`].map((call) =>
      yard.newAgent(`${block('http id=it', call)}\n${block('output', '{{ steps.it.output.body }}')}`),
    ),
  )
  const ids = await Promise.all(Array.from({ length: runs }, (_, n) => yard.startRun(agents[n % agents.length]!)))
  await until(
    'every call is made',
    async () => arrived.length,
    (count) => count === runs,
  )
  await outage()
  const ended = await until(
    'all have ended or wait',
    () => readRuns(ids),
    (rows) => rows.length === runs && rows.every(({ status }) => !['pending', 'running'].includes(status)),
  )
  const [{ asked } = { asked: -1 }] = await yard.sql<{ asked: number }>`
    select count(*)::int as asked from human_requests where run_id = any(${ids}::uuid[])`
  return {
    outputs: [...new Set(ended.map(({ status, output }) => `${status}: ${output}`))],
    asked,
    calls: arrived.length,
    hungUp: arrived.filter(({ wasHungUp }) => wasHungUp).length,
    died: yard.workers.filter(({ child }) => child.exitCode !== null || child.signalCode !== null).length,
  }
}

async function readRuns(ids: string[]): Promise<{ status: string; output: string }[]> {
  try {
    return await yard.sql`select status, output #>> '{}' as output from runs where id = any(${ids}::uuid[])`
  } catch (error) {
    if (isConnectionTrouble(error)) return []
    throw error
  }
}

const kept = { outputs: ['completed: counted'], asked: 0, calls: runs, hungUp: 0, died: 0 }

proves(
  'runs.outcomeKept',
  'a PostgreSQL that is killed while calls are answered costs no answer: nobody is asked, nothing is repeated',
  async () => {
    const seen = await whileAway(async () => {
      await signalTree(postgres.serverPid()!, 'SIGKILL')
      answerAll()
    })
    assert.deepEqual(seen, kept)
  },
)

proves(
  'runs.outcomeKept',
  'nor does one that stands still for longer than a process may be without its lock',
  async () => {
    const seen = await whileAway(async () => {
      const pid = postgres.serverPid()!
      await signalTree(pid, 'SIGSTOP')
      answerAll()
      await sleep(4000)
      await signalTree(pid, 'SIGCONT')
    })
    assert.deepEqual(seen, kept)
  },
)
