// The PostgreSQL that tests run on: one embedded server for the whole run, a template database, a clone per test file.
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { connectionSettings, type Address } from '../../src/base/db.ts'
import { embeddedPostgres } from '../../src/base/embeddedPostgres.ts'
import { migrate } from '../../src/base/migrate.ts'
import { keepPreparedDataDir } from './preparedDataDir.ts'

export interface TestServer {
  superuser: Address
  runtime: Address
}

/** The database with the whole schema and no rows: nobody connects to it, so it can be copied at any time. */
export const template = 'runyard_template'
const handedOn = 'RUNYARD_TEST_SERVER'

/** Starts the server of a whole run; its address travels to the test processes in their environment. */
export async function startTestServer(): Promise<{ server: TestServer; stop: () => Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'runyard-test-'))
  // passable for the user that PostgreSQL runs as when the tests run as root
  await chmod(dataDir, 0o711)
  // what these tests prove does not hang on the disk; the tests that kill servers start their own, with fsync on
  // autovacuum visits each of some 300 databases once a minute, and they are gone before it would help any of them
  // a run opens some 2,000 connections, and 4,096 rounds of hashing for each protect nothing here
  const settings = { fsync: 'off', full_page_writes: 'off', autovacuum: 'off', scram_iterations: '1' }
  const postgres = await embeddedPostgres({ dataDir, log: () => undefined, settings })
  const { database, user } = postgres.address()
  await migrate({ address: postgres.address() })
  await postgres.stop()
  const prepared = await keepPreparedDataDir(dataDir)
  await postgres.ensureRunning()
  const server: TestServer = { superuser: postgres.superuser(), runtime: postgres.address() }
  await asSuperuser(server, `create database ${template} template ${database} owner ${user}`)
  process.env[handedOn] = JSON.stringify(server)
  return {
    server,
    async stop() {
      await postgres.stop()
      await prepared.remove()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

let own: Promise<TestServer> | undefined

/** The run's server, or, when a test file is run by itself, one of its own. */
export function testServer(): Promise<TestServer> {
  const handed = process.env[handedOn]
  if (handed) return Promise.resolve(JSON.parse(handed) as TestServer)
  own ??= startTestServer().then(({ server, stop }) => {
    // when nothing is left to do, and so behind every other hook of the file
    process.once('beforeExit', () => void stop())
    return server
  })
  return own
}

async function asSuperuser(server: TestServer, ...statements: string[]): Promise<void> {
  const client = new Client(connectionSettings(server.superuser))
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** A database of one's own with the whole schema; it goes when the run's server goes. */
export async function testDatabase(): Promise<Address> {
  const server = await testServer()
  const name = `t_${randomBytes(6).toString('hex')}`
  await asSuperuser(server, `create database ${name} template ${template} owner ${server.runtime.user}`)
  return { ...server.runtime, database: name }
}
