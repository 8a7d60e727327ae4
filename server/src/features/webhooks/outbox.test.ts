// What a process knows of a target: a row that was read earlier never replaces what happened since.
import assert from 'node:assert/strict'
import {
  dropWhatFollows,
  isPaused,
  noteFailure,
  openOutbox,
  refreshFrom,
  remember,
  takeNext,
  writtenState,
} from './outbox.ts'
import type { Loaded, Target } from './deliveryRows.ts'
import { proves } from '../../../test/kit/proves.ts'

const row: Target = {
  id: 'a',
  team_id: 't',
  kind: 'subscription',
  url: 'https://example.com/new',
  failures: 0,
  failing_since: null,
  paused_until: null,
  deaths: 0,
}

proves(
  'webhooks.breaker',
  'a target that failed and was paused while its row was read stays paused, with the new address',
  () => {
    const now = new Date()
    const outbox = openOutbox({ ...row, url: 'https://example.com/old' })
    const before = writtenState(outbox)
    for (let n = 0; n < 5; n++) noteFailure(outbox, now)
    // as after the write: the row that was read is older, and nothing is under way any more
    outbox.isDirty = false
    refreshFrom(outbox, before, { ...row })
    assert.ok(isPaused(outbox.target, now))
    assert.equal(outbox.target.url, row.url)
    refreshFrom(outbox, writtenState(outbox), { ...row })
    assert.equal(isPaused(outbox.target, now), false, 'a row that was read since then counts')
  },
)

const delivery = (id: string, run_id: string): Loaded => ({
  id,
  run_id,
  target_id: row.id,
  event: 'run.completed',
  data: '{}',
  created_at: new Date(),
  attempts: 0,
  state: 'new',
})

proves(
  'webhooks.callback',
  'a delivery that was found before its run’s receiver was gone, and arrives after that was written, is not sent',
  () => {
    const outbox = openOutbox({ ...row, kind: 'callback' })
    const [started, completed] = [delivery('1', 'gone'), delivery('2', 'gone')]
    for (const one of [started, completed]) remember(outbox, one, outbox.fresh)
    assert.equal(takeNext(outbox, new Date()), started)
    assert.deepEqual(dropWhatFollows(outbox, started), [completed])
    // as after the write: nothing of the run is in memory any more
    outbox.known.clear()
    remember(outbox, { ...completed }, outbox.fresh)
    assert.equal(takeNext(outbox, new Date()), undefined)
    const other = delivery('3', 'other')
    remember(outbox, other, outbox.fresh)
    assert.equal(takeNext(outbox, new Date()), other)
  },
)
