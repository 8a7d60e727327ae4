// A suggestion: a draft that the builder made because a check failed again and again, with its replay, for a person to decide.
import { part, type Sql } from '../../../base/db.ts'
import { resource } from '../../../kit/resources.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../../kit/schema.ts'
import { BuilderQuestion } from '../builder/builderRun.ts'
import { BuildDiff } from '../builds/buildDiff.ts'

const openStates = ['drafting', 'replaying', 'open'] as const
export const suggestionStates = [...openStates, 'accepted', 'rejected', 'stale', 'failed'] as const

/** SQL condition over `suggestions g`: nobody and nothing has decided it. The index with the same condition allows one per agent and check. */
export const isUndecided = part`g.state in ('drafting', 'replaying', 'open')`

const Count = Type.Integer({ minimum: 0 })

const listedFields = {
  id: Id,
  agent_id: Id,
  flag: Type.String({ description: 'The check, as evaluations name it.', examples: ['ended_by_itself'] }),
  label: Type.String({ examples: ['Ended by itself'] }),
  state: oneOf(suggestionStates, {
    description:
      '`drafting`: the builder works, or asks. `replaying`: the draft is replayed. `open`: a person decides. `stale`: another build became live before anybody decided. ' +
      '`failed`: there is no draft, and `reason` says why.',
  }),
  failed_runs: Type.Integer({ minimum: 1, description: 'In how many of `of_runs` runs the check failed.' }),
  of_runs: Type.Integer({ minimum: 1, description: 'How many of the last runs of the live build were looked at.' }),
  base_build_id: Type.Unsafe<string>({ ...Id, description: 'The live build whose runs failed.' }),
  draft_build_id: Type.Unsafe<string>({ ...Id, description: 'The draft that would take its place.' }),
  draft_revision_number: Type.Integer({ minimum: 1 }),
  builder_run_id: Id,
  replay_id: nullable(Id),
  replay_problem: nullable(Type.String({ description: 'Why the draft was not replayed.' })),
  reason: nullable(Type.String({ description: 'Why it was rejected, or why it failed.' })),
  decided_by: nullable(Id),
  decided_at: nullable(Time),
  created_at: Time,
  updated_at: Time,
}

export const ListedSuggestion = named('ListedSuggestion', Type.Object(listedFields))
export type ListedSuggestion = Static<typeof ListedSuggestion>

const SuggestionRun = named(
  'SuggestionRun',
  Type.Object({
    run_id: Id,
    run_number: Type.Integer(),
    run_title: nullable(Type.String({ description: 'Null for credentials without `runs:read`.' })),
    run_ended_at: Time,
    comment: nullable(
      Type.String({ description: 'What the check said of it. Null for credentials without `evals:read`.' }),
    ),
  }),
)
export type SuggestionRun = Static<typeof SuggestionRun>

export const SuggestionVerdict = named(
  'SuggestionVerdict',
  Type.Object({
    state: oneOf(['running', 'completed', 'cancelled']),
    says: oneOf(['helps', 'mixed', 'no_difference', 'harms', 'unknown'], {
      description:
        '`helps`: the check passes in at least one run behind the suggestion, and `runs_worse` is 0. `mixed`: it passes in at least one, and `runs_worse` is above 0. ' +
        '`no_difference`: it passes in none, and `runs_worse` is 0. `harms`: `runs_worse` is above 0, and it passes in none or nobody can say. `unknown`: `runs_worse` is 0, and ' +
        'nobody can say: no run behind the suggestion was replayed, or only a judge decides the check.',
    }),
    runs: Type.Integer({ minimum: 0, description: 'How many recorded runs the draft is replayed against.' }),
    runs_same: Count,
    runs_changed: Count,
    runs_not_replayed: Count,
    match: nullable(Type.Number({ minimum: 0, maximum: 1 })),
    behind_replayed: Type.Integer({
      minimum: 0,
      description: 'How many of the runs behind the suggestion were replayed.',
    }),
    behind_passed: nullable(
      Type.Integer({
        minimum: 0,
        description: 'In how many of them the check passes now. Null: only a judge could say.',
      }),
    ),
    runs_worse: Type.Integer({
      minimum: 0,
      description: 'In how many runs a check fails that passed when they were recorded.',
    }),
    cost_usd: Type.String({ description: 'What the models of the replay cost, as decimal text.' }),
  }),
)
export type SuggestionVerdict = Static<typeof SuggestionVerdict>

export const Suggestion = named(
  'Suggestion',
  Type.Object({
    ...listedFields,
    runs: Type.Array(SuggestionRun, {
      description: 'The runs behind it, newest first. Those that were deleted are not among them.',
    }),
    diff: BuildDiff,
    is_changed: Type.Boolean({
      description:
        'Somebody changed the draft after its replay began. Then it cannot be accepted, but promoted like any draft.',
    }),
    replay: nullable(SuggestionVerdict),
    questions: Type.Array(BuilderQuestion, {
      description: 'What the builder asks. resumeBuilderRun answers; the suggestion waits until then.',
    }),
  }),
)

/** Over `suggestions g`. */
export const listedColumns = part`
  g.id, g.agent_id, g.flag, g.label, g.state, g.failed_runs, g.of_runs, g.base_build_id, g.draft_build_id,
  (select b.revision_number from builds b where b.id = g.draft_build_id) as draft_revision_number, g.builder_run_id, g.replay_id,
  g.replay_problem, g.reason, g.decided_by, g.decided_at, g.created_at, g.updated_at`

/** One as its row has it, with what only the service needs. */
export interface SuggestionRow extends ListedSuggestion {
  config_hash: string | null
}

/** A suggestion for a deleted agent is not found. */
const findSuggestion = (sql: Sql, id: string, teamId: string): Promise<SuggestionRow[]> => sql<SuggestionRow>`
  select ${listedColumns}, g.config_hash from suggestions g join agents a on a.id = g.agent_id and a.deleted_at is null
  where g.id = ${id} and g.team_id = ${teamId}`

export const suggestionResource = resource('suggestion', findSuggestion)

declare module '../../../kit/resources.ts' {
  interface Resources {
    suggestion: SuggestionRow
  }
}
