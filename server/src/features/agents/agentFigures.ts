// What a list of agents shows beside each: its last run, its week, what a run usually costs and takes, and what comes next.
import { part, type Sql } from '../../base/db.ts'
import { countedAs } from '../../engine/counting/runCounts.ts'
import { Id, named, nullable, Time, Type, type Static } from '../../kit/schema.ts'
import { RunStatus } from '../../engine/ledger/run.ts'

/** How many days the figures are of, today included. */
const daysShown = 7
/** How many of the newest completed runs of an agent the medians are of. */
const runsInMedian = 200

const count = Type.Integer({ minimum: 0 })

export const AgentFigures = named(
  'AgentFigures',
  Type.Object({
    agent_id: Id,
    live_build: Type.Object({
      build_id: Id,
      revision_number: Type.Integer({ minimum: 1 }),
      revision_name: nullable(Type.String()),
    }),
    last_run: nullable(Type.Object({ run_id: Id, status: RunStatus, created_at: Time, completed_at: nullable(Time) })),
    days: Type.Array(
      Type.Object({
        day: Type.String({ format: 'date', examples: ['2026-07-18'] }),
        completed: count,
        failed: count,
        stopped: count,
        active: Type.Integer({ minimum: 0, description: 'Not ended yet.' }),
      }),
      { description: `Runs by the day of their creation (UTC): the last ${daysShown} days, oldest first.` },
    ),
    median_cost_usd: nullable(Type.Number({ minimum: 0 })),
    median_duration_ms: nullable(
      Type.Integer({
        minimum: 0,
        description: `From start to end. Like the cost, of the newest ${runsInMedian} completed runs of these days.`,
      }),
    ),
    next_start_at: nullable(Time),
    has_new_draft: Type.Boolean({ description: 'Whether the newest build is a draft that differs from the live one.' }),
  }),
)

export type AgentFigures = Static<typeof AgentFigures>

/** One statement for a page of agents; the days and the medians of each come from its own range of an index. */
export const readFigures = (sql: Sql, teamId: string, ids: string[], now: Date): Promise<AgentFigures[]> => {
  const today = Math.floor(now.getTime() / 86_400_000)
  const first = today - daysShown + 1
  const since = new Date(first * 86_400_000)
  return sql<AgentFigures>`
    with counted as materialized (
      select agent_id, at as day, counted_as, runs from run_counts
      where team_id = ${teamId} and agent_id = any(${ids}::uuid[]) and unit = 'day' and at >= ${first} and at <= ${today}
      union all
      select agent_id, floor(hour / 24.0)::int, became, runs from run_count_deltas
      where team_id = ${teamId} and agent_id = any(${ids}::uuid[]) and became is not null
      union all
      select agent_id, floor(hour / 24.0)::int, was, -runs from run_count_deltas
      where team_id = ${teamId} and agent_id = any(${ids}::uuid[]) and was is not null
    ),
    week as materialized (
      select agent_id, day, sum(runs) filter (where counted_as = 'completed') as completed, sum(runs) filter (where counted_as = 'failed') as failed,
        sum(runs) filter (where counted_as = 'stopped') as stopped,
        sum(runs) filter (where counted_as not in ('completed', 'failed', 'stopped')) as active
      from counted group by 1, 2
    )
    select a.id as agent_id, newest.last_run,
      (select jsonb_build_object('build_id', b.id, 'revision_number', b.revision_number, 'revision_name', b.revision_name)
        from builds b where b.agent_id = a.id and b.status = 'live') as live_build,
      (select jsonb_agg(jsonb_build_object('day', date '1970-01-01' + d.day, 'completed', coalesce(w.completed, 0), 'failed', coalesce(w.failed, 0),
          'stopped', coalesce(w.stopped, 0), 'active', coalesce(w.active, 0)) order by d.day)
        from generate_series(${first}::int, ${today}::int) as d (day) left join week w on w.agent_id = a.id and w.day = d.day) as days,
      usual.cost::float8 as median_cost_usd, round(usual.ms)::float8 as median_duration_ms,
      (select min(s.next_run_at) from schedules s where s.agent_id = a.id and s.team_id = ${teamId}) as next_start_at,
      coalesce((
        select b.config <> live.config from builds b join builds live on live.agent_id = a.id and live.status = 'live'
        where b.agent_id = a.id and b.revision_number = a.builds_count and b.status = 'draft'), false) as has_new_draft
    from agents a
    left join lateral (${newestRun(teamId)}) newest on true,
    lateral (
      select percentile_cont(0.5) within group (order by r.cost_usd::float8) as cost,
        percentile_cont(0.5) within group (order by extract(epoch from r.completed_at - r.started_at) * 1000) as ms
      from (
        select r.cost_usd, r.completed_at, r.started_at from runs r
        where r.team_id = ${teamId} and r.agent_id = a.id and r.counted_as = 'completed' and r.created_at >= ${since}
        order by r.created_at desc, r.id desc limit ${runsInMedian}
      ) r
    ) usual
    where a.team_id = ${teamId} and a.id = any(${ids}::uuid[])
    order by a.id desc`
}

/** The index gives the newest run of each status at once. */
const newestRun = (teamId: string) => part`
  select jsonb_build_object('run_id', f.id, 'status', f.status, 'created_at', ${wireTime(part`f.created_at`)},
    'completed_at', ${wireTime(part`f.completed_at`)}) as last_run
  from unnest(${countedAs}::text[]) as s (counted_as), lateral (
    select r.id, r.status, r.created_at, r.completed_at from runs r
    where r.team_id = ${teamId} and r.agent_id = a.id and r.counted_as = s.counted_as order by r.created_at desc, r.id desc limit 1) f
  order by f.created_at desc, f.id desc limit 1`

/** A time inside a JSON object, in the one form that is answered. */
const wireTime = (time: ReturnType<typeof part>) =>
  part`to_char(${time} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
