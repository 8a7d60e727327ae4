// One bulk action over a million cases while nothing else runs: how long it takes. And another beside requests: what they feel of it.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { get, newQueue, post } from './calls.ts'
import { median, type Bed } from './interleave.ts'
import type { Shot } from './connection.ts'
import { query } from './pair.ts'
import { makeDataDir, startService, type Service } from './service.ts'
import type { Row } from './table.ts'

/** BENCH_CASES makes it smaller where time is short; the table then says so. */
const many = Number(process.env['BENCH_CASES'] ?? 1_000_000)
/** For a million; smaller figures are held to the same rate. */
const aloneMaxS = 300
/** A service at work, not one at its limit: there every request waits for every other, whatever else goes on. */
const connections = 8
const pauseMs = 10
/** The action is held for one of these at a time, and its statements wait two seconds for a lock. */
const windowMs = 1500
const windowsBefore = 10
/** Each round has some turns beside the action and one in which it is held. */
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 20)
const turnsBeside = 3
const growthMax = 2
/** Of the highest in its second half to the highest in its first: what grows with the cases would be twice as high. */
const memoryGrowthMax = 1.2

export async function bulk(bed: Bed): Promise<Row[]> {
  await using dataDir = await makeDataDir()
  const service = await startService(dataDir)
  try {
    const queueId = await fillQueue(bed, service)
    return [...(await alone(bed, service, queueId)), ...(await besideOthers(bed, service, queueId))]
  } finally {
    await service.stop()
  }
}

/** Nothing else is asked of the service but how far it is, once a second. */
async function alone(bed: Bed, service: Service, queueId: string): Promise<Row[]> {
  const memoryBefore = residentMb(service.pid)
  const startedAt = performance.now()
  const action = await begin(service, queueId, 'pending', 'completed')
  const memoryMb: number[] = []
  let { status, updated_count: changed } = await readAction(service, action)
  while (status === 'running') {
    await sleep(1000)
    ;({ status, updated_count: changed } = await readAction(service, action))
    memoryMb.push(residentMb(service.pid))
    if (memoryMb.length % 10 === 0) bed.tell(`alone: ${changed} changed after ${secondsSince(startedAt).toFixed(0)} s`)
  }
  const took = secondsSince(startedAt)
  const aMillion = (took / many) * 1_000_000
  const half = Math.ceil(memoryMb.length / 2)
  const [early, late] = [memoryMb.slice(0, half), memoryMb.slice(half)].map((mb) => Math.max(...mb))
  return [
    {
      what: `bulk-update-status over ${many} cases, nothing else running, in s`,
      ours: `${changed} in ${took.toFixed(0)} s`,
      floor: `(${(changed / took).toFixed(0)} a second, a million in ${aMillion.toFixed(0)} s)`,
      target: `a million ≤ ${aloneMaxS} s`,
      met: changed === many && status === 'completed' && aMillion <= aloneMaxS,
    },
    {
      what: '  memory of the process at its highest in the second half of it, MB',
      ours: late!.toFixed(0),
      floor: `${early!.toFixed(0)} (in the first half; ${memoryBefore.toFixed(0)} before it)`,
      ratio: `${(late! / early!).toFixed(2)}×`,
      target: `≤ ${memoryGrowthMax}×`,
      met: late! / early! <= memoryGrowthMax,
    },
  ]
}

/** Measured for some rounds; the action need not end in them, but it must go on. */
async function besideOthers(bed: Bed, service: Service, queueId: string): Promise<Row[]> {
  const others = await otherRequests(service)
  await watch(bed, service, others, windowsBefore)
  const before = await watch(bed, service, others, windowsBefore)
  const action = await begin(service, queueId, 'completed', 'failed')
  const beside: Watched[] = []
  const held: Watched[] = []
  let besideS = 0
  let changed = 0
  for (let round = 1; round <= rounds; round++) {
    const from = await readAction(service, action)
    const startedAt = performance.now()
    const watched = await watch(bed, service, others, turnsBeside)
    const to = await readAction(service, action)
    if (to.status !== 'running') {
      bed.tell(`beside others: the action has ended in round ${round}; more cases make more rounds`)
      break
    }
    if (to.updated_count === from.updated_count) throw new Error(`the action stood still at ${to.updated_count} cases`)
    beside.push(watched)
    besideS += secondsSince(startedAt)
    changed += to.updated_count - from.updated_count
    held.push(await watch(bed, service, others, 1, (window) => whileHeld(service, action, window)))
    bed.tell(`beside others: ${to.updated_count} changed after ${round} of ${rounds} rounds`)
  }
  return [
    {
      what: '  cases changed a second beside other requests',
      ours: (changed / besideS).toFixed(0),
      floor: '',
    },
    ...others.flatMap(({ what }, index) => {
      const p99Of = (watched: Watched[]) => median(watched.flatMap((one) => one.p99Ms[index]!))
      const p50Of = (watched: Watched[]) => median(watched.flatMap((one) => one.p50Ms[index]!)).toFixed(2)
      const growth = p99Of(beside) / p99Of(held)
      return [
        {
          what: `  ${what} beside it, p99 in ms, ${connections} connections`,
          ours: p99Of(beside).toFixed(1),
          floor: `${p99Of(held).toFixed(1)} (while it is held; ${p99Of([before]).toFixed(1)} before it)`,
          ratio: `${growth.toFixed(2)}×`,
          target: `≤ ${growthMax}×`,
          met: growth <= growthMax,
        },
        {
          what: '    p50',
          ours: p50Of(beside),
          floor: `${p50Of(held)} (${p50Of([before])} before it)`,
        },
      ]
    }),
  ]
}

const secondsSince = (at: number): number => (performance.now() - at) / 1000

/**
 * The action waits for its row meanwhile. So the same requests are timed with and without it within seconds: over the time that it takes,
 * a machine's own p99 may change by more than what is looked for.
 */
async function whileHeld<T>(service: Service, actionId: string, work: () => Promise<T>): Promise<T> {
  const holder = new Client({ connectionString: service.databaseUrl })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query('select from bulk_actions where id = $1 for update', [actionId])
    return await work()
  } finally {
    await holder.end()
  }
}

async function fillQueue(bed: Bed, service: Service): Promise<string> {
  const queueId = await newQueue(service, 'Full')
  for (let from = 0; from < many; from += 50_000) {
    await query(
      service,
      `insert into cases (id, team_id, queue_id, title, data, created_at, updated_at)
       select new_id(), '${service.teamId}', '${queueId}', 'Invoice ' || n || ' of customer' || n % 20000, 'ticket' || n,
         now() - (n || ' seconds')::interval, now() - (n || ' seconds')::interval
       from generate_series(${from + 1}, ${Math.min(from + 50_000, many)}) n`,
    )
  }
  await query(service, 'vacuum analyze')
  bed.tell(`${many} cases are there`)
  return queueId
}

interface Other {
  what: string
  shot: Shot
}

/** A read and a write, both of another queue. */
async function otherRequests(service: Service): Promise<Other[]> {
  const queueId = await newQueue(service, 'Beside')
  const one = { title: 'Invoice 1', data: 'x'.repeat(200) }
  const made = await post(service, `/v2/queues/${queueId}/cases`, { cases: [one] })
  const [{ id: caseId }] = made['added_cases'] as [{ id: string }]
  const headers = { authorization: `Bearer ${service.apiKey}` }
  return [
    {
      what: 'getCase',
      shot: { method: 'GET', path: `/v2/cases/${caseId}`, headers, freshKey: false, status: 200 },
    },
    {
      what: 'createCases of one case',
      shot: {
        method: 'POST',
        path: `/v2/queues/${queueId}/cases`,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ cases: [one] }),
        freshKey: false,
        status: 201,
      },
    },
  ]
}

interface Watched {
  /** One list for each of the others, one figure a window. */
  p50Ms: number[][]
  p99Ms: number[][]
}

/** In turns, so many times. */
async function watch(
  bed: Bed,
  service: Service,
  others: Other[],
  turns: number,
  around: <T>(window: () => Promise<T>) => Promise<T> = (window) => window(),
): Promise<Watched> {
  const watched: Watched = { p50Ms: others.map(() => []), p99Ms: others.map(() => []) }
  for (let turn = 0; turn < turns; turn++) {
    for (const [index, { what, shot }] of others.entries()) {
      const { host, port } = service
      const result = await around(() => bed.load.run({ host, port, shot, connections, pauseMs, ms: windowMs }))
      if (result.failures > 0) throw new Error(`${what} failed: ${result.firstFailure}`)
      watched.p50Ms[index]!.push(result.p50Ms)
      watched.p99Ms[index]!.push(result.p99Ms)
    }
  }
  return watched
}

function residentMb(pid: number): number {
  const found = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(found?.[1]) / 1024
}

async function begin(service: Service, queueId: string, from: string, status: string): Promise<string> {
  const body = { all_matching: true, filters: { status: [from] }, status }
  const begun = await post(service, `/v2/queues/${queueId}/cases/bulk-update-status`, body)
  return begun['bulk_action_id'] as string
}

interface Action {
  status: string
  updated_count: number
}

const readAction = async (service: Service, id: string): Promise<Action> =>
  (await get(service, `/v2/bulk-actions/${id}`))['bulk_action'] as Action
