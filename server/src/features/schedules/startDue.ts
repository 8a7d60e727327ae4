// What happens to schedules that are due, inside the transaction that holds them: their runs are made, and they are moved on.
import type { Sql } from '../../base/db.ts'
import { inTurns } from '../../base/fairPool.ts'
import { newId } from '../../base/ids.ts'
import { nextAfter } from '../../base/schedule.ts'
import type { NewRun } from '../../engine/starting/createRun.ts'
import { engineOf } from '../../engine/engine.ts'
import { titleOf } from '../../engine/starting/title.ts'
import type { Context } from '../../kit/context.ts'
import { decide, type Due } from './firing.ts'
import { failuresMax, countFailures, noBuildReason, reasonOf, type LastRun } from './givingUp.ts'
import { activeList } from '../../engine/ledger/lifecycle.ts'

/** How many runs one transaction starts. It holds its teams' slots until it commits, and other starts wait for them. */
const runsMax = 100

type Miss = 'late' | 'limit' | 'paused' | 'no_live_build' | 'given_up'

interface Row extends Due, LastRun {
  id: string
  team_id: string
  agent_id: string
  user_id: string
  changed_by: string | null
  message: string | null
  enabled: boolean
  now: Date
}

/** A schedule on its way: what it starts, and how it is left. */
interface Fired {
  row: Row
  /** How many due times were found too late and are not made up for. */
  late: number
  start: Date[]
  runs: NewRun[]
  held: Date[]
  next: Date | null
  failures: number
  judged_run_id: string | null
  /** Why it is disabled by itself. */
  reason: string | null
  /** Why due times were skipped: a limit of its team, or a pause of its agent. */
  skippedReason: string | null
  /** What kept a due time of it from starting a run. */
  miss: Miss | null
}

/** Starts the due schedules, which the caller has locked. `busyMs`: for how long this process had been firing others before. */
export async function startDue(context: Context, sql: Sql, ids: string[], busyMs: number): Promise<void> {
  // a separate statement, which begins after the locks are taken: what it reads stays true until our commit
  const rows = await sql<Row>`
    select s.id, s.team_id, s.agent_id, s.user_id, s.changed_by, s.message, s.enabled, s.frequency, s.time, s.day, s.day_of_month, s.cron, s.timezone,
      s.recurring, s.overlap, s.catch_up, s.next_run_at, s.retry_at, s.held, s.last_run_id, s.failures, s.judged_run_id,
      r.status as last_status, r.error as last_error, coalesce(r.status in ${activeList}, false) as is_active, now() as now
    from schedules s left join runs r on r.id = s.last_run_id and r.team_id = s.team_id
    where s.id = any(${ids}::uuid[]) order by s.next_run_at, s.id`
  const fired: Fired[] = []
  let count = 0
  const served = new Set<string>()
  for (const row of inTurns(rows, ({ team_id }) => team_id)) {
    // the others stay due for the next transaction; but one of each team goes, however many runs another team's schedule starts
    if (count >= runsMax && served.has(row.team_id)) continue
    served.add(row.team_id)
    const one = plan(row, busyMs)
    count += one.start.length
    fired.push(one)
  }
  await startRuns(context, sql, fired)
  await moveOn(sql, fired)
}

function plan(row: Row, busyMs: number): Fired {
  const one: Fired = {
    row,
    ...decide(row, row.now, new Date(row.now.getTime() - busyMs)),
    runs: [],
    ...countFailures(row),
    reason: null,
    skippedReason: null,
    miss: null,
  }
  if (one.late > 0) one.miss = 'late'
  return one.failures < failuresMax ? one : givenUp(one, reasonOf(row))
}

const givenUp = (one: Fired, reason: string): Fired => ({
  ...one,
  start: [],
  held: [],
  next: null,
  reason,
  miss: 'given_up',
})

async function startRuns(context: Context, sql: Sql, fired: Fired[]): Promise<void> {
  const engine = engineOf(context)
  let left = fired.filter(({ start }) => start.length > 0)
  // the statement itself checks the cached agents; if they have changed, it is tried again with what is true now
  for (const isFresh of [false, true]) {
    for (const one of left) one.runs = await runsOf(context, sql, one, isFresh)
    left = left.filter(({ miss }) => miss !== 'paused')
    const wanted = left.flatMap(({ runs }) => runs)
    if (wanted.length === 0) continue
    const { fitting, refused } = await engine.fitting(sql, wanted)
    for (const { run, reason } of refused) {
      const one = left.find(({ runs }) => runs.includes(run))
      skip(one!, run, reason)
      one!.miss = 'limit'
    }
    const created = fitting.length > 0 ? await engine.create(sql, fitting) : []
    const made = new Set(created.map(({ id }) => id))
    left = left.filter(({ runs, skippedReason }) => {
      return runs.length === 0 ? skippedReason === null : runs.some(({ id }) => !made.has(id))
    })
  }
  for (const one of left) Object.assign(one, withoutBuild(one))
}

/** Nothing was started for this due time, which is not the schedule's fault. A schedule that fires once has not fired. */
function skip(one: Fired, run: NewRun, reason: string): void {
  one.runs = one.runs.filter((other) => other !== run)
  one.skippedReason = reason
  if (one.runs.length === 0 && !one.row.recurring) one.next = nextAfter(one.row, one.row.now)
}

/** The agent is paused: these due times are over, and a schedule that fires once has not fired. */
function skipAll(one: Fired, reason: string): void {
  one.skippedReason = reason
  one.miss = 'paused'
  if (!one.row.recurring) one.next = nextAfter(one.row, one.row.now)
}

/** The runs of the due times; none if the agent has no live build, or is paused. */
async function runsOf(context: Context, sql: Sql, one: Fired, isFresh: boolean): Promise<NewRun[]> {
  const { row, start } = one
  const engine = engineOf(context)
  const target = await engine.startTargets.find(sql, row.team_id, row.agent_id, null, isFresh)
  if (!target) return []
  if (target.paused !== null) {
    skipAll(one, target.paused)
    return []
  }
  const wanted = {
    teamId: row.team_id,
    agentId: row.agent_id,
    buildId: target.buildId,
    source: 'schedule' as const,
    userId: row.user_id,
    actsFor: [row.changed_by ?? row.user_id],
    message: row.message,
    title: titleOf(row.message, target.agentName),
    limits: target.config.limits,
    callbackUrl: null,
    sandboxId: null,
    parentRunId: null,
    retryOfRunId: null,
    depth: 0,
    case: null,
    isCapped: target.config.max_concurrent_runs !== null,
    seen: target.seen,
  }
  return Promise.all(
    start.map((at) =>
      engine.prepare({ ...wanted, metadata: { schedule_id: row.id, scheduled_for: at.toISOString() } }),
    ),
  )
}

/** Its due time was skipped; a schedule that fires once has not fired. */
function withoutBuild(one: Fired): Fired {
  const failures = one.failures + 1
  const next = one.row.recurring ? one.next : nextAfter(one.row, one.row.now)
  const left: Fired = { ...one, runs: [], held: [], next, failures, miss: 'no_live_build' }
  return failures < failuresMax ? left : givenUp(left, noBuildReason)
}

async function moveOn(sql: Sql, fired: Fired[]): Promise<void> {
  const rows = fired.map(({ row, runs, held, next, failures, judged_run_id, reason, skippedReason }) => ({
    id: row.id,
    team_id: row.team_id,
    // one that fires once was disabled when its due time was held back: it is to fire after all
    enabled: next !== null && (row.enabled || skippedReason !== null),
    next_run_at: next,
    held,
    failures,
    judged_run_id,
    last_run_at: runs.at(-1)?.createdAt ?? null,
    last_run_id: runs.at(-1)?.id ?? null,
    reason,
    skipped_reason: skippedReason,
  }))
  await sql`
    update schedules s set enabled = u.enabled, next_run_at = u.next_run_at, retry_at = null, held = u.held, failures = u.failures,
      judged_run_id = u.judged_run_id,
      last_run_at = coalesce(u.last_run_at, s.last_run_at), last_run_id = coalesce(u.last_run_id, s.last_run_id),
      auto_disabled_at = case when u.reason is null then s.auto_disabled_at else now() end,
      auto_disabled_reason = coalesce(u.reason, s.auto_disabled_reason),
      last_skipped_at = case when u.skipped_reason is null then s.last_skipped_at else now() end,
      last_skipped_reason = coalesce(u.skipped_reason, s.last_skipped_reason)
    from json_to_recordset(${JSON.stringify(rows)}::json) as u (id uuid, team_id uuid, enabled boolean, next_run_at timestamptz,
      held timestamptz[], failures int, judged_run_id uuid, last_run_at timestamptz, last_run_id uuid, reason text, skipped_reason text)
    where s.id = u.id and s.team_id = u.team_id`
  await noteMisses(sql, fired)
}

async function noteMisses(sql: Sql, fired: Fired[]): Promise<void> {
  const missed = fired.flatMap(({ row, miss }) =>
    miss === null
      ? []
      : [{ id: newId(), team_id: row.team_id, schedule_id: row.id, agent_id: row.agent_id, reason: miss }],
  )
  if (missed.length === 0) return
  await sql`
    insert into schedule_misses (id, team_id, schedule_id, agent_id, reason)
    select id, team_id, schedule_id, agent_id, reason from json_to_recordset(${JSON.stringify(missed)}::json) as m (
      id uuid, team_id uuid, schedule_id uuid, agent_id uuid, reason text)`
}
