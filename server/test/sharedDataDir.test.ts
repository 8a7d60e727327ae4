// Two processes on one data dir share its embedded server, and the last one to leave stops it.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { embeddedPostgres } from '../src/base/embeddedPostgres.ts'
import { send, startService, preparedDataDir } from './survival/processes.ts'
import { proves } from './kit/proves.ts'

const dataDir = await preparedDataDir()
after(() => dataDir.remove())

proves(
  'postgres.shared',
  'a worker joins the server of a running process, outlives it, and stops the server when it leaves last',
  async () => {
    const env = { LOG_LEVEL: 'warn' }
    const first = await startService({ dataDir: dataDir.path, env })
    const server = await embeddedPostgres({ dataDir: dataDir.path, log: () => undefined })
    const pid = server.serverPid()
    assert.ok(pid)
    const worker = await startService({ dataDir: dataDir.path, env: { ...env, PORT: '' }, args: ['--role', 'worker'] })
    const api = await startService({ dataDir: dataDir.path, env, args: ['--role', 'api'] })
    assert.equal((await send(api.baseUrl, { path: '/v2/teams', key: first.key })).status, 200)
    assert.equal(await first.stop('SIGINT'), 0)
    assert.equal(server.serverPid(), pid)
    assert.equal((await send(api.baseUrl, { path: '/v2/teams', key: first.key })).status, 200)
    assert.equal(await api.stop('SIGINT'), 0)
    assert.equal(server.serverPid(), pid)
    assert.equal(await worker.stop('SIGINT'), 0)
    assert.equal(server.serverPid(), undefined)
  },
)
