// The words for triggers.
import assert from 'node:assert/strict'
import { proves } from '../../../../../server/test/kit/proves.ts'
import { causeOf, nameOf } from './triggerWords.ts'

const bare = { name: null, kind: 'webhook', event: null, poll: null } as const
const poll = {
  connection_id: '',
  tool: 'list_orders',
  arguments: {},
  items: null,
  every_minutes: 1,
  start_existing: false,
  next_poll_at: null,
  last_polled_at: null,
  last_problem: null,
}

proves('console.triggers', 'a trigger is called by its name, or by what it is, and says what starts it', () => {
  assert.equal(nameOf({ ...bare, name: 'New orders' }), 'New orders')
  assert.equal(nameOf(bare), 'Webhook')
  assert.equal(causeOf(bare), null)
  const event = { event: 'run.failed', agent_id: null } as const
  assert.deepEqual(
    [nameOf({ ...bare, kind: 'event', event }), causeOf({ ...bare, event })],
    ['Event run.failed', 'run.failed'],
  )
  assert.equal(causeOf({ ...bare, poll }), 'New items of list_orders, every minute')
  assert.equal(causeOf({ ...bare, poll: { ...poll, every_minutes: 5 } }), 'New items of list_orders, every 5 minutes')
})
