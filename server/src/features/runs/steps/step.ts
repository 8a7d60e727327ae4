// The steps of a run as a list shows them: light rows, without arguments and results, and what a time axis needs beside them.
import { one, type Sql } from '../../../base/db.ts'
import { oneLine } from '../../../base/oneLine.ts'
import type { StepState } from '../../../engine/ledger/change.ts'
import type { StepMoment } from '../../../engine/ledger/moments.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../../kit/schema.ts'
import { stepKinds, type requestStatuses } from '../../../kit/states.ts'
import { pageBytesMax } from '../../../kit/pageBytes.ts'
import { RunStatus, type Run } from '../run.ts'
import {
  detailOf,
  errorLengthMax,
  shownLengthMax,
  tellingArguments,
  titleOf,
  type Asked,
  type StartedRun,
  type Told,
} from './stepDetail.ts'
import { waitedMs, waitsOf, StepWait } from './stepWaits.ts'

const Count = Type.Integer({ minimum: 0 })

export const RunStep = named(
  'RunStep',
  Type.Object({
    seq: Type.Integer({ minimum: 1 }),
    turn: Type.Integer({ minimum: 0, description: 'The turn of the model that it belongs to.' }),
    kind: oneOf(stepKinds),
    name: nullable(Type.String({ description: 'Of the tool; for `model` of the model.', examples: ['http_request'] })),
    title: Type.String({ maxLength: shownLengthMax, description: 'What to call it in a list.' }),
    detail: nullable(
      Type.String({
        maxLength: shownLengthMax,
        description:
          'A few words of what it did: the beginning of what a model said, the argument that tells most of a call, an answer. Queries of ' +
          'addresses are left out.',
        examples: ['GET /orders/88214'],
      }),
    ),
    status: oneOf(['done', 'failed', 'cut_off', 'in_doubt', 'running', 'waiting'], {
      description: '`running` and `waiting` only while the run has not ended.',
    }),
    waits_for: nullable(
      oneOf(['human', 'time', 'connection', 'sub_run'], { description: 'While it waits or is in doubt: for what.' }),
    ),
    attempts: Type.Integer({ minimum: 1 }),
    started_at: Time,
    completed_at: nullable(Time),
    duration_ms: nullable(Type.Integer({ minimum: 0, description: 'From its beginning to its end, waits included.' })),
    waited_ms: nullable(Type.Integer({ minimum: 0, description: 'How long of that it waited; null: it did not.' })),
    tokens: nullable(Type.Object({ input: Count, output: Count })),
    cost_usd: nullable(Type.Number()),
    room: nullable(
      oneOf(['drop', 'shorten', 'fold'], {
        description:
          'For a step of `model` that is no turn: it made room in the window of the model. `drop`: old pictures and PDF files are not shown to ' +
          'it any more. `shorten`: old results are shown to it shortened. ' +
          '`fold`: it wrote notes in place of old turns.',
      }),
    ),
    sub_run_id: nullable(Type.Unsafe<string>({ ...Id, description: 'The run that it started.' })),
    human_request_id: nullable(Type.Unsafe<string>({ ...Id, description: 'Its newest request to a person.' })),
    screenshots: Count,
    error: nullable(Type.String({ maxLength: errorLengthMax, description: 'The beginning of its error.' })),
    is_copied: Type.Boolean({ description: 'It comes with its result from the run that this one retries.' }),
  }),
)
export type RunStep = Static<typeof RunStep>

export const Worker = named(
  'StepWorker',
  Type.Object(
    { id: Id, host: nullable(Type.String()), pid: nullable(Type.Integer()) },
    { description: 'A process. Host and pid are known while it is listed, and from the moment when it lost a run.' },
  ),
)

export const cutReasons = ['died', 'left', 'gave_back'] as const

const Cut = named(
  'RunCut',
  Type.Object({
    at: Time,
    reason: oneOf(cutReasons, {
      description:
        '`died`: the process died. `left`: it was gone without giving the run back. `gave_back`: it stopped, or could not continue, in the ' +
        'middle of a step.',
    }),
    worker: Worker,
    steps: Type.Array(Type.Object({ seq: Type.Integer(), attempt: Type.Integer() }), {
      description: 'The steps that were begun and had no outcome.',
    }),
  }),
)

export const Axis = named(
  'RunAxis',
  Type.Object({
    status: RunStatus,
    created_at: Time,
    started_at: nullable(Time),
    completed_at: nullable(Time),
    active_ms: Count,
    now: Type.Unsafe<Date | string>({
      ...Time,
      description: 'The time of the server, up to which open bars are drawn.',
    }),
    waits: Type.Array(StepWait, { description: 'The waits of the steps of this page, for folding them.' }),
    cuts: Type.Array(Cut, {
      description: 'Each time that a process lost the run while it worked on it; of more than 200 the newest.',
    }),
  }),
)
type Axis = Static<typeof Axis>

const cutsMax = 200

/** A step as it is read. */
interface StepRow extends Told {
  seq: number
  state: StepState
  attempt: number
  started_at: Date
  completed_at: Date | null
  input_tokens: number | null
  output_tokens: number | null
  cost_usd: number | null
  error: string | null
  moments: StepMoment[] | null
  waits_for: RunStep['waits_for']
  sub_run_id: string | null
}

/**
 * Finds steps by their numbers: page 1,000 costs what the first one does. Arguments are opened only while those of the page are 4 MiB together as they
 * are stored; the steps after that have no detail.
 */
const readRows = (sql: Sql, runId: string, { after, limit }: Range): Promise<StepRow[]> => sql<StepRow>`
  select s.seq, s.turn, s.kind, s.tool, s.state, s.attempt, s.started_at, s.completed_at, s.input_tokens, s.output_tokens,
    s.cost_usd::float8 as cost_usd, left(s.error, ${errorLengthMax * 2}) as error, s.said, s.moments,
    case when s.state = 'waiting' then s.result #>> '{waiting_on,kind}' when s.state in ('approval', 'in_doubt') then 'human' end as waits_for,
    case when s.kind = 'sub_run' then coalesce(s.result #>> '{waiting_on,detail,run_id}', s.result ->> 'run_id') end as sub_run_id,
    case when s.is_opened and s.kind <> 'model' then (
      select jsonb_object_agg(e.key, left(case when jsonb_typeof(e.value) = 'array' then e.value ->> 0 else e.value #>> '{}' end, 500))
      from jsonb_each(case when jsonb_typeof(s.arguments) = 'object' then s.arguments else '{}' end) e
      where e.key = any(${[...tellingArguments, 'method']}::text[])
        and (jsonb_typeof(e.value) in ('string', 'number') or e.key = 'lines' and jsonb_typeof(e.value -> 0) = 'string')
    ) end as given,
    case when s.kind = 'model' then s.arguments ->> 'room' end as room,
    case when s.kind = 'model' and s.said is null then (
      select string_agg(c.tool, ', ' order by c.seq) from run_steps c
      where c.run_id = s.run_id and c.seq between s.seq + 1 and s.seq + 3 and c.turn = s.turn and c.kind <> 'model'
    ) end as calls
  from (
    select *, coalesce(sum(pg_column_size(arguments)) over (order by seq), 0) <= ${pageBytesMax}::bigint as is_opened
    from run_steps where run_id = ${runId} and seq > ${after} and seq <= ${after}::bigint + ${limit}
  ) s order by s.seq`

interface Range {
  after: number
  limit: number
}

interface StepRequest extends Asked {
  id: string
  step: number
  type: string
  created_at: Date
  responded_at: Date | null
  status: (typeof requestStatuses)[number]
}

const readRequests = (sql: Sql, run: Run, { after, limit }: Range): Promise<StepRequest[]> => sql<StepRequest>`
  select id, step, type, status, created_at, responded_at, (response ->> 'approved')::boolean as approved,
    coalesce(jsonb_typeof(response -> 'values') = 'object', false) as has_values, (
      select left(coalesce(e.value ->> 0, e.value #>> '{}'), 500)
      from jsonb_each(case when jsonb_typeof(response -> 'answers') = 'object' then response -> 'answers' else '{}' end) e limit 1
    ) as answer
  from human_requests where run_id = ${run.id} and team_id = ${run.team_id} and step > ${after} and step <= ${after}::bigint + ${limit}
  order by id`

interface Child extends StartedRun {
  id: string
  parent_step: number | null
}

/** Runs that began before steps were noted with them are found by the ids that the steps have. */
async function readChildren(sql: Sql, run: Run, { after, limit }: Range, rows: StepRow[]): Promise<Child[]> {
  const started = rows.filter(({ kind }) => kind === 'sub_run')
  if (started.length === 0) return []
  const ids = started.flatMap(({ sub_run_id }) => sub_run_id ?? [])
  return sql<Child>`
    select r.id, r.parent_step, r.run_number, r.status, a.name as agent_name from runs r join agents a on a.id = r.agent_id
    where r.parent_run_id = ${run.id} and r.team_id = ${run.team_id}
      and (r.parent_step > ${after} and r.parent_step <= ${after}::bigint + ${limit} or r.id = any(${ids}::uuid[]))`
}

async function readPictures(sql: Sql, run: Run, { after, limit }: Range): Promise<Map<number, number>> {
  if (run.browser_session_id === null) return new Map()
  const rows = await sql<{ step: number; pictures: number }>`
    select step, count(*) as pictures from browser_screenshots
    where run_id = ${run.id} and team_id = ${run.team_id} and step > ${after} and step <= ${after}::bigint + ${limit} group by step`
  return new Map(rows.map(({ step, pictures }) => [step, pictures]))
}

export interface CutRow {
  at: Date
  reason: (typeof cutReasons)[number]
  worker: string
  host: string | null
  pid: number | null
  steps: [number, number][]
}

/** The newest cuts of a run, in order. */
export async function readCuts(sql: Sql, runId: string): Promise<CutRow[]> {
  const rows = await sql<CutRow>`
    select at, reason, worker, host, pid, steps from run_cuts where run_id = ${runId} order by epoch desc limit ${cutsMax}`
  return rows.toReversed()
}

interface RunNow extends Omit<Axis, 'waits' | 'cuts' | 'now'> {
  now: Date
  total: number
  copied_steps: number
}

const readRun = (sql: Sql, run: Run): Promise<RunNow> =>
  one(sql<RunNow>`
    select r.status, r.created_at, r.started_at, r.completed_at, now() as now, coalesce(r.copied_steps, 0) as copied_steps,
      r.active_ms + coalesce((extract(epoch from now() - r.running_since) * 1000)::bigint, 0) as active_ms,
      coalesce((select s.seq from run_steps s where s.run_id = r.id order by s.seq desc limit 1), 0) as total
    from runs r where r.id = ${run.id} and r.team_id = ${run.team_id}`)

interface StepsRead {
  /** Each with the row that it was made from, and its requests. */
  rows: { row: StepRow; step: RunStep; requests: StepRequest[] }[]
  total: number
  axis: Axis
}

/** The steps with the numbers after `after`, at most `limit` of them. */
export async function readStepsOf(sql: Sql, run: Run, range: Range): Promise<StepsRead> {
  const [rows, requests, pictures, cuts, now] = await Promise.all([
    readRows(sql, run.id, range),
    readRequests(sql, run, range),
    readPictures(sql, run, range),
    readCuts(sql, run.id),
    readRun(sql, run),
  ])
  const children = await readChildren(sql, run, range, rows)
  const requestsOf = Map.groupBy(requests, ({ step }) => step)
  const waits: StepWait[] = []
  const read = rows.map((row) => {
    const own = requestsOf.get(row.seq) ?? []
    const child = children.find(({ id, parent_step }) => parent_step === row.seq || id === row.sub_run_id)
    const waited = waitsOf({ ...row, sub_run_id: child?.id ?? row.sub_run_id }, own)
    waits.push(...waited)
    const step = stepOf(row, {
      requests: own,
      waited: waitedMs(waited, now.now),
      child,
      pictures: pictures.get(row.seq) ?? 0,
      isCopied: row.seq <= now.copied_steps,
    })
    return { row, step, requests: own }
  })
  const { total, copied_steps: _copied, ...axis } = now
  return { rows: read, total, axis: { ...axis, waits, cuts: cuts.map(cutOf) } }
}

const cutOf = ({ worker, host, pid, steps, ...cut }: CutRow): Static<typeof Cut> => ({
  ...cut,
  worker: { id: worker, host, pid },
  steps: steps.map(([seq, attempt]) => ({ seq, attempt })),
})

const statusOf: Record<StepState, RunStep['status']> = {
  intent: 'running',
  waiting: 'waiting',
  approval: 'waiting',
  done: 'done',
  failed: 'failed',
  cut_off: 'cut_off',
  in_doubt: 'in_doubt',
}

interface Around {
  requests: StepRequest[]
  waited: number | null
  child: Child | undefined
  pictures: number
  isCopied: boolean
}

function stepOf(row: StepRow, { requests, waited, child, pictures, isCopied }: Around): RunStep {
  const { started_at, completed_at, input_tokens, output_tokens } = row
  const request = requests.at(-1)
  return {
    seq: row.seq,
    turn: row.turn,
    kind: row.kind,
    name: row.tool,
    title: titleOf(row, child),
    detail: detailOf(row, child, request),
    status: statusOf[row.state],
    waits_for: row.waits_for,
    attempts: Math.max(1, row.attempt),
    started_at,
    completed_at,
    duration_ms: completed_at === null ? null : Math.max(0, +completed_at - +started_at),
    waited_ms: waited,
    tokens: input_tokens === null ? null : { input: input_tokens, output: output_tokens ?? 0 },
    cost_usd: row.cost_usd,
    room: row.room,
    sub_run_id: child?.id ?? row.sub_run_id,
    human_request_id: request?.id ?? null,
    screenshots: pictures,
    error: row.error === null ? null : oneLine(row.error, errorLengthMax),
    is_copied: isCopied,
  }
}
