// Proves the embedded PostgreSQL against real servers: made, joined, killed, moved, raced for and brought back.
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { chmod, chown, cp, mkdir, mkdtemp, readFile, readlink, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { onlyInLongForm } from '../../test/kit/longForm.ts'
import { copyPreparedDataDir } from '../../test/kit/preparedDataDir.ts'
import { connectionSettings, type Address } from './db.ts'
import { connectionUrl, embeddedPostgres, type EmbeddedPostgres } from './embeddedPostgres.ts'
import { binaryPackage, usableBinaries } from './postgres/binaries.ts'
import { closedFolder } from './accounts.ts'
import { setAsideStaleLock, stopServer } from './postgres/server.ts'

const root = process.getuid?.() === 0
const nobody = { uid: 65534, gid: 65534 }
/** Each copies programs or makes a cluster for another user. */
const onlyAsRoot = { skip: root ? onlyInLongForm.skip : 'needs root' }
const onlyWithProc = { skip: existsSync('/proc/self/cmdline') ? false : 'needs /proc' }
const quiet = () => undefined
/** A checkout in root's own home: then every database lies outside its data dir. */
const programsAreClosed = root && (await closedFolder(binaryPackage().root, nobody)) !== undefined
const onlyInside = { skip: programsAreClosed ? 'the checkout is closed to user 65534' : false }

/** Every place that a server of this file was seen in, by data dir. */
const places = new Map<string, Set<string>>()

/** A data dir of this test alone; whatever server was left on it is stopped when the test ends. */
async function newDataDir(t: TestContext, mode = 0o755): Promise<string> {
  const base = await mkdtemp(join(await realpath(tmpdir()), 'runyard postgres test '))
  await chmod(base, mode)
  const dataDir = join(base, 'data')
  places.set(dataDir, new Set([join(dataDir, 'postgres')]))
  t.after(async () => {
    const named = factsOf(dataDir)?.place // of processes that were killed before they could tell
    for (const place of new Set([...(places.get(dataDir) ?? []), ...(named ? [resolve(dataDir, named)] : [])])) {
      if (!existsSync(place)) continue
      for (const name of readdirSync(place)) await stopServer(join(place, name), quiet)
      await rm(place, { recursive: true, maxRetries: 10 })
    }
    await rm(base, { recursive: true, maxRetries: 10 })
  })
  return dataDir
}

/** The same with a cluster, a role and a database, for tests in which making them is not the subject. */
async function madeDataDir(t: TestContext): Promise<string> {
  const dataDir = await newDataDir(t)
  await copyPreparedDataDir(dataDir)
  return dataDir
}

function factsOf(dataDir: string): { place: string; port: number } | undefined {
  const file = join(dataDir, 'postgres.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { place: string; port: number }) : undefined
}

async function open(dataDir: string, log: (message: string) => void = quiet): Promise<EmbeddedPostgres> {
  const server = await embeddedPostgres({ dataDir, log })
  places.get(dataDir)?.add(server.place)
  return server
}

async function query<Row extends object>(address: Address, text: string): Promise<Row[]> {
  const client = new Client(connectionSettings(address))
  client.on('error', quiet)
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

async function until<T>(what: string, look: () => T | undefined | false, withinMs = 20_000): Promise<T> {
  for (const end = Date.now() + withinMs; Date.now() < end; await sleep(5)) {
    const seen = look()
    if (seen !== undefined && seen !== false) return seen
  }
  throw new Error(`gave up waiting: ${what}`)
}

type Told = { pid: number; port: number; password: string; place: string }

/** Another Runyard process on the data dir. It tells what it found and stays until it is killed. */
function otherProcess(
  t: TestContext,
  dataDir: string,
  account: object = {},
  besides = '',
): { child: ChildProcess; told: Promise<Told> } {
  const source = `
    import { embeddedPostgres } from ${JSON.stringify(new URL('embeddedPostgres.ts', import.meta.url).href)}
    ${besides}
    const its = await embeddedPostgres({ dataDir: process.argv[1], log() {} })
    const { port, password } = its.address()
    console.log(JSON.stringify({ pid: its.serverPid(), port, password, place: its.place }))
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', source, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...account,
  })
  t.after(() => child.kill('SIGKILL'))
  const told = once(child.stdout, 'data').then(([data]) => JSON.parse(String(data)) as Told)
  return { child, told }
}

/**
 * Kills the process that runs it, in the middle of initdb. It does so itself: whoever looks from outside may stand still until initdb is
 * done. Here the timer comes before the end of initdb is heard, however long this process stood still.
 */
const endsInInitdb = `
    import { existsSync, readdirSync, readFileSync } from 'node:fs'
    import { join, resolve } from 'node:path'
    const dataDir = process.argv[1]
    const facts = join(dataDir, 'postgres.json')
    setInterval(() => {
      if (!existsSync(facts)) return
      const place = resolve(dataDir, JSON.parse(readFileSync(facts, 'utf8')).place)
      const staged = existsSync(place) ? readdirSync(place).filter((name) => name.includes('.tmp-')) : []
      if (staged.some((name) => existsSync(join(place, name, 'PG_VERSION')))) process.kill(process.pid, 'SIGKILL')
    }, 5)`

async function killed(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** kill -9 of a server and all its processes. */
async function killTree(postmaster: number): Promise<void> {
  const family = [postmaster, ...childrenOf(postmaster)]
  for (const pid of family) killIfAlive(pid)
  await until('the death of the server', () => family.every((pid) => !commandLine(pid)))
}

/** A child follows its postmaster within a moment, so it may be gone before its own turn comes. */
function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && parentOf(pid) === parent)
}

function parentOf(pid: number): number | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(line.slice(line.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined // ended while we looked
  }
}

/** Empty for a process that is dead, reaped or not. */
function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** The postmaster.pid of the one cluster there is. */
function lockOf({ place }: { place: string }): string {
  return join(
    place,
    readdirSync(place).find((name) => name.startsWith('cluster-'))!,
    'postmaster.pid',
  )
}

const leftovers = (place: string) => readdirSync(place).filter((name) => name.includes('.tmp-'))

// Two at a time, since most of each test is one initdb on one core.
describe('embedded PostgreSQL', { concurrency: 2 }, () => {
  test('a fresh data dir gets a server with a role that owns its database and nothing else', async (t) => {
    const dataDir = await newDataDir(t)
    const server = await open(dataDir)
    assert.deepEqual(await query(server.address(), 'select current_user as user, current_database() as database'), [
      { user: 'runyard', database: 'runyard' },
    ])
    assert.deepEqual(
      await query(
        server.address(),
        `select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls, pg_get_userbyid(datdba) as owner
           from pg_roles, pg_database where rolname = 'runyard' and datname = 'runyard'`,
      ),
      [
        {
          rolsuper: false,
          rolcreaterole: false,
          rolcreatedb: false,
          rolreplication: false,
          rolbypassrls: false,
          owner: 'runyard',
        },
      ],
    )
    await query(server.address(), 'create table mine (name text)')
    await assert.rejects(query(server.address(), 'select * from pg_authid'), { code: '42501' })
    await assert.rejects(query({ ...server.address(), password: 'wrong' }, 'select 1'), { code: '28P01' })
    assert.equal((await query(server.superuser(), 'select 1')).length, 1)
    if (!programsAreClosed) assert.equal(server.place, join(dataDir, 'postgres'))

    const file = join(dataDir, 'postgres.json')
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    const { password } = server.address()
    assert.match(password, /^[\w-]{43}$/)
    assert.notEqual(password, server.superuser().password)
    const url = connectionUrl(server.address())
    const client = new Client(url)
    await client.connect()
    await client.end()

    await server.stop()
    assert.equal(server.serverPid(), undefined)
    await server.stop() // nothing to stop is no error
  })

  test('its settings are the durable and private ones, and words sort by code point', async (t) => {
    const server = await open(await madeDataDir(t))
    const rows = await query<{ name: string; setting: string }>(
      server.superuser(),
      `select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'data_checksums', 'jit',
         'listen_addresses', 'unix_socket_directories', 'max_connections', 'TimeZone', 'password_encryption')`,
    )
    assert.deepEqual(Object.fromEntries(rows.map((row) => [row.name, row.setting])), {
      fsync: 'on',
      synchronous_commit: 'on',
      data_checksums: 'on',
      jit: 'off',
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: '200',
      TimeZone: 'UTC',
      password_encryption: 'scram-sha-256',
    })
    assert.deepEqual(
      await query(
        server.address(),
        `select upper('é') as upper, 'Z' < 'a' as code_point, getdatabaseencoding() as encoding
          from pg_database where datname = current_database() and datlocprovider = 'b' and datlocale = 'C.UTF-8'`,
      ),
      [{ upper: 'É', code_point: true, encoding: 'UTF8' }],
    )
    // The log of each weekday is a file; the service's own environment does not reach the server.
    assert.ok(readdirSync(join(server.place, 'log')).some((name) => /^postgresql-\w{3}\.log$/.test(name)))
    if (!onlyWithProc.skip && root) {
      const names = readFileSync(`/proc/${server.serverPid()}/environ`, 'utf8').split('\0')
      assert.deepEqual(
        names.map((name) => name.split('=')[0]).filter((name) => name && !/^(LC_ALL|PATH|PG\w*|HOME)$/.test(name)),
        [],
      )
    }
  })

  test('a second process joins the running server', async (t) => {
    const dataDir = await madeDataDir(t)
    const server = await open(dataDir)
    const told = await otherProcess(t, dataDir).told
    assert.deepEqual(told, {
      pid: server.serverPid(),
      port: server.address().port,
      password: server.address().password,
      place: server.place,
    })
  })

  test('two processes starting at once on an empty data dir end up with one server', async (t) => {
    const dataDir = await newDataDir(t)
    const [one, two] = await Promise.all([otherProcess(t, dataDir).told, otherProcess(t, dataDir).told])
    assert.deepEqual(one, two)
    assert.deepEqual(leftovers(one.place), [])
    assert.equal(readdirSync(one.place).filter((name) => name.startsWith('cluster-')).length, 1)
  })

  test('kill -9 of the process that started it leaves the server running, and the next start adopts it', async (t) => {
    const dataDir = await madeDataDir(t)
    const other = otherProcess(t, dataDir)
    const told = await other.told
    await killed(other.child)
    const server = await open(dataDir)
    assert.equal(server.serverPid(), told.pid)
    assert.equal(server.address().port, told.port)
  })

  test('after kill -9 of the whole server it comes back with every committed row', onlyWithProc, async (t) => {
    const server = await open(await madeDataDir(t))
    const before = server.serverPid()!
    await query(server.address(), 'create table kept as select generate_series(1, 1000) as n')
    await killTree(before)
    assert.equal(server.serverPid(), undefined)
    const port = server.address().port
    await Promise.all([server.ensureRunning(), server.ensureRunning()])
    assert.deepEqual(await query(server.address(), 'select count(*)::int as count from kept'), [{ count: 1000 }])
    assert.notEqual(server.serverPid(), before)
    assert.equal(server.address().port, port)
  })

  test('kill -9 of the postmaster alone, with sessions open, is survived too', onlyWithProc, async (t) => {
    const server = await open(await madeDataDir(t))
    const sessions = await Promise.all(
      [1, 2, 3].map(async () => {
        const client = new Client(connectionSettings(server.address()))
        client.on('error', quiet)
        await client.connect()
        return client
      }),
    )
    await query(server.address(), 'create table kept as select 1 as n')
    process.kill(server.serverPid()!, 'SIGKILL')
    await until('the death of the postmaster', () => server.serverPid() === undefined)
    await server.ensureRunning()
    assert.equal((await query(server.address(), 'select * from kept')).length, 1)
    await Promise.all(sessions.map((client) => client.end()))
  })

  test(
    'a postmaster.pid whose pid now belongs to another program does not block the start',
    onlyWithProc,
    async (t) => {
      const server = await open(await madeDataDir(t))
      const lock = lockOf(server)
      const text = await readFile(lock, 'utf8')
      await killTree(server.serverPid()!)
      // Of the server's own user, the one case in which PostgreSQL itself believes the file.
      const stranger = spawn('sleep', ['60'], { stdio: 'ignore', ...(root ? nobody : {}) })
      t.after(() => stranger.kill('SIGKILL'))
      await once(stranger, 'spawn')
      await writeFile(lock, text.replace(/^\d+/, String(stranger.pid)))
      await server.ensureRunning()
      assert.equal((await query(server.address(), 'select 1')).length, 1)
      assert.equal(stranger.exitCode, null)
    },
  )

  test('the postmaster.pid of a server that another process has just started is left to it', async (t) => {
    const server = await open(await madeDataDir(t))
    const lock = lockOf(server)
    const text = await readFile(lock, 'utf8')
    await setAsideStaleLock(dirname(lock), quiet)
    assert.equal(await readFile(lock, 'utf8'), text)
  })

  test('a plain kill, which waits for open sessions, is hastened and the server started again', async (t) => {
    const server = await open(await madeDataDir(t))
    const idle = new Client(connectionSettings(server.address()))
    idle.on('error', quiet)
    await idle.connect()
    const before = server.serverPid()!
    process.kill(before, 'SIGTERM')
    const refuses = () =>
      query(server.address(), 'select 1').then(
        () => false,
        () => true,
      )
    while (!(await refuses())) await sleep(5)
    await server.ensureRunning()
    assert.notEqual(server.serverPid(), before)
    assert.equal((await query(server.address(), 'select 1')).length, 1)
  })

  test('when a stranger has taken the port the server moves, and all who knew the old one follow', async (t) => {
    const dataDir = await madeDataDir(t)
    const server = await open(dataDir)
    const onlooker = await open(dataDir)
    const old = server.address().port
    await server.stop()
    const stranger = createServer((socket) => socket.destroy()).listen(old, '127.0.0.1')
    await once(stranger, 'listening')
    t.after(() => stranger.close())
    await server.ensureRunning()
    assert.notEqual(server.address().port, old)
    assert.deepEqual(onlooker.address(), server.address())
    assert.equal((await query(onlooker.address(), 'select 1')).length, 1)
    assert.equal(factsOf(dataDir)?.port, server.address().port)
  })

  test('a start cut off by kill -9 in the middle of initdb leaves nothing behind', async (t) => {
    const dataDir = await newDataDir(t)
    const other = otherProcess(t, dataDir, {}, endsInInitdb)
    other.told.catch(quiet)
    await once(other.child, 'exit')
    const place = resolve(dataDir, factsOf(dataDir)!.place)
    assert.ok(leftovers(place).length > 0)
    const server = await open(dataDir)
    assert.deepEqual(leftovers(place), [])
    assert.equal((await query(server.address(), 'select 1')).length, 1)
  })

  test('role and database that a cut-off start did not get to are made by the next', async (t) => {
    const dataDir = await madeDataDir(t)
    const server = await open(dataDir)
    await query(server.superuser(), 'drop database runyard')
    await open(dataDir)
    assert.equal((await query(server.address(), 'select 1')).length, 1)
    await query(server.superuser(), 'drop database runyard')
    await query(server.superuser(), 'drop role runyard')
    await server.ensureRunning()
    assert.equal((await query(server.address(), 'select 1')).length, 1)
  })

  test('a database without its postgres.json is not replaced by an empty one', onlyInside, async (t) => {
    const dataDir = await madeDataDir(t)
    const server = await open(dataDir)
    await server.stop()
    await rm(join(dataDir, 'postgres.json'))
    await assert.rejects(open(dataDir), /postgres\.json with its passwords is missing/)
  })

  test('a copied data dir gets a server of its own, not that of the original', onlyInside, async (t) => {
    const dataDir = await madeDataDir(t)
    const server = await open(dataDir)
    await server.stop()
    const copy = await newDataDir(t)
    execFileSync('cp', ['-a', dataDir, copy])
    await server.ensureRunning()
    execFileSync('cp', ['-a', lockOf(server), lockOf({ place: join(copy, 'postgres') })])
    const other = await open(copy)
    assert.notEqual(other.serverPid(), server.serverPid())
    assert.notEqual(other.address().port, server.address().port)
  })

  test('as root, a data dir behind a closed folder gets its database elsewhere', onlyAsRoot, async (t) => {
    const dataDir = await newDataDir(t, 0o700)
    const said: string[] = []
    const server = await open(dataDir, (message) => said.push(message))
    assert.match(server.place, /^(\/var\/lib\/runyard\/|.*\/runyard-)[0-9a-f]{16}/)
    assert.ok(said.some((message) => message.includes('elsewhere')))
    assert.equal((await query(server.address(), 'select 1')).length, 1)
    assert.deepEqual(readdirSync(dataDir), ['postgres.json'])
    assert.equal((await open(dataDir)).serverPid(), server.serverPid())

    // Removed and begun afresh: the old server must not be left running, nor its database be taken for the new one.
    await query(server.address(), 'create table former (n int)')
    const former = server.serverPid()
    await rm(dataDir, { recursive: true })
    const fresh = await open(dataDir)
    assert.equal(fresh.place, server.place)
    assert.notEqual(fresh.serverPid(), former)
    assert.equal(server.serverPid(), undefined)
    await assert.rejects(query(fresh.address(), 'select * from former'), { code: '42P01' })
  })

  test('as root, a planted folder is refused', onlyAsRoot, async (t) => {
    const dataDir = await newDataDir(t, 0o700)
    const server = await open(dataDir)
    await server.stop()
    await chmod(server.place, 0o777)
    await assert.rejects(open(dataDir), /is not a folder that only this user can write/)
    await chmod(server.place, 0o711)
    await chown(server.place, nobody.uid, nobody.gid)
    await assert.rejects(open(dataDir), /is not a folder that only this user can write/)
  })

  test(
    'root runs the server in the data dir of an ordinary user as that user, whatever its mode',
    { skip: onlyAsRoot.skip || onlyInside.skip },
    async (t) => {
      const dataDir = await newDataDir(t)
      await mkdir(dataDir, { mode: 0o700 })
      await chown(dataDir, nobody.uid, nobody.gid)
      const other = otherProcess(t, dataDir, nobody)
      const told = await other.told
      assert.equal(told.place, join(dataDir, 'postgres'))
      assert.equal((await stat(told.place)).uid, nobody.uid)
      await killed(other.child)
      const server = await open(dataDir)
      assert.equal(server.serverPid(), told.pid)
      await server.stop()
      await server.ensureRunning()
      assert.equal((await query(server.address(), 'select 1')).length, 1)
      assert.equal((await stat(join(dataDir, 'postgres.json'))).uid, nobody.uid)
    },
  )
})

describe('PostgreSQL programs', () => {
  test('a platform without them gets an error that says to set DATABASE_URL', () => {
    assert.throws(() => binaryPackage('sunos', 'sparc'), /sunos sparc.*DATABASE_URL/)
  })

  test('links that npm did not make are made, by several processes at once', async (t) => {
    const base = await mkdtemp(join(tmpdir(), 'runyard-links-'))
    t.after(() => rm(base, { recursive: true }))
    for (const file of ['bin/initdb', 'bin/postgres', 'bin/pg_ctl', 'lib/libx.so.1.2']) {
      await mkdir(dirname(join(base, 'native', file)), { recursive: true })
      await writeFile(join(base, 'native', file), '', { mode: 0o644 })
    }
    const link = { source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so.1' }
    writeFileSync(join(base, 'native/pg-symlinks.json'), JSON.stringify([link]))
    const use = () => usableBinaries({ root: base, version: '1' }, join(base, 'place'), undefined, quiet)
    const found = await Promise.all([use(), use(), use()])
    assert.equal(await readlink(join(base, link.target)), 'libx.so.1.2')
    assert.equal(found[0].postgres, join(base, 'native/bin/postgres'))
    assert.equal((await stat(found[0].postgres)).mode & 0o111, 0o111)
  })

  test(
    'as root, programs behind a closed folder are copied, whole, to where the server can run them',
    onlyAsRoot,
    async (t) => {
      const base = await mkdtemp(join(tmpdir(), 'runyard programs '))
      t.after(() => rm(base, { recursive: true }))
      const place = join(base, 'place')
      const hidden = join(base, 'hidden')
      await chmod(base, 0o755)
      await mkdir(place)
      await mkdir(hidden, { mode: 0o700 })
      const real = binaryPackage()
      await cp(join(real.root, 'native'), join(hidden, 'native'), { recursive: true, verbatimSymlinks: true })
      const use = () => usableBinaries({ root: hidden, version: real.version }, place, nobody, quiet)
      const [binaries] = await Promise.all([use(), use()])
      assert.ok(binaries.postgres.startsWith(join(place, `postgresql-${real.version}`)))
      assert.match(execFileSync(binaries.postgres, ['--version'], { ...nobody, encoding: 'utf8' }), /PostgreSQL\) 18/)
      assert.deepEqual(leftovers(place), [])
    },
  )
})
