// A start as an operator meets it: the first key, the wrong encryption key, the port that is taken.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'

import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { connectionUrl } from '../src/base/embeddedPostgres.ts'
import { testDatabase } from './kit/postgres.ts'
import { programFile } from './kit/programFile.ts'
import { main, preparedDataDir, send, startService, temporaryDataDir, type Service } from './survival/processes.ts'
import { proves } from './kit/proves.ts'

const DATABASE_URL = connectionUrl(await testDatabase())
const env = { DATABASE_URL, LOG_LEVEL: 'info' }
const dataDir = await temporaryDataDir()
after(() => dataDir.remove())

let service: Service
before(async () => {
  service = await startService({ dataDir: dataDir.path, env })
})
after(() => service.stop('SIGINT'))

const restart = async (extra: Record<string, string> = {}) => {
  assert.equal(await service.stop('SIGINT'), 0)
  service = await startService({ dataDir: dataDir.path, env: { ...env, ...extra } })
}

const works = async (key: string) => (await send(service.baseUrl, { path: '/v2/teams', key })).status === 200

const failure = (options: Parameters<typeof startService>[0]) =>
  startService(options).then(
    async (unexpected) => {
      await unexpected.stop('SIGKILL')
      throw new Error('it started')
    },
    (error: Error) => error.message,
  )

proves('start.firstKey', 'the first key is kept for its owner alone, and the next start has the same one', async () => {
  const { key, teamId } = service
  const file = join(dataDir.path, 'first-key')
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const facts = JSON.parse(await readFile(join(dataDir.path, 'service.json'), 'utf8')) as Record<string, unknown>
  assert.deepEqual([facts['api_key'], facts['team_id'], facts['pid']], [key, teamId, service.pid])
  assert.equal((await stat(join(dataDir.path, 'service.json'))).mode & 0o777, 0o600)
  assert.ok(!service.box.includes(key), 'what is not a terminal is not shown the key')
  await restart()
  assert.equal(service.key, key)
  assert.ok(!service.box.includes(key))
  assert.ok(service.box.includes(file))
  assert.equal(service.teamId, teamId)
  assert.ok(await works(key))
})

const givenBefore = 'any-string-of-24-characters-or-more'
const firstKey = async () => (await readFile(join(dataDir.path, 'first-key'), 'utf8')).trim()

proves('start.firstKey', 'a different RUNYARD_API_KEY on a later start is one more key', async () => {
  await restart({ RUNYARD_API_KEY: givenBefore })
  assert.ok(await works(givenBefore))
  assert.ok(await works(await firstKey()))
})

proves('start.givenKey', 'a chosen key may begin as ours do, and a mistyped one of ours is refused', async () => {
  const chosen = 'ry_chosen-by-the-operator-0123456789'
  await restart({ RUNYARD_API_KEY: chosen })
  assert.ok(await works(chosen))
  assert.ok(await works(givenBefore), 'a key of an earlier start is one like any other')
  const first = await firstKey()
  const mistyped = `${first.slice(0, -1)}${first.endsWith('a') ? 'b' : 'a'}`
  const refused = await failure({ dataDir: dataDir.path, env: { ...env, RUNYARD_API_KEY: mistyped } })
  assert.match(refused, /ended with 78[^]*RUNYARD_API_KEY looks like a key that Runyard made and has a wrong checksum/)
})

proves(
  'start.serviceFile',
  'the service.json of a killed process is replaced before the next one answers',
  async () => {
    const { port } = new URL(service.baseUrl)
    const old = service.pid
    await service.stop('SIGKILL')
    const starting = startService({ dataDir: dataDir.path, env: { ...env, PORT: port } })
    let answered = false
    while (!answered) {
      answered = await send(`http://127.0.0.1:${port}`, { path: '/readyz', key: '' }).then(
        () => true,
        () => false,
      )
    }
    const facts = JSON.parse(await readFile(join(dataDir.path, 'service.json'), 'utf8')) as { pid: number }
    service = await starting
    assert.notEqual(facts.pid, old)
    assert.equal(facts.pid, service.pid)
  },
)

proves(
  'start.firstKey',
  'service.json goes with a clean stop, and a lost first-key is reported in the box',
  async () => {
    await service.stop('SIGINT')
    await assert.rejects(stat(join(dataDir.path, 'service.json')))
    const file = join(dataDir.path, 'first-key')
    const kept = await readFile(file)
    await rm(file)
    service = await startService({ dataDir: dataDir.path, env })
    assert.match(service.box, /runyard key create/)
    await writeFile(file, kept, { mode: 0o600 })
    assert.ok(await works(kept.toString().trim()))
  },
)

proves(
  'start.encryptionKey',
  'without the database’s encryption key, or with another one, a process refuses and says what it needs',
  async () => {
    const elsewhere = await temporaryDataDir()
    const missing = await failure({ dataDir: elsewhere.path, env })
    assert.match(missing, /RUNYARD_ENCRYPTION_KEY/)
    const wrong = await failure({ dataDir: elsewhere.path, env: { ...env, RUNYARD_ENCRYPTION_KEY: 'a'.repeat(64) } })
    assert.match(wrong, /was written with the encryption key [0-9a-f]{16}/)
    await elsewhere.remove()
  },
)

proves(
  'start.told',
  'a process that must stop while it starts does so as soon as it has started, and leaves nothing behind',
  async () => {
    await service.stop('SIGINT')
    const child = spawn(process.execPath, [programFile(main)], {
      env: { ...process.env, ...env, RUNYARD_DATA_DIR: dataDir.path, PORT: '0', RUNYARD_NO_SUCH_SETTING: '1' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let log = ''
    child.stderr.on('data', (chunk: Buffer) => {
      // the warning about a setting that does not exist is the first thing that a start says
      if (log === '') child.kill('SIGINT')
      log += chunk.toString()
    })
    const [code] = (await once(child, 'exit')) as [number | null]
    assert.equal(code, 0, log)
    assert.match(log, /no such setting[^]*"stopping"[^]*"stopped"/)
    await assert.rejects(stat(join(dataDir.path, 'service.json')))
  },
)

proves('start.databaseRefused', 'a database that is not there is one sentence, and the exit code is 1', async () => {
  const told = await failure({
    dataDir: dataDir.path,
    env: { ...env, DATABASE_URL: 'postgres://runyard@127.0.0.1:1/runyard' },
  })
  assert.match(told, /ended with 1: .*Runyard cannot start: Nothing answers at 127\.0\.0\.1:1/)
  assert.doesNotMatch(told, / at .*\.ts/)
})

proves('start.leavesNothing', 'a start that fails leaves no PostgreSQL running', async () => {
  const broken = await preparedDataDir()
  // the first key cannot be written; the embedded server is already running then
  await mkdir(join(broken.path, 'first-key'))
  await failure({ dataDir: broken.path, env: { LOG_LEVEL: 'info' } })
  const files = await readdir(broken.path, { recursive: true })
  assert.ok(
    files.some((file) => file.endsWith('PG_VERSION')),
    'there is a cluster',
  )
  assert.deepEqual(
    files.filter((file) => file.endsWith('postmaster.pid')),
    [],
  )
  await broken.remove()
})

proves('start.portTaken', 'a port that is taken is named with the setting that changes it', async () => {
  const taker = createServer().listen(0, '127.0.0.1')
  after(() => taker.close())
  await once(taker, 'listening')
  const { port } = taker.address() as AddressInfo
  const told = await failure({ dataDir: dataDir.path, env: { ...env, PORT: String(port) } })
  assert.match(told, new RegExp(`Port ${port}.*PORT=${port + 1}`))
  assert.doesNotMatch(told, / at /)
})

proves('config.allProblems', 'bad settings are all named, and the exit code is 78', async () => {
  const told = await failure({ dataDir: dataDir.path, env: { ...env, PORT: 'x', RUNYARD_RATE_LIMIT: 'y' } })
  assert.match(told, /ended with 78/)
  assert.match(told, /PORT must be.*\n.*RUNYARD_RATE_LIMIT must be/)
})
