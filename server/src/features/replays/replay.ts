// A replay: a build, as it was at the start, replayed against the recordings of a set; and one run of it.
import { part } from '../../base/db.ts'
import { amountPattern } from '../../engine/ledger/money.ts'
import { resource } from '../../kit/resources.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'
import { ReplayReport } from './replaying/report.ts'

const Money = Type.String({ description: 'Decimal text.', examples: ['1.25'] })
const Share = Type.Number({ minimum: 0, maximum: 1 })

export const replayFields = {
  max_cost_usd: Type.String({
    pattern: amountPattern,
    maxLength: 20,
    description: 'What its model calls may cost, as decimal text. Checked before each call.',
    examples: ['2.50'],
  }),
}

const replayStates = ['running', 'completed', 'cancelled'] as const

export const Replay = named(
  'Replay',
  Type.Object({
    id: Id,
    agent_id: Id,
    build_id: Id,
    replay_set_id: Id,
    set_version: Type.Integer({ minimum: 0, description: 'The version of the set when the replay began.' }),
    state: oneOf(replayStates),
    max_cost_usd: nullable(Money),
    cost_usd: Money,
    unsettled_calls: Type.Integer({
      minimum: 0,
      description: 'Model calls that were cut off: they may have been paid for, and were made again.',
    }),
    unsettled_usd: Money,
    input_tokens: Type.Integer({ minimum: 0 }),
    output_tokens: Type.Integer({ minimum: 0 }),
    runs: Type.Integer({ minimum: 0, description: 'How many recorded runs it replays.' }),
    runs_done: Type.Integer({ minimum: 0 }),
    runs_same: Type.Integer({
      minimum: 0,
      description: 'The same calls in the same order, the same end and the same output.',
    }),
    runs_changed: Type.Integer({ minimum: 0 }),
    runs_not_replayed: Type.Integer({ minimum: 0, description: 'Each says why, and counts as a match of 0.' }),
    match: nullable(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'The mean match of its runs; null before the first is done.',
      }),
    ),
    recorded_cost_usd: Money,
    recorded_model_ms: Type.Integer({ minimum: 0 }),
    model_ms: Type.Integer({ minimum: 0, description: 'How long models took.' }),
    recorded_score: nullable(Share),
    score: nullable(Type.Number({ minimum: 0, maximum: 1, description: 'The mean share of the checks that passed.' })),
    started_by: nullable(Id),
    created_at: Time,
    completed_at: nullable(Time),
  }),
)
export type Replay = Static<typeof Replay>

const done = part`(r.runs_same + r.runs_changed + r.runs_not_replayed)`

export const replayColumns = part`
  r.id, r.agent_id, r.build_id, r.set_id as replay_set_id, r.set_version, r.state, trim_scale(r.max_cost_usd)::text as max_cost_usd,
  trim_scale(r.cost_usd)::text as cost_usd, r.unsettled_calls, trim_scale(r.unsettled_usd)::text as unsettled_usd, r.input_tokens,
  r.output_tokens, r.runs, ${done} as runs_done, r.runs_same, r.runs_changed, r.runs_not_replayed,
  round(r.match_sum / nullif(${done}, 0), 5)::float8 as match, trim_scale(r.recorded_cost_usd)::text as recorded_cost_usd,
  r.recorded_model_ms, r.model_ms, round(r.recorded_score_sum / nullif(r.scored, 0), 5)::float8 as recorded_score,
  round(r.score_sum / nullif(r.scored, 0), 5)::float8 as score, r.started_by, r.created_at, r.completed_at`

export const verdicts = ['same', 'changed', 'not_replayed'] as const

const listedFields = {
  id: Id,
  replay_id: Id,
  run_id: Id,
  run_number: Type.Integer(),
  run_title: Type.String(),
  state: oneOf(['pending', 'done']),
  verdict: nullable(oneOf(verdicts)),
  match: nullable(Share),
  reason: nullable(Type.String({ description: 'Why it was not replayed, or why it has no report.' })),
  findings: Type.Integer({ minimum: 0, description: 'How many the report has.' }),
  unsettled_calls: Type.Integer({ minimum: 0 }),
  cost_usd: Money,
  completed_at: nullable(Time),
}

export const ListedReplayRun = named('ListedReplayRun', Type.Object(listedFields))
export type ListedReplayRun = Static<typeof ListedReplayRun>

export const ReplayRun = named(
  'ReplayRun',
  Type.Object({
    ...listedFields,
    report: nullable(ReplayReport),
  }),
)
export type ReplayRun = Static<typeof ReplayRun>

export const listedRunColumns = part`
  h.id, h.replay_id, h.run_id, h.run_number, h.run_title, h.state, h.verdict, h.match::float8 as match, h.reason, h.findings,
  h.unsettled_calls, trim_scale(h.cost_usd)::text as cost_usd, h.completed_at`

export const replayResource = resource(
  'replay',
  (sql, id, teamId) => sql<Replay>`select ${replayColumns} from replays r where r.id = ${id} and r.team_id = ${teamId}`,
)

export const replayRunResource = resource(
  'replay_run',
  (sql, id, teamId) => sql<ReplayRun>`
    select ${listedRunColumns}, h.report from replay_runs h where h.id = ${id} and h.team_id = ${teamId}`,
)

declare module '../../kit/resources.ts' {
  interface Resources {
    replay: Replay
    replay_run: ReplayRun
  }
}
