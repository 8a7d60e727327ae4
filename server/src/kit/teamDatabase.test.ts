// Database connections of requests: a team whose requests hold many of them leaves some for the others.
import assert from 'node:assert/strict'
import { createProbeTables, inside, probes } from '../../test/kit/probe.ts'
import { seedTeam } from '../../test/kit/seed.ts'
import { testApp } from '../../test/kit/testApp.ts'
import { statementSlotsOf } from './teamDatabase.ts'
import { proves } from '../../test/kit/proves.ts'

proves(
  'pools.statements',
  'while forty requests of one team hold all the connections they can get, another team is answered',
  async () => {
    const service = await testApp({ features: [probes] })
    await createProbeTables(service.context.db.sql)
    const noisy = await seedTeam(service)
    const quiet = await seedTeam(service)
    const { body } = await noisy.call('POST /v2/probes', { body: { note: 'held' } })
    const slots = statementSlotsOf(service.context)
    const gate = Promise.withResolvers<void>()
    const isFull = Promise.withResolvers<void>()
    let inHandlers = 0
    inside.handler = async () => {
      if (++inHandlers === slots.perTeam) isFull.resolve()
      await gate.promise
    }
    const held = Array.from({ length: 40 }, () => noisy.call(`PATCH /v2/probes/${body.probe_id}`))
    await isFull.promise
    assert.ok(slots.perTeam < slots.size && slots.size < service.context.db.connectionsMax)
    assert.equal((await quiet.call('GET /v2/teams')).status, 200)
    assert.equal((await quiet.call('GET /v2/teams/:teamId/members')).status, 200)
    gate.resolve()
    const statuses = (await Promise.all(held)).map(({ status }) => status)
    assert.deepEqual([...new Set(statuses)], [200])
    assert.equal(slots.taken(), 0)
  },
)
