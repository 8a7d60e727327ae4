// The tool set `cases`: what an agent does with the case its run holds, and with others of its queues. Each tool takes the calls of many runs at once.
import { empty, part, type Sql } from '../../base/db.ts'
import { isId, newId } from '../../base/ids.ts'
import { noteCases } from '../../engine/ledger/noteCase.ts'
import type { Context } from '../../kit/context.ts'
import type { ToolSet } from '../../kit/feature.ts'
import { oneOf, Type } from '../../kit/schema.ts'
import { insideTool, type Outcome, type ToolCall } from '../../kit/tool.ts'
import { caseStatuses, priorities } from '../../kit/states.ts'
import { caseColumns } from './cases/case.ts'
import { bytesOfCase, isTooLarge, tooLarge } from './cases/caseFields.ts'
import { priorityName } from './cases/caseLifecycle.ts'
import { freeCaseOfId, nextFreeCase } from './cases/freeCase.ts'
import { insertCases } from './cases/insertCases.ts'
import { moveCases, type CaseMove } from './cases/moveCases.ts'
import { storageProblem } from '../../engine/engine.ts'

const postponedMaxS = 366 * 86_400
const Reason = Type.String({ minLength: 1, maxLength: 2000 })
const QueueName = Type.String({ minLength: 1, maxLength: 100, description: 'The name or the id of the queue.' })

type Call<Input> = ToolCall<Input>

const noQueue = (queue: string): string => `There is no queue with the name or id ${JSON.stringify(queue)}.`

/** The id of each call's queue, found by name or else by id; undefined when the team has no such queue. */
async function queuesOf(sql: Sql, calls: Call<{ queue: string }>[]): Promise<(string | undefined)[]> {
  const rows = await sql<{ n: number; id: string }>`
    select distinct on (w.n) w.n, q.id
    from unnest(
      ${calls.map(({ run }) => run.team_id)}::uuid[], ${calls.map(({ input }) => input.queue)}::text[],
      ${calls.map(({ input }) => (isId(input.queue) ? input.queue : null))}::uuid[]) with ordinality as w (team_id, name, id, n)
    join queues q on q.team_id = w.team_id and (q.name = w.name or q.id = w.id)
    order by w.n, q.name = w.name desc`
  const found = new Map(rows.map(({ n, id }) => [n - 1, id]))
  return calls.map((_, index) => found.get(index))
}

const holdsNone = 'This run holds no case. Claim one first, or start the agent by a case.'

/** The case that each run holds. */
async function heldBy(sql: Sql, calls: Call<unknown>[]): Promise<Map<string, { id: string; queue_id: string }>> {
  const rows = await sql<{ run_id: string; id: string; queue_id: string }>`
    select claimed_by_run_id as run_id, id, queue_id from cases where claimed_by_run_id = any(${calls.map(({ run }) => run.id)}::uuid[])`
  return new Map(rows.map(({ run_id, ...held }) => [run_id, held]))
}

const byRun = ({ run }: Call<unknown>) => ({ run_id: run.id, agent_id: run.agent_id })

/** Moves the case that each run holds; a run that holds none gets an error. */
async function moveHeld<Input>(
  sql: Sql,
  calls: Call<Input>[],
  move: (call: Call<Input>) => Omit<CaseMove, 'case_id' | 'team_id' | 'by'>,
): Promise<Outcome[]> {
  const held = await heldBy(sql, calls)
  const able = calls.filter(({ run }) => held.has(run.id))
  const moves = able.map((call): CaseMove => {
    return { case_id: held.get(call.run.id)!.id, team_id: call.run.team_id, by: byRun(call), ...move(call) }
  })
  const moved = moves.length > 0 ? await moveCases(sql, moves) : []
  const done = new Map(moved.map(({ n, case_id }) => [able[n]!, case_id]))
  return calls.map((call) => {
    const caseId = done.get(call)
    return caseId === undefined ? { error: holdsNone } : { result: { case_id: caseId } }
  })
}

const caseComplete = insideTool({
  name: 'case_complete',
  description: 'Complete the case that this run holds, with its result.',
  input: Type.Object({ result: Type.Optional(Type.Unknown()) }),
  apply: (calls, sql) => moveHeld(sql, calls, ({ input }) => ({ type: 'completed', result: input.result ?? null })),
})

const caseFail = insideTool({
  name: 'case_fail',
  description: 'Fail the case that this run holds, and say why.',
  input: Type.Object({ reason: Reason }),
  apply: (calls, sql) => moveHeld(sql, calls, ({ input }) => ({ type: 'failed', reason: input.reason })),
})

const casePostpone = insideTool({
  name: 'case_postpone',
  description:
    'Put the case that this run holds aside: it is dispatched again, ahead of all others, after `seconds` or at `until`.',
  input: Type.Object({
    seconds: Type.Optional(Type.Number({ minimum: 1, maximum: postponedMaxS })),
    until: Type.Optional(Type.String({ format: 'date-time' })),
    reason: Type.Optional(Reason),
  }),
  async apply(calls, sql) {
    const times = new Map(calls.map((call) => [call, timeOf(call.input)]))
    const good = calls.filter((call) => times.get(call) instanceof Date)
    const outcomes = await moveHeld(sql, good, (call) => {
      return { type: 'postponed', postponed_to: times.get(call) as Date, reason: call.input.reason ?? null }
    })
    const done = new Map(good.map((call, index) => [call, outcomes[index]!]))
    return calls.map((call) => done.get(call) ?? { error: times.get(call) as string })
  },
})

function timeOf({ seconds, until }: { seconds?: number; until?: string }): Date | string {
  if ((seconds === undefined) === (until === undefined)) return 'Say either seconds or until.'
  const at = seconds === undefined ? new Date(until!) : new Date(Date.now() + seconds * 1000)
  const aheadMs = at.getTime() - Date.now()
  if (!(aheadMs > 0 && aheadMs <= postponedMaxS * 1000)) return 'The time must lie ahead, and at most a year.'
  return at
}

const caseHandOver = insideTool({
  name: 'case_hand_over',
  description: 'Give the case that this run holds to another agent that works the same queue.',
  input: Type.Object({
    agent: Type.String({ minLength: 1, maxLength: 200, description: 'Its name or id.' }),
    reason: Reason,
  }),
  async apply(calls, sql) {
    const held = await heldBy(sql, calls)
    const found = await sql<{ n: number; agent_id: string }>`
      select distinct on (w.n) w.n, t.agent_id
      from unnest(
        ${calls.map(({ input }) => input.agent)}::text[], ${calls.map(({ run }) => held.get(run.id)?.queue_id ?? null)}::uuid[],
        ${calls.map(({ run }) => run.team_id)}::uuid[], ${calls.map(({ run }) => run.agent_id)}::uuid[])
        with ordinality as w (agent, queue_id, team_id, own_id, n)
      join case_triggers t on t.queue_id = w.queue_id and t.team_id = w.team_id and t.enabled and t.agent_id <> w.own_id
      join agents a on a.id = t.agent_id and (a.name = w.agent or a.id::text = w.agent)
      order by w.n, t.created_at`
    const agents = new Map(found.map(({ n, agent_id }) => [calls[n - 1]!, agent_id]))
    const able = calls.filter((call) => agents.has(call))
    const outcomes = await moveHeld(sql, able, (call) => {
      return { type: 'handed_over', for_agent_id: agents.get(call)!, reason: call.input.reason }
    })
    const done = new Map(able.map((call, index) => [call, outcomes[index]!]))
    return calls.map((call) => {
      const none = held.has(call.run.id) ? 'No other agent of that name or id works the queue of this case.' : holdsNone
      return done.get(call) ?? { error: none }
    })
  },
})

const caseUpdate = insideTool({
  name: 'case_update',
  description: 'Change the title, data or priority of the case that this run holds.',
  input: Type.Object({
    title: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
    data: Type.Optional(Type.String({ maxLength: 256 * 1024 })),
    priority: Type.Optional(oneOf(priorities)),
  }),
  async apply(calls, sql, context) {
    const problems = await problemsOfChanges(context, sql, calls)
    const able = calls.filter((call) => !problems.has(call))
    const changed = await sql<{ run_id: string; id: string }>`
      with changed as (
        update cases c set title = coalesce(w.title, c.title), data = coalesce(w.data, c.data),
          priority = coalesce(w.priority, c.priority), updated_at = now()
        from unnest(
          ${able.map(({ run }) => run.id)}::uuid[], ${able.map(({ input }) => input.title ?? null)}::text[],
          ${able.map(({ input }) => input.data ?? null)}::text[],
          ${able.map(({ input }) => (input.priority ? priorities.indexOf(input.priority) : null))}::int[]) as w (run_id, title, data, priority)
        where c.claimed_by_run_id = w.run_id returning c.id, c.team_id, w.run_id
      ),
      timeline as (
        insert into case_events (id, team_id, case_id, type, run_id) select new_id(), team_id, id, 'updated', run_id from changed
      )
      select run_id, id from changed`
    const ids = new Map(changed.map(({ run_id, id }) => [run_id, id]))
    return calls.map((call) => {
      const problem = problems.get(call) ?? (ids.has(call.run.id) ? undefined : holdsNone)
      return problem === undefined ? { result: { case_id: ids.get(call.run.id) } } : { error: problem }
    })
  },
})

/** Why changes are not made, by their calls: the data is too large, or more than its team may still store. */
async function problemsOfChanges(
  context: Context,
  sql: Sql,
  calls: Call<{ title?: string; data?: string }>[],
): Promise<Map<Call<unknown>, string>> {
  const rows = await sql<{ run_id: string; title: number; data: number }>`
    select claimed_by_run_id as run_id, octet_length(title) as title, octet_length(data) as data
    from cases where claimed_by_run_id = any(${calls.map(({ run }) => run.id)}::uuid[])`
  const stored = new Map(rows.map(({ run_id, ...bytes }) => [run_id, bytes]))
  const problems = new Map<Call<unknown>, string>()
  for (const call of calls) {
    const old = stored.get(call.run.id)
    if (!old) continue
    const { title, data } = call.input
    const more =
      (title === undefined ? 0 : Buffer.byteLength(title) - old.title) +
      (data === undefined ? 0 : Buffer.byteLength(data) - old.data)
    const problem = await problemOf(context, sql, call, more)
    if (problem !== undefined) problems.set(call, problem)
  }
  return problems
}

/** Why a case is not stored with this data, which takes `bytes` more than before. */
const problemOf = async (
  context: Context,
  sql: Sql,
  { run, input }: Call<{ data?: string }>,
  bytes: number,
): Promise<string | undefined> =>
  isTooLarge(input.data) ? tooLarge('data') : storageProblem(context, sql, run.team_id, bytes)

const caseClaim = insideTool({
  name: 'case_claim',
  description: 'Claim the next case of a queue, or the one of this id, for this run. A run holds one case at a time.',
  input: Type.Object({
    queue: Type.Optional(QueueName),
    case_id: Type.Optional(Type.String()),
  }),
  async apply(calls, sql) {
    const outcomes: Outcome[] = []
    // one after the other: each must see what the one before took
    for (const call of calls) outcomes.push(await claimOne(sql, call))
    return outcomes
  },
})

async function claimOne(sql: Sql, call: Call<{ queue?: string; case_id?: string }>): Promise<Outcome> {
  const { run, input } = call
  if ((input.queue === undefined) === (input.case_id === undefined)) return { error: 'Say either queue or case_id.' }
  if ((await heldBy(sql, [call])).size > 0) return { error: 'This run holds a case already. Close that one first.' }
  const [queueId] = input.queue === undefined ? [] : await queuesOf(sql, [{ ...call, input: { queue: input.queue } }])
  if (input.queue !== undefined && queueId === undefined) return { error: noQueue(input.queue) }
  const next =
    queueId === undefined
      ? await freeCaseOfId(sql, run.team_id, input.case_id!)
      : await nextFreeCase(sql, run.team_id, queueId)
  if (!next) return { error: 'No free case matches.' }
  await moveCases(sql, [{ case_id: next.id, team_id: run.team_id, by: byRun(call), type: 'claimed' }])
  await noteCases(sql, [{ run_id: run.id, case_id: next.id, queue_id: next.queue_id, title: next.title }])
  const [shown] = await sql`select ${caseColumns} from cases c where c.id = ${next.id} and c.team_id = ${run.team_id}`
  return { result: shown }
}

const caseList = insideTool({
  name: 'case_list',
  description: 'List cases of a queue, the newest first.',
  input: Type.Object({
    queue: QueueName,
    status: Type.Optional(oneOf(caseStatuses)),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50 })),
  }),
  async apply(calls, sql) {
    const outcomes: Outcome[] = []
    const queues = await queuesOf(sql, calls)
    for (const [index, { run, input }] of calls.entries()) {
      const queueId = queues[index]
      if (queueId === undefined) {
        outcomes.push({ error: noQueue(input.queue) })
        continue
      }
      const { status, limit = 20 } = input
      const ofStatus = status === undefined ? empty : part`and c.display_status = ${status}`
      const cases = await sql`
        select c.id, c.title, c.display_status, ${priorityName} as priority, c.created_at, c.reason
        from cases c where c.queue_id = ${queueId} and c.team_id = ${run.team_id} ${ofStatus}
        order by c.created_at desc, c.id desc limit ${limit}`
      outcomes.push({ result: { cases } })
    }
    return outcomes
  },
})

const caseCreate = insideTool({
  name: 'case_create',
  description: 'Add a case to a queue. With an external_id it is added only once.',
  input: Type.Object({
    queue: QueueName,
    title: Type.String({ minLength: 1, maxLength: 500 }),
    data: Type.Optional(Type.String({ maxLength: 256 * 1024 })),
    priority: Type.Optional(oneOf(priorities)),
    external_id: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  }),
  async apply(calls, sql, context) {
    const queues = await queuesOf(sql, calls)
    const found = new Map(calls.flatMap((call, index) => (queues[index] ? [[call, queues[index]]] : [])))
    const problems = new Map<Call<unknown>, string>()
    for (const call of calls) {
      const problem = await problemOf(context, sql, call, bytesOfCase(call.input))
      if (problem !== undefined) problems.set(call, problem)
    }
    const able = calls.filter((call) => found.has(call) && !problems.has(call))
    const made = await insertCases(
      sql,
      able.map((call) => ({
        id: newId(),
        team_id: call.run.team_id,
        queue_id: found.get(call)!,
        title: call.input.title,
        data: call.input.data ?? '',
        priority: call.input.priority ?? 'none',
        external_id: call.input.external_id ?? null,
        created_by_user_id: null,
        created_by_run_id: call.run.id,
      })),
    )
    const done = new Map(able.map((call, index) => [call, made[index]!]))
    return calls.map((call) => {
      const one = done.get(call)
      const problem = problems.get(call)
      if (problem !== undefined) return { error: problem }
      if (!one) return { error: noQueue(call.input.queue) }
      return { result: { case_id: one.id, existing: one.existing } }
    })
  },
})

export const caseTools: ToolSet = {
  name: 'cases',
  title: 'Cases',
  description:
    'Work the cases of queues: close, postpone or hand over the one that this run holds, claim another, add new ones.',
  tools: [caseComplete, caseFail, casePostpone, caseHandOver, caseUpdate, caseClaim, caseList, caseCreate],
  provider: null,
}
