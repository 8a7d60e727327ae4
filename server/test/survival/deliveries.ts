// Proof: whoever is killed while delivering, and however long the receiver is away, every event arrives, and first attempts in order.
import { setTimeout as sleep } from 'node:timers/promises'
import { startHookReceiver, type Arrival } from '../../src/drill/hookReceiver.ts'
import type { Proof } from './proof.ts'
import { block, bodyOf, openYard, until, untilQuiet, type Yard } from './yard.ts'

export interface Delivered {
  targets: number
  runs: number
  kills: number
  /** Events times targets. */
  wanted: number
  /** Must be 0: never arrived, or not marked as delivered. */
  lost: number
  unmarked: number
  /** Arrivals of what had arrived before, and their share. */
  repeated: number
  repeatedPercent: number
  /** Must be 0: repeated with other bytes. */
  otherBytes: number
  /** Of those that never failed: must be 0. */
  outOfOrder: number
  /** Tried in vain while the receiver was away. */
  failedWhileAway: number
}

interface Options {
  targets: number
  deliveries: number
  kills: number
  /** Between two kills, at most. */
  pauseMs: number
}

/** With the message it is started with, seven events. */
const eventsPerRun = 7
const procedure = block('memory path=last.md', 'Last: {{ message }}') + block('output', 'kept')

export async function killWhileDelivering(yard: Yard, options: Options): Promise<Delivered> {
  const { sql, workers } = yard
  const receiver = await startHookReceiver()
  const teamId = yard.apis[0]!.teamId
  for (let n = 0; n < options.targets; n++) {
    const body = { url: `${receiver.url}/${n}`, events: ['*'] }
    bodyOf(await yard.call({ method: 'POST', path: `/v2/teams/${teamId}/webhooks`, body }))
  }
  const agentId = await yard.newAgent(procedure)
  const runs = Math.ceil(options.deliveries / options.targets / eventsPerRun)
  let kills = 0
  let started = 0

  async function kill(): Promise<void> {
    while (kills < options.kills) {
      await sleep(Math.random() * options.pauseMs)
      await until(
        'two workers live',
        async () => workers.length,
        (count) => count > 1,
      )
      const victim = workers.splice(Math.floor(Math.random() * workers.length), 1)[0]!
      const next = yard.startWorker()
      victim.child.kill('SIGKILL')
      kills += 1
      workers.push(await next)
    }
  }

  /** As many as the kills have come, so that deliveries are under way at every kill. */
  async function feed(): Promise<void> {
    while (started < runs) {
      const due = kills >= options.kills ? runs : (runs * (kills + 1)) / options.kills
      if (started < due) {
        await yard.startRun(agentId)
        started += 1
      } else await sleep(10)
    }
  }

  await Promise.all([kill(), feed()])
  const failedWhileAway = await beAway(yard, receiver, agentId)
  await untilQuiet(yard)
  await untilDelivered(yard)
  const known = await sql<{ id: string; state: string; tries: number }>`
    select d.id, d.state, jsonb_array_length(d.log) as tries from every_delivery d`
  const [events] = await sql<{ count: string }>`
    select count(*) from events e where exists (select from delivery_targets t where t.team_id = e.team_id and e.created_at >= t.created_at)`
  const arrived = new Map(receiver.arrivals.map(({ id, bytes }) => [id, bytes]))
  const repeated = receiver.arrivals.length - arrived.size
  await receiver.down()
  return {
    targets: options.targets,
    runs: started,
    kills,
    wanted: Number(events!.count) * options.targets,
    lost: Number(events!.count) * options.targets - arrived.size,
    unmarked: known.filter(({ state }) => state !== 'delivered').length,
    repeated,
    repeatedPercent: Math.round((repeated / arrived.size) * 10_000) / 100,
    otherBytes: receiver.arrivals.filter(({ id, bytes }) => arrived.get(id) !== bytes).length,
    outOfOrder: countOutOfOrder(
      receiver.arrivals,
      new Set(known.filter(({ tries }) => tries === 1).map(({ id }) => id)),
    ),
    failedWhileAway,
  }
}

/** The receiver is away for an hour of the clock that deliveries go by, while some runs end. */
async function beAway(
  { sql, startRun }: Yard,
  receiver: { down(): Promise<void>; up(): Promise<void> },
  agentId: string,
) {
  await receiver.down()
  for (let n = 0; n < 5; n++) await startRun(agentId)
  const failures = async () =>
    Number(
      (
        await sql<{ count: string }>`
          select count(*) from every_delivery, jsonb_array_elements(log) as a where a ->> 'ok' = 'false'`
      )[0]!.count,
    )
  for (let quarter = 0; quarter < 4; quarter++) {
    const before = await failures()
    await until('somebody tried', failures, (count) => count > before, { everyMs: 100 })
    await sql`update deliveries set due_at = due_at - interval '15 minutes' where due_at is not null`
    await sql`
      update delivery_targets set retry_at = retry_at - interval '15 minutes', paused_until = paused_until - interval '15 minutes'`
  }
  await receiver.up()
  return failures()
}

async function untilDelivered({ sql }: Yard): Promise<void> {
  const left = async () => {
    // what waits for a later attempt gets it now: the proof does not wait for hours
    await sql`update deliveries set due_at = now() where state = 'retrying' and due_at > now() + interval '1 second'`
    await sql`
      update delivery_targets set retry_at = now(), paused_until = null
      where worker is null and (paused_until is not null or retry_at > now() + interval '1 second')`
    return Number(
      (await sql<{ count: string }>`select count(*) from every_delivery where state <> 'delivered'`)[0]!.count,
    )
  }
  await until('everything is delivered', left, (count) => count === 0, { everyMs: 500, forMs: 180_000 })
}

/** A run's events to one target, by their first arrival. */
function countOutOfOrder(arrivals: Arrival[], neverFailed: Set<string>): number {
  const last = new Map<string, number>()
  const seen = new Set<string>()
  let wrong = 0
  for (const { path, id, runId, sequence } of arrivals) {
    if (!runId || seen.has(id) || !neverFailed.has(id)) continue
    seen.add(id)
    const line = `${path} ${runId}`
    if (sequence! <= (last.get(line) ?? 0)) wrong += 1
    last.set(line, sequence!)
  }
  return wrong
}

export const holdsDelivered = (seen: Delivered): boolean =>
  seen.lost + seen.unmarked + seen.otherBytes + seen.outOfOrder === 0 && seen.failedWhileAway > 0

export const deliveryProof: Proof = {
  name: '20,000 deliveries, 200 kills of those who deliver, then the receiver away for an hour of clock',
  must: '0 lost, first attempts of a run in order, less than 0.5 % repeated and with the same bytes',
  async run(dataDir) {
    const yard = await openYard({ options: { dataDir, env: { LOG_LEVEL: 'error' } }, workers: 3 })
    try {
      const counts = await killWhileDelivering(yard, { targets: 4, deliveries: 20_000, kills: 200, pauseMs: 600 })
      return { counts, holds: holdsDelivered(counts) && counts.kills >= 200 && counts.repeatedPercent < 0.5 }
    } finally {
      await yard.close()
    }
  },
}
