// Lists of cases held against a plain filter over the same rows: every filter, every pair of them, every order, on every way.
import assert from 'node:assert/strict'
import { isLongForm } from '../../../../test/kit/longForm.ts'
import { seedTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { newId } from '../../../base/ids.ts'
import { proves } from '../../../../test/kit/proves.ts'

const service = await testApp()
const team = await seedTeam(service)
const [queueId, otherId] = [newId(), newId()]
for (const id of [queueId, otherId]) {
  await team.sql`insert into queues (id, team_id, name) values (${id}, ${team.id}, ${id})`
  await team.sql`
    insert into labels (id, team_id, queue_id, key, value, color_hue)
    select new_id(), ${team.id}, ${id}, key, value, 0
    from (values ('region', 'north'), ('region', 'south'), ('team', 'a'), ('', 'rare')) l (key, value)`
  await seedCases(id, 400)
}

/** With labels, times and states that hang on their number alone. */
async function seedCases(id: string, cases: number): Promise<void> {
  await team.sql`
    insert into cases (id, team_id, queue_id, title, data, display_status, priority, postponed_to, completed_at, created_at, updated_at)
    select new_id(), ${team.id}, ${id}, 'Invoice ' || n % 7 || case when n % 50 = 0 then ' Müller' else '' end || case when n <= 6000 then ' early' else '' end,
      case when n % 2 = 0 then '{"note": "paid\\nlate"}' else 'open ' || n end, status, n % 3,
      case when status = 'postponed' then timestamptz '2026-03-01' - n * n % 977 * interval '1 minute' end,
      case when status in ('completed', 'failed') then now() end,
      timestamptz '2026-02-01 00:30Z' + n / 3 * interval '17 minutes', timestamptz '2026-02-20' + n * 7 % 400 * interval '1 hour'
    from (select n, (array['pending', 'completed', 'failed', 'postponed', 'pending'])[n * 7 % 11 % 5 + 1] as status
      from generate_series(1, ${cases}) n) made`
  await team.sql`
    insert into case_labels (case_id, label_id, created_at)
    select c.id, l.id, c.created_at from cases c join labels l on l.queue_id = c.queue_id
    where c.queue_id = ${id} and case l.value
      when 'north' then c.title ~ ' [0-4]' when 'south' then c.title ~ ' [3-5]' when 'a' then c.priority = 1 else c.title ~ 'Müller' end
    on conflict do nothing`
}

interface Row {
  id: string
  display_status: string
  priority: number
  title: string
  data: string
  postponed_to: Date | null
  created_at: Date
  updated_at: Date
  labels: string[]
}

const rows = await team.sql<Row>`
  select c.*, array(select l.key || '=' || l.value from case_labels cl join labels l on l.id = cl.label_id where cl.case_id = c.id) as labels
  from cases c where c.queue_id = ${queueId}`

type Fits = (row: Row) => boolean
const hasWords =
  (...words: RegExp[]): Fits =>
  (row) =>
    words.every((word) => word.test(`${row.title} ${row.data.replaceAll('\\n', ' ')}`))

/** A filter as a body has it, and what it asks of a row. */
interface Asked {
  filters?: Record<string, unknown>
  search?: string
  fits: Fits
}

const inMiddle = '2026-02-01T20:10:00.000Z'
const asked: Asked[] = [
  { filters: { status: ['failed'] }, fits: (row) => row.display_status === 'failed' },
  {
    filters: { status: ['pending', 'postponed'] },
    fits: (row) => ['pending', 'postponed'].includes(row.display_status),
  },
  { filters: { status: ['needs_input'] }, fits: (row) => row.display_status === 'needs_input' },
  { filters: { priority: ['high'] }, fits: (row) => row.priority === 2 },
  { filters: { priority: ['high', 'none'] }, fits: (row) => row.priority !== 1 },
  { filters: { created_at_from: inMiddle }, fits: (row) => row.created_at >= new Date(inMiddle) },
  { filters: { created_at_from: '2026-01-01' }, fits: () => true },
  {
    filters: { updated_at_from: '2026-03-01T09:00:00Z' },
    fits: (row) => row.updated_at >= new Date('2026-03-01T09:00:00Z'),
  },
  { filters: { labels: { team: ['a'] } }, fits: (row) => row.labels.includes('team=a') },
  { filters: { labels: { '': ['rare'] } }, fits: (row) => row.labels.includes('=rare') },
  {
    filters: { labels: { region: ['north', 'south'] } },
    fits: ({ labels }) => labels.includes('region=north') || labels.includes('region=south'),
  },
  {
    filters: { labels: { region: ['south', 'nowhere'], team: ['a'] } },
    fits: ({ labels }) => labels.includes('region=south') && labels.includes('team=a'),
  },
  { search: 'müller', fits: hasWords(/müller/i) },
  { search: 'invoice paid, LATE', fits: hasWords(/invoice/i, /paid\b/i, /late/i) },
  { search: 'open 3*', fits: hasWords(/open/, / 3/) },
  { search: '?!', fits: () => true },
]

const sorts: [sort_by: 'created_at' | 'updated_at' | 'postponed_to', sort_order: 'asc' | 'desc'][] = [
  ['created_at', 'desc'],
  ['created_at', 'asc'],
  ['updated_at', 'desc'],
  ['postponed_to', 'asc'],
  ['postponed_to', 'desc'],
]

/** Cases without a time to wait for come last, in the order in which they were made. */
function keyOf(row: Row, sortBy: (typeof sorts)[number][0]): [number, number, string] {
  if (sortBy !== 'postponed_to') return [0, row[sortBy].getTime(), row.id]
  return row.postponed_to ? [0, row.postponed_to.getTime(), row.id] : [1, row.created_at.getTime(), row.id]
}

function expected(fits: Fits, [sortBy, order]: (typeof sorts)[number]): string[] {
  const sign = order === 'asc' ? 1 : -1
  const keyed = rows.filter(fits).map((row) => keyOf(row, sortBy))
  keyed.sort(([groupA, timeA, idA], [groupB, timeB, idB]) => {
    if (groupA !== groupB) return groupA - groupB
    return sign * (timeA === timeB ? (idA < idB ? -1 : 1) : timeA - timeB)
  })
  return keyed.map(([, , id]) => id)
}

const search = (body: Record<string, unknown>) => team.call(`POST /v2/queues/${queueId}/cases/search`, { body })
const idsOf = (cases: { id: string }[]) => cases.map(({ id }) => id)

async function requireSame({ fits, ...what }: Asked, sort: (typeof sorts)[number]): Promise<void> {
  const ids = expected(fits, sort)
  const about = JSON.stringify({ ...what, sort })
  for (const offset of new Set([0, Math.max(0, ids.length - 3)])) {
    const body = { ...what, sort_by: sort[0], sort_order: sort[1], limit: 5, offset }
    const answer = await search(body)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.body.total, ids.length, about)
    assert.deepEqual(idsOf(answer.body.cases), ids.slice(offset, offset + 5), `${about} from ${offset}`)
  }
}

/** The short form has two orders for each filter, in turns. */
const sortsFor = (place: number): typeof sorts =>
  sorts.filter((_, index) => isLongForm || (index + place) % sorts.length < 2)

proves('cases.list', 'every filter and search gives the right cases, in every order, with an exact total', async () => {
  for (const sort of sorts) await requireSame({ fits: () => true }, sort)
  for (const [index, one] of asked.entries()) for (const sort of sortsFor(index)) await requireSame(one, sort)
})

proves('cases.listPairs', 'every pair of filters gives what fits both', async () => {
  // the short form tries every second pair
  for (const [index, one] of asked.entries()) {
    for (const [otherIndex, other] of asked.entries()) {
      if (!isLongForm && (index + otherIndex) % 2 === 0) continue
      if (otherIndex <= index || (one.search !== undefined && other.search !== undefined)) continue
      const both = [...Object.keys(one.filters ?? {}), ...Object.keys(other.filters ?? {})]
      if (new Set(both).size < both.length) continue
      const pair = { ...one, ...other, filters: { ...one.filters, ...other.filters } }
      const sort = sorts[(index + otherIndex) % sorts.length]!
      await requireSame({ ...pair, fits: (row) => one.fits(row) && other.fits(row) }, sort)
    }
  }
})

proves('cases.listQuery', 'a query says the same as a body, and a body is what has labels', async () => {
  const query =
    'status=failed,postponed&priority=none,high&search=invoice&created_at_from=2026-02-01T20:10:00Z&sort_by=updated_at'
  const listed = await team.call(`GET /v2/queues/${queueId}/cases?${query}&sort_order=asc&limit=7&offset=2`)
  const filters = { status: ['failed', 'postponed'], priority: ['none', 'high'], created_at_from: inMiddle }
  const found = await search({
    filters,
    search: 'invoice',
    sort_by: 'updated_at',
    sort_order: 'asc',
    limit: 7,
    offset: 2,
  })
  assert.equal(listed.body.cases.length, 7)
  assert.deepEqual(listed.body, found.body)
  const usual = await team.call(`GET /v2/queues/${queueId}/cases`)
  assert.deepEqual([usual.body.cases.length, usual.body.limit, usual.body.offset, usual.body.total], [20, 20, 0, 400])
  const none = await team.call(`GET /v2/queues/${queueId}/cases?limit=0&status=pending`)
  assert.deepEqual(
    [none.body.cases, none.body.total],
    [[], rows.filter((row) => row.display_status === 'pending').length],
  )
})

proves(
  'cases.listRefused',
  'what is not in its set is refused, an empty list too, and a label that nobody has finds nothing',
  async () => {
    for (const query of [
      'status=done',
      'status=failed,',
      'priority=low',
      'sort_by=title',
      'limit=101',
      'created_at_from=today',
    ]) {
      assert.equal((await team.call(`GET /v2/queues/${queueId}/cases?${query}`)).status, 400, query)
    }
    for (const filters of [{ status: [] }, { priority: [] }, { labels: { team: [] } }, { status: 'done' }]) {
      assert.equal((await search({ filters })).status, 400, JSON.stringify(filters))
    }
    for (const labels of [{ nobody: ['a'] }, { team: ['nobody'] }, { team: ['a'], nobody: ['a'] }]) {
      assert.deepEqual((await search({ filters: { labels } })).body, { cases: [], total: 0, limit: 20, offset: 0 })
    }
  },
)

proves('cases.listFollows', 'totals and words follow what happens to cases and their labels', async () => {
  const id = newId()
  await team.sql`insert into queues (id, team_id, name) values (${id}, ${team.id}, ${id})`
  const labels = [{ key: 'region', value: 'north' }]
  const cases = [1, 2, 3, 4].map((n) => ({ title: `Order ${n}`, data: 'green', labels, priority: 'high' }))
  const { added_cases: made } = (await team.call(`POST /v2/queues/${id}/cases`, { body: { cases } })).body
  const total = async (filters: Record<string, unknown>, text?: string) => {
    const body = { filters, ...(text !== undefined && { search: text }) }
    return (await team.call(`POST /v2/queues/${id}/cases/search`, { body })).body.total
  }
  const north = { labels: { region: ['north'] } }
  assert.deepEqual(
    [await total(north), await total({}, 'green'), await total({ ...north, priority: ['high'] })],
    [4, 4, 4],
  )
  await team.call(`PATCH /v2/cases/${made[0].id}`, { body: { data: 'blue', priority: 'none' } })
  assert.deepEqual(
    [await total({}, 'green'), await total({}, 'blue'), await total({ ...north, priority: ['high'] })],
    [3, 1, 3],
  )
  await team.sql`delete from case_labels where case_id = ${made[1].id}`
  await team.sql`delete from cases where id = ${made[2].id}`
  await team.sql`update cases set display_status = 'failed' where id = any(${[made[0].id, made[1].id]}::uuid[])`
  assert.deepEqual(
    [await total(north), await total({ ...north, status: ['failed'] }), await total({}, 'green')],
    [2, 1, 2],
  )
  assert.deepEqual(
    [await total({ created_at_from: '2020-01-01' }), await total({ created_at_from: '2099-01-01' })],
    [3, 0],
  )
})

proves(
  'cases.listFrequentWords',
  'a word that most of many cases have gives the same pages and totals as a rare one',
  async () => {
    await seedCases(queueId, 12_000)
    const grown = await team.sql<Row>`select *, '{}'::text[] as labels from cases where queue_id = ${queueId}`
    rows.splice(0, rows.length, ...grown)
    const frequent: Asked = { search: 'invoice', fits: () => true }
    for (const sort of sorts.slice(1)) await requireSame(frequent, sort)
    // all of them lie behind the newest five thousand
    const early: Asked = { search: 'early', fits: hasWords(/early/) }
    for (const sort of sorts.slice(0, 2)) await requireSame(early, sort)
    const isFailed = { filters: { status: ['failed'] }, fits: (row: Row) => row.display_status === 'failed' }
    await requireSame({ ...frequent, ...isFailed }, sorts[1]!)
    const late = '2026-03-15T00:00:00.000Z'
    const isLate = { filters: { created_at_from: late }, fits: (row: Row) => row.created_at >= new Date(late) }
    await requireSame({ ...frequent, ...isLate }, sorts[0]!)
  },
)
