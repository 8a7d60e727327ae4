// A start as an operator meets it: the first key, the wrong encryption key, the port that is taken.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { connectionUrl } from '../src/base/embeddedPostgres.ts'
import { testDatabase } from './kit/postgres.ts'
import { main, send, startService, temporaryDataDir, type Service } from './survival/processes.ts'

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

// proves start.firstKey
test('the first key is kept for its owner alone, and the next start has the same one', async () => {
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

// proves start.firstKey
test('a different RUNYARD_API_KEY on a later start is one more key', async () => {
  const first = service.key
  const chosen = 'any-string-of-24-characters-or-more'
  await restart({ RUNYARD_API_KEY: chosen })
  assert.ok(await works(chosen))
  assert.ok(await works(first))
  await restart()
})

// proves start.firstKey
test('service.json goes with a clean stop, and a lost first-key is told in the box', async () => {
  await service.stop('SIGINT')
  await assert.rejects(stat(join(dataDir.path, 'service.json')))
  const file = join(dataDir.path, 'first-key')
  const kept = await readFile(file)
  await rm(file)
  service = await startService({ dataDir: dataDir.path, env })
  assert.match(service.box, /runyard key create/)
  await writeFile(file, kept, { mode: 0o600 })
  await restart()
  assert.ok(await works(service.key))
})

// proves start.encryptionKey
test('without the database’s encryption key, or with another one, a process refuses and says what it needs', async () => {
  const elsewhere = await temporaryDataDir()
  const missing = await failure({ dataDir: elsewhere.path, env })
  assert.match(missing, /RUNYARD_ENCRYPTION_KEY/)
  const wrong = await failure({ dataDir: elsewhere.path, env: { ...env, RUNYARD_ENCRYPTION_KEY: 'a'.repeat(64) } })
  assert.match(wrong, /was written with the encryption key [0-9a-f]{16}/)
  await elsewhere.remove()
})

// proves start.told
test('who is told to stop while it starts does so as soon as it has started, and leaves nothing behind', async () => {
  await service.stop('SIGINT')
  const child = spawn(process.execPath, [main], {
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
  service = await startService({ dataDir: dataDir.path, env })
})

// proves start.portTaken
test('a port that is taken is named with the setting that changes it', async () => {
  const { port } = new URL(service.baseUrl)
  const told = await failure({ dataDir: dataDir.path, env: { ...env, PORT: port } })
  assert.match(told, new RegExp(`Port ${port}.*PORT=${Number(port) + 1}`))
  assert.doesNotMatch(told, / at /)
})

// proves config.allProblems
test('bad settings are all named, and the exit code is 78', async () => {
  const told = await failure({ dataDir: dataDir.path, env: { ...env, PORT: 'x', RUNYARD_RATE_LIMIT: 'y' } })
  assert.match(told, /ended with 78/)
  assert.match(told, /PORT must be.*\n.*RUNYARD_RATE_LIMIT must be/)
})
