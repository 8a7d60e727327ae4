// When a member is notified of something, by the clock of their time zone.
import assert from 'node:assert/strict'
import { proves } from '../../../test/kit/proves.ts'
import type { ChoicesRow } from './choices.ts'
import { dueTime } from './dueTimes.ts'

const choices: ChoicesRow = {
  mail: { human_requests: 'at_once', failed_runs: 'digest', connections: 'off', deliveries: 'at_once' },
  browser: { human_requests: true, failed_runs: false, connections: false, deliveries: false, alerts: true },
  time_zone: 'Europe/Berlin',
  digest_minute: 8 * 60,
  quiet_from: 22 * 60,
  quiet_until: 7 * 60,
}

const due = (kind: 'human_requests' | 'failed_runs' | 'connections', at: string, more: Partial<ChoicesRow> = {}) =>
  dueTime({ ...choices, ...more }, kind, new Date(at))?.toISOString()

proves(
  'notifications.choices',
  'quiet hours and the digest go by the member’s own clock, over midnight and summer time',
  () => {
    assert.equal(due('connections', '2026-07-01T12:00:00Z'), undefined)
    assert.equal(due('human_requests', '2026-07-01T12:00:00Z'), '2026-07-01T12:00:00.000Z')
    // 22:30 and 06:59 in Berlin
    assert.equal(due('human_requests', '2026-07-01T20:30:00Z'), '2026-07-02T05:00:00.000Z')
    assert.equal(due('human_requests', '2026-07-02T04:59:00Z'), '2026-07-02T05:00:00.000Z')
    assert.equal(due('human_requests', '2026-07-02T05:00:00Z'), '2026-07-02T05:00:00.000Z')
    // within one day
    const day = { quiet_from: 12 * 60, quiet_until: 13 * 60 }
    assert.equal(due('human_requests', '2026-07-01T10:30:00Z', day), '2026-07-01T11:00:00.000Z')
    assert.equal(due('human_requests', '2026-07-01T20:30:00Z', day), '2026-07-01T20:30:00.000Z')
    // 08:00 in Berlin is another time of UTC from one day to the next
    assert.equal(due('failed_runs', '2026-10-24T06:00:00Z'), '2026-10-25T07:00:00.000Z')
    assert.equal(due('failed_runs', '2026-10-24T05:59:00Z'), '2026-10-24T06:00:00.000Z')
  },
)
