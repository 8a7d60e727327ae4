// The time of the plot: what is chosen is inside, and the service is asked for no more than it gives.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergeBuckets, plotTime } from './plotTime.ts'
import { spans } from './search.ts'

const now = Date.parse('2026-11-17T10:34:56.789Z')
const ago = (days: number) => new Date(now - days * 86_400_000).toISOString()
const lengths = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }

test('a span begins with a whole bar and has at most 400 buckets', () => {
  assert.equal(plotTime('24h', {}, now).since, '2026-11-16T11:00:00.000Z')
  assert.equal(plotTime('6h', {}, now).since, '2026-11-17T04:35:00.000Z')
  for (const span of spans)
    for (const since of [undefined, ago(0.01), ago(3), ago(80), ago(300), ago(4000)]) {
      const time = plotTime(span, { since }, now)
      const buckets = Math.ceil((now - Date.parse(time.since)) / lengths[time.interval]) + 1
      assert.ok(buckets <= 400, `${span} ${since}: ${buckets}`)
    }
})

test('what is chosen is inside, in the shortest span in which it fits', () => {
  assert.equal(plotTime('24h', { since: ago(0.2) }, now).span, '24h')
  assert.equal(plotTime('24h', { since: ago(3) }, now).span, '7d')
  assert.equal(plotTime('1h', { until: ago(20) }, now).span, '30d')
  const long = plotTime('24h', { since: ago(200) }, now)
  assert.ok(Date.parse(long.since) <= Date.parse(ago(200)))
  assert.equal(long.says, '201 days')
})

test('buckets are put together, and none is lost', () => {
  const one = { completed: 1, stopped: 0, failed: 2, waiting: 0, running: 0, pending: 0 }
  const buckets = Array.from({ length: 12 }, (_, n) => ({ ...one, start: new Date(now + n * 60_000).toISOString() }))
  const bars = mergeBuckets(buckets, 5)
  assert.deepEqual(
    bars.map(({ completed, failed }) => [completed, failed]),
    [
      [5, 10],
      [5, 10],
      [2, 4],
    ],
  )
  assert.equal(bars[1]?.start, buckets[5]?.start)
})
