// Evaluates runs that have ended, many in one transaction; what only a model can judge is left to the judge.
import { isConnectionTrouble, type Sql } from '../../base/db.ts'
import { inTurns } from '../../base/fairPool.ts'
import { newId } from '../../base/ids.ts'
import type { Context } from '../../kit/context.ts'
import { suspectDeaths } from '../../kit/deaths.ts'
import { summaryOf, type Result } from './evaluation.ts'
import { noteEvaluated, noteEvaluating } from './evaluationDeaths.ts'
import { judgeOf, notJudged } from './judgeModel.ts'
import { platformResults } from './platformRubrics.ts'
import { flagOf } from './rubric.ts'
import { entriesMax, readEnded, readEntries, type EndedRun, type RunLog } from './runLog.ts'
import { endWithout, writeEvaluations, type Finished } from './writeEvaluations.ts'

const runsAtOnce = 100
/** How many messages the runs of one transaction have together, unless a single run has more. */
const messagesAtOnce = 20_000

interface Due {
  place: string
  run_id: string
  team_id: string
  evaluation_id: string | null
}

/**
 * Returns how many runs it is done with: 0 when there is nothing to do, or only runs that somebody is writing now. `worker` is this
 * process, if others must notice its death.
 */
export async function evaluateEnded(context: Context, worker?: string): Promise<number> {
  try {
    return await evaluateSome(context, { claim: (sql) => claimEnded(sql, runsAtOnce), worker })
  } catch (error) {
    if (isConnectionTrouble(error)) throw error
    context.log.warn({ err: error }, 'could not evaluate ended runs together; trying each on its own')
    return evaluateEach(context, worker)
  }
}

/** Evaluates one run, which processes may have died over. */
export const evaluateOne = (context: Context, runId: string): Promise<number> =>
  evaluateOrGiveUp(context, { claim: (sql) => claimOne(sql, runId) })

/** One that cannot be evaluated must not hold up the others: it ends without a result, and the log says why. */
async function evaluateEach(context: Context, worker?: string): Promise<number> {
  let done = 0
  for (let n = 0; n < runsAtOnce; n++) {
    const some = await evaluateOrGiveUp(context, { claim: (sql) => claimEnded(sql, 1), worker })
    if (some === 0) return done
    done += some
  }
  return done
}

async function evaluateOrGiveUp(context: Context, asked: Asked): Promise<number> {
  const seen: Asked['seen'] = {}
  try {
    return await evaluateSome(context, { ...asked, seen })
  } catch (error) {
    const [due] = seen.due ?? []
    if (isConnectionTrouble(error) || !due) throw error
    context.log.error({ err: error, run_id: due.run_id }, 'a run could not be evaluated')
    await context.db.transaction((sql) => giveUp(sql, due))
    return 1
  }
}

const failedReason = 'The server failed to evaluate the run. Its operator finds the reason in the log.'

/** It does not count: what is unknown about a run is neither good nor bad. */
export async function giveUp(
  sql: Sql,
  { run_id, team_id }: Pick<Due, 'run_id' | 'team_id'>,
  reason = failedReason,
): Promise<void> {
  const dropped = await sql<{ evaluation_id: string | null }>`
    delete from runs_to_evaluate where run_id = ${run_id} and team_id = ${team_id} returning evaluation_id`
  const asked = dropped.flatMap(({ evaluation_id }) => evaluation_id ?? [])
  const made = await sql<{ id: string }>`
    insert into evaluations (id, team_id, agent_id, build_id, run_id, source, status, run_ended_at)
    select ${newId()}::uuid, team_id, agent_id, build_id, id, 'run_end', 'in_progress', completed_at from runs
    where id = ${run_id} and team_id = ${team_id} and completed_at is not null and ${asked.length === 0}::boolean
    returning id`
  await noteEvaluated(sql, undefined, [run_id])
  await endWithout(sql, [...asked, ...made.map(({ id }) => id)], summaryOf([], reason))
}

interface Asked {
  /**
   * Locks what is to be evaluated; skips what another process works on. A run that ends at the same time only adds rows, and never waits
   * for these.
   */
  claim: (sql: Sql) => Promise<Due[]>
  worker?: string | undefined
  /** Gets what was claimed, also when the evaluation fails. */
  seen?: { due?: Due[] }
}

function evaluateSome(context: Context, { claim, worker, seen = {} }: Asked): Promise<number> {
  return context.db.transaction(async (sql) => {
    const due = await claim(sql)
    seen.due = due
    if (due.length === 0) return 0
    const runIds = [...new Set(due.map(({ run_id }) => run_id))]
    // on a connection of its own: it must be there when this process dies in the middle of the transaction
    if (worker !== undefined) await noteEvaluating(context.db.sql, worker, runIds)
    const asked = new Map(due.flatMap((one) => (one.evaluation_id === null ? [] : [[one.run_id, one.evaluation_id]])))
    const ended = await readEnded(sql, runIds)
    const taken = atOnce(due, ended)
    const logs = await readLogs(sql, taken)
    const held = await hold(sql, taken)
    const judged = await teamsWithJudge(context, sql, logs)
    const plans = logs
      .filter(({ id }) => held.has(id))
      .map((log) => planOf(log, judged.has(log.team_id), asked.get(log.id)))
    await writeEvaluations(
      sql,
      plans.flatMap(({ finished }) => finished ?? []),
    )
    for (const { toJudge } of plans) if (toJudge) await leaveToJudge(sql, toJudge)
    const gone = withoutEnd(due, ended)
    await endWithout(
      sql,
      [...gone].flatMap((id) => asked.get(id) ?? []),
      lost,
    )
    const done = due.filter(({ run_id }) => held.has(run_id) || gone.has(run_id))
    await sql`delete from runs_to_evaluate where ctid = any(${done.map(({ place }) => place)}::tid[])`
    await noteEvaluated(
      sql,
      worker,
      done.map(({ run_id }) => run_id),
    )
    return done.length
  })
}

/**
 * Claims up to `max` runs, the same number for each waiting team, with the teams in no order: a team with a hundred thousand ended runs
 * does not delay the one run of another. The recursion goes from team to team by the index and does not read the rows between them.
 */
export const claimEnded = (sql: Sql, max: number): Promise<Due[]> => sql<Due>`
  with recursive team as (
    (select team_id from runs_to_evaluate order by team_id limit 1)
    union all
    select (select next.team_id from runs_to_evaluate next where next.team_id > team.team_id order by next.team_id limit 1)
    from team where team.team_id is not null
  ),
  turn as materialized (
    select team_id, greatest(1, ${max}::int / count(*) over ()) as rows from team where team_id is not null order by random()
  )
  select due.* from turn, lateral (
    select ctid::text as place, run_id, team_id, evaluation_id from runs_to_evaluate
    where team_id = turn.team_id and not exists (
      -- those are for a process for suspects
      select from evaluation_deaths d where d.run_id = runs_to_evaluate.run_id and d.deaths >= ${suspectDeaths}::int)
    limit turn.rows for update skip locked) due
  limit ${max}`

const claimOne = (sql: Sql, runId: string): Promise<Due[]> => sql<Due>`
  select r.ctid::text as place, r.run_id, r.team_id, r.evaluation_id
  from evaluation_deaths d join runs_to_evaluate r on r.team_id = d.team_id and r.run_id = d.run_id
  where d.run_id = ${runId} for update of r skip locked`

const lost = summaryOf(
  [],
  'The run continued, or its log was erased, before it was evaluated. A run that continues is evaluated when it ends.',
)

/** The first of each team, then the second of each: long logs of one team leave room for the others. */
function atOnce(due: Due[], ended: EndedRun[]): EndedRun[] {
  const withLog = new Map(ended.filter(({ is_erased }) => !is_erased).map((run) => [run.id, run]))
  const inOrder = [...new Set(due.map(({ run_id }) => run_id))].flatMap((id) => withLog.get(id) ?? [])
  let messages = 0
  return inTurns(inOrder, ({ team_id }) => team_id).filter((run, place) => {
    const own = Math.min(run.messages, entriesMax)
    if (place > 0 && messages + own > messagesAtOnce) return false
    messages += own
    return true
  })
}

async function readLogs(sql: Sql, runs: EndedRun[]): Promise<RunLog[]> {
  if (runs.length === 0) return []
  const entries = await readEntries(
    sql,
    runs.map(({ id }) => id),
  )
  return runs.map((run) => ({ ...run, entries: entries.get(run.id)! }))
}

/** Locks the runs only now, when only a few writes are left to do, and without waiting: a run that is being written is left for the next round. */
async function hold(sql: Sql, runs: EndedRun[]): Promise<Set<string>> {
  const locked = await sql<{ id: string; ended_at: Date | null }>`
    select id, completed_at as ended_at from runs where id = any(${runs.map(({ id }) => id)}::uuid[]) for no key update skip locked`
  const seen = new Map(runs.map(({ id, ended_at }) => [id, ended_at.getTime()]))
  return new Set(locked.filter(({ id, ended_at }) => ended_at?.getTime() === seen.get(id)).map(({ id }) => id))
}

/** The runs without anything to evaluate: deleted, active again, or without a log. */
function withoutEnd(due: Due[], ended: EndedRun[]): Set<string> {
  const known = new Set(ended.map(({ id }) => id))
  const erased = ended.filter(({ is_erased }) => is_erased).map(({ id }) => id)
  return new Set([...due.map(({ run_id }) => run_id).filter((id) => !known.has(id)), ...erased])
}

interface ToJudge {
  id: string
  source: Finished['source']
  run: EndedRun
  results: Result[]
}

interface Plan {
  finished?: Finished
  toJudge?: ToJudge
}

/** Asked only for runs that a judge must see. */
async function teamsWithJudge(context: Context, sql: Sql, logs: RunLog[]): Promise<Set<string>> {
  const teams = new Set(logs.filter(({ rubrics }) => rubrics.length > 0).map(({ team_id }) => team_id))
  const judged = new Set<string>()
  for (const teamId of teams) if ((await judgeOf(context, teamId, sql)) !== undefined) judged.add(teamId)
  return judged
}

function planOf(log: RunLog, hasJudge: boolean, asked: string | undefined): Plan {
  const { entries: _entries, ...run } = log
  const id = asked ?? newId()
  const source = asked === undefined ? 'run_end' : 'request'
  const custom = run.rubrics.map(({ slug, title, severity }): Result => {
    return { flag: flagOf({ slug }), label: title, passed: null, severity, comment: null, evidence: [] }
  })
  const results = [...platformResults(log), ...custom]
  if (custom.length > 0 && hasJudge && run.has_begun) return { toJudge: { id, source, run, results } }
  const remark = custom.length === 0 ? undefined : hasJudge ? neverBegan : notJudged(custom.length)
  const summary = summaryOf(results, remark)
  return { finished: { id, source, status: 'ready', run, results, summary, isJudged: false } }
}

const neverBegan = 'The run ended before it began, so the custom rubrics were not judged.'

async function leaveToJudge(sql: Sql, { id, source, run, results }: ToJudge): Promise<void> {
  await sql`
    insert into evaluations as e (id, team_id, agent_id, build_id, run_id, source, status, run_ended_at, results)
    values (${id}, ${run.team_id}, ${run.agent_id}, ${run.build_id}, ${run.id}, ${source}, 'in_progress', ${run.ended_at},
      ${JSON.stringify(results)}::jsonb)
    on conflict (id) do update set run_ended_at = excluded.run_ended_at, results = excluded.results`
  await sql`
    insert into judgements (evaluation_id, team_id, run_id) values (${id}, ${run.team_id}, ${run.id})
    on conflict (evaluation_id) do nothing`
}
