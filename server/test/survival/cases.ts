// Proof: producers fill a queue while the workers of its cases are killed; every case ends once, in the order of the queue, and none is worked twice.
import { setTimeout as sleep } from 'node:timers/promises'
import { Killing } from '../../src/drill/killing.ts'
import type { Proof } from './proof.ts'
import { block, bodyOf, openYard, until, untilQuiet, type Yard } from './yard.ts'

export interface WorkedCases {
  cases: number
  /** Brought a second time with the same external_id, and how many second cases came of it: must be 0. */
  repeats: number
  doubles: number
  completed: number
  /** Must be 0: neither completed nor waiting for anybody. */
  lost: number
  /** Must be 0: claimed while somebody held it, by its timeline. */
  heldTwice: number
  /** Must be 0: ended more than once. */
  endedTwice: number
  /** Must be 0: given out while one of higher priority had waited for a second. */
  outOfOrder: number
  kills: number
  tookS: number
}

interface Options {
  cases: number
  producers: number
  kills: number
  pauseMs: number
  forMs: number
}

const priorities = ['none', 'medium', 'high'] as const
const perRequest = 100

export async function workCases(yard: Yard, options: Options): Promise<WorkedCases> {
  const begunAt = performance.now()
  const teamId = yard.apis[0]!.teamId
  const queue = bodyOf(
    await yard.call({ method: 'POST', path: `/v2/teams/${teamId}/queues`, body: { name: 'Proven' } }),
  )
  const queueId = queue['queue_id'] as string
  const agentId = await yard.newAgent(block('case complete', ''), { plugins: ['cases'] })
  const trigger = { case_queue_id: queueId, enabled: true }
  bodyOf(await yard.call({ method: 'POST', path: `/v2/agents/${agentId}/case-triggers`, body: trigger }))
  const killing = new Killing(yard)
  let made = 0
  let repeats = 0

  async function produce(producer: number): Promise<void> {
    for (let from = producer * perRequest; from < options.cases; from += options.producers * perRequest) {
      const count = Math.min(perRequest, options.cases - from)
      const cases = Array.from({ length: count }, (_, n) => ({
        title: `Case ${from + n}`,
        data: JSON.stringify({ number: from + n }),
        priority: priorities[(from + n) % 3],
        external_id: String(from + n),
      }))
      const bring = () => yard.call({ method: 'POST', path: `/v2/queues/${queueId}/cases`, body: { cases } })
      bodyOf(await bring())
      made += count
      if (from % (7 * perRequest) === 0) {
        bodyOf(await bring())
        repeats += count
      }
    }
  }

  async function kill(): Promise<void> {
    const deadline = performance.now() + options.forMs
    while (killing.kills < options.kills && performance.now() < deadline) {
      await sleep(Math.random() * options.pauseMs)
      await killing.killOne()
    }
  }

  await Promise.all([kill(), ...Array.from({ length: options.producers }, (_, n) => produce(n))])
  await until(
    'every case has ended',
    async () => (await countsOf(yard, queueId)).open,
    (open) => open === 0,
    { everyMs: 200, forMs: options.forMs },
  )
  await untilQuiet(yard)
  await killing.ended()
  const { total, completed, open } = await countsOf(yard, queueId)
  return {
    cases: made,
    repeats,
    doubles: total - made,
    completed,
    lost: open,
    ...(await timelinesOf(yard, queueId)),
    outOfOrder: await outOfOrder(yard, queueId),
    kills: killing.kills,
    tookS: Math.round((performance.now() - begunAt) / 1000),
  }
}

async function countsOf({ sql }: Yard, queueId: string): Promise<{ total: number; completed: number; open: number }> {
  const [row] = await sql<Record<'total' | 'completed' | 'open', string>>`
    select count(*) as total, count(*) filter (where display_status = 'completed') as completed,
      count(*) filter (where display_status not in ('completed', 'failed')) as open
    from cases where queue_id = ${queueId}`
  return { total: Number(row!.total), completed: Number(row!.completed), open: Number(row!.open) }
}

/** Read as a ledger: after a claim comes an end or a release before the next claim. */
async function timelinesOf({ sql }: Yard, queueId: string): Promise<{ heldTwice: number; endedTwice: number }> {
  const [row] = await sql<{ held_twice: string; ended_twice: string }>`
    with step as (
      select e.case_id, e.type, lag(e.type) over (partition by e.case_id order by e.created_at, e.id) as before
      from case_events e join cases c on c.id = e.case_id where c.queue_id = ${queueId}
    )
    select count(*) filter (where type = 'claimed' and before = 'claimed') as held_twice,
      count(*) filter (where type in ('completed', 'failed') and before in ('completed', 'failed')) as ended_twice
    from step`
  return { heldTwice: Number(row!.held_twice), endedTwice: Number(row!.ended_twice) }
}

interface Waited {
  priority: number
  createdMs: number
  claimedMs: number
}

const patienceMs = 1000

async function outOfOrder({ sql }: Yard, queueId: string): Promise<number> {
  const rows = await sql<{ priority: number; created_ms: string; claimed_ms: string }>`
    select c.priority, extract(epoch from c.created_at) * 1000 as created_ms, extract(epoch from min(e.created_at)) * 1000 as claimed_ms
    from cases c join case_events e on e.case_id = c.id and e.type = 'claimed'
    where c.queue_id = ${queueId} group by c.id`
  const cases = rows.map(({ priority, created_ms, claimed_ms }): Waited => {
    return { priority, createdMs: Number(created_ms), claimedMs: Number(claimed_ms) }
  })
  return [0, 1].reduce((sum, priority) => sum + overtaken(cases, priority), 0)
}

/** Of this priority, those that were claimed while a higher one had waited long enough. */
function overtaken(cases: Waited[], priority: number): number {
  const higher = cases.filter((one) => one.priority > priority).toSorted((a, b) => a.createdMs - b.createdMs)
  const own = cases.filter((one) => one.priority === priority).toSorted((a, b) => a.claimedMs - b.claimedMs)
  let next = 0
  let longest = -Infinity
  return own.filter(({ claimedMs }) => {
    while (next < higher.length && higher[next]!.createdMs < claimedMs - patienceMs) {
      longest = Math.max(longest, higher[next++]!.claimedMs)
    }
    return longest > claimedMs
  }).length
}

export const isWorked = (seen: WorkedCases): boolean =>
  seen.completed === seen.cases &&
  [seen.doubles, seen.lost, seen.heldTwice, seen.endedTwice, seen.outOfOrder].every((count) => count === 0)

export const caseProof: Proof = {
  name: 'cases: 100,000 into one queue by 10 producers, 3 workers, kill -9 of them at random',
  must: 'every case completed once, 0 lost, 0 worked twice at once, 0 out of order, repeats of an external_id make no second case, >= 200 kills',
  async run(dataDir) {
    const yard = await openYard({ options: { dataDir, env: { LOG_LEVEL: 'error' } } })
    try {
      const counts = await workCases(yard, {
        cases: 100_000,
        producers: 10,
        kills: 200,
        pauseMs: 1500,
        forMs: 1_800_000,
      })
      return { counts, holds: isWorked(counts) && counts.kills >= 200 }
    } finally {
      await yard.close()
    }
  },
}
