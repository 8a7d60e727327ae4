// Who is called when a run is ready: one worker, so that a run costs the same however many there are.
import assert from 'node:assert/strict'
import { testDatabase } from '../../../test/kit/postgres.ts'
import { proves } from '../../../test/kit/proves.ts'
import { seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import type { WorkerPools } from '../../base/settingKinds.ts'
import { ownChannel } from '../../kit/listener.ts'
import { engineOf } from '../engine.ts'
import { announceReady, readyChannel } from '../ledger/notifyChannels.ts'
import { channelsToCall } from './readyCall.ts'

const address = await testDatabase()
const service = await testApp({ address })
const { context } = service
const { sql } = context.db
const team = await seedTeam(service)
const agentId = await seedAgent(team, '```output\ndone\n```\n')

/** Rows of processes that work on runs and are not there: whoever is called is heard by the test. */
async function announceWorkers(pools: (WorkerPools | null)[]): Promise<string[]> {
  const ids = pools.map(() => newId()).toSorted()
  await sql`delete from processes`
  for (const [index, id] of ids.entries()) {
    const report = { own_channel: ownChannel(id), worker_pools: pools[index] }
    await sql`insert into processes (id, role, host, pid, report) values (${id}, 'worker', 'alpha', 1, ${JSON.stringify(report)}::jsonb)`
  }
  return ids.map(ownChannel)
}

/** What is heard on these channels from now on, in its order. */
async function hear(channels: string[]): Promise<{ heard: string[]; untilHeard: (count: number) => Promise<void> }> {
  const heard: string[] = []
  for (const channel of channels) context.listener.on(channel, (payload) => heard.push(`${channel} ${payload}`.trim()))
  while (!channels.every((channel) => context.listener.hears(channel))) await sql`select pg_sleep(0.01)`
  return {
    heard,
    async untilHeard(count) {
      while (heard.length < count) await sql`select pg_sleep(0.01)`
    },
  }
}

proves('runs.calledOne', 'each run that is ready calls one worker, and the workers take turns', async () => {
  const channels = await announceWorkers([null, null, null])
  const { heard, untilHeard } = await hear([...channels, readyChannel])
  for (let n = 1; n <= 6; n++) {
    await startRun(team, agentId)
    await untilHeard(n)
  }
  assert.deepEqual(heard.slice(0, 3).toSorted(), channels)
  assert.deepEqual(heard.slice(3), heard.slice(0, 3))
})

proves(
  'runs.calledOne',
  'a run that wakes inside a transaction calls one worker too, or all of them where pools differ',
  async () => {
    const channels = await announceWorkers([null, null])
    const { heard, untilHeard } = await hear([...channels, readyChannel])
    await announceReady(sql)
    await untilHeard(1)
    assert.ok(channels.includes(heard[0] ?? ''), heard[0])
    await announceWorkers([null, { names: ['heavy'], teams: [], except_teams: [] }])
    await announceReady(sql)
    await untilHeard(2)
    await sql`delete from processes`
    await announceReady(sql)
    await untilHeard(3)
    assert.deepEqual(heard.slice(1), [readyChannel, readyChannel])
  },
)

proves('runs.calledOne', 'a worker that is called and cannot take what is ready calls all the others', async () => {
  const id = newId()
  const lost = AbortSignal.abort()
  const working = await testApp({ address })
  const worker = engineOf(working.context).work({ id, seats: 5, lost: () => lost })
  const { heard, untilHeard } = await hear([readyChannel])
  while (!working.context.listener.hears(ownChannel(id))) await sql`select pg_sleep(0.01)`
  await sql`select pg_notify(${ownChannel(id)}, '')`
  await untilHeard(1)
  assert.deepEqual(heard, [`${readyChannel} ${ownChannel(id)}`])
  await worker.stop(0)
})

const one = (channel: string | null, pools: WorkerPools | null = null) => ({ channel, pools })
const nobodyIsFull = () => false

proves('runs.calledOne', 'one worker of each pool is called, and full ones are passed over', () => {
  const heavy = { names: ['heavy'], teams: [], except_teams: [] }
  assert.deepEqual(channelsToCall([one('a'), one('b', heavy), one('c', heavy)], 1, nobodyIsFull), ['a', 'c'])
  assert.deepEqual(
    channelsToCall([one('a'), one('b'), one('c')], 1, (channel) => channel === 'b'),
    ['c'],
  )
})

proves('runs.calledOne', 'all are called where nobody is known, all are full, or one hears only that', () => {
  assert.deepEqual(channelsToCall([], 1, nobodyIsFull), [readyChannel])
  assert.deepEqual(
    channelsToCall([one('a'), one('b')], 1, () => true),
    [readyChannel],
  )
  assert.deepEqual(channelsToCall([one('a'), one(null)], 1, nobodyIsFull), [readyChannel])
})
