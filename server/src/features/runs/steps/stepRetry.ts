// What a retry from a step would do: from where, what it would make again, and what that cost the first time.
import { one, type Sql } from '../../../base/db.ts'
import { hasEnded } from '../../../engine/ledger/lifecycle.ts'
import { named, nullable, oneOf, Type, type Static } from '../../../kit/schema.ts'
import { stepKinds } from '../../../kit/states.ts'
import type { Run } from '../run.ts'
import type { RunStep } from './step.ts'

/** How many of the steps that would be made again are named. */
const repeatsMax = 100

export const StepRetry = named(
  'StepRetry',
  Type.Object(
    {
      from_step: nullable(
        Type.Integer({
          minimum: 1,
          description:
            'What to give retryRun: this call, or for a turn of a model the first call of it. Null: there is none.',
        }),
      ),
      allowed: Type.Boolean(),
      reason: nullable(Type.String({ description: 'Why it is not allowed, and what to do.' })),
      repeats: Type.Array(
        Type.Object({ seq: Type.Integer({ minimum: 1 }), kind: oneOf(stepKinds), tool: nullable(Type.String()) }),
        {
          description: `The steps from that turn on, of which the new run has no copy; the first ${repeatsMax}. A model may choose others this time.`,
        },
      ),
      repeats_total: Type.Integer({ minimum: 0 }),
      cost_usd: Type.Number({
        description: 'What these steps cost, with the runs that they started, as far as it is known.',
      }),
    },
    { description: 'What a retry from here would do.' },
  ),
)
type StepRetry = Static<typeof StepRetry>

export async function retryOf(sql: Sql, run: Run, step: Pick<RunStep, 'seq' | 'turn' | 'kind'>): Promise<StepRetry> {
  const found = await one(sql<Found>`
    select coalesce(first.seq, 1) as first_seq, call.seq as first_call, rest.*, r.log_erased_at is not null as is_erased,
      a.deleted_at is not null as is_deleted, r.status, coalesce((
        select sum(c.cost_usd) from runs c where c.parent_run_id = r.id and c.parent_step >= coalesce(first.seq, 1)), 0)::float8 as cost_below
    from runs r join agents a on a.id = r.agent_id
    left join lateral (
      select s.seq + 1 as seq from run_steps s
      where s.run_id = r.id and s.seq < ${step.seq} and s.turn < ${step.turn} order by s.seq desc limit 1) first on true
    left join lateral (
      select s.seq from run_steps s
      where s.run_id = r.id and s.seq >= coalesce(first.seq, 1) and s.turn <= ${step.turn} and s.kind <> 'model'
      order by s.seq limit 1) call on true
    cross join lateral (
      select count(*) as total, coalesce(sum(s.cost_usd), 0)::float8 as cost from run_steps s
      where s.run_id = r.id and s.seq >= coalesce(first.seq, 1)) rest
    where r.id = ${run.id} and r.team_id = ${run.team_id}`)
  const repeats = await sql<StepRetry['repeats'][number]>`
    select seq, kind, case when kind <> 'model' then tool end as tool from run_steps
    where run_id = ${run.id} and seq >= ${found.first_seq} order by seq limit ${repeatsMax}`
  const from_step = step.kind === 'model' ? found.first_call : step.seq
  const reason = refusalOf(run, found, from_step)
  return {
    from_step,
    allowed: reason === null,
    reason,
    repeats,
    repeats_total: found.total,
    cost_usd: found.cost + found.cost_below,
  }
}

interface Found {
  /** The first step that would not be copied. */
  first_seq: number
  /** The first call of the turn. */
  first_call: number | null
  total: number
  cost: number
  cost_below: number
  is_erased: boolean
  is_deleted: boolean
  status: Run['status']
}

/** The same rules as retryRun's. */
function refusalOf({ source }: Run, { status, is_erased, is_deleted }: Found, fromStep: number | null): string | null {
  if (source === 'artifact') return 'This run worked on an artifact. Refresh the artifact instead.'
  if (!hasEnded(status)) return 'The run has not ended. Stop it first, or wait for its end.'
  if (is_deleted) return 'The agent of this run is deleted, so it cannot run again.'
  if (is_erased) return 'The log of this run was erased after its time. It can only be retried from the start.'
  if (fromStep === null) return 'This turn of the model made no call. A retry begins from a call.'
  return null
}
