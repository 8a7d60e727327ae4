// What an operator looks at first: what runs, what failed, what starts next, and what needs a person.
import type { Sql } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { Id, named, nullable, oneOf, Time, Type } from '../../kit/schema.ts'
import type { Scope } from '../../kit/scopes.ts'
import { byHost, troubleOf } from './deliveries.ts'
import { readTargets } from './deliveryTargets.ts'
import { readFailures } from './failures.ts'
import { countNow } from './runs.ts'

const dayMs = 86_400_000
/** How many rows each list has. */
const startsMax = 10
const troubledMax = 20

const count = Type.Integer({ minimum: 0 })

const NextStart = named(
  'NextStart',
  Type.Object({ schedule_id: Id, agent_id: Id, agent_name: Type.String(), next_run_at: Time }),
)
const BrokenConnection = named(
  'BrokenConnection',
  Type.Object({
    connection_id: Id,
    name: Type.String(),
    provider: Type.String(),
    broken_at: nullable(Time),
    broken_reason: nullable(Type.String()),
  }),
)

const needs = (scope: Scope) => `Null: the credential lacks ${scope}.`

export const getOverview = operation({
  id: 'getOverview',
  client: 'teams.overview',
  route: 'GET /v2/teams/:teamId/overview',
  summary: 'Get the overview of a team',
  description:
    'What runs now, what failed in the last 24 hours by agent and error code, the next starts of schedules, the delivery targets with trouble, and ' +
    'the connections that need a person. A list is null where the credential lacks the scope to read it.',
  scope: 'runs:read',
  status: 200,
  answer: Type.Object({
    at: Time,
    active: Type.Integer({ minimum: 0, description: 'Runs that have not ended.' }),
    waiting_for_person: count,
    failures: Type.Object({
      since: Time,
      rows: Type.Array(
        Type.Object({
          agent_id: Id,
          agent_name: Type.String(),
          code: Type.String({ examples: ['limit_reached'] }),
          runs: count,
          last_run_id: Id,
          last_failed_at: Time,
        }),
        { description: 'The most frequent first, at most 50, of the newest 5,000 failures.' },
      ),
      is_cut: Type.Boolean({ description: 'Whether there were more.' }),
    }),
    next_starts: Type.Union([Type.Array(NextStart), Type.Null()], {
      description: `At most ${startsMax}. ${needs('agents:read')}`,
    }),
    delivery_targets: Type.Union(
      [
        Type.Array(
          Type.Object({
            target: Type.String({ description: 'The host.', examples: ['hooks.example.com'] }),
            kind: oneOf(['subscription', 'callback']),
            active: Type.Boolean(),
            waiting: count,
            retrying: count,
            dead: count,
            oldest_waiting_at: nullable(Time),
          }),
        ),
        Type.Null(),
      ],
      { description: `Those that retry or have dead letters, at most ${troubledMax}. ${needs('webhooks:manage')}` },
    ),
    connections: Type.Union([Type.Array(BrokenConnection), Type.Null()], {
      description: `Those that need a person, at most ${troubledMax}. ${needs('connections:read')}`,
    }),
  }),
  async handler({ team, caller, sql, context }) {
    const now = context.clock.now()
    const since = new Date(now.getTime() - dayMs)
    const mayRead = (scope: Scope) => caller.scopes.has(scope)
    return {
      at: now,
      ...(await countNow(sql, team.id)),
      failures: { since, ...(await readFailures(sql, team.id, since)) },
      next_starts: mayRead('agents:read') ? await readNextStarts(sql, team.id) : null,
      delivery_targets: mayRead('webhooks:manage') ? await readTroubled(sql, team.id, now) : null,
      connections: mayRead('connections:read') ? await readBroken(sql, team.id) : null,
    }
  },
})

const readNextStarts = (sql: Sql, teamId: string) => sql<{
  schedule_id: string
  agent_id: string
  agent_name: string
  next_run_at: Date
}>`
  select s.id as schedule_id, s.agent_id, a.name as agent_name, s.next_run_at
  from schedules s join agents a on a.id = s.agent_id and a.team_id = ${teamId}
  where s.team_id = ${teamId} and s.next_run_at is not null order by s.next_run_at, s.id limit ${startsMax}`

async function readTroubled(sql: Sql, teamId: string, now: Date) {
  const today = new Date(Math.floor(now.getTime() / dayMs) * dayMs)
  const targets = byHost(await readTargets(sql, teamId, today))
  const troubled = targets.filter((target) => troubleOf(target) > 0).slice(0, troubledMax)
  return troubled.map(({ target, kind, active, waiting, retrying, dead, oldest_waiting_at }) => {
    return { target, kind, active, waiting, retrying, dead, oldest_waiting_at }
  })
}

const readBroken = (sql: Sql, teamId: string) => sql<{
  connection_id: string
  name: string
  provider: string
  broken_at: Date | null
  broken_reason: string | null
}>`
  select id as connection_id, name, provider, broken_at, broken_reason from connections
  where team_id = ${teamId} and status = 'action_required' order by broken_at desc, id limit ${troubledMax}`
