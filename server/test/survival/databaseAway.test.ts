// A database that is gone or hangs is told within two seconds, and everything goes on when it is back.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { embeddedPostgres } from '../../src/base/embeddedPostgres.ts'
import { signalTree } from './processTree.ts'
import { send, startService, preparedDataDir } from './processes.ts'
import { proves } from '../kit/proves.ts'

const dataDir = await preparedDataDir()
const service = await startService({ dataDir: dataDir.path, env: { LOG_LEVEL: 'error' } })
const postgres = await embeddedPostgres({ dataDir: dataDir.path, log: () => undefined })
after(async () => {
  assert.equal(await service.stop('SIGINT'), 0)
  await dataDir.remove()
})

const ask = async () => {
  const startedAt = performance.now()
  const answer = await send(service.baseUrl, { path: '/v2/teams', key: service.key })
  return { ...answer, tookMs: performance.now() - startedAt }
}

const untilHealthy = async () => {
  const startedAt = performance.now()
  while ((await ask()).status !== 200) assert.ok(performance.now() - startedAt < 15_000)
  return performance.now() - startedAt
}

const signalServer = (signal: NodeJS.Signals) => signalTree(postgres.serverPid()!, signal)

proves(
  'errors.databaseHangs',
  'a server that hangs gives a 500 in the error shape within 2 s, and the next request after it is back works',
  async () => {
    assert.equal((await ask()).status, 200)
    await signalServer('SIGSTOP')
    try {
      const startedAt = performance.now()
      while (performance.now() - startedAt < 3000) {
        const { status, text, tookMs } = await ask()
        assert.ok(tookMs < 2000, `${tookMs} ms`)
        if (status === 500) assert.equal((JSON.parse(text) as { error: string }).error, 'internal_error')
      }
      assert.equal((await ask()).status, 500)
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
  await signalServer('SIGKILL')
  const tookMs = await untilHealthy()
  t.diagnostic(`healthy again after ${Math.round(tookMs)} ms`)
  assert.notEqual(postgres.serverPid(), killed)
})
