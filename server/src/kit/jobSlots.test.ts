// Job slots of a process: endless jobs of one team delay neither another team's jobs nor the housekeeping of the service.
import assert from 'node:assert/strict'
import { newId } from '../base/ids.ts'
import { testApp } from '../../test/kit/testApp.ts'
import { feature } from './feature.ts'
import { enqueueOn, job } from './job.ts'
import { createJobSlots } from './jobSlots.ts'
import { announcePresence } from './presence.ts'
import { Type } from './schema.ts'
import { startWorker } from './worker.ts'
import { proves } from '../../test/kit/proves.ts'

proves(
  'pools.jobs',
  'while jobs of one team do not end, a job of another team and one of the service run',
  async () => {
    const gate = Promise.withResolvers<void>()
    const done = { quiet: Promise.withResolvers<void>(), service: Promise.withResolvers<void>() }
    let begun = 0
    const ofTeam = job({
      name: 'testOfTeam',
      input: Type.Object({ team_id: Type.String(), isStuck: Type.Boolean() }),
      safeToRepeat: 'it changes nothing',
      async handler({ input }) {
        if (!input.isStuck) return done.quiet.resolve()
        begun += 1
        await gate.promise
      },
    })
    const ofService = job({
      name: 'testOfService',
      safeToRepeat: 'it changes nothing',
      handler: async () => done.service.resolve(),
    })
    const { context } = await testApp({ features: [feature({ name: 'tests', jobs: [ofTeam, ofService] })] })
    const enqueue = enqueueOn(context.db.sql)
    const noisy = newId()
    for (let n = 0; n < 30; n++) await enqueue(ofTeam, { team_id: noisy, isStuck: true })
    await enqueue(ofTeam, { team_id: newId(), isStuck: false })
    await enqueue(ofService, {})
    const presence = await announcePresence({ address: context.db.address, role: 'worker', log: context.log })
    const worker = await startWorker(context, presence)
    await Promise.all([done.quiet.promise, done.service.promise])
    assert.ok(begun <= 5, `${begun} of its jobs ran at once`)
    gate.resolve()
    await worker.stop()
    await presence.leave()
  },
)

proves(
  'pools.jobs',
  'jobs of all teams together leave slots for the service, and a team at its share is left out',
  () => {
    const slots = createJobSlots(10, 75)
    const take = (team_id: string) => slots.take({ team_id })
    assert.equal(Array.from({ length: 10 }, () => take('a')).filter(Boolean).length, 5)
    assert.deepEqual(slots.forbidden(), ['team a'])
    const last = [take('b'), take('b')].at(-1)
    assert.deepEqual(slots.forbidden(), ['team'])
    assert.equal(take('c'), undefined)
    assert.ok(slots.take({}))
    last!()
    assert.deepEqual(slots.forbidden(), ['team a'])
  },
)
