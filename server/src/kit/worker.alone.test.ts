// A working process runs the ticks of the features side by side, again after a failure, and keeps its job engine running.
import assert from 'node:assert/strict'
import { testApp } from '../../test/kit/testApp.ts'
import { feature, type Tick } from './feature.ts'
import { job } from './job.ts'
import { announcePresence } from './presence.ts'
import { Type } from './schema.ts'
import { startWorker } from './worker.ts'
import { proves } from '../../test/kit/proves.ts'

proves('kit.tick', 'each tick has a loop of its own, which a failure does not end and a stop waits for', async () => {
  let failures = 0
  let hasFailedTwice: () => void
  const failedTwice = new Promise<void>((resolve) => (hasFailedTwice = resolve))
  const failing: Tick = async () => {
    failures += 1
    if (failures === 2) hasFailedTwice()
    throw new Error('not this time')
  }
  let hasBegun: () => void
  const begun = new Promise<void>((resolve) => (hasBegun = resolve))
  let ended = 0
  const long: Tick = async ({ signal }) => {
    hasBegun()
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    ended += 1
  }
  const features = [feature({ name: 'failing', tick: failing }), feature({ name: 'long', tick: long })]
  const { context, logged } = await testApp({ features })
  const presence = await announcePresence({ address: context.db.address, role: 'worker', log: context.log })
  const worker = await startWorker(context, presence)
  await Promise.all([begun, failedTwice])
  await worker.stop()
  await presence.leave()
  assert.equal(ended, 1, 'what was under way was told to end, and waited for')
  assert.ok(logged.some((line) => line.includes('a tick failed') && line.includes('not this time')))
})

proves(
  'worker.engineRestarts',
  'a job engine that ended by itself is started again, and takes the jobs that come then',
  async () => {
    const { promise: ran, resolve } = Promise.withResolvers<void>()
    const noted = job({
      name: 'noted',
      input: Type.Object({}),
      safeToRepeat: 'it only tells that it ran',
      handler: async () => resolve(),
    })
    const { context, logged } = await testApp({ features: [feature({ name: 'noting', jobs: [noted] })] })
    const presence = await announcePresence({ address: context.db.address, role: 'worker', log: context.log })
    const worker = await startWorker(context, presence)
    const { sql } = context.db
    const poolOf = async () => (await sql<{ job_pool_id: string }>`select job_pool_id from processes`)[0]!.job_pool_id
    const first = await poolOf()
    // graphile-worker ends itself when it receives this, which is the one way to end it from outside
    while ((await poolOf()) === first) {
      await sql`select pg_notify('worker:migrate', '{"breaking": true, "migrationNumber": 9999}')`
    }
    // this also sets an exit code
    process.exitCode = undefined
    await sql`select graphile_worker.add_job('noted', '{}')`
    await ran
    await worker.stop()
    await presence.leave()
    assert.ok(logged.some((line) => line.includes('the job engine ended by itself')))
  },
)
