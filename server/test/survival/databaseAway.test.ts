// A database that is gone or hangs is told within two seconds, and everything goes on when it is back.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { embeddedPostgres } from '../../src/base/embeddedPostgres.ts'
import { signalTree } from './processTree.ts'
import { send, startService, preparedDataDir } from './processes.ts'
import { proves } from '../kit/proves.ts'

const dataDir = await preparedDataDir()
const service = await startService({
  dataDir: dataDir.path,
  env: { LOG_LEVEL: 'error', RUNYARD_DATABASE_ANSWER_MS: '' },
})
const postgres = await embeddedPostgres({ dataDir: dataDir.path, log: () => undefined })
let hasStopped = false
after(async () => {
  if (!hasStopped) await service.stop('SIGINT')
  await dataDir.remove()
})

/** The longest that counts of the time between two signs of life, which come every 13 ms on a quiet machine. */
const stepMs = 25

/** `awakeMs`: how long it took, without the time in which the service or this test stood still: /healthz is answered without the database. */
const ask = async () => {
  const answered = new AbortController()
  const answer = send(service.baseUrl, { path: '/v2/teams', key: service.key }).finally(() => answered.abort())
  let awakeMs = 0
  for (let last = performance.now(); !answered.signal.aborted;) {
    const { status } = await send(service.baseUrl, { path: '/healthz', key: '' })
    assert.equal(status, 200)
    await sleep(10)
    awakeMs += Math.min(performance.now() - last, stepMs)
    last = performance.now()
  }
  return { ...(await answer), awakeMs }
}

const untilHealthy = async () => {
  const startedAt = performance.now()
  while ((await ask()).status !== 200) assert.ok(performance.now() - startedAt < 60_000)
  return performance.now() - startedAt
}

const signalServer = (signal: NodeJS.Signals) => signalTree(postgres.serverPid()!, signal)

proves(
  'errors.databaseHangs',
  'a server that hangs gives a 500 in the error shape within 2 s, and the next request after it is back works',
  async () => {
    await untilHealthy()
    await signalServer('SIGSTOP')
    try {
      // the first one waits until the database is taken for away, the second one does not
      for (let asked = 0; asked < 2; asked++) {
        const { status, text, awakeMs } = await ask()
        assert.ok(awakeMs < 2000, `${awakeMs} ms`)
        assert.equal(status, 500)
        assert.equal((JSON.parse(text) as { error: string }).error, 'internal_error')
      }
      assert.equal((await send(service.baseUrl, { path: '/readyz', key: '' })).status, 503)
      assert.equal((await send(service.baseUrl, { path: '/healthz', key: '' })).status, 200)
    } finally {
      await signalServer('SIGCONT')
    }
    await untilHealthy()
  },
)

proves('postgres.comesBack', 'an embedded server that was killed comes back by itself', async (t) => {
  const killed = postgres.serverPid()
  const startedAt = performance.now()
  await signalServer('SIGKILL')
  // the killed server may still have answered a request that was under way
  for (let pid = killed; pid === undefined || pid === killed; pid = postgres.serverPid()) await untilHealthy()
  await untilHealthy()
  t.diagnostic(`healthy again after ${Math.round(performance.now() - startedAt)} ms`)
})

proves(
  'postgres.stopsWithIt',
  'a service that gets SIGINT just after its embedded server was killed stops both with exit code 0',
  async () => {
    await untilHealthy()
    await signalServer('SIGKILL')
    const code = await service.stop('SIGINT')
    hasStopped = true
    assert.equal(code, 0)
    assert.equal(postgres.serverPid(), undefined)
  },
)
