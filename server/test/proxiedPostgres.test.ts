// A proxy that follows the primary, with one host in DATABASE_URL: the service continues behind it when a standby was promoted.
import assert from 'node:assert/strict'
import { migrate } from '../src/base/migrate.ts'
import { announcePresence } from '../src/kit/presence.ts'
import { findServer, startExternalServer } from './kit/externalServer.ts'
import { needsHaproxy, startHaproxy } from './kit/haproxy.ts'
import { proves } from './kit/proves.ts'
import { drainRuns, readRun, seedAgent, startRun } from './kit/runs.ts'
import { seedTeam } from './kit/seed.ts'
import { testApp } from './kit/testApp.ts'

proves(
  'postgres.proxy',
  'behind HAProxy a promotion is a pause, and nobody was declared dead',
  needsHaproxy,
  async (t) => {
    const opened: (() => Promise<unknown>)[] = []
    // the last one that was opened first
    t.after(async () => {
      for (const close of opened.toReversed()) await close()
    })
    const primary = await startExternalServer(await findServer())
    opened.push(() => primary.remove())
    const direct = await primary.newDatabase()
    await migrate({ address: direct })
    const standby = await primary.newStandby()
    const proxy = await startHaproxy([standby, primary])
    opened.push(() => proxy.stop())
    const address = { ...direct, port: proxy.port }
    const service = await testApp({ address })
    opened.push(() => service.close())
    const { context } = service
    const isReady = async () => (await service.call('GET /readyz')).status === 200
    const untilReady = async (node = primary) => {
      while (!(await isReady())) await node.asSuperuser('select pg_sleep(0.02)')
    }
    await untilReady()
    const team = await seedTeam(service)
    const join = () => announcePresence({ address: context.db.address, role: 'worker', log: context.log })
    const [one, two] = [await join(), await join()]
    const agentId = await seedAgent(team, '```output\n{{ message }}\n```\n')
    const before = await startRun(team, agentId, { message: 'before' })
    const [sent] = await primary.asSuperuser('select pg_current_wal_lsn()::text as lsn')
    const hasAll = `select pg_last_wal_replay_lsn() >= '${sent!['lsn'] as string}'::pg_lsn as has_all`
    while (!(await standby.asSuperuser(hasAll))[0]!['has_all']) continue
    await primary.stop('SIGQUIT')
    while (await isReady()) await standby.asSuperuser('select pg_sleep(0.02)')
    await standby.asSuperuser('select pg_promote()')
    await untilReady(standby)
    const afterwards = await startRun(team, agentId, { message: 'after' })
    await drainRuns(service)
    assert.equal((await readRun(team, before)).output, 'before')
    assert.equal((await readRun(team, afterwards)).output, 'after')
    const timesBack = () => service.logged.filter((line) => line.includes('the presence lock is held again')).length
    while (timesBack() < 2) await standby.asSuperuser('select pg_sleep(0.02)')
    const dead: unknown[] = []
    for (const presence of [one, two]) await presence.sweep(async (process) => void dead.push(process))
    assert.deepEqual(dead, [])
    await Promise.all([one.leave(), two.leave()])
  },
)
