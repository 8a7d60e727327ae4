// Queues with cases for tests, many of them in one statement, and the agents that work them.
import { newId } from '../../src/base/ids.ts'
import { seedAgent } from './runs.ts'
import type { TestTeam } from './seed.ts'

export async function seedQueue(team: TestTeam, concurrency: number | null = null): Promise<string> {
  const id = newId()
  await team.sql`
    insert into queues (id, team_id, name, concurrency) values (${id}, ${team.id}, ${`Invoices ${id}`}, ${concurrency})`
  return id
}

/** Pending ones, the oldest first: each is a millisecond older than the next, and all of them are in the past. */
export async function seedCases(team: TestTeam, queueId: string, count: number): Promise<string[]> {
  const rows = await team.sql<{ id: string }>`
    insert into cases (id, team_id, queue_id, title, data, created_at)
    select new_id(), ${team.id}, ${queueId}, 'Invoice ' || n, '{"amount": ' || n || '}', now() - interval '1 day' + n * interval '1 ms'
    from generate_series(1, ${count}::int) n returning id`
  return rows.map(({ id }) => id)
}

/** An agent with a live build and an enabled case trigger on the queue. */
export async function seedWorker(team: TestTeam, queueId: string, concurrency: number | null = null): Promise<string> {
  const agentId = await seedAgent(team, 'Check the invoice.')
  await team.sql`
    insert into case_triggers (id, team_id, agent_id, queue_id, user_id, enabled, concurrency)
    values (${newId()}, ${team.id}, ${agentId}, ${queueId}, ${team.memberId}, true, ${concurrency})`
  return agentId
}

/** Another member, with a key of their own. */
export async function seedColleague(
  team: TestTeam,
  name: string,
  scopes = ['queues:read', 'queues:write'],
): Promise<TestTeam> {
  const member = await team.call('POST /v2/teams/:teamId/members', { body: { name, role: 'operator' } })
  const memberId: string = member.body.member_id
  const key = await team.call('POST /v2/teams/:teamId/api-keys', {
    body: { name, user_id: memberId, scopes },
  })
  return {
    ...team,
    memberId,
    key: key.body.secret,
    keyId: key.body.key_id,
    call: (route, options) => team.call(route, { key: key.body.secret, ...options }),
  }
}

export interface TimelineRow {
  case_id: string
  type: string
  run_id: string | null
  user_id: string | null
  reason: string | null
}

/** Of a queue's cases, the oldest first. */
export const readTimeline = (team: TestTeam, queueId: string): Promise<TimelineRow[]> =>
  team.sql<TimelineRow>`
    select e.case_id, e.type, e.run_id, e.user_id, e.reason from case_events e join cases c on c.id = e.case_id
    where c.queue_id = ${queueId} and c.team_id = ${team.id} order by e.created_at, e.id`
