// How the time of a call is divided into its stages.
import assert from 'node:assert/strict'
import { proves } from '../../../test/kit/proves.ts'
import { timingOf } from './timing.ts'

const dial = { startedAt: 110, dns: 5, connect: 10, tls: 20 }

proves(
  'deliveries.timing',
  'a call on a new connection has every stage, one on an open connection only what it did',
  () => {
    const moments = { startedAt: 100, sentAt: 150, answeredAt: 180 }
    assert.deepEqual(timingOf(moments, dial, 190), {
      dns_ms: 5,
      connect_ms: 10,
      tls_ms: 20,
      wait_ms: 30,
      answer_ms: 10,
    })
    const open = { dns_ms: null, connect_ms: null, tls_ms: null, wait_ms: 30, answer_ms: 10 }
    assert.deepEqual(timingOf(moments, { ...dial, startedAt: 50 }, 190), open)
    assert.deepEqual(timingOf(moments, null, 190), open)
  },
)

proves('deliveries.timing', 'the stage in which a call failed has the time until then', () => {
  const unsent = { startedAt: 100, sentAt: undefined, answeredAt: undefined }
  const nothing = { dns_ms: null, connect_ms: null, tls_ms: null, wait_ms: null, answer_ms: null }
  assert.deepEqual(timingOf(unsent, { ...dial, dns: null, connect: null, tls: null }, 140), { ...nothing, dns_ms: 40 })
  assert.deepEqual(timingOf(unsent, { ...dial, connect: null, tls: null }, 140), {
    ...nothing,
    dns_ms: 5,
    connect_ms: 35,
  })
  assert.deepEqual(timingOf({ ...unsent, sentAt: 150 }, null, 175), { ...nothing, wait_ms: 25 })
})
