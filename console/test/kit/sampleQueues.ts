// A queue as a team has it in the middle of a day: cases in every state, labels, priorities, and an agent that is paused.
import { Client } from 'pg'
import type { Runyard } from '../../../sdk/src/index.ts'

export interface SampleQueue {
  queue: string
  /** Pending, with data and labels. */
  pending: string
  /** A run of it waits for a person. */
  asked: string
  completed: string
}

const regions = ['north', 'south', 'east'] as const
const reasons = ['damaged on arrival', 'never arrived', 'wrong size', 'charged twice', 'returned unopened'] as const

const claim = (number: number) => ({
  title: `Claim ${4700 + number}: ${reasons[number % reasons.length]}`,
  data: JSON.stringify({
    order: `${88_200 + number}`,
    amount: 12.5 + number * 7,
    reason: reasons[number % reasons.length],
  }),
  external_id: `claim-${4700 + number}`,
  ...(number % 5 === 0 && { priority: 'high' as const }),
  ...(number % 7 === 3 && { priority: 'medium' as const }),
  labels: [
    { key: 'region', value: regions[number % regions.length] ?? 'north' },
    ...(number % 4 === 1 ? [{ key: '', value: 'vip' }] : []),
  ],
})

const procedure =
  '# Claim\n\n```approve\nRefund {{ case.data.amount }} USD for {{ case.title }}?\n```\n\n```case complete\n{"refunded": {{ case.data.amount }}}\n```\n'

export async function makeSampleQueue(sdk: Runyard): Promise<SampleQueue> {
  const { queue_id: queue } = await sdk.queues.create({
    name: 'Refund claims',
    description: 'What customers send back, decided one by one',
    concurrency: 5,
  })
  const { agent_id } = await sdk.agents.create({
    name: 'Claims desk',
    description: 'Decides refund claims, and asks before it pays',
    build: { config: { version: 'v2', data: { input: procedure } } },
  })
  const add = async (from: number, until: number): Promise<string[]> => {
    const cases = Array.from({ length: until - from }, (_, at) => claim(from + at))
    return (await sdk.cases.create(queue, { cases })).added_cases.map(({ id }) => id)
  }
  const [asked = ''] = await add(0, 2)
  const { trigger_id } = await sdk.caseTriggers.create(agent_id, { case_queue_id: queue, enabled: true })
  while ((await sdk.queues.get(queue)).queue.counts.needs_input < 2) await sdk.cases.get(asked)
  await sdk.caseTriggers.update(agent_id, trigger_id, { enabled: false })
  const ids = await add(2, 26)
  const [completed = '', second = '', third = '', failed = '', postponed = '', other = '', mine = '', pending = ''] =
    ids
  await Promise.all([
    ...[completed, second, third].map((id) => sdk.cases.complete(id, { result: { refunded: 33.5 } })),
    sdk.cases.fail(failed, { reason: 'The order number belongs to another customer.' }),
    sdk.cases.postpone(postponed, { seconds: 86_400, reason: 'The carrier answers tomorrow.' }),
    sdk.cases.postpone(other, { seconds: 3600 }),
    sdk.cases.claim(mine),
  ])
  return { queue, pending, asked, completed }
}

/** Makes the cases of the queue as old as they would be on a busy day: some of an hour, some of days, one of a month. */
export async function ageCases(databaseUrl: string, { queue }: SampleQueue): Promise<void> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query(
      `update cases c set created_at = now() - make_interval(mins => (9 * n * n * n)::int)
       from (select id, row_number() over (order by id desc) as n from cases where queue_id = $1) old where c.id = old.id`,
      [queue],
    )
  } finally {
    await client.end()
  }
}
