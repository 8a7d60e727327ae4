// Cases: made in batches against bare inserts, given out and completed by runs, and lists of a million against ten thousand.
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { makeAgent } from './agent.ts'
import { newQueue, post } from './calls.ts'
import { median, type Bed } from './interleave.ts'
import type { Shot } from './connection.ts'
import { query } from './pair.ts'
import { makeDataDir, startService, type DataDir, type Service } from './service.ts'
import type { Row } from './table.ts'

const perRequest = 100
const connections = 8
const roundMs = 3000
const rounds = 5
const dispatched = 5000
const few = 10_000
/** BENCH_CASES makes it smaller where time is short; the table then says so. */
const many = Number(process.env['BENCH_CASES'] ?? 1_000_000)
const ratioMax = 2

export async function cases(bed: Bed): Promise<Row[]> {
  const rows: Row[] = []
  {
    await using dataDir = await makeDataDir()
    const service = await startService(dataDir)
    try {
      rows.push(...(await creation(bed, service)), ...(await dispatch(bed, service)))
    } finally {
      await service.stop()
    }
  }
  await using smallDir = await makeDataDir()
  await using largeDir = await makeDataDir()
  const small = await startSide(bed, smallDir, few)
  try {
    const large = await startSide(bed, largeDir, many)
    try {
      rows.push({ what: 'lists of cases, p50 in ms of', ours: `${many} cases`, floor: `${few} cases` })
      for (const shape of shapes) rows.push(await compare(bed, shape, large, small))
      return rows
    } finally {
      await large.service.stop()
    }
  } finally {
    await small.service.stop()
  }
}

const oneCase = (n: number) => ({
  title: `Invoice ${n} of a customer`,
  data: JSON.stringify({ number: n, note: 'x'.repeat(200) }),
})

/** The same rows by one insert a batch, over as many connections. */
async function creation(bed: Bed, service: Service): Promise<Row[]> {
  const queueId = await newQueue(service, 'Made')
  await query(
    service,
    'create table bare_cases (id uuid primary key, queue_id uuid not null, title text not null, data text not null, created_at timestamptz not null default now())',
  )
  const body = JSON.stringify({ cases: Array.from({ length: perRequest }, (_, n) => oneCase(n)) })
  const shot: Shot = {
    method: 'POST',
    path: `/v2/queues/${queueId}/cases`,
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    body,
    freshKey: false,
    status: 201,
  }
  const measured: { ours: number; floor: number }[] = []
  for (let round = 0; round <= rounds; round++) {
    const { host, port } = service
    const result = await bed.load.run({ host, port, shot, connections, ms: roundMs })
    if (result.failures > 0) throw new Error(`cases were not made: ${result.firstFailure}`)
    const floor = await bareInserts(service)
    // the first round warms up
    if (round > 0) measured.push({ ours: result.perSecond * perRequest, floor })
  }
  const middle = measured.toSorted((a, b) => a.ours / a.floor - b.ours / b.floor)[Math.floor(rounds / 2)]!
  bed.tell(`made ${middle.ours.toFixed(0)}/s, bare ${middle.floor.toFixed(0)}/s`)
  return [
    {
      what: `cases made a second, ${perRequest} a request, ${connections} connections`,
      ours: middle.ours.toFixed(0),
      floor: `${middle.floor.toFixed(0)} (bare inserts of ${perRequest} rows)`,
      ratio: `${((middle.ours / middle.floor) * 100).toFixed(0)} %`,
    },
  ]
}

async function bareInserts(service: Service): Promise<number> {
  const pool = new Pool({ connectionString: service.databaseUrl, max: connections })
  const batch = JSON.stringify(Array.from({ length: perRequest }, (_, n) => oneCase(n)))
  const text =
    'insert into bare_cases (id, queue_id, title, data) select gen_random_uuid(), gen_random_uuid(), title, data from json_to_recordset($1::json) as t (title text, data text)'
  const endsAt = performance.now() + roundMs
  let made = 0
  const loop = async () => {
    while (performance.now() < endsAt) {
      await pool.query({ name: 'bare', text, values: [batch] })
      made += perRequest
    }
  }
  const startedAt = performance.now()
  try {
    await Promise.all(Array.from({ length: connections }, loop))
    return (made * 1000) / (performance.now() - startedAt)
  } finally {
    await pool.end()
  }
}

/** From the moment an agent is put to a full queue to the end of its last case. */
async function dispatch(bed: Bed, service: Service): Promise<Row[]> {
  const queueId = await newQueue(service, 'Worked')
  for (let from = 0; from < dispatched; from += perRequest) {
    await post(service, `/v2/queues/${queueId}/cases`, {
      cases: Array.from({ length: perRequest }, (_, n) => oneCase(from + n)),
    })
  }
  const agentId = await makeAgent(service, '```case complete\ndone\n```\n', { plugins: ['cases'] })
  const startedAt = performance.now()
  await post(service, `/v2/agents/${agentId}/case-triggers`, { case_queue_id: queueId, enabled: true })
  for (;;) {
    const [open] = await query<{ count: string }>(
      service,
      `select count(*) from cases where queue_id = '${queueId}' and display_status not in ('completed', 'failed')`,
    )
    if (Number(open!.count) === 0) break
    await sleep(50)
  }
  const perSecond = (dispatched * 1000) / (performance.now() - startedAt)
  bed.tell(`given out and completed: ${perSecond.toFixed(0)}/s`)
  return [{ what: 'cases given out, run and completed a second, one process', ours: perSecond.toFixed(0), floor: '' }]
}

interface Side {
  service: Service
  queueId: string
  labels: { rare: string; frequent: string }
}

async function startSide(bed: Bed, dataDir: DataDir, count: number): Promise<Side> {
  const service = await startService(dataDir)
  const queueId = await newQueue(service, 'Full')
  const label = async (value: string) =>
    (await post(service, `/v2/queues/${queueId}/labels`, { key: 'region', value }))['label_id'] as string
  const labels = { rare: await label('rare'), frequent: await label('frequent') }
  const startedAt = performance.now()
  for (let from = 0; from < count; from += 50_000)
    await seed(service, queueId, labels, from, Math.min(50_000, count - from))
  await query(service, 'vacuum analyze')
  bed.tell(`${count} cases after ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
  return { service, queueId, labels }
}

/** Most have ended, some wait; every third is of the frequent label, a hundred in all of the rare one. */
async function seed(
  service: Service,
  queueId: string,
  labels: Side['labels'],
  from: number,
  count: number,
): Promise<void> {
  await query(
    service,
    `insert into cases (id, team_id, queue_id, title, data, display_status, priority, completed_at, created_at, updated_at)
     select new_id(), '${service.teamId}', '${queueId}', 'Invoice ' || n || ' of customer' || n % 20000, 'ticket' || n,
       case when n % 10 < 7 then 'completed' when n % 10 = 7 then 'failed' else 'pending' end, n % 3,
       case when n % 10 < 8 then now() end, now() - (n || ' seconds')::interval, now() - (n || ' seconds')::interval
     from generate_series(${from + 1}, ${from + count}) n`,
  )
  await query(
    service,
    `insert into case_labels (case_id, label_id, created_at)
     select c.id, case when c.data in ('ticket' || 1) then '${labels.rare}'::uuid else '${labels.frequent}'::uuid end, c.created_at
     from cases c where c.queue_id = '${queueId}' and substr(c.data, 7)::int between ${from + 1} and ${from + count}
       and substr(c.data, 7)::int % 3 = 1`,
  )
}

interface Shape {
  what: string
  search: (side: Side) => object
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

const shapes: Shape[] = [
  { what: 'no filter', search: () => ({}) },
  { what: 'status', search: () => ({ filters: { status: ['failed'] } }) },
  { what: 'priority', search: () => ({ filters: { priority: ['high'] } }) },
  { what: 'created_at_from', search: () => ({ filters: { created_at_from: daysAgo(0.05) } }) },
  { what: 'a rare label', search: () => ({ filters: { labels: { region: ['rare'] } } }) },
  { what: 'a frequent label', search: () => ({ filters: { labels: { region: ['frequent'] } } }) },
  {
    what: 'a frequent label, status',
    search: () => ({ filters: { labels: { region: ['frequent'] }, status: ['pending'] } }),
  },
  { what: 'a word that one case has', search: () => ({ search: 'ticket777' }) },
]

async function compare(bed: Bed, { what, search }: Shape, large: Side, small: Side): Promise<Row> {
  const found: { large: number[]; small: number[] } = { large: [], small: [] }
  for (let round = 0; round <= rounds; round++) {
    const pair = [await p50(bed, large, search(large)), await p50(bed, small, search(small))] as const
    if (round === 0) continue
    found.large.push(pair[0])
    found.small.push(pair[1])
  }
  const [of, against] = [median(found.large), median(found.small)]
  bed.tell(`${what}: ${of.toFixed(1)} and ${against.toFixed(1)} ms`)
  return {
    what: `  searchCases, ${what}: page and total`,
    ours: of.toFixed(1),
    floor: against.toFixed(1),
    ratio: `${(of / against).toFixed(1)}×`,
    target: `≤ ${ratioMax}×`,
    met: of / against <= ratioMax,
  }
}

async function p50(bed: Bed, { service, queueId }: Side, search: object): Promise<number> {
  const { host, port, apiKey } = service
  const shot: Shot = {
    method: 'POST',
    path: `/v2/queues/${queueId}/cases/search`,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(search),
    freshKey: false,
    status: 200,
  }
  const result = await bed.load.run({ host, port, shot, connections: 1, ms: 20_000, requestsMax: 40 })
  if (result.failures > 0) throw new Error(`a list failed: ${result.firstFailure}`)
  return result.p50Ms
}
