// A lease is renewed while the work lasts, and freed when the work fails; the work hears when it is lost.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import { createLog } from '../base/log.ts'
import { LeaseLost, whileLeased } from './lease.ts'

const log = createLog('silent')

function counted() {
  const calls = { renewed: 0, released: 0 }
  const lease = {
    name: 'a lease',
    log,
    everyMs: 5,
    renew: async () => void (calls.renewed += 1),
    release: async () => void (calls.released += 1),
  }
  return { calls, lease }
}

test('a lease is renewed while the work lasts, and no longer', async () => {
  const { calls, lease } = counted()
  const result = await whileLeased(lease, async () => {
    while (calls.renewed < 3) await sleep(1)
    return 'done'
  })
  assert.equal(result, 'done')
  const { renewed } = calls
  await sleep(20)
  assert.deepEqual(calls, { renewed, released: 0 })
})

test('the work hears when the lease is lost, and not when it could not be renewed', async () => {
  const { lease } = counted()
  let renewals = 0
  const renew = async () => {
    if (++renewals === 1) throw new Error('the database is away')
    return renewals < 3
  }
  await whileLeased({ ...lease, renew }, async (lost) => {
    while (!lost.aborted) await sleep(1)
    assert.ok(renewals >= 3)
    assert.ok(lost.reason instanceof LeaseLost)
  })
})

test('a lease is freed when the work fails, and the failure is the one of the work', async () => {
  const { calls, lease } = counted()
  const failing = {
    ...lease,
    release: async () => {
      calls.released += 1
      throw new Error('the database is away')
    },
  }
  await assert.rejects(
    whileLeased(failing, () => Promise.reject(new Error('the work failed'))),
    /the work failed/,
  )
  assert.equal(calls.released, 1)
})
