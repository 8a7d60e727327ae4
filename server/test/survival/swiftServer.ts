// OpenStack Swift from Debian with its S3 API, on loopback, in a folder of its own: a real object store for the proofs.
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { ask, type S3Server } from '../../src/drivers/blobs/s3/request.ts'
import { freePort } from './processes.ts'

const run = promisify(execFile)

export const bucket = 'runyard-proof'
const accessKeyId = 'test:tester'
const secretAccessKey = 'testing'

export interface ProofStore {
  endpoint: string
  /** The settings of a service that uses it. */
  env: Record<string, string>
  server: S3Server
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

const programs = ['swift-proxy-server', 'swift-account-server', 'swift-container-server', 'swift-object-server'].map(
  (name) => `/usr/bin/${name}`,
)
const wanted = [...programs, '/usr/bin/swift-ring-builder', '/usr/bin/memcached']

/** Why there is no Swift here; undefined: there is one. */
export function swiftIsMissing(): string | undefined {
  const missing = wanted.filter((file) => !existsSync(file))
  if (missing.length === 0) return undefined
  return `Swift is not installed (${missing.join(', ')}): apt-get install swift-proxy swift-account swift-container swift-object memcached`
}

type Kind = 'account' | 'container' | 'object'

/** Swift reads its own settings from one path only, unless it is told otherwise in Python. */
const launcher = `
import sys, runpy
from swift.common import utils
folder, program = sys.argv[1], sys.argv[2]
utils.SWIFT_CONF_FILE = folder + '/swift.conf'
sys.argv = [program] + sys.argv[3:]
runpy.run_path(program, run_name='__main__')
`

export async function startSwift(): Promise<ProofStore> {
  const folder = await mkdtemp(join(tmpdir(), 'runyard-swift-'))
  const ports = {
    proxy: await freePort(),
    account: await freePort(),
    container: await freePort(),
    object: await freePort(),
  }
  const memcachedPort = await freePort()
  const user = (await run('id', ['-un'])).stdout.trim()
  await mkdir(join(folder, 'devices', 'd1'), { recursive: true })
  await writeFile(
    join(folder, 'swift.conf'),
    '[swift-hash]\nswift_hash_path_suffix = proof\nswift_hash_path_prefix = proof\n',
  )
  for (const kind of ['account', 'container', 'object'] as const) {
    await makeRing(folder, kind, ports[kind])
    await writeFile(join(folder, `${kind}.conf`), storageSettings(folder, kind, ports[kind], user))
  }
  await writeFile(join(folder, 'proxy.conf'), proxySettings(folder, ports.proxy, memcachedPort, user))
  const children: ChildProcess[] = []
  const begin = async (file: string, args: string[], port: number): Promise<ChildProcess> => {
    const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.on('data', (piece: Buffer) => (said = (said + piece.toString()).slice(-4000)))
    children.push(child)
    for (let tries = 0; !(await listens(port)); tries += 1) {
      if (child.exitCode !== null || tries > 300) throw new Error(`${args.join(' ')} does not listen: ${said}`)
      await sleep(100)
    }
    return child
  }
  const serve = (kind: Kind | 'proxy') =>
    begin(
      '/usr/bin/python3',
      ['-c', launcher, folder, `/usr/bin/swift-${kind}-server`, join(folder, `${kind}.conf`)],
      ports[kind],
    )
  await begin('/usr/bin/memcached', ['-l', '127.0.0.1', '-p', String(memcachedPort), '-u', user], memcachedPort)
  for (const kind of ['account', 'container', 'object'] as const) await serve(kind)
  let proxy = await serve('proxy')
  const endpoint = `http://127.0.0.1:${ports.proxy}`
  const server: S3Server = { endpoint, credentials: { accessKeyId, secretAccessKey, region: 'us-east-1' } }
  await ask(server, { method: 'PUT', bucket })
  return {
    endpoint,
    server,
    env: {
      RUNYARD_BLOBS: `s3://${bucket}/files`,
      RUNYARD_S3_ENDPOINT: endpoint,
      RUNYARD_S3_ACCESS_KEY_ID: accessKeyId,
      RUNYARD_S3_SECRET_ACCESS_KEY: secretAccessKey,
    },
    stop: () => end(proxy),
    async start() {
      proxy = await serve('proxy')
    },
    async close() {
      await Promise.all(children.map(end))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

async function makeRing(folder: string, kind: Kind, port: number): Promise<void> {
  const builder = join(folder, `${kind}.builder`)
  const build = (...args: string[]) => run('/usr/bin/swift-ring-builder', [builder, ...args], { cwd: folder })
  await build('create', '6', '1', '1')
  await build('add', `r1z1-127.0.0.1:${port}/d1`, '1')
  await build('rebalance')
}

const shared = (folder: string, port: number, user: string): string => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${user}
swift_dir = ${folder}
log_level = ERROR
log_address = ${join(folder, 'log')}
`

const storageSettings = (
  folder: string,
  kind: Kind,
  port: number,
  user: string,
): string => `${shared(folder, port, user)}devices = ${join(folder, 'devices')}
mount_check = false
fallocate_reserve = 0
disable_fallocate = true

[pipeline:main]
pipeline = ${kind}-server

[app:${kind}-server]
use = egg:swift#${kind}
`

const proxySettings = (
  folder: string,
  port: number,
  memcachedPort: number,
  user: string,
): string => `${shared(folder, port, user)}
[pipeline:main]
pipeline = catch_errors gatekeeper cache listing_formats bulk s3api tempauth slo proxy-server

[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true

[filter:catch_errors]
use = egg:swift#catch_errors

[filter:gatekeeper]
use = egg:swift#gatekeeper

[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${memcachedPort}

[filter:listing_formats]
use = egg:swift#listing_formats

[filter:bulk]
use = egg:swift#bulk

[filter:s3api]
use = egg:swift#s3api

[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = ${secretAccessKey} .admin

[filter:slo]
use = egg:swift#slo
`
