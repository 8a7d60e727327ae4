// Presence: a lock that is lost is taken again, or its holder stops; the dead are reaped once.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Client } from 'pg'
import { createLog } from '../base/log.ts'
import { testDatabase } from '../../test/kit/postgres.ts'
import { announcePresence, type DeadProcess, type Presence } from './presence.ts'
import { startWireProxy, type Link } from '../../test/kit/wireProxy.ts'
import { proves } from '../../test/kit/proves.ts'
import { assertWithin } from '../../test/kit/quietMachine.ts'

const address = await testDatabase()
const log = createLog('silent')
const join = (at: () => typeof address = () => address) => announcePresence({ address: at, role: 'worker', log })

async function ask<Row extends object>(text: string): Promise<Row[]> {
  const client = new Client(address)
  await client.connect()
  try {
    return (await client.query<Row & Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

const cutConnections = () =>
  ask(`select pg_terminate_backend(pid, 10000) from pg_stat_activity
       where application_name like 'runyard presence%' and datname = current_database()`)

const cutConnectionOf = ({ processId }: Presence) =>
  ask(`select pg_terminate_backend(l.pid, 10000) from pg_locks l join processes p on l.objid::bigint = p.lock_key
       where l.locktype = 'advisory' and p.id = '${processId}'
         and l.database = (select oid from pg_database where datname = current_database())`)

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 10_000
  while (!(await condition())) {
    assert.ok(performance.now() < deadline, 'it did not happen within 10 s')
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const heldLocks = async () => {
  const [row] = await ask<{ n: string }>(
    `select count(*) as n from pg_locks l join pg_database d on d.oid = l.database
     where locktype = 'advisory' and d.datname = current_database()`,
  )
  return Number(row!.n)
}

/** The lock is there a moment before the process has its connection again. */
const isUsable = (presence: Presence) =>
  presence.othersLive().then(
    () => true,
    () => false,
  )

async function leaveAll(...all: Presence[]): Promise<void> {
  for (const one of all) await until(() => isUsable(one))
  await Promise.all(all.map((one) => one.leave()))
}

proves('presence.lives', 'others see a process while it lives and not after it left', async () => {
  const one = await join()
  const two = await join()
  assert.equal(await one.othersLive(), true)
  await two.leave()
  assert.equal(await one.othersLive(), false)
  await one.leave()
  assert.deepEqual(await ask('select id from processes'), [])
})

proves('presence.rejoin', 'a lock whose connection broke is taken again, and nobody was declared dead', async () => {
  const one = await join()
  await cutConnections()
  await until(async () => (await heldLocks()) === 1 && (await isUsable(one)))
  assert.equal(one.held().aborted, false)
  assert.equal((await ask('select id from processes')).length, 1)
  await one.leave()
})

proves(
  'presence.lost',
  'a process that cannot take its lock again within 3 s stops what it was doing, and may come back',
  async () => {
    let current = address
    const one = await join(() => current)
    const signal = one.held()
    current = { ...address, port: 1 }
    const startedAt = performance.now()
    const stopped = once(signal, 'abort')
    await cutConnections()
    await stopped
    const tookMs = performance.now() - startedAt
    assert.ok(tookMs > 2900, `${tookMs} ms`)
    assertWithin('it stopped', tookMs, 6000)
    current = address
    await until(async () => !one.held().aborted)
    await one.leave()
  },
)

proves('presence.buriedOnce', 'two sweepers reap a dead process once', async () => {
  const [one, two] = [await join(), await join()]
  await ask(
    `insert into processes (id, role, host, pid, job_pool_id, server_started_at)
     values (gen_random_uuid(), 'worker', 'gone', 1, 'pool-x', pg_postmaster_start_time())`,
  )
  const reaped: (string | null)[] = []
  const reap = async ({ job_pool_id }: DeadProcess) => void reaped.push(job_pool_id)
  await until(async () => {
    await Promise.all([one.sweep(reap), two.sweep(reap)])
    return reaped.length > 0
  })
  await Promise.all([one.sweep(reap), two.sweep(reap)])
  assert.deepEqual(reaped, ['pool-x'])
  assert.equal((await ask('select id from processes')).length, 2)
  await Promise.all([one.leave(), two.leave()])
})

proves(
  'presence.sweeperDies',
  'a sweeper that dies over its work delays nobody: the next look of another one reaps, without a new grace',
  async () => {
    const [dying, other] = [await join(), await join()]
    const [dead] = await gone('pg_postmaster_start_time()')
    const begun = Promise.withResolvers<boolean>()
    const forever = new Promise<never>(() => undefined)
    await dying.sweep(() => Promise.reject(new Error('it was missed only now')))
    await missed(`clock_timestamp() - interval '10 seconds'`)
    void dying.sweep(({ is_news }) => (begun.resolve(is_news), forever))
    assert.equal(await begun.promise, true)
    const { reaped, sweep: look } = sweeper(other)
    await look()
    assert.deepEqual(reaped, [], 'somebody else is at it')
    await cutConnectionOf(dying)
    const failing = other.sweep(async ({ is_news }) => {
      throw new Error(`the reaping fails, and the death is news: ${is_news}`)
    })
    await assert.rejects(failing, /news: false/)
    await look()
    assert.deepEqual(reaped, [dead!.id])
    await leaveAll(dying, other)
  },
)

/** The row of a process that is gone, which joined a server that started then. */
const gone = (startedAt: string, role = 'worker') =>
  ask<{ id: string }>(
    `insert into processes (id, role, host, pid, server_started_at) values (gen_random_uuid(), '${role}', 'gone', 1, ${startedAt}) returning id`,
  )

/** Whoever is missed is so since then. */
const missed = (since: string, life = 'missed_life') =>
  ask(`update processes set missed_since = ${since}, missed_life = ${life} where missed_since is not null`)

/** Sweeps, and remembers who was declared dead. */
function sweeper(presence: Presence) {
  const reaped: string[] = []
  return { reaped, sweep: () => presence.sweep(async ({ id }) => void reaped.push(id)) }
}

proves(
  'presence.failover',
  'a process that never held its lock on this server, as after a failover, is not declared dead before it could come back',
  async () => {
    const one = await join()
    const [elsewhere] = await gone(`now() - interval '1 day'`)
    const { reaped, sweep } = sweeper(one)
    await sweep()
    // however long the sweep takes on a busy machine
    await missed(`now() + interval '1 minute'`)
    await sweep()
    assert.deepEqual(reaped, [])
    await missed(`now() - interval '1 minute'`, `'another life'`)
    await sweep()
    assert.deepEqual(reaped, [], 'what was missed before the last promotion does not count')
    await missed(`now() - interval '1 second'`)
    await sweep()
    assert.deepEqual(reaped, [])
    await missed(`now() - interval '6 seconds'`)
    await sweep()
    assert.deepEqual(reaped, [elsewhere!.id])
    await one.leave()
  },
)

proves(
  'presence.blink',
  'a process that lost its lock on this server is dead if the next look misses it too',
  async () => {
    const one = await join()
    const [here] = await gone('pg_postmaster_start_time()')
    const { reaped, sweep } = sweeper(one)
    await sweep()
    assert.deepEqual(reaped, [], 'its connection may just have broken')
    await missed(`now() - interval '0.5 seconds'`)
    await sweep()
    assert.deepEqual(reaped, [here!.id])
    await one.leave()
  },
)

proves(
  'presence.serving',
  'a process that only serves requests is not declared dead within 30 s, since it has no work to take',
  async () => {
    const one = await join()
    const [api] = await gone('pg_postmaster_start_time()', 'api')
    const { reaped, sweep } = sweeper(one)
    await sweep()
    await missed(`now() - interval '20 seconds'`)
    await sweep()
    assert.deepEqual(reaped, [])
    await missed(`now() - interval '30 seconds'`)
    await sweep()
    assert.deepEqual(reaped, [api!.id])
    await one.leave()
  },
)

/** Its database can be out of its reach. */
async function joinMovable() {
  let port = address.port
  const presence = await join(() => ({ ...address, port }))
  return { presence, away: () => void (port = 1), back: () => void (port = address.port) }
}

const isMissed = async ({ processId }: Presence) =>
  (await ask(`select from processes where missed_since is not null and id = '${processId}'`)).length === 1

proves('presence.blink', 'a process that is back when the next look comes is not declared dead', async () => {
  const one = await join()
  const two = await joinMovable()
  const { reaped, sweep } = sweeper(one)
  two.away()
  await cutConnectionOf(two.presence)
  await sweep()
  assert.ok(await isMissed(two.presence))
  two.back()
  await until(async () => !(await isMissed(two.presence)))
  // the mark of a sweeper that looked just before may come after the process is back
  await ask(
    `update processes set missed_since = now() - interval '1 minute', missed_life = server_life where id = '${two.presence.processId}'`,
  )
  await sweep()
  assert.deepEqual(reaped, [])
  assert.equal(await isMissed(two.presence), false)
  await until(async () => (await heldLocks()) === 2)
  await leaveAll(one, two.presence)
})

proves(
  'presence.together',
  'what ended the connection of one may have ended all: others have as much time as in a new life of the server',
  async () => {
    const one = await join()
    const two = await joinMovable()
    two.away()
    // as when one session of the server crashes, which restarts all others in the same life
    await cutConnections()
    await until(async () => (await heldLocks()) === 1)
    await until(() => isUsable(one))
    const { reaped, sweep } = sweeper(one)
    await sweep()
    await missed(`now() - interval '2 seconds'`)
    await sweep()
    assert.deepEqual(reaped, [])
    await missed(`now() - interval '6 seconds'`)
    await sweep()
    assert.deepEqual(reaped, [two.presence.processId])
    two.back()
    await until(async () => (await heldLocks()) === 2)
    await leaveAll(one, two.presence)
  },
)

proves(
  'presence.slow',
  'a process comes back to a server that answers late, since its slow connection is not given up',
  async (t) => {
    const links: Link[] = []
    // the second connection is answered when the process has lost its patience and opens a third, which is never answered
    const proxy = await startWireProxy(address.port, (link, nth) => {
      links.push(link)
      if (nth > 1) link.hold()
      if (nth > 2) links[1]?.letGo()
    })
    t.after(() => proxy.close())
    const one = await join(() => ({ ...address, port: proxy.port }))
    await cutConnections()
    await until(async () => (await heldLocks()) === 1)
    await until(() => isUsable(one))
    assert.ok(links.length > 2)
    await one.leave()
  },
)

proves(
  'presence.silent',
  'a connection to a machine that is gone, which nobody closes, is replaced when the database did not answer',
  async (t) => {
    const links: Link[] = []
    const proxy = await startWireProxy(address.port, (link) => links.push(link))
    t.after(() => proxy.close())
    const one = await join(() => ({ ...address, port: proxy.port }))
    one.doubt()
    await until(() => isUsable(one))
    assert.equal(links.length, 1, 'a connection that answers is kept')
    links[0]!.loseServer()
    await until(async () => (await heldLocks()) === 0)
    one.doubt()
    await until(async () => (await heldLocks()) === 1)
    await until(() => isUsable(one))
    assert.equal(one.held().aborted, false)
    await one.leave()
  },
)
