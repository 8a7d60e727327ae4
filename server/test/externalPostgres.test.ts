// The service on an own PostgreSQL of an older version, where this machine has one.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { migrate } from '../src/base/migrate.ts'
import { seedTeam } from './kit/seed.ts'
import { testApp } from './kit/testApp.ts'
import { freePort } from './survival/processes.ts'

/** Where Debian and its kin keep servers; the oldest supported version found is the one to prove. */
async function findServer(): Promise<{ version: number; bin: string } | undefined> {
  const root = '/usr/lib/postgresql'
  const versions = await readdir(root).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const version = versions
    .map(Number)
    .filter((number) => number >= 15)
    .sort((a, b) => a - b)[0]
  return version === undefined ? undefined : { version, bin: join(root, String(version), 'bin') }
}

const found = await findServer()
// PostgreSQL refuses root, so root lends it the account without rights
const account = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

async function startServer(bin: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'runyard-external-'))
  await chmod(folder, 0o755)
  if (account.uid !== undefined) await chown(folder, account.uid, account.gid)
  const data = join(folder, 'data')
  const options = { ...account, cwd: folder }
  await promisify(execFile)(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    options,
  )
  const port = await freePort()
  const settings = [`listen_addresses=127.0.0.1`, `port=${port}`, 'unix_socket_directories=', 'fsync=off']
  const server = spawn(join(bin, 'postgres'), ['-D', data, ...settings.flatMap((one) => ['-c', one])], {
    ...options,
    stdio: 'ignore',
  })
  after(async () => {
    const exited = new Promise((resolve) => server.once('exit', resolve))
    server.kill('SIGINT')
    await exited
    await rm(folder, { recursive: true, force: true })
  })
  return untilReachable(`postgres://postgres@127.0.0.1:${port}/postgres`)
}

async function untilReachable(url: string): Promise<string> {
  const deadline = performance.now() + 20_000
  for (;;) {
    const client = new Client(url)
    try {
      await client.connect()
      await client.end()
      return url
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
  }
}

// proves postgres.external
test(
  `the service runs on PostgreSQL ${found?.version ?? 'of the machine'} with a role that only owns its database`,
  { skip: found === undefined && 'no PostgreSQL 15 or newer is installed in /usr/lib/postgresql' },
  async () => {
    const superuser = new Client(await startServer(found!.bin))
    await superuser.connect()
    const password = randomBytes(12).toString('hex')
    await superuser.query(`create role runyard login password '${password}'`)
    await superuser.query('create database runyard owner runyard')
    const { port } = superuser
    await superuser.end()
    const address = { host: '127.0.0.1', port, user: 'runyard', password, database: 'runyard' }
    await migrate({ address })
    const service = await testApp({ address })
    const team = await seedTeam(service)
    const idempotencyKey = 'external'
    const first = await team.call('POST /v2/teams/:teamId/members', { body: { name: 'Ann' }, idempotencyKey })
    const again = await team.call('POST /v2/teams/:teamId/members', { body: { name: 'Ann' }, idempotencyKey })
    assert.equal(again.text, first.text)
    assert.equal((await team.call('GET /v2/teams/:teamId')).body.team.members_count, 2)
    assert.equal((await team.call('GET /v2/teams/:teamId/audit-log')).body.total, 1)
    await service.context.db.sql`select graphile_worker.add_job('sweepRequests')`
    await service.drain()
    await service.close()
  },
)
