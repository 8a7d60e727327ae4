// A primary and a standby in one DATABASE_URL: the primary is found, and when the standby is promoted in its place, the service continues there.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { databaseHosts } from '../src/base/databaseHosts.ts'
import { connectionUrl } from '../src/base/embeddedPostgres.ts'
import { connectionSettings, openDatabase } from '../src/base/db.ts'
import { hostUrls } from '../src/base/hostList.ts'
import { createLog } from '../src/base/log.ts'
import { migrate } from '../src/base/migrate.ts'
import { PooledClient } from '../src/base/session.ts'
import { announcePresence } from '../src/kit/presence.ts'
import { findServer, startExternalServer } from './kit/externalServer.ts'
import { proves } from './kit/proves.ts'
import { drainRuns, readRun, seedAgent, startRun } from './kit/runs.ts'
import { seedTeam } from './kit/seed.ts'
import { testApp } from './kit/testApp.ts'
import { startWireProxy, type Link } from './kit/wireProxy.ts'
import { freePort } from './survival/processes.ts'

const primary = await startExternalServer(await findServer())
const address = await primary.newDatabase()
await migrate({ address })
const standby = await primary.newStandby()
// the standby stands first
const url = connectionUrl(address).replace('@127.0.0.1:', `@127.0.0.1:${standby.port},127.0.0.1:`)
const hostsOf = (list: string) => databaseHosts({ urls: hostUrls(list), env: 'DATABASE_URL', log: createLog('silent') })
const hosts = hostsOf(url)
await hosts.find()
const service = await testApp({ address: () => hosts.address() })
const { context } = service
const team = await seedTeam(service)
after(async () => {
  await service.close()
  await primary.remove()
})

const portInUse = () => Number(new URL(hosts.address().url).port)

proves('postgres.hosts', 'the host that takes writes is found, wherever it stands in the list', () => {
  assert.equal(portInUse(), primary.port)
})

proves('postgres.hosts', 'if no host takes writes, one sentence names each of them and says why', async () => {
  const port = await freePort()
  const list = url.replace(`,127.0.0.1:${primary.port}/`, `,127.0.0.1:${port},no-such-host.invalid/`)
  await assert.rejects(hostsOf(list).find(), {
    message:
      `None of the hosts of DATABASE_URL takes writes: 127.0.0.1:${standby.port} is a standby, which only reads; ` +
      `127.0.0.1:${port} does not answer; no-such-host.invalid:5432 is not known here. ` +
      'Start the primary or promote a standby, or correct DATABASE_URL.',
  })
})

proves(
  'postgres.hosts',
  'a primary that answers later than a look is found by the next one, on the same connection',
  async (t) => {
    const links: Link[] = []
    const proxy = await startWireProxy(primary.port, (link) => {
      link.hold()
      links.push(link)
    })
    t.after(() => proxy.close())
    const slow = hostsOf(url.replace(`,127.0.0.1:${primary.port}/`, `,127.0.0.1:${proxy.port}/`))
    await assert.rejects(slow.find(), /is a standby, which only reads; 127\.0\.0\.1:\d+ does not answer within 1\.5 s/)
    const again = slow.find()
    links[0]!.letGo()
    await again
    assert.equal(Number(new URL(slow.address().url).port), proxy.port)
    assert.equal(links.length, 1)
  },
)

proves(
  'postgres.hosts',
  'a host that does not answer keeps no later look from asking the others, and is found when it answers',
  async (t) => {
    const links: Link[] = []
    const proxy = await startWireProxy(primary.port, (link) => {
      link.hold()
      links.push(link)
    })
    const asked: Link[] = []
    const following = await startWireProxy(standby.port, (link) => asked.push(link))
    t.after(() => [proxy, following].forEach((one) => one.close()))
    const list = connectionUrl(address).replace(/:\d+\//, `:${following.port},127.0.0.1:${proxy.port}/`)
    const slow = hostsOf(list)
    // five looks that all wait for it would last longer than it is given, and it would be asked again
    for (let look = 0; look < 5; look++) await assert.rejects(slow.find(), /does not answer within 1\.5 s/)
    assert.deepEqual([asked.length, links.length], [5, 1])
    links[0]!.letGo()
    while (Number(new URL(slow.address().url).port) !== proxy.port) await primary.asSuperuser('select pg_sleep(0.02)')
  },
)

/** A pooler tells its clients what the server told it when it connected, however long ago: here that it is a standby. */
const startForgetfulPooler = (port: number) =>
  startWireProxy(port, (link) =>
    link.change((type, body) =>
      type === 'S' && body.toString().startsWith('in_hot_standby\0') ? Buffer.from('in_hot_standby\0on\0') : body,
    ),
  )

proves(
  'postgres.pooler',
  'a pooler that repeats that its server was a standby is used as soon as the server writes',
  async (t) => {
    const [promoted, following] = [await startForgetfulPooler(primary.port), await startForgetfulPooler(standby.port)]
    const log = createLog('silent')
    const list = connectionUrl(address).replace(/:\d+\//, `:${following.port},127.0.0.1:${promoted.port}/`)
    const poolers = databaseHosts({ urls: hostUrls(list), env: 'DATABASE_POOL_URL', log })
    await poolers.find()
    assert.equal(Number(new URL(poolers.address().url).port), promoted.port)
    const pooler = { address: () => poolers.address(), keepsNames: false }
    const db = openDatabase({ address: () => address, pooler, log })
    t.after(async () => {
      await db.close()
      for (const proxy of [promoted, following]) proxy.close()
    })
    assert.deepEqual(await db.sql`select current_setting('in_hot_standby') as is_standby`, [{ is_standby: 'off' }])
    let asked = 0
    const host = {
      url: connectionUrl({ ...address, port: following.port }),
      refused: () => void (asked += 1),
      onPromoted: () => () => undefined,
    }
    await assert.rejects(new PooledClient(connectionSettings(host)).connect(), /is a standby, which only reads/)
    assert.equal(asked, 1)
  },
)

proves(
  'postgres.hosts',
  'a statement that fails because its connection broke, or because its host only reads, lets the primary be looked for',
  async (t) => {
    let asked = 0
    const host = {
      url: connectionUrl(address),
      refused: () => void (asked += 1),
      onPromoted: () => () => undefined,
    }
    const db = openDatabase({ address: () => host, log: createLog('silent') })
    t.after(() => db.close())
    await assert.rejects(db.sql`select pg_terminate_backend(pg_backend_pid())`, { code: '57P01' })
    assert.equal(asked, 1)
    const write = db.transaction(async (sql) => {
      await sql`set transaction read only`
      await sql`create table written (id int4)`
    })
    await assert.rejects(write, { code: '25006' })
    assert.equal(asked, 2)
    await assert.rejects(db.sql`select 1 / 0`)
    assert.equal(asked, 2)
  },
)

proves(
  ['postgres.promotion', 'presence.failover'],
  'after a standby was promoted, requests, runs, notifications and presence continue there, and nobody was declared dead',
  async (t) => {
    const heard: string[] = []
    context.listener.on('promotion_test', (payload) => heard.push(payload))
    const join = () => announcePresence({ address: context.db.address, role: 'worker', log: context.log })
    const [one, two] = [await join(), await join()]
    t.after(() => Promise.all([one.leave(), two.leave()]))
    const agentId = await seedAgent(team, '```output\n{{ message }}\n```\n')
    const before = await startRun(team, agentId, { message: 'before' })
    // what was acknowledged has reached the standby before its primary is killed
    const [sent] = await primary.asSuperuser('select pg_current_wal_lsn()::text as lsn')
    const hasAll = `select pg_last_wal_replay_lsn() >= '${sent!['lsn'] as string}'::pg_lsn as has_all`
    while (!(await standby.asSuperuser(hasAll))[0]!['has_all']) continue
    await primary.stop('SIGQUIT')
    await standby.asSuperuser('select pg_promote()')
    const isReady = async () => (await service.call('GET /readyz')).status === 200
    while (portInUse() !== standby.port || !(await isReady())) await standby.asSuperuser('select pg_sleep(0.02)')
    await startRun(team, agentId, { message: 'after' })
    await drainRuns(service)
    assert.equal((await readRun(team, before)).output, 'before')
    const notify = () => standby.asSuperuser(`select pg_notify('promotion_test', 'hello')`, address.database)
    while (heard.length === 0) await notify()
    const timesBack = () => service.logged.filter((line) => line.includes('the presence lock is held again')).length
    while (timesBack() < 2) await notify()
    const dead: unknown[] = []
    for (const presence of [one, two]) await presence.sweep(async (process) => void dead.push(process))
    assert.deepEqual(dead, [])
    assert.deepEqual([one.held().aborted, two.held().aborted], [false, false])
  },
)

proves(
  'postgres.replaced',
  'a primary that was replaced and writes again is not used, however late its successor answers',
  async (t) => {
    const links: Link[] = []
    let isSlow = false
    const proxy = await startWireProxy(standby.port, (link) => {
      if (isSlow) link.hold()
      links.push(link)
    })
    t.after(() => proxy.close())
    await primary.start()
    const both = hostsOf(connectionUrl(address).replace(/:\d+\//, `:${primary.port},127.0.0.1:${proxy.port}/`))
    const used = () => Number(new URL(both.address().url).port)
    await both.find()
    assert.equal(used(), proxy.port)
    isSlow = true
    await assert.rejects(
      both.find(),
      /takes writes, but was replaced by another that is away; .* does not answer within/,
    )
    assert.equal(used(), proxy.port)
    const again = both.find()
    links.at(-1)!.letGo()
    await again
    assert.equal(used(), proxy.port)
  },
)
