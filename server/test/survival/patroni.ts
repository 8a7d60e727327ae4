// A replicated PostgreSQL as people run it: three nodes under Patroni with etcd, all on loopback, from Debian's packages.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { freePort } from './processes.ts'
import { signalTree } from './processTree.ts'
import { until } from './yard.ts'

// PostgreSQL refuses to run as root, so root runs it under an account without rights
const account = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined

/** What of it this machine lacks; undefined: nothing. */
export function missingForPatroni(): string | undefined {
  const missing = ['patroni', 'etcd', 'pgbouncer'].filter((name) => !isInstalled(name))
  if (!existsSync('/usr/lib/postgresql')) missing.push('postgresql')
  return missing.length > 0 ? `${missing.join(', ')} not installed` : undefined
}

function isInstalled(program: string): boolean {
  return ['/usr/bin', '/usr/sbin', '/usr/local/bin'].some((folder) => existsSync(join(folder, program)))
}

export interface Node {
  name: string
  /** Where PostgreSQL listens, and where Patroni's API does. */
  port: number
  restPort: number
  data: string
}

export interface Cluster {
  nodes: Node[]
  /** The role and the database that the service has. */
  url: string
  /** The node that takes commits now, once there is one; not the one that is left out. */
  untilPrimary(except?: Node): Promise<Node>
  /** Resolves when all nodes follow a primary, and one of them confirms its commits. */
  untilWhole(): Promise<void>
  /** Asks Patroni to hand over to another node. */
  switchOver(from: Node): Promise<void>
  /** Ends PostgreSQL on this node without a word, every process of it. */
  kill(node: Node): Promise<void>
  asSuperuser(node: Node, statement: string, database?: string): Promise<Record<string, unknown>[]>
  stop(): Promise<void>
}

const database = { user: 'runyard', password: 'runyard', database: 'runyard' }

export async function startCluster(): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'runyard-patroni-'))
  await chmod(folder, 0o755)
  if (account) await chown(folder, account.uid, account.gid)
  const children: ChildProcess[] = []
  const run = (program: string, words: string[]) => {
    const child = spawn(program, words, { ...account, cwd: folder, stdio: 'ignore' })
    children.push(child)
    return child
  }
  const etcd = await startEtcd(folder, run)
  const nodes: Node[] = []
  for (const name of ['one', 'two', 'three']) {
    const node = { name, port: await freePort(), restPort: await freePort(), data: join(folder, name) }
    nodes.push(node)
    const file = join(folder, `${name}.yml`)
    await writeFile(file, JSON.stringify(patroniConfig(node, etcd, await programs())))
    run('patroni', [file])
    // the first one makes the cluster, and the others copy it
    if (nodes.length === 1) await primaryOf(nodes)
  }
  const stop = async () => {
    for (const node of nodes) await killPostgres(node)
    for (const child of children) {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
    for (const node of nodes) await killPostgres(node)
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await untilWhole(nodes)
    const { user, password } = database
    const primary = await primaryOf(nodes)
    await asSuperuser(primary, `create role ${user} login password '${password}'`)
    await asSuperuser(primary, `create database ${database.database} owner ${user}`)
  } catch (error) {
    await stop()
    throw error
  }
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')
  return {
    nodes,
    url: `postgres://${database.user}:${database.password}@${hosts}/${database.database}?target_session_attrs=read-write`,
    untilPrimary: (except) => primaryOf(nodes.filter((node) => node !== except)),
    untilWhole: () => untilWhole(nodes),
    switchOver,
    kill: killPostgres,
    asSuperuser,
    stop,
  }
}

async function startEtcd(folder: string, run: (program: string, words: string[]) => ChildProcess): Promise<string> {
  const [client, peer] = [await freePort(), await freePort()]
  const data = join(folder, 'etcd')
  await mkdir(data, { mode: 0o700 })
  if (account) await chown(data, account.uid, account.gid)
  const words = {
    '--data-dir': data,
    '--listen-client-urls': `http://127.0.0.1:${client}`,
    '--advertise-client-urls': `http://127.0.0.1:${client}`,
    '--listen-peer-urls': `http://127.0.0.1:${peer}`,
    '--initial-advertise-peer-urls': `http://127.0.0.1:${peer}`,
    '--initial-cluster': `default=http://127.0.0.1:${peer}`,
  }
  run('etcd', [...Object.entries(words).flat(), '--enable-v2=true'])
  const isThere = async () => {
    try {
      return (await fetch(`http://127.0.0.1:${client}/health`)).ok
    } catch {
      return false // not yet
    }
  }
  await until('etcd answers', isThere, (is) => is)
  return `127.0.0.1:${client}`
}

async function programs(): Promise<string> {
  const versions = (await readdir('/usr/lib/postgresql')).map(Number).sort((a, b) => a - b)
  return `/usr/lib/postgresql/${versions.at(-1)}/bin`
}

/** Patroni reads YAML, which JSON is. Its times are the shortest that it accepts, as who wants short pauses has them. */
const patroniConfig = ({ name, port, restPort, data }: Node, etcd: string, bin: string) => ({
  scope: 'runyard',
  name,
  log: { level: 'WARNING' },
  restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
  etcd3: { host: etcd },
  bootstrap: {
    dcs: {
      ttl: 20,
      loop_wait: 1,
      retry_timeout: 3,
      // a primary that crashed is replaced, not started again
      master_start_timeout: 0,
      synchronous_mode: true,
      postgresql: {
        use_pg_rewind: true,
        use_slots: true,
        parameters: { max_connections: 300, max_wal_senders: 10, wal_keep_size: '256MB', shared_buffers: '128MB' },
      },
    },
    initdb: [{ encoding: 'UTF8' }, { 'auth-host': 'trust' }, { 'auth-local': 'trust' }, 'data-checksums'],
    pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
  },
  postgresql: {
    listen: `127.0.0.1:${port}`,
    connect_address: `127.0.0.1:${port}`,
    data_dir: data,
    bin_dir: bin,
    pgpass: `${data}.pgpass`,
    authentication: {
      superuser: { username: 'postgres', password: 'postgres' },
      replication: { username: 'replicator', password: 'replicator' },
    },
    parameters: { unix_socket_directories: '' },
  },
})

async function asSuperuser({ port }: Node, statement: string, name = 'postgres'): Promise<Record<string, unknown>[]> {
  const client = new Client({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    database: name,
    connectionTimeoutMillis: 2000,
  })
  client.on('error', () => undefined) // told by the statement
  try {
    await client.connect()
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

/** A node that takes a commit, confirmed by its synchronous standby if it has one. */
async function primaryOf(nodes: Node[]): Promise<Node> {
  const look = async () => {
    try {
      return await Promise.any(nodes.map(commitOn))
    } catch {
      return undefined // none of them yet
    }
  }
  return (await until('a node takes commits', look, (node) => node !== undefined, { everyMs: 20, forMs: 120_000 }))!
}

async function commitOn(node: Node): Promise<Node> {
  await asSuperuser(node, `select pg_logical_emit_message(true, 'proof', '')`)
  return node
}

interface Member {
  name: string
  role: string
  state: string
}

const isRunning = ({ state }: Member): boolean => state === 'running' || state === 'streaming'

async function untilWhole(nodes: Node[]): Promise<void> {
  const look = async (): Promise<Member[]> => {
    for (const { restPort } of nodes) {
      try {
        const answer = await fetch(`http://127.0.0.1:${restPort}/cluster`)
        return ((await answer.json()) as { members: Member[] }).members
      } catch {
        continue // the next one may answer
      }
    }
    return []
  }
  const isWhole = (members: Member[]) =>
    members.filter(isRunning).length === nodes.length &&
    members.some(({ role }) => role === 'leader') &&
    members.some(({ role }) => role === 'sync_standby')
  await until('all nodes follow a primary, one of them synchronously', look, isWhole, { everyMs: 200, forMs: 180_000 })
}

async function switchOver({ name, restPort }: Node): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${restPort}/switchover`, {
    method: 'POST',
    body: JSON.stringify({ leader: name }),
  })
  if (!answer.ok) throw new Error(`Patroni answered ${answer.status}: ${await answer.text()}`)
}

async function killPostgres({ data }: Node): Promise<void> {
  let pid: number
  try {
    pid = Number((await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')[0])
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  await signalTree(pid, 'SIGKILL')
}
