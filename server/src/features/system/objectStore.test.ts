// The object store as operators see it: whether it answers now, and what failed last, here or elsewhere.
import assert from 'node:assert/strict'
import { proves } from '../../../test/kit/proves.ts'
import { s3Server } from '../../../test/kit/s3Server.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { typedClient } from '../../../test/kit/typedClient.ts'
import { blobsFor } from '../../kit/blobs.ts'
import { announcePresence } from '../../kit/presence.ts'
import { getSystem } from './getSystem.ts'

const s3 = await s3Server()
const service = await testApp({ config: s3.settings })
const { context } = service
const team = await seedTeam(service)
const read = async () => (await typedClient(service, team).send(getSystem, {})).object_store

let now = Date.parse('2030-01-01T00:00:00Z')
/** Nobody asked the store for so long that a look asks it. The clock runs on from where it was set, and a test may begin late. */
function later(): void {
  now = Math.max(now, service.clock.now().getTime()) + 31_000
  service.clock.set(new Date(now).toISOString())
}
later()

proves('system.objectStore', 'a look asks a store that nobody asked lately, and says whether it answers', async () => {
  assert.doesNotMatch((await service.call('GET /metrics')).text, /^runyard_object_store_present \d/m)
  const first = await read()
  assert.deepEqual([first?.name, first?.is_answering, first?.last_failure], [s3.settings.blobs, true, null])
  assert.ok(Date.parse(first?.answered_at ?? '') >= now)
  later()
  s3.answerWith = (_, response) => {
    response.destroy()
    return true
  }
  const away = await read()
  s3.answerWith = undefined
  assert.deepEqual([away?.is_answering, away?.answered_at], [false, first?.answered_at])
  assert.ok(Date.parse(away?.last_failure?.at ?? '') >= now)
  later()
  const back = await read()
  assert.deepEqual([back?.is_answering, back?.last_failure], [true, away?.last_failure])
})

proves('system.objectStore', 'what the store refuses is the last failure, and the store still answers', async () => {
  later()
  s3.answerWith = (_, response) => {
    response.writeHead(403).end('<Error><Code>AccessDenied</Code><Message>no</Message></Error>')
    return true
  }
  // the bytes go into the database, and are moved later
  await blobsFor(context, context.db.sql).bring([Buffer.alloc(1_000_000, 7)])
  s3.answerWith = undefined
  const state = await read()
  assert.equal(state?.is_answering, true)
  assert.match(state?.last_failure?.says ?? '', /AccessDenied/)
})

proves('system.objectStore', 'what another living process saw later counts', async () => {
  const { sql } = context.db
  const presence = await announcePresence({ address: context.db.address, role: 'worker', log: context.log })
  const at = new Date(service.clock.now().getTime() + 1000).toISOString()
  const report = {
    memory_bytes: 1,
    cpu_percent: 1,
    object_store: { answered_at: null, failed_at: at, failure: 'the store hung up', is_answering: false },
    loops: [],
    lanes: [],
    pools: [],
  }
  await sql`update processes set report = ${JSON.stringify(report)}::jsonb where id = ${presence.processId}`
  const state = await read()
  assert.deepEqual([state?.is_answering, state?.last_failure], [false, { at, says: 'the store hung up' }])
  await presence.leave()
})
