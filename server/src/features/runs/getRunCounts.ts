// Counts runs over time, by how they stand now: what a plot of runs and of their cost shows.
import { isTimezone } from '../../base/wallClock.ts'
import type { CountedAs } from '../../engine/counting/runCounts.ts'
import { searchWords } from '../../kit/lists/words.ts'
import { operation } from '../../kit/operation.ts'
import { named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'
import { countOverTime, type BucketCount, type TimedFilter } from './countsOverTime.ts'
import { filterFields, filterOf } from './runFilter.ts'
import { bucketsMax, bucketStarts, intervals, usualMs, type BucketTime } from './timeBuckets.ts'

const count = Type.Integer({ minimum: 0 })

const counts = {
  completed: count,
  failed: count,
  stopped: count,
  pending: count,
  running: count,
  waiting: Type.Integer({ minimum: 0, description: 'With those that wait for a person.' }),
  needs_attention: Type.Integer({ minimum: 0, description: 'Those of `waiting` that wait for a person.' }),
  cost_usd: nullable(
    Type.Number({ minimum: 0, description: 'What those that have ended cost. Null: there were too many to read it.' }),
  ),
}

const RunCounts = named('RunCounts', Type.Object(counts))
const RunBucket = named('RunBucket', Type.Object({ start: Time, ...counts }))
type RunCounts = Static<typeof RunCounts>

export const getRunCounts = operation({
  id: 'getRunCounts',
  client: 'runs.counts',
  route: 'GET /v2/teams/:teamId/run-counts',
  summary: 'Count runs over time',
  description:
    'Exact counts by the time of creation and by how the runs stand now, for the same filters as listRuns. `buckets` has every minute, hour or ' +
    `day of the time, oldest first, also those without runs; at most ${bucketsMax}. The first and the last one count only what is inside \`since\` and ` +
    '`until`, so that the sum is the total of listRuns. Without `since`: the last 60 minutes, 24 hours or 30 days.',
  scope: 'runs:read',
  query: Type.Object({
    ...filterFields,
    interval: oneOf(intervals, { default: 'hour', description: 'How long a bucket is.' }),
    time_zone: Type.Optional(
      Type.String({
        maxLength: 64,
        // the letters of such names: whether there is one is looked up
        pattern: '^[A-Za-z0-9_+/-]+$',
        description: 'An IANA name: its days are counted. Minutes and hours are those of UTC. `UTC` if absent.',
        examples: ['Europe/Berlin'],
      }),
    ),
    compare: Type.Optional(
      Type.Boolean({ description: 'Whether to add `before`: the same length of time before it.' }),
    ),
  }),
  status: 200,
  answer: Type.Object({
    since: Time,
    until: Time,
    interval: oneOf(intervals),
    time_zone: Type.String(),
    buckets: Type.Array(RunBucket),
    totals: RunCounts,
    before: Type.Optional(RunCounts),
  }),
  errors: ['invalid_request'],
  async handler({ team, caller, query, sql, context, fail }) {
    const { interval, time_zone: zone = 'UTC' } = query
    if (!isTimezone(zone))
      fail('invalid_request', 'time_zone is not known here. Use an IANA name such as Europe/Berlin.')
    const until = query.until === undefined ? context.clock.now() : new Date(query.until)
    const since = query.since === undefined ? new Date(until.getTime() - usualMs[interval]) : new Date(query.since)
    if (since >= until) fail('invalid_request', 'since must be earlier than until, and than now without until.')
    const time = { since, until, interval, zone }
    const words = query.search === undefined ? null : await searchWords(sql, team.id, query.search)
    const filter = filterOf(caller, query)
    const read = async (asked: BucketTime) => {
      const starts = bucketStarts(asked)
      if (!starts) return fail('invalid_request', tooManyBuckets)
      if (!filter) return { starts, rows: [], hasCost: true }
      const timed: TimedFilter = { ...filter, words, since: asked.since, until: asked.until }
      const found = await countOverTime(sql, timed, starts)
      return found ? { starts, ...found } : fail('invalid_request', tooManyRuns)
    }
    const { starts, rows, hasCost } = await read(time)
    const byBucket = Map.groupBy(rows, ({ bucket }) => bucket)
    const answer = {
      since,
      until,
      interval,
      time_zone: zone,
      buckets: starts.map((start, n) => ({ start: new Date(start), ...shown(byBucket.get(n) ?? [], hasCost) })),
      totals: shown(rows, hasCost),
    }
    if (query.compare !== true) return answer
    const before = await read({ ...time, since: new Date(2 * since.getTime() - until.getTime()), until: since })
    return { ...answer, before: shown(before.rows, before.hasCost) }
  },
})

const tooManyBuckets = `There would be more than ${bucketsMax} buckets. Ask for a longer interval, or for a shorter time.`
const tooManyRuns = 'Too many runs were made in this time to count them by these fields. Ask for a shorter time.'

function shown(rows: BucketCount[], hasCost: boolean): RunCounts {
  const of = (status: CountedAs) => rows.reduce((sum, row) => sum + (row.counted_as === status ? row.runs : 0), 0)
  const needs_attention = of('needs_attention')
  return {
    completed: of('completed'),
    failed: of('failed'),
    stopped: of('stopped'),
    pending: of('pending'),
    running: of('running'),
    waiting: of('waiting') + needs_attention,
    needs_attention,
    cost_usd: hasCost ? rows.reduce((sum, row) => sum + row.cost_usd, 0) : null,
  }
}
