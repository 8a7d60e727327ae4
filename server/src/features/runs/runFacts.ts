// The facts behind the state of a run: what it waits for, what stands before it, who holds it, what went wrong.
import { one, part, type Sql } from '../../base/db.ts'
import type { WorkerPools } from '../../base/settingKinds.ts'
import { serves } from '../../engine/admission/workerPools.ts'
import { ruleNames, type RuleName } from '../../engine/guardrails/rules.ts'
import { countingApprovals, type HumanRequest } from '../../engine/requests/humanRequests.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'
import { onTimeouts, requestTypes } from '../../kit/states.ts'
import { RunError, RunStatus, type Run } from './run.ts'
import { openStepList } from '../../engine/ledger/lifecycle.ts'

/** The slots that a run on the waitlist waits for. */
export const LinePlaces = Type.Object({
  places_held: Type.Integer({ minimum: 0 }),
  places_total: Type.Integer({ minimum: 0 }),
  agent_places_held: Type.Integer({ minimum: 0 }),
  agent_places_total: nullable(Type.Integer({ description: 'The build’s max_concurrent_runs.' })),
})

export const StoppedBy = Type.Object({
  reason: oneOf(['member', 'parent_run', 'agent_deleted']),
  name: nullable(Type.String()),
})

export const RunFacts = named(
  'RunFacts',
  Type.Object({
    since: nullable(Time),
    until: nullable(Type.Unsafe<Date | string>({ ...Time, description: 'When the clock ends it by itself.' })),
    ended_by: nullable(Type.String({ description: 'Who or what can end this state.' })),
    waiting_on: nullable(Type.Object({ kind: Type.String(), detail: Type.Unknown() })),
    human_request: nullable(
      Type.Object({
        id: Id,
        type: oneOf(requestTypes),
        title: Type.String(),
        assignee_user_id: nullable(Id),
        assignee_name: nullable(Type.String()),
        expires_at: nullable(Time),
        on_timeout: oneOf(onTimeouts),
        approvals_needed: Type.Integer({
          minimum: 1,
          description: 'How many people must approve; more than 1 where the guardrails of the team want it.',
        }),
        approvals: Type.Integer({ minimum: 0, description: 'How many have so far, where more than one must.' }),
      }),
    ),
    guardrail: nullable(
      Type.Object(
        { rule: oneOf(ruleNames), version: Type.Integer({ minimum: 1 }) },
        { description: 'The rule of the team’s guardrails that lets it wait.' },
      ),
    ),
    sub_run: nullable(Type.Object({ id: Id, status: RunStatus, title: Type.String(), agent_name: Type.String() })),
    line: nullable(
      Type.Object({
        position: Type.Integer({ minimum: 1, description: 'Its position on the team’s waitlist; 1 is next.' }),
        ...LinePlaces.properties,
      }),
    ),
    workers: nullable(Type.Integer({ minimum: 0, description: 'Living processes that could take it.' })),
    worker: nullable(
      Type.Object({ id: Id, host: nullable(Type.String()), pid: nullable(Type.Integer()), since: nullable(Time) }),
    ),
    step: nullable(
      Type.Object({
        seq: Type.Integer(),
        kind: oneOf(['model', 'tool', 'human', 'wait', 'sub_run']),
        name: nullable(Type.String()),
        attempt: Type.Integer({ minimum: 1 }),
        started_at: Time,
        last_error: nullable(Type.String()),
      }),
    ),
    stopped_by: nullable(StoppedBy),
    error: nullable(RunError),
  }),
)
export type RunFacts = Static<typeof RunFacts>

/** Columns of a run that it does not show. */
interface Inside {
  worker: string | null
  worker_pool: string | null
  admitted_at: Date | null
  queued_at: Date | null
  is_woken: boolean
  due_at: Date | null
  running_since: Date | null
}

export interface Explained extends RunFacts {
  /** It holds a place of its team. */
  isAdmitted: boolean
  /** The pool of workers that its build asks for. */
  pool: string | null
}

export async function factsOf(sql: Sql, run: Run): Promise<Explained> {
  const inside = await one(sql<Inside>`
    select worker, worker_pool, admitted_at, queued_at, is_woken, due_at, running_since from runs where id = ${run.id} and team_id = ${run.team_id}`)
  const { worker, worker_pool, admitted_at, queued_at, due_at } = inside
  const isActive = run.completed_at === null
  const request = run.status === 'waiting' ? await requestOf(sql, run) : null
  return {
    since: sinceOf(run, inside),
    // one that waits for something else may be woken by the clock for another call of the turn
    until: request?.expires_at ?? (run.waiting_on?.kind === 'time' ? due_at : null),
    ended_by: null,
    waiting_on: run.waiting_on === null ? null : { kind: run.waiting_on.kind, detail: run.waiting_on.detail },
    human_request: request,
    guardrail: guardrailOf(run),
    sub_run: run.waiting_on?.kind === 'sub_run' ? await subRunOf(sql, run) : null,
    line: queued_at === null ? null : await lineOf(sql, run),
    workers: isActive && worker === null ? await workersOf(sql, { worker_pool, team_id: run.team_id }) : null,
    worker: worker === null ? null : await workerOf(sql, worker, inside.running_since),
    step: isActive ? await openStepOf(sql, run.id) : null,
    stopped_by: run.status === 'stopped' ? await stopperOf(sql, run) : null,
    error: run.error,
    isAdmitted: admitted_at !== null,
    pool: worker_pool,
  }
}

function sinceOf(run: Run, { queued_at, admitted_at, running_since }: Inside): Date | string | null {
  if (run.completed_at !== null) return run.completed_at
  if (run.status === 'running') return running_since ?? run.started_at
  return run.waiting_on?.since ?? queued_at ?? admitted_at ?? run.created_at
}

function guardrailOf({ waiting_on }: Run): RunFacts['guardrail'] {
  const { reason, rule, version } = (waiting_on?.detail ?? {}) as { reason?: string; rule?: RuleName; version?: number }
  return reason === 'guardrail' && rule !== undefined && version !== undefined ? { rule, version } : null
}

type RequestFacts = NonNullable<RunFacts['human_request']>

async function requestOf(sql: Sql, run: Run): Promise<RequestFacts | null> {
  const [request] = await sql<RequestFacts & Pick<HumanRequest, 'expires_at'>>`
    select h.id, h.type, h.title, h.assignee_user_id, m.name as assignee_name, h.expires_at, h.on_timeout, h.approvals_needed,
      jsonb_array_length(${countingApprovals(part`h`)}) as approvals
    from human_requests h left join members m on m.id = h.assignee_user_id and m.team_id = h.team_id
    where h.run_id = ${run.id} and h.team_id = ${run.team_id} and h.status = 'pending' order by h.id limit 1`
  return request ?? null
}

async function subRunOf(sql: Sql, run: Run): Promise<RunFacts['sub_run']> {
  const { run_id: id } = run.waiting_on!.detail as { run_id?: string }
  const [child] = await sql<NonNullable<RunFacts['sub_run']>>`
    select r.id, r.status, r.title, a.name as agent_name from runs r join agents a on a.id = r.agent_id
    where r.id::text = ${id ?? ''} and r.parent_run_id = ${run.id} and r.team_id = ${run.team_id}`
  return child ?? null
}

/** Woken runs go before new ones, each in the order in which they came. */
async function lineOf(sql: Sql, run: Run): Promise<RunFacts['line']> {
  const [line] = await sql<NonNullable<RunFacts['line']>>`
    select 1 + (
        select count(*) from runs o where o.team_id = r.team_id and o.queued_at is not null
          and (o.is_woken > r.is_woken or (o.is_woken = r.is_woken and (o.queued_at, o.id) < (r.queued_at, r.id)))) as position,
      coalesce(p.held, 0) as places_held, coalesce(p.places, 0) as places_total,
      (select count(*) from runs o where o.team_id = r.team_id and o.agent_id = r.agent_id and o.admitted_at is not null)
        as agent_places_held,
      (b.config #>> '{data,limits,max_concurrent_runs}')::int as agent_places_total
    from runs r join builds b on b.id = r.build_id left join admission p on p.team_id = r.team_id
    where r.id = ${run.id} and r.team_id = ${run.team_id} and r.queued_at is not null`
  return line ?? null
}

/** A process that has not reported yet, or of an older version, takes all runs. */
async function workersOf(sql: Sql, run: { worker_pool: string | null; team_id: string }): Promise<number> {
  const alive = await sql<{ pools: WorkerPools | null }>`
    select report -> 'worker_pools' as pools from processes where role in ('all', 'worker')`
  return alive.filter(({ pools }) => serves(pools, run)).length
}

/** A process that is not listed has died or left; its runs are set free within seconds. */
async function workerOf(sql: Sql, id: string, since: Date | null): Promise<RunFacts['worker']> {
  const [process] = await sql<{ host: string; pid: number }>`select host, pid from processes where id = ${id}`
  return { id, host: process?.host ?? null, pid: process?.pid ?? null, since }
}

async function openStepOf(sql: Sql, runId: string): Promise<RunFacts['step']> {
  const [step] = await sql<NonNullable<RunFacts['step']>>`
    select seq, kind, tool as name, greatest(attempt, 1) as attempt, started_at, error as last_error from run_steps
    where run_id = ${runId} and state in ${openStepList} order by seq desc limit 1`
  return step ?? null
}

/** The stop and its cause are written in one transaction, so both have the same time. */
async function stopperOf(sql: Sql, run: Run): Promise<RunFacts['stopped_by']> {
  const found = await one(sql<{ name: string | null; is_asked: boolean; is_parent: boolean; is_agent: boolean }>`
    select m.name, l.id is not null as is_asked,
      exists (select from runs p where p.id = ${run.parent_run_id} and p.team_id = ${run.team_id}
        and p.completed_at = ${run.completed_at}) as is_parent,
      exists (select from agents a where a.id = ${run.agent_id} and a.team_id = ${run.team_id}
        and a.deleted_at = ${run.completed_at}) as is_agent
    from (values (1)) as one left join audit_log l on l.team_id = ${run.team_id} and l.operation = 'stopRun'
      and l.created_at = ${run.completed_at} and l.target_id = ${run.id}
    left join members m on m.id = l.member_id and m.team_id = l.team_id limit 1`)
  const { name, is_asked, is_parent, is_agent } = found
  if (is_asked) return { reason: 'member', name }
  if (is_parent) return { reason: 'parent_run', name: null }
  return is_agent ? { reason: 'agent_deleted', name: null } : null
}
