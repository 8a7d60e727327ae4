// PostgreSQL goes away while calls are under way and comes back after their answers: the worker that lived through it has forgotten nothing.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isConnectionTrouble } from '../../src/base/db.ts'
import { embeddedPostgres } from '../../src/base/embeddedPostgres.ts'
import { signalTree } from './processTree.ts'
import { temporaryDataDir } from './processes.ts'
import { block, openYard, until } from './yard.ts'

const dataDir = await temporaryDataDir()
const yard = await openYard({ options: { dataDir: dataDir.path, env: { LOG_LEVEL: 'error' } }, workers: 2 })
const postgres = await embeddedPostgres({ dataDir: dataDir.path, log: () => undefined })
after(async () => {
  await yard.close()
  await dataDir.remove()
})

const runs = 10
const answerMs = 400

/** Posts, which may not be repeated, and a get, which may: each is answered while the database is away. */
async function whileAway(outage: () => Promise<void>) {
  const { counter } = yard
  const before = (await counter.arrivals()).length
  const calls = ['POST', 'GET'].map(
    (method) => `${method} ${counter.url}/ms/${answerMs}/it${method === 'POST' ? '\n\nonce' : ''}`,
  )
  const agents = await Promise.all(
    calls.map((call) =>
      yard.newAgent(`${block('http id=it', call)}\n${block('output', '{{ steps.it.output.body }}')}`),
    ),
  )
  const ids = await Promise.all(Array.from({ length: runs }, (_, n) => yard.startRun(agents[n % agents.length]!)))
  await until('every call is made', counter.arrivals, (all) => all.length === before + runs, { everyMs: 5 })
  await outage()
  const ended = await until(
    'all have ended or wait',
    () => readRuns(ids),
    (rows) => rows.length === runs && rows.every(({ status }) => !['pending', 'running'].includes(status)),
  )
  const arrivals = (await counter.arrivals()).slice(before)
  const [{ asked } = { asked: -1 }] = await yard.sql<{ asked: number }>`
    select count(*)::int as asked from human_requests where run_id = any(${ids}::uuid[])`
  return {
    outputs: [...new Set(ended.map(({ status, output }) => `${status}: ${output}`))],
    asked,
    calls: arrivals.length,
    hungUp: arrivals.filter(({ cutOffAt }) => cutOffAt !== null).length,
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

// proves runs.outcomeKept
test('a PostgreSQL that is killed while calls are answered costs no answer: nobody is asked, nothing is repeated', async () => {
  const seen = await whileAway(() => signalTree(postgres.serverPid()!, 'SIGKILL'))
  assert.deepEqual(seen, kept)
})

// proves runs.outcomeKept
test('nor does one that stands still for longer than a process may be without its lock', async () => {
  const seen = await whileAway(async () => {
    const pid = postgres.serverPid()!
    await signalTree(pid, 'SIGSTOP')
    await sleep(4000)
    await signalTree(pid, 'SIGCONT')
  })
  assert.deepEqual(seen, kept)
})
