// The facts behind the pace of a queue: what waits, who works it, what is full, and which runs of its cases wait themselves.
import { one, type Sql } from '../../../base/db.ts'
import { costOfMonth, runsOfMonth, slotsHeld } from '../../../engine/counting/usageSql.ts'
import { currentMonth } from '../../../engine/counting/usage.ts'
import { defaultSlots } from '../../../engine/counting/setEntitlement.ts'
import { reachedRules } from '../../../engine/guardrails/dayBounds.ts'
import { ruleNames, type Rules } from '../../../engine/guardrails/rules.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../../kit/schema.ts'
import { isPostponedAndDue } from '../cases/caseLifecycle.ts'

const Count = Type.Integer({ minimum: 0 })

export const QueueFacts = named(
  'QueueFacts',
  Type.Object({
    waiting: Type.Integer({
      minimum: 0,
      description: 'Cases that could be dispatched now: pending, or postponed until now.',
    }),
    in_progress: Count,
    needs_input: Count,
    at_once: Type.Integer({ minimum: 0, description: 'How many cases may be in progress at once.' }),
    slots_held: Type.Integer({ minimum: 0, description: 'Of the whole team, by all its runs.' }),
    slots_total: Count,
    agents: Type.Array(
      Type.Object({
        id: Id,
        name: Type.String(),
        trigger_id: Id,
        state: oneOf(['free', 'full', 'paused', 'agent_paused', 'no_live_build'], {
          description:
            '`free`: it can be given another case now. `paused`: its case trigger is; `agent_paused`: itself.',
        }),
        concurrency: nullable(Count),
        in_progress: Count,
      }),
    ),
    held_by_members: Type.Integer({ minimum: 0, description: 'Of those in progress.' }),
    waits: Type.Array(
      Type.Object({
        kind: Type.String({ examples: ['connection'] }),
        connection_id: nullable(Id),
        connection_name: nullable(Type.String()),
        rule: nullable(oneOf(ruleNames, { description: 'The rule of the team’s guardrails that lets them wait.' })),
        runs: Count,
      }),
      {
        description:
          'Runs of cases in progress that wait themselves, by what for. Those that ask a person are `needs_input`.',
      },
    ),
    limits_reached: Type.Array(oneOf(['monthly_runs', 'monthly_cost_usd'])),
    guardrails_reached: Type.Array(
      Type.Object({
        rule: oneOf(['runs_per_day', 'cost_usd_per_day']),
        version: Type.Integer({ minimum: 1 }),
        until: Type.Unsafe<Date>({ ...Time, description: 'When the next day begins.' }),
      }),
      { description: 'Rules of the team’s guardrails by which no more runs start today.' },
    ),
  }),
)
export type QueueFacts = Static<typeof QueueFacts>

interface Of {
  id: string
  team_id: string
  concurrency: number | null
}

/** `rules`: the guardrails of the team, if it has any. */
export async function queueFactsOf(sql: Sql, queue: Of, rules: Rules | undefined): Promise<QueueFacts> {
  const held = await heldOf(sql, queue)
  const slots = await one(sql<{ held: number; total: number }>`
    select ${slotsHeld(queue.team_id)} as held,
      coalesce((select places from admission where team_id = ${queue.team_id}), ${defaultSlots}::int) as total`)
  const atOnce = queue.concurrency ?? slots.total
  const inProgress = held.reduce((sum, { cases }) => sum + cases, 0)
  return {
    ...(await countsOf(sql, queue)),
    in_progress: inProgress,
    at_once: atOnce,
    slots_held: slots.held,
    slots_total: slots.total,
    agents: await agentsOf(sql, queue, held, atOnce, inProgress),
    held_by_members: held.find(({ agent_id }) => agent_id === null)?.cases ?? 0,
    waits: await waitsOf(sql, queue),
    limits_reached: await limitsReached(sql, queue.team_id),
    guardrails_reached: rules ? await reachedRules(sql, queue.team_id, rules) : [],
  }
}

async function countsOf(sql: Sql, { id }: Of): Promise<Pick<QueueFacts, 'waiting' | 'needs_input'>> {
  return one(sql<{ waiting: number; needs_input: number }>`
    select greatest(coalesce(sum(cases) filter (where display_status = 'pending'), 0)
        + (select count(*) from cases c where c.queue_id = ${id} and ${isPostponedAndDue}), 0)::int as waiting,
      greatest(coalesce(sum(cases) filter (where display_status = 'needs_input'), 0), 0)::int as needs_input
    from case_counts where queue_id = ${id}`)
}

interface Held {
  /** Null: members hold them. */
  agent_id: string | null
  cases: number
}

const heldOf = (sql: Sql, { id }: Of): Promise<Held[]> => sql<Held>`
  select claimed_by_agent_id as agent_id, count(*)::int as cases from cases
  where queue_id = ${id} and display_status = 'in_progress' group by claimed_by_agent_id`

async function agentsOf(
  sql: Sql,
  { id, team_id }: Of,
  held: Held[],
  atOnce: number,
  inProgress: number,
): Promise<QueueFacts['agents']> {
  const agents = await sql<{
    id: string
    name: string
    trigger_id: string
    enabled: boolean
    concurrency: number | null
    is_live: boolean
    is_paused: boolean
  }>`
    select a.id, a.name, t.id as trigger_id, t.enabled, t.concurrency, a.paused_at is not null as is_paused,
      exists (select from builds b where b.agent_id = a.id and b.status = 'live') as is_live
    from case_triggers t join agents a on a.id = t.agent_id
    where t.queue_id = ${id} and t.team_id = ${team_id} order by t.created_at, t.id`
  return agents.map(({ enabled, is_live, is_paused, ...agent }) => {
    const own = held.find(({ agent_id }) => agent_id === agent.id)?.cases ?? 0
    const isFull = inProgress >= atOnce || own >= (agent.concurrency ?? atOnce)
    const stopped = !enabled ? 'paused' : is_paused ? 'agent_paused' : !is_live ? 'no_live_build' : undefined
    return { ...agent, state: stopped ?? (isFull ? 'full' : 'free'), in_progress: own } as const
  })
}

/** The cases in progress lead to their runs, by the index of those that are held. */
const waitsOf = (sql: Sql, { id, team_id }: Of): Promise<QueueFacts['waits']> => sql<QueueFacts['waits'][number]>`
  select r.waiting_on ->> 'kind' as kind, n.id as connection_id, n.name as connection_name,
    case when r.waiting_on #>> '{detail,reason}' = 'guardrail' then r.waiting_on #>> '{detail,rule}' end as rule, count(*)::int as runs
  from cases c join runs r on r.id = c.claimed_by_run_id and r.team_id = c.team_id
  left join connections n on r.waiting_on ->> 'kind' = 'connection' and n.team_id = r.team_id
    and n.id::text = r.waiting_on #>> '{detail,connection_id}'
  where c.queue_id = ${id} and c.team_id = ${team_id} and c.display_status = 'in_progress' and r.status = 'waiting'
  group by 1, 2, 3, 4 order by runs desc, 1, 3, 4 limit 20`

type Limit = QueueFacts['limits_reached'][number]

async function limitsReached(sql: Sql, teamId: string): Promise<Limit[]> {
  const limits = await sql<{ key: Limit; value: number }>`
    select key, value::float8 as value from entitlements
    where team_id = ${teamId} and key in ('monthly_runs', 'monthly_cost_usd')`
  if (limits.length === 0) return []
  const month = await currentMonth(sql)
  const used = await one(sql<Record<Limit, number>>`
    select ${runsOfMonth(teamId, month)}::float8 as monthly_runs, ${costOfMonth(teamId, month)}::float8 as monthly_cost_usd`)
  return limits.filter(({ key, value }) => used[key] >= value).map(({ key }) => key)
}
