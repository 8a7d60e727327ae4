// A PostgreSQL that somebody else set up: the machine's own package if it has one, else the embedded programs, both with initdb's defaults.
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFile, chmod, chown, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import type { Address } from '../../src/base/db.ts'
import { binaryPackage, usableBinaries } from '../../src/base/postgres/binaries.ts'
import { freePort } from '../survival/processes.ts'
import type { Identity } from './selfSigned.ts'

export interface ServerPrograms {
  /** What the name of a test shows. */
  name: string
  find(folder: string): Promise<string>
}

/** Where Debian and similar systems install servers; the proof uses the oldest supported version found. */
export async function findServer(): Promise<ServerPrograms> {
  const root = '/usr/lib/postgresql'
  const versions = await readdir(root).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const [version] = versions
    .map(Number)
    .filter((number) => number >= 15)
    .sort((a, b) => a - b)
  if (version !== undefined) {
    return {
      name: `the machine’s PostgreSQL ${version}`,
      find: () => Promise.resolve(join(root, String(version), 'bin')),
    }
  }
  const programs = binaryPackage()
  return {
    name: `the embedded PostgreSQL ${programs.version} with the defaults of initdb, since the machine has none`,
    find: async (folder) => dirname((await usableBinaries(programs, folder, account, () => undefined)).postgres),
  }
}

// PostgreSQL refuses to run as root, so root runs it under an account without rights
const account = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined

export interface ExternalServer {
  port: number
  /** Runs a statement as the superuser, in the database `postgres` unless another is given. */
  asSuperuser(statement: string, database?: string): Promise<Record<string, unknown>[]>
  /** Makes a role that owns a database of its own and nothing else. */
  newDatabase(): Promise<Address>
  /** Lets clients encrypt, with this certificate from now on. Gives the path of the certificate. */
  useCertificate(identity: Identity): Promise<string>
  /** Does a fast shutdown unless another signal is given; resolves when the server is gone. */
  stop(signal?: NodeJS.Signals): Promise<void>
  /** Starts again after a stop, as what it was. */
  start(): Promise<void>
  /** Restarts as a standby without a primary: it answers, but only reads, until it is promoted. */
  startStandby(): Promise<void>
  /** Starts a second server that follows this one: a copy that was made while this one was stopped for a moment. */
  newStandby(): Promise<ExternalServer>
  remove(): Promise<void>
}

/** Starts with an untouched postgresql.conf, except for where it listens and that it does not wait for the disk. */
export async function startExternalServer(programs: ServerPrograms): Promise<ExternalServer> {
  const folder = await mkdtemp(join(tmpdir(), 'runyard-external-'))
  await chmod(folder, 0o755)
  if (account) await chown(folder, account.uid, account.gid)
  const bin = await programs.find(folder)
  const data = join(folder, 'data')
  const words = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync']
  await promisify(execFile)(join(bin, 'initdb'), words, { ...account, cwd: folder })
  const server = await serverIn(folder, bin, data)
  return {
    ...server,
    async remove() {
      await server.remove()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A server in a folder of data, which runs when this resolves. */
async function serverIn(folder: string, bin: string, data: string): Promise<ExternalServer> {
  const options = { ...account, cwd: folder }
  const port = await freePort()
  const settings = [`listen_addresses=127.0.0.1`, `port=${port}`, 'unix_socket_directories=', 'fsync=off']
  let server: ChildProcess | undefined

  async function asSuperuser(statement: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const client = new Client({ host: '127.0.0.1', port, user: 'postgres', database })
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(statement)).rows
    } finally {
      await client.end()
    }
  }

  async function start(): Promise<void> {
    server = spawn(join(bin, 'postgres'), ['-D', data, ...settings.flatMap((one) => ['-c', one])], {
      ...options,
      stdio: 'ignore',
    })
    const deadline = performance.now() + 20_000
    for (;;) {
      try {
        await asSuperuser('select 1')
        return
      } catch (error) {
        if (performance.now() > deadline) throw error
      }
    }
  }

  async function stop(signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const exited = new Promise((resolve) => server!.once('exit', resolve))
    server.kill(signal)
    await exited
  }

  async function becomeStandby(of: string): Promise<void> {
    await writeFile(join(of, 'standby.signal'), '')
    if (account) await chown(join(of, 'standby.signal'), account.uid, account.gid)
  }

  const followers: ExternalServer[] = []

  await start()
  return {
    port,
    start,
    asSuperuser,
    async newDatabase() {
      const name = `own_${randomBytes(4).toString('hex')}`
      const password = randomBytes(12).toString('hex')
      await asSuperuser(`create role ${name} login password '${password}'`)
      await asSuperuser(`create database ${name} owner ${name}`)
      return { host: '127.0.0.1', port, user: name, password, database: name }
    },
    async useCertificate({ key, cert }) {
      const name = join(folder, randomBytes(4).toString('hex'))
      for (const [path, text] of [
        [`${name}.key`, key],
        [`${name}.crt`, cert],
      ] as const) {
        await writeFile(path, text, { mode: 0o600 })
        if (account) await chown(path, account.uid, account.gid)
      }
      await asSuperuser(`alter system set ssl_cert_file = '${name}.crt'`)
      await asSuperuser(`alter system set ssl_key_file = '${name}.key'`)
      await asSuperuser('alter system set ssl = on')
      await asSuperuser('select pg_reload_conf()')
      return `${name}.crt`
    },
    async startStandby() {
      await becomeStandby(data)
      await start()
    },
    async newStandby() {
      await stop()
      const copy = `${data}-${followers.length + 1}`
      await promisify(execFile)('cp', ['-a', data, copy])
      await start()
      await appendFile(
        join(copy, 'postgresql.auto.conf'),
        `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres'\n`,
      )
      await becomeStandby(copy)
      const follower = await serverIn(folder, bin, copy)
      followers.push(follower)
      return follower
    },
    stop,
    async remove() {
      for (const follower of followers) await follower.remove()
      await stop()
    },
  }
}
