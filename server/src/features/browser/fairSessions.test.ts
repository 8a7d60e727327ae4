// Browser sessions of several teams: a team that holds its share waits, and another opens a session at once.
import assert from 'node:assert/strict'
import { newId } from '../../base/ids.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { browserOf } from '../../kit/browserOf.ts'
import { sessionSlotsOf } from './sessionSlots.ts'
import { openSession } from './browserSession.ts'
import { proves } from '../../../test/kit/proves.ts'

const run = (team_id: string) => ({ id: newId(), team_id }) as Parameters<typeof openSession>[1]

proves(
  'pools.browser',
  'while one team holds its share of the browser, another is let in, and a session that fails gives its slot back',
  async () => {
    // nothing answers at this URL, so opening a session fails at the point where a browser would be reached
    const { context } = await testApp({ config: { browserSessionsMax: 2, cdpUrl: 'http://127.0.0.1:1' } })
    const [noisy, quiet] = [newId(), newId()]
    const slots = sessionSlotsOf(context)
    const release = slots.tryTake(noisy)
    const gone = new AbortController()
    const waits = openSession(context, run(noisy), gone.signal)
    const isWaiting = assert.rejects(waits, /the run was stopped/)
    await assert.rejects(openSession(context, run(quiet), new AbortController().signal), (error: unknown) => {
      assert.doesNotMatch(String(error), /the run was stopped/)
      return true
    })
    assert.deepEqual([slots.taken(quiet), slots.taken(noisy)], [0, 1])
    gone.abort(new Error('the run was stopped'))
    await isWaiting
    release!()
    assert.equal(slots.taken(), 0)
    await browserOf(context).close()
  },
)
