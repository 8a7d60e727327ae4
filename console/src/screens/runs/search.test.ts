// The address of the list: what a stranger may write into it, views, and times as words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiFilter, earlier, later } from './apiFilter.ts'
import { isSameView, readRunsSearch, searchOfView, viewFilterOf, withStatuses } from './search.ts'
import { fieldOf, isTimeText, momentOf, momentOfField } from '../../parts/filters/times.ts'

test('what the API would refuse is left out', () => {
  assert.deepEqual(
    readRunsSearch({
      status: 'failed,nonsense,running',
      since: 'yesterday?',
      until: '2026-11-17T01:00:00.000Z',
      source: 'x',
      search: 88214,
      has_issues: true,
      sort_by: 'title',
      page: -1,
      size: 7,
      agent_id: { a: 1 },
    }),
    { status: 'running,failed', until: '2026-11-17T01:00:00.000Z', search: '88214', has_issues: 'true' },
  )
  assert.equal(withStatuses([]), undefined)
})

test('a view keeps filters and order, and comes back as it was', () => {
  const search = readRunsSearch({ status: 'failed', since: 'today', sort_order: 'asc', page: 3, size: 50, view: 'v' })
  const filter = viewFilterOf(search)
  assert.deepEqual(filter, { status: 'failed', since: 'today', sort_order: 'asc' })
  assert.deepEqual(searchOfView(filter), filter)
  assert.ok(isSameView(search, filter))
  assert.ok(!isSameView({ ...search, status: 'stopped' }, filter))
  assert.deepEqual(searchOfView({ status: '<script>', page: '9', other: 'x' }), {})
})

test('words for a time become moments', () => {
  const now = Date.parse('2026-11-17T10:30:00.000Z')
  assert.equal(momentOf('-24h', now, 'UTC'), '2026-11-16T10:30:00.000Z')
  assert.equal(momentOf('today', now, 'UTC'), '2026-11-17T00:00:00.000Z')
  assert.equal(momentOf('2026-11-01T00:00:00Z', now, 'UTC'), '2026-11-01T00:00:00.000Z')
  assert.deepEqual(apiFilter({ since: '-1h', has_issues: 'false' }, now, 'UTC'), {
    since: '2026-11-17T09:30:00.000Z',
    has_issues: false,
  })
  for (const wrong of ['', '-2h', '2026-13-45T00:00:00Z', '2026-11-17', 'today ']) assert.ok(!isTimeText(wrong), wrong)
  assert.equal(fieldOf('2026-11-17T09:30:00.000Z', 'UTC'), '2026-11-17T09:30')
  assert.equal(momentOfField('2026-11-17T09:30', 'UTC'), '2026-11-17T09:30:00.000Z')
  assert.equal(momentOfField('', 'UTC'), undefined)
})

test('of two moments the earlier and the later are found, also where one is missing', () => {
  const [one, two] = ['2026-11-17T01:00:00.000Z', '2026-11-17T02:00:00.000Z']
  assert.deepEqual(
    [earlier(one, two), earlier(two, one), earlier(undefined, two), earlier(one, undefined)],
    [one, one, two, one],
  )
  assert.deepEqual(
    [later(one, two), later(two, one), later(undefined, two), later(one, undefined)],
    [two, two, two, one],
  )
})
