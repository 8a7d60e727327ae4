// Deliveries a second against bare POSTs of the same bytes, and from the commit of an event to its first attempt against a paced commit.
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { makeAgent, smallProcedure, startRun } from './agent.ts'
import { post } from './calls.ts'
import { makeBareTable, pacedCommits } from './bareCommits.ts'
import type { Bed } from './interleave.ts'
import { at, latencyRows } from './latencyRows.ts'
import { query } from './pair.ts'
import { startReceiver, type Receiver } from './receiver.ts'
import { makeDataDir, startService, type Service } from './service.ts'
import { setFromNextStart } from './superuser.ts'
import type { Row } from './table.ts'

const targets = 16
/** What Runyard has in flight to one target. */
const perTarget = 4
const events = 1000
const warmUps = 2
const rounds = 5
const target = 0.45
const samples = 300
const latencyTargets = { p50: 4, p99: 20 } as const
const pause = () => sleep(15)

export const allowLoopback = { RUNYARD_ALLOW_PRIVATE_HOSTS: '127.0.0.1' }

export async function deliveries(bed: Bed): Promise<Row[]> {
  await using dataDir = await makeDataDir()
  await using receiver = await startReceiver()
  const first = await startService(dataDir, { env: allowLoopback })
  await setFromNextStart(first, 'track_commit_timestamp', 'on')
  await first.stop()
  const service = await startService(dataDir, { env: allowLoopback })
  try {
    await makeBareTable(service)
    return [...(await throughput(bed, service, receiver)), ...(await latency(bed, service, receiver))]
  } finally {
    await service.stop()
  }
}

async function throughput(bed: Bed, service: Service, receiver: Receiver): Promise<Row[]> {
  for (let n = 0; n < targets; n++) await subscribe(service, `${receiver.url}/${n}`, ['connection.updated'])
  const count = events * targets
  let body = ''
  for (let n = 0; n < warmUps; n++) {
    ;({ body } = await deliverAll(service, receiver))
    await bareRound(receiver, count, body)
  }
  const measured: { ours: number; floor: number }[] = []
  for (let n = 1; n <= rounds; n++) {
    const floorBefore = await bareRound(receiver, count, body)
    const { ms } = await deliverAll(service, receiver)
    const ours = (count * 1000) / ms
    const floor = (floorBefore + (await bareRound(receiver, count, body))) / 2
    measured.push({ ours, floor })
    bed.tell(`round ${n} of ${rounds}: ${ours.toFixed(0)}/s, floor ${floor.toFixed(0)}/s, ${percent(ours / floor)}`)
  }
  const middle = measured.toSorted((a, b) => a.ours / a.floor - b.ours / b.floor)[Math.floor(rounds / 2)]!
  const ratio = middle.ours / middle.floor
  return [
    {
      what: `deliveries a second to ${targets} targets, from the commit of their events to the last answer`,
      ours: middle.ours.toFixed(0),
      floor: `${middle.floor.toFixed(0)} (bare POSTs, ${targets * perTarget} connections)`,
      ratio: percent(ratio),
      target: `≥ ${percent(target)}`,
      met: ratio >= target,
    },
  ]
}

/** Events of no run, all at once, as many for each target: how long it took until all were written as delivered, and one body for the floor. */
async function deliverAll(service: Service, receiver: Receiver): Promise<{ ms: number; body: string }> {
  const came = receiver.got(events * targets)
  await query(
    service,
    `insert into event_batches (id, team_id, kinds, entries) select gen_random_uuid(), '${service.teamId}', 'u',
       json_build_array(json_build_object('connection_id', gen_random_uuid(), 'provider', 'linear', 'status', 'active', 'change', 'updated', 'note', repeat('x', 300)))
     from generate_series(1, ${events})`,
  )
  const startedAt = performance.now()
  await query(service, `select pg_notify('runyard_deliveries', '')`)
  await came
  const unwritten = `select exists (select from delivery_batches where has_waiting) or exists (select from deliveries where state <> 'delivered') as found`
  while ((await query<{ found: boolean }>(service, unwritten))[0]!.found) await sleep(5)
  const ms = performance.now() - startedAt
  const [one] = await query<{ body: string }>(
    service,
    `select json_build_object('id', id, 'event', event, 'created_at', created_at, 'data', data)::text as body from events limit 1`,
  )
  return { ms, body: one!.body }
}

/** As many and as long as those of a delivery. */
const headers = {
  'content-type': 'application/json',
  'user-agent': 'Runyard-Webhooks/0.0.0',
  'x-service-signature': `t=${'1'.repeat(10)},v1=${'a'.repeat(64)}`,
  'x-service-event': 'connection.updated',
  'x-service-delivery': '0'.repeat(36),
  'webhook-id': '0'.repeat(36),
  'webhook-timestamp': '1'.repeat(10),
  'webhook-signature': `v1,${'a'.repeat(44)}`,
}

async function bareRound(receiver: Receiver, count: number, body: string): Promise<number> {
  const pool = new Pool(receiver.url, { connections: targets * perTarget, pipelining: 1 })
  const came = receiver.got(count)
  let left = count
  const startedAt = performance.now()
  const loop = async () => {
    while (left-- > 0) {
      const answer = await pool.request({
        method: 'POST',
        path: '/',
        body,
        headers,
      })
      await answer.body.dump()
    }
  }
  await Promise.all(Array.from({ length: targets * perTarget }, loop))
  const perSecond = (count * 1000) / (performance.now() - startedAt)
  await came
  await pool.close()
  return perSecond
}

async function latency(bed: Bed, service: Service, receiver: Receiver): Promise<Row[]> {
  await subscribe(service, receiver.url, ['run.message.created'])
  // the first message is part of the start: its event is there when the run is accepted
  const agentId = await makeAgent(service, smallProcedure)
  const ids: string[] = []
  for (let n = 0; n < samples + 20; n++) {
    await pause()
    ids.push(await startRun(service, agentId))
  }
  const commits = await pacedCommits(service, samples, pause)
  await sleep(500)
  // PostgreSQL's own record of the commit, which it takes before it waits for the disk; Node's clock tells whole milliseconds
  const tried = await query<{ ms: number }>(
    service,
    `select (extract(epoch from (d.log -> 0 ->> 'at')::timestamptz + interval '0.5 ms' - pg_xact_commit_timestamp(b.xmin)) * 1000)::float8 as ms
     from delivery_places d join event_batches b on b.id = d.event_id
     where b.last - length(b.kinds) = 0 and d.run_id in (${ids
       .slice(20)
       .map((id) => `'${id}'`)
       .join(', ')})`,
  )
  if (tried.length !== samples) throw new Error(`${samples - tried.length} events were not tried`)
  const ours = tried.map(({ ms }) => ms)
  bed.tell(`commit → first attempt p50 ${at(ours, 0.5).toFixed(2)} ms, a commit ${at(commits, 0.5).toFixed(2)} ms`)
  return latencyRows('event committed → first attempt, idle', ours, commits, latencyTargets)
}

export const subscribe = (service: Service, url: string, wanted: string[]) =>
  post(service, `/v2/teams/${service.teamId}/webhooks`, { url, events: wanted })

const percent = (ratio: number): string => `${(ratio * 100).toFixed(0)} %`
