// A suggestion with all that a person needs to decide: the diff, the runs behind it, and what the replay says.
import type { Sql } from '../../../base/db.ts'
import { canonicalHash } from '../../../engine/builds/canonicalHash.ts'
import type { Context } from '../../../kit/context.ts'
import type { Caller } from '../../../kit/credential.ts'
import { Id, Type, type Static } from '../../../kit/schema.ts'
import { teamTimeOf } from '../../../kit/teamTime.ts'
import type { BuilderQuestion } from '../builder/builderRun.ts'
import type { Build } from '../builds/build.ts'
import { diffBuilds } from '../builds/buildDiff.ts'
import { replayVerdict } from './replayVerdict.ts'
import { Suggestion, type SuggestionRow, type SuggestionRun } from './suggestion.ts'

export const SuggestionAnswer = Type.Object({ suggestion: Suggestion, suggestion_id: Id })

type Compared = Pick<Build, 'id' | 'config' | 'revision_number'>

interface Asked {
  sql: Sql
  context: Context
  caller: Caller
}

export async function suggestionAnswer(row: SuggestionRow, asked: Asked): Promise<Static<typeof SuggestionAnswer>> {
  const { sql, context, caller } = asked
  const { team_id: teamId, scopes } = caller
  const { config_hash, ...listed } = row
  const runs = await sql<SuggestionRun>`
    select run_id, run_number, run_title, run_ended_at, comment from suggestion_runs
    where suggestion_id = ${row.id} and team_id = ${teamId} order by run_ended_at desc, run_id`
  const builds = await sql<Compared>`
    select id, config, revision_number from builds
    where id = any(${[row.base_build_id, row.draft_build_id]}::uuid[]) and team_id = ${teamId}`
  const base = builds.find(({ id }) => id === row.base_build_id)
  const draft = builds.find(({ id }) => id === row.draft_build_id)!
  const [asks] = await sql<{ questions: BuilderQuestion[] | null }>`
    select pending_user_questions -> 'questions' as questions from builder_runs
    where id = ${row.builder_run_id} and team_id = ${teamId} and status = 'waiting'`
  const suggestion = {
    ...listed,
    runs: runs.map((run) => ({
      ...run,
      run_title: scopes.has('runs:read') ? run.run_title : null,
      comment: scopes.has('evals:read') ? run.comment : null,
    })),
    diff: teamTimeOf(context).piece(teamId, () => diffBuilds(base, draft)),
    is_changed: config_hash !== null && config_hash !== canonicalHash(draft.config),
    replay: await replayVerdict(sql, row, teamId),
    questions: asks?.questions ?? [],
  }
  return { suggestion, suggestion_id: row.id }
}
