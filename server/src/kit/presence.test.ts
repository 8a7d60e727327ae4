// Presence: a lock that is lost is taken again, or its holder stops; the dead are reaped once.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Client } from 'pg'
import { createLog } from '../base/log.ts'
import { testDatabase } from '../../test/kit/postgres.ts'
import { announcePresence, type DeadProcess } from './presence.ts'
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
  ask(`select pg_terminate_backend(pid) from pg_stat_activity
       where application_name like 'runyard presence%' and datname = current_database()`)

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
  // the lock is there a moment before the process has its connection again
  const isBack = () =>
    one.othersLive().then(
      () => true,
      () => false,
    )
  await until(async () => (await heldLocks()) === 1 && (await isBack()))
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

/** The row of a process that is gone, which joined a server that started then. */
const gone = (startedAt: string) =>
  ask<{ id: string }>(
    `insert into processes (id, role, host, pid, server_started_at) values (gen_random_uuid(), 'worker', 'gone', 1, ${startedAt}) returning id`,
  )

const missed = (since: string, life = 'missed_life') =>
  ask(`update processes set missed_since = ${since}, missed_life = ${life} where missed_since is not null`)

proves(
  'presence.failover',
  'a process that never held its lock on this server, as after a failover, is not declared dead before it could come back',
  async () => {
    const one = await join()
    const [elsewhere] = await gone(`now() - interval '1 day'`)
    const [here] = await gone('pg_postmaster_start_time()')
    const reaped: unknown[] = []
    const reap = async ({ id }: DeadProcess) => void reaped.push(id)
    await one.sweep(reap)
    assert.deepEqual(reaped, [here!.id], 'who lost it here is dead at once')
    // however long the sweep takes on a busy machine
    await missed(`now() + interval '1 minute'`)
    await one.sweep(reap)
    assert.equal(reaped.length, 1)
    await missed(`now() - interval '1 minute'`, `'another life'`)
    await one.sweep(reap)
    assert.equal(reaped.length, 1, 'what was missed before the last promotion does not count')
    await missed(`now() - interval '6 seconds'`)
    await one.sweep(reap)
    assert.deepEqual(reaped, [here!.id, elsewhere!.id])
    await one.leave()
  },
)
