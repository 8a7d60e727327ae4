// A drill: workers that are killed on purpose while runs of a scratch team are under way, and what that cost. It must be nothing.
import { part } from '../../../base/db.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../../kit/schema.ts'

const Count = (description?: string) => Type.Integer({ minimum: 0, ...(description && { description }) })

/** How large a drill may be. */
export const drillBounds = { runs: { min: 1, max: 5000, usual: 200 }, kills: { min: 0, max: 500, usual: 20 } }

export const drillFields = {
  runs: Type.Integer({
    minimum: drillBounds.runs.min,
    maximum: drillBounds.runs.max,
    description: 'How many runs are started.',
    examples: [drillBounds.runs.usual],
  }),
  kills: Type.Integer({
    minimum: drillBounds.kills.min,
    maximum: drillBounds.kills.max,
    description: 'How many workers are killed; the drill starts a new one for each.',
    examples: [drillBounds.kills.usual],
  }),
}

const drillStates = ['requested', 'running', 'held', 'failed', 'stopped', 'broken_off'] as const

const DrillProgress = named(
  'DrillProgress',
  Type.Object({
    phase: oneOf(['preparing', 'killing', 'settling', 'erasing'], {
      description: 'Settling: no more is started or killed, and what is under way ends.',
    }),
    runs_started: Count(),
    runs_ended: Count(),
    kills: Count(),
    deliveries: Count('Events that have arrived at the receiver.'),
  }),
)
export type DrillProgress = Static<typeof DrillProgress>

const DrillFinding = named(
  'DrillFinding',
  Type.Object({
    what: Type.String({ examples: ['finished call repeated'] }),
    detail: Type.String({ description: 'The call, the run or the event, and what was seen of it.' }),
  }),
)
export type DrillFinding = Static<typeof DrillFinding>

const DrillResult = named(
  'DrillResult',
  Type.Object({
    holds: Type.Boolean({ description: 'Whether every count that must be zero is zero.' }),
    verdict: Type.String({ description: 'The same in a sentence.' }),
    took_ms: Count(),
    runs_started: Count('Without the sub-run that each of them starts.'),
    runs_lost: Count('Must be 0: runs and sub-runs that did not end as they should.'),
    kills: Count(),
    kills_between: Count('Kills that found a call between its intent and its result.'),
    calls: Count('Calls to the counter, as the runs recorded them.'),
    calls_retried: Count('Came twice, as their rule allows: a GET that was cut off.'),
    finished_calls_repeated: Count('Must be 0: came again after their result was recorded.'),
    calls_doubled: Count('Must be 0: came more often than their rule allows.'),
    calls_missing: Count('Must be 0: have a result and never came.'),
    in_doubt_asked: Count('Calls that were cut off and may not be repeated: a person was asked what became of them.'),
    approvals: Count('Requests for an approval that were answered.'),
    takeovers: Count('Runs of killed workers that another one took over.'),
    takeover_p50_ms: nullable(Count()),
    takeover_p99_ms: nullable(Count()),
    deliveries: Count('Events that the receiver had to get. It was away for a while.'),
    deliveries_lost: Count('Must be 0.'),
    deliveries_repeated: Count('Came again with the same bytes, as a delivery may that was cut off.'),
    deliveries_changed: Count('Must be 0: came again with other bytes.'),
    memory_writes: Count(),
    memory_missing: Count('Must be 0: writes without a generation of the file.'),
    records_broken: Count('Must be 0: runs without exactly one end, gaps in numbers, second results, steps left open.'),
    findings: Type.Array(DrillFinding, { description: 'What is not as it must be, the first fifty.' }),
    erased_runs: Count(),
    rows_left: Count('Rows of the scratch team that could not be erased. Must be 0.'),
  }),
)
export type DrillResult = Static<typeof DrillResult>

export const Drill = named(
  'Drill',
  Type.Object({
    id: Id,
    state: oneOf(drillStates, {
      description:
        'Held: all zeros. Failed: something was not zero. Broken off: it did not come to a result, and `problem` says why.',
    }),
    ...drillFields,
    requested_by: nullable(Type.Unsafe<string>({ ...Id, description: 'The member; null: the command line.' })),
    requested_at: Time,
    started_at: nullable(Time),
    ended_at: nullable(Time),
    stop_asked_at: nullable(Time),
    is_erased: Type.Boolean({ description: 'Whether nothing of its scratch team is left, if it had one.' }),
    progress: nullable(DrillProgress),
    result: nullable(DrillResult),
    problem: nullable(Type.String()),
  }),
)
export type Drill = Static<typeof Drill>

export const drillColumns = part`
  id, state, runs, kills, requested_by, requested_at, started_at, ended_at, stop_asked_at, is_erased or scratch_team_id is null as is_erased,
  progress, result, problem`
