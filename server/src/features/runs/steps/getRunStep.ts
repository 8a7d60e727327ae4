// Reads one step of a run: all that the ledger has of it, what a crash would do to it now, and what a retry from it would repeat.
import type { Sql } from '../../../base/db.ts'
import { afterCrash, crashOutcomes } from '../../../engine/driving/afterCrash.ts'
import { callIdOf } from '../../../engine/ledger/change.ts'
import { readSeenFiles } from '../../../engine/ledger/seenFiles.ts'
import { operation } from '../../../kit/operation.ts'
import { Id, named, nullable, oneOf, Type, type Static } from '../../../kit/schema.ts'
import type { Run } from '../run.ts'
import { readCuts, readStepsOf, RunStep, Worker } from './step.ts'
import { Moment, momentsOf, type StepRequestDetail } from './stepMoments.ts'
import { retryOf, StepRetry } from './stepRetry.ts'
import { toolOf } from './stepTool.ts'
import { StepWait } from './stepWaits.ts'

const ShownFile = named(
  'ShownFile',
  Type.Object({
    name: Type.String({ examples: ['/workspace/out/chart.png'] }),
    media_type: Type.String({ examples: ['image/png'] }),
    size_bytes: Type.Integer({ minimum: 0 }),
    sha256: Type.String(),
    width: nullable(Type.Integer({ description: 'In pixels; null for a PDF.' })),
    height: nullable(Type.Integer()),
    pages: nullable(Type.Integer({ description: 'Null for a picture, and where they cannot be counted.' })),
  }),
)

const WholeStep = named(
  'WholeRunStep',
  Type.Object({
    ...RunStep.properties,
    key: nullable(
      Type.String({
        description:
          'What the model and outside servers know a call by: run id and step, with a colon between them. Null for a model.',
      }),
    ),
    arguments: Type.Unknown({
      description:
        'As the agent gave them; null for a turn of a model, and once the log is erased. For a step that made room: what it folded, shortened or left out.',
    }),
    result: Type.Unknown({ description: 'Over 64 KiB: its beginning and the file that has all of it.' }),
    error: nullable(Type.String({ description: 'The whole error.' })),
    shown_files: Type.Array(ShownFile, {
      description: 'Pictures and PDF files that came with its result; a model that takes them sees them.',
    }),
    reserved_usd: Type.Number({ description: 'What is set aside for a call of a model that is under way.' }),
    unsettled: Type.Integer({
      minimum: 0,
      description: 'Attempts of a model that may have been answered and paid for although nobody has the answer.',
    }),
    worker: nullable(Worker),
    waits: Type.Array(StepWait),
    moments: Type.Array(Moment, { description: 'What happened to it, in order, as far as it was written down.' }),
    after_crash: nullable(
      oneOf(crashOutcomes, {
        description:
          'What would happen to it if the process died now. `never_again`: it has ended and is never made again. `made_again`: it has not ' +
          'happened, or may be repeated. `checked_first`: its tool looks whether it happened. `asks`: a person decides. `waits`: it still ' +
          'waits. Null: its tool is not known.',
      }),
    ),
    retry: StepRetry,
  }),
)

export const getRunStep = operation({
  id: 'getRunStep',
  client: 'runs.getStep',
  route: 'GET /v2/runs/:run_id/steps/:seq',
  summary: 'Get a step of a run',
  description:
    'One step whole: arguments, result, use, the moments of the ledger (intent, attempts, cuts, doubt, what people decided), what a crash ' +
    'would do to it now, and what a retry from it would repeat.',
  scope: 'runs:read',
  status: 200,
  answer: Type.Object({ step: WholeStep, run_id: Id, seq: Type.Integer({ minimum: 1 }) }),
  errors: ['not_found'],
  async handler({ run, params, context, sql, fail }) {
    const seq = readNumber(params.seq)
    if (seq === undefined) return fail('not_found')
    const { rows, axis } = await readStepsOf(sql, run, { after: seq - 1, limit: 1 })
    const [listed] = rows
    const [whole] = listed ? await readWhole(sql, run, seq) : []
    if (!listed || !whole) return fail('not_found')
    const { row, step } = listed
    const [requests, cuts, workers, retry, files, tool] = await Promise.all([
      readRequests(sql, run, seq),
      readCuts(sql, run.id),
      readWorkers(sql),
      retryOf(sql, run, step),
      row.kind === 'tool' ? readSeenFiles(sql, run.id, seq) : [],
      row.tool !== null && row.kind !== 'model' ? toolOf(context, sql, run, row.tool) : undefined,
    ])
    const { worker, arrived_at, arguments: given, ...kept } = whole
    const about = { ...row, error: whole.error, arrived_at, is_copied: step.is_copied }
    const holder = row.state === 'intent' ? worker : null
    const shown: Static<typeof WholeStep> = {
      ...step,
      ...kept,
      key: row.kind === 'model' ? null : callIdOf(run.id, seq),
      arguments: given,
      shown_files: files.map(({ name, media_type, size_bytes, sha256, width, height, pages }) => {
        return { name, media_type, size_bytes, sha256, width, height, pages }
      }),
      worker:
        holder === null ? null : (workers.find(({ id }) => id === holder) ?? { id: holder, host: null, pid: null }),
      waits: axis.waits,
      moments: momentsOf({ run, step: about, tool, requests, waits: axis.waits, cuts, workers }),
      after_crash: afterCrash(
        { kind: row.kind, state: row.state, attempt: row.attempt, arguments: given },
        tool,
        context,
      ),
      retry,
    }
    return { step: shown, run_id: run.id, seq }
  },
})

/** What is no number of a step names none. */
function readNumber(text: string): number | undefined {
  const number = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0
  return number >= 1 && number <= 2_147_483_647 ? number : undefined
}

interface Whole {
  arguments: unknown
  result: unknown
  error: string | null
  reserved_usd: number
  unsettled: number
  /** The process that has the run. */
  worker: string | null
  arrived_at: string | null
}

/** While a step waits, its row has what it waits for in the column of its result. */
const readWhole = (sql: Sql, run: Run, seq: number): Promise<Whole[]> => sql<Whole>`
  select s.arguments, case when s.state in ('done', 'failed') then s.result end as result, s.error, s.reserved_usd::float8 as reserved_usd,
    s.unsettled, r.worker, s.arrived ->> 'at' as arrived_at
  from runs r join run_steps s on s.run_id = r.id
  where r.id = ${run.id} and r.team_id = ${run.team_id} and s.seq = ${seq}`

/** How many requests of a step are shown: each change of an approved call asks again. */
const requestsMax = 50

const readRequests = async (sql: Sql, run: Run, seq: number): Promise<StepRequestDetail[]> => {
  const rows = await sql<StepRequestDetail>`
    select h.id, h.type, h.title, h.status, h.created_at, h.responded_at, h.responded_by, m.name as responder,
      nullif(h.response ->> 'comment', '') as comment, (h.response ->> 'approved')::boolean as approved,
      coalesce(jsonb_typeof(h.response -> 'values') = 'object', false) as has_values, (
        select left(coalesce(e.value ->> 0, e.value #>> '{}'), 500)
        from jsonb_each(case when jsonb_typeof(h.response -> 'answers') = 'object' then h.response -> 'answers' else '{}' end) e limit 1
      ) as answer
    from human_requests h left join members m on m.id = h.responded_by and m.team_id = h.team_id
    where h.run_id = ${run.id} and h.team_id = ${run.team_id} and h.step = ${seq} order by h.id desc limit ${requestsMax}`
  return rows.toReversed()
}

const readWorkers = (sql: Sql): Promise<Static<typeof Worker>[]> => sql<Static<typeof Worker>>`
  select id, host, pid from processes`
