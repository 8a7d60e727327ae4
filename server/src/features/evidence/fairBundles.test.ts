// Bundles share a few slots of a process, and no team holds all of them.
import assert from 'node:assert/strict'
import { proves } from '../../../test/kit/proves.ts'
import { drainRuns, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { bundlePoolOf } from './bundle.ts'

const service = await testApp()

proves('pools.bundles', 'a team that makes many bundles leaves a slot to another', async () => {
  const [busy, other] = [await seedTeam(service), await seedTeam(service)]
  const pool = bundlePoolOf(service.context)
  const held = []
  for (let release = pool.tryTake(busy.id); release; release = pool.tryTake(busy.id)) held.push(release)
  try {
    assert.ok(held.length < pool.size)
    const runId = await startRun(other, await seedAgent(other, '```output\ndone\n```\n'))
    await drainRuns(service)
    assert.equal((await other.call(`GET /v2/runs/${runId}/evidence`)).status, 200)
  } finally {
    for (const release of held) release()
  }
})

proves('pools.bundles', 'whoever has too many bundles waiting gets a 429 and nothing else', async () => {
  const team = await seedTeam(service)
  const runId = await startRun(team, await seedAgent(team, '```output\ndone\n```\n'))
  await drainRuns(service)
  const pool = bundlePoolOf(service.context)
  const held = []
  for (let release = pool.tryTake(team.id); release; release = pool.tryTake(team.id)) held.push(release)
  const get = () => team.call(`GET /v2/runs/${runId}/evidence`)
  const waiting = Array.from({ length: 20 }, get)
  while (pool.waiting(team.id) < waiting.length) await new Promise(setImmediate)
  const refused = await get()
  assert.deepEqual([refused.status, refused.body.error], [429, 'rate_limited'])
  for (const release of held) release()
  assert.deepEqual(new Set((await Promise.all(waiting)).map(({ status }) => status)), new Set([200]))
})
