// Continues a bulk action that is too large for one request: each transaction changes some cases and stores the progress.
import { isPassing, part, retryingDeadlocks, type Sql } from '../../../base/db.ts'
import type { Context } from '../../../kit/context.ts'
import { enqueueOn, job, type Job } from '../../../kit/job.ts'
import { Id, Type, type Static } from '../../../kit/schema.ts'
import { changeCases } from './changeCases.ts'
import type { BulkSettings } from './bulkAction.ts'
import { fitsCase } from '../lists/caseFilter.ts'
import { Pacer } from './pace.ts'

/**
 * One statement looks at no more cases than this, however few of them fit. A constant, because the planner expects a tenth of all rows for
 * a parameter.
 */
const casesSeenMax = 20_000
const atMostSeen = part`limit 20000`
/** How long a job works before it lets other waiting jobs go first. */
const stretchMs = 30_000
/** How many stopped runs are listed. More may be stopped, but the list is written with every step. */
const runsListedMax = 10_000

const Input = Type.Object({ bulk_action_id: Id, team_id: Id })
type Input = Static<typeof Input>

/** One action of a team at a time. */
export const bulkLine = (teamId: string): string => `bulk actions of ${teamId}`

export const carryOnBulkActions: Job<Input> = job({
  name: 'carryOnBulkActions',
  input: Input,
  safeToRepeat: 'each transaction does its cases and keeps how far it has come, with the row of the action locked',
  async handler({ input, context, signal }) {
    const until = performance.now() + stretchMs
    const pacer = new Pacer()
    while (performance.now() < until) {
      // thrown, so that whoever gets this job next continues it
      signal.throwIfAborted()
      const isOver = await takeStep(context, input, pacer)
      if (isOver) return
    }
    await enqueueOn(context.db.sql)(carryOnBulkActions, input, { queueName: bulkLine(input.team_id) })
  },
})

/** One transaction; answers whether there is nothing more to do. */
export async function takeStep(context: Context, input: Input, pacer = new Pacer()): Promise<boolean> {
  const { db, log } = context
  try {
    return await retryingDeadlocks(() => db.transaction((sql) => step(context, sql, input, pacer)))
  } catch (error) {
    if (isPassing(error)) throw error
    log.error({ err: error, ...input }, 'a bulk action failed')
    await db.sql`
      update bulk_actions set status = 'failed', completed_at = now(),
        error = 'The server failed to carry this out; the log has the reason. Send the action again for the cases that are left.'
      where id = ${input.bulk_action_id} and team_id = ${input.team_id} and status = 'running'`
    return true
  }
}

interface Action {
  queue_id: string
  user_id: string | null
  settings: BulkSettings
  after_created_at: Date | null
  after_case_id: string | null
  until_created_at: Date
}

interface Place {
  id: string
  created_at: Date
}

async function step(
  context: Context,
  sql: Sql,
  { bulk_action_id: id, team_id: teamId }: Input,
  pacer: Pacer,
): Promise<boolean> {
  // this waits for the lock: a process that was declared dead may still work on the action, and skipping it would leave the rest undone
  const [action] = await sql<Action>`
    select queue_id, user_id, settings, after_created_at, after_case_id, until_created_at from bulk_actions
    where id = ${id} and team_id = ${teamId} and status = 'running' for update`
  // gone with its queue, or done
  if (!action) return true
  const { restTimes, cases: casesMax } = pacer.pace
  const { cases, last } = await nextCases(sql, teamId, action, casesMax)
  const done = await changeCases(
    context,
    sql,
    { teamId, queueId: action.queue_id, userId: action.user_id, action: action.settings.deed, restTimes },
    cases.map((one) => one.id),
  )
  pacer.note(done.others)
  await sql`
    update bulk_actions set changed_count = changed_count + ${done.changed}, skipped_count = skipped_count + ${done.skipped},
      stopped_run_ids = (stopped_run_ids || ${done.stoppedRunIds}::uuid[])[:${runsListedMax}::int],
      after_created_at = ${last?.created_at ?? action.after_created_at}, after_case_id = ${last?.id ?? action.after_case_id},
      status = ${last ? 'running' : 'completed'}, completed_at = case when ${last === undefined} then now() end
    where id = ${id} and team_id = ${teamId}`
  return last === undefined
}

/** The cases to change, and the last one that was looked at; no last one: there are none behind these. */
async function nextCases(
  sql: Sql,
  teamId: string,
  action: Action,
  casesMax: number,
): Promise<{ cases: Place[]; last?: Place }> {
  const { queue_id, settings, after_created_at, after_case_id, until_created_at } = action
  const ahead = part`
    c.queue_id = ${queue_id} and c.team_id = ${teamId} and c.created_at <= ${until_created_at}
    and (c.created_at, c.id) > (${after_created_at ?? '-infinity'}::timestamptz, ${after_case_id ?? noId}::uuid)`
  const cases = await sql<Place>`
    select c.id, c.created_at
    from (select * from cases c where ${ahead} order by c.created_at, c.id ${atMostSeen}) c
    where ${fitsCase(settings.filter)} order by c.created_at, c.id limit ${casesMax}`
  const [last] =
    cases.length === casesMax
      ? cases.slice(-1)
      : await sql<Place>`
        select c.id, c.created_at from cases c where ${ahead} order by c.created_at, c.id offset ${casesSeenMax - 1} limit 1`
  return last ? { cases, last } : { cases }
}

const noId = '00000000-0000-0000-0000-000000000000'
