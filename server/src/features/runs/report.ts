// The execution report of a run: what it did, step by step, what that took, and how it ended.
import { one, type Sql } from '../../base/db.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'
import { spanOf } from './duration.ts'
import { RunStatus, type Run } from './run.ts'
import { filesOf, screenshotsOf } from './runDetail.ts'
import type { StepState } from '../../engine/ledger/change.ts'

const Count = Type.Integer({ minimum: 0 })
const Milliseconds = nullable(Type.Integer({ minimum: 0 }))

const ReportStep = named(
  'ReportStep',
  Type.Object({
    seq: Type.Integer({ minimum: 1 }),
    kind: oneOf(['model', 'tool', 'human', 'wait', 'sub_run']),
    title: Type.String(),
    tool: nullable(Type.String()),
    status: oneOf(['done', 'failed', 'cut_off', 'in_doubt', 'running', 'waiting'], {
      description: '`running` and `waiting` only while the run has not ended.',
    }),
    attempts: Type.Integer({ minimum: 1 }),
    started_at: Time,
    completed_at: nullable(Time),
    duration_ms: Milliseconds,
    input: Type.Unknown({ description: 'Over 16 KiB: the beginning of its text, with a mark.' }),
    output: Type.Unknown({ description: 'Over 16 KiB: the beginning of its text, with a mark.' }),
    error: nullable(Type.String()),
    tokens: nullable(Type.Object({ input: Count, output: Count })),
  }),
)
type ReportStep = Static<typeof ReportStep>

export const Report = named(
  'Report',
  Type.Object({
    run_id: Id,
    agent_id: Id,
    build_id: Id,
    status: RunStatus,
    started_at: nullable(Time),
    completed_at: nullable(Time),
    duration_ms: Milliseconds,
    active_ms: Type.Integer({ minimum: 0 }),
    waiting_ms: Milliseconds,
    steps: Type.Array(ReportStep),
    steps_total: Type.Integer({ minimum: 0, description: 'Of more than 1,000 steps the last 1,000 are in `steps`.' }),
    totals: Type.Object({
      model_calls: Count,
      tool_calls: Count,
      tool_errors: Count,
      retries: Count,
      human_requests: Count,
      files: Count,
      screenshots: Count,
      input_tokens: Count,
      output_tokens: Count,
      cost_usd: Type.Number(),
    }),
    outcome: Type.Object({
      summary: Type.String(),
      failure_class: nullable(Type.String({ description: 'The `code` of the run’s error.' })),
    }),
  }),
)

const stepsMax = 1000
const shownBytesMax = 16 * 1024

interface StepRow {
  seq: number
  kind: ReportStep['kind']
  tool: string | null
  state: StepState
  attempt: number
  title: string | null
  /** The beginning of its JSON, and how many bytes there are in all. */
  input: string | null
  input_bytes: number | null
  output: string | null
  output_bytes: number | null
  error: string | null
  input_tokens: number | null
  output_tokens: number | null
  started_at: Date
  completed_at: Date | null
}

interface Counted {
  steps: number
  model_calls: number
  tool_calls: number
  tool_errors: number
  retries: number
  human_requests: number
  active_ms: number
  now: Date
}

export async function reportOf(sql: Sql, run: Run): Promise<Static<typeof Report>> {
  const counted = await countSteps(sql, run)
  const rows = await readSteps(sql, run.id)
  const files = await filesOf(sql, run)
  const screenshots = await screenshotsOf(sql, run)
  const { steps, active_ms, now, ...counts } = counted
  const end = run.completed_at ?? now
  const duration = run.started_at === null ? null : Math.max(0, +new Date(end) - +new Date(run.started_at))
  const { input_tokens, output_tokens, cost_usd } = run.usage
  return {
    run_id: run.id,
    agent_id: run.agent_id,
    build_id: run.build_id,
    status: run.status,
    started_at: run.started_at,
    completed_at: run.completed_at,
    duration_ms: duration,
    active_ms,
    waiting_ms: duration === null ? null : Math.max(0, duration - active_ms),
    steps: rows.map(stepOf),
    steps_total: steps,
    totals: { ...counts, files, screenshots, input_tokens, output_tokens, cost_usd },
    outcome: { summary: summaryOf(run, steps, duration, active_ms), failure_class: run.error?.code ?? null },
  }
}

async function countSteps(sql: Sql, run: Run): Promise<Counted> {
  const counted = await one(sql<Counted>`
    select s.*, h.human_requests, now() as now,
      r.active_ms + coalesce((extract(epoch from now() - r.running_since) * 1000)::bigint, 0) as active_ms
    from runs r, lateral (
      select count(*) as steps, count(*) filter (where kind = 'model' and coalesce(arguments ->> 'room', '') not in ('drop', 'shorten')) as model_calls,
        count(*) filter (where kind <> 'model') as tool_calls,
        count(*) filter (where kind <> 'model' and state = 'failed') as tool_errors, coalesce(sum(greatest(attempt - 1, 0)), 0) as retries
      from run_steps where run_id = r.id
    ) s, lateral (
      select count(*) as human_requests from human_requests where run_id = r.id and team_id = r.team_id
    ) h
    where r.id = ${run.id} and r.team_id = ${run.team_id}`)
  return counted
}

/** Long inputs and outputs are cut where they lie: neither the database nor this process carries them whole. */
const readSteps = (sql: Sql, runId: string): Promise<StepRow[]> => sql<StepRow>`
  select * from (
    select seq, kind, tool, state, attempt, error, input_tokens, output_tokens, started_at, completed_at,
      left(coalesce(arguments ->> 'title', arguments ->> 'agent', case when kind = 'model' then result ->> 'says' end), 300) as title,
      left(arguments::text, ${shownBytesMax}) as input, octet_length(arguments::text) as input_bytes,
      case when state in ('done', 'failed') then left(result::text, ${shownBytesMax}) end as output,
      case when state in ('done', 'failed') then octet_length(result::text) end as output_bytes
    from run_steps where run_id = ${runId} order by seq desc limit ${stepsMax}
  ) last order by seq`

const statusOf: Record<StepRow['state'], ReportStep['status']> = {
  intent: 'running',
  waiting: 'waiting',
  approval: 'waiting',
  done: 'done',
  failed: 'failed',
  cut_off: 'cut_off',
  in_doubt: 'in_doubt',
}

function stepOf(row: StepRow): ReportStep {
  const isModel = row.kind === 'model'
  return {
    seq: row.seq,
    kind: row.kind,
    title: titleOf(row),
    // a model's step has the model's name where the others have the tool's
    tool: isModel ? null : row.tool,
    status: statusOf[row.state],
    attempts: Math.max(1, row.attempt),
    started_at: row.started_at,
    completed_at: row.completed_at,
    duration_ms: row.completed_at === null ? null : Math.max(0, +row.completed_at - +row.started_at),
    input: shown(row.input, row.input_bytes),
    output: shown(row.output, row.output_bytes),
    error: row.error,
    tokens: row.input_tokens === null ? null : { input: row.input_tokens, output: row.output_tokens ?? 0 },
  }
}

function titleOf({ kind, tool, title }: StepRow): string {
  const name = tool ?? 'unknown'
  if (kind === 'model') return title ?? `Asked ${name}`
  if (kind === 'human') return title === null ? 'Asked a person' : `Asked a person: ${title}`
  if (kind === 'wait') return 'Waited for a time'
  if (kind === 'sub_run') return title === null ? 'Ran another agent' : `Ran ${title}`
  return `Called ${name}`
}

function shown(text: string | null, bytes: number | null): unknown {
  if (text === null || bytes === null) return null
  if (bytes <= shownBytesMax) return JSON.parse(text)
  // a character cut in half becomes U+FFFD, which is dropped
  const beginning = Buffer.from(text)
    .subarray(0, shownBytesMax)
    .toString()
    .replace(/\uFFFD$/, '')
  return `${beginning} … [cut: ${bytes} bytes in all]`
}

function summaryOf(run: Run, steps: number, duration: number | null, active: number): string {
  const work = `${steps} ${steps === 1 ? 'step' : 'steps'}`
  const took = duration === null ? work : `${work} in ${spanOf(duration)}, ${spanOf(active)} of them active`
  const place = run.error?.step ? ` at step ${run.error.step}` : ''
  const sentences: Record<Run['status'], string> = {
    completed: `Completed after ${took}.`,
    failed: `Failed${place} after ${took}: ${run.error?.message ?? 'the reason was not recorded'}`,
    stopped: duration === null ? 'Stopped before it began.' : `Stopped after ${took}.`,
    pending: steps === 0 ? 'Not begun yet.' : `About to continue; ${work} so far.`,
    running: `Not ended yet: running, ${took} so far.`,
    waiting: `Not ended yet: waiting, ${took} so far.`,
  }
  return sentences[run.status]
}
