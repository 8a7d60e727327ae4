// When a failed delivery is tried again.
import assert from 'node:assert/strict'
import { readConfig } from '../../base/config.ts'
import { delayAfter, retryAfterS } from './retrySchedule.ts'
import { proves } from '../../../test/kit/proves.ts'

proves('webhooks.schedule', 'twelve attempts over about 76 hours, each a fifth early or late at most', () => {
  const { webhookScheduleS } = readConfig({})
  const delays = Array.from({ length: 12 }, (_, made) => delayAfter(webhookScheduleS, made, 0.5))
  assert.deepEqual(delays, [0, 5, 30, 120, 600, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400])
  assert.equal(delayAfter(webhookScheduleS, 12), undefined)
  assert.deepEqual(
    [0, 1].map((random) => Math.round(delayAfter([0, 100], 1, random)!)),
    [80, 120],
  )
  const hours = delays.reduce<number>((sum, delay) => sum + (delay ?? 0), 0) / 3600
  assert.ok(hours > 75 && hours < 77, `${hours} hours`)
})

proves(
  'webhooks.retryAfter',
  'Retry-After counts on 429 and 503, as seconds or a date, within a second and a day',
  () => {
    const now = new Date('2026-07-18T09:30:00Z')
    const cases: [number, string | undefined, number | undefined][] = [
      [429, '120', 120],
      [503, '120', 120],
      [500, '120', undefined],
      [429, undefined, undefined],
      [429, '0', 1],
      [429, '999999999999', 86_400],
      [503, 'Sat, 18 Jul 2026 09:31:30 GMT', 90],
      [503, 'Sat, 18 Jul 2026 09:00:00 GMT', 1],
      [429, 'soon', undefined],
      [429, '-5', undefined],
    ]
    for (const [status, header, seconds] of cases) assert.equal(retryAfterS(status, header, now), seconds, `${header}`)
  },
)
