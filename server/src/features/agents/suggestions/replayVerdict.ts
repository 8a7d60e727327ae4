// What the replay of a suggested draft says: whether the check passes now, and what became worse.
import type { Sql } from '../../../base/db.ts'
import { platformChecks } from '../../../kit/platformChecks.ts'
import type { ListedSuggestion, SuggestionVerdict } from './suggestion.ts'

type Figures = Omit<SuggestionVerdict, 'says' | 'behind_passed'> & { behind_passed: number }

/** Null: there is no replay. */
export async function replayVerdict(
  sql: Sql,
  { id, flag, replay_id }: Pick<ListedSuggestion, 'id' | 'flag' | 'replay_id'>,
  teamId: string,
): Promise<SuggestionVerdict | null> {
  if (replay_id === null) return null
  const [figures] = await sql<Figures>`
    select r.state, r.runs, r.runs_same, r.runs_changed, r.runs_not_replayed,
      round(r.match_sum / nullif(r.runs_same + r.runs_changed + r.runs_not_replayed, 0), 5)::float8 as match,
      trim_scale(r.cost_usd + r.unsettled_usd)::text as cost_usd, one.behind_replayed, one.behind_passed, one.runs_worse
    from replays r, lateral (
      select count(*) filter (where is_behind)::int as behind_replayed,
        count(*) filter (where is_behind and not replayed ? ${flag})::int as behind_passed,
        count(*) filter (where exists (select from jsonb_array_elements_text(replayed) f (flag) where not recorded ? f.flag))::int as runs_worse
      from (
        select h.report #> '{replayed,failed_checks}' as replayed, h.report #> '{recorded,failed_checks}' as recorded,
          exists (select from suggestion_runs s where s.suggestion_id = ${id} and s.run_id = h.run_id) as is_behind
        from replay_runs h where h.replay_id = r.id and h.state = 'done' and h.verdict <> 'not_replayed' and h.report is not null
      ) told
    ) one
    where r.id = ${replay_id} and r.team_id = ${teamId}`
  if (!figures) return null
  // what a model judges is not judged again in a replay
  const behind_passed = Object.hasOwn(platformChecks, flag) ? figures.behind_passed : null
  return { ...figures, behind_passed, says: word({ ...figures, behind_passed }) }
}

function word({
  behind_passed,
  behind_replayed,
  runs_worse,
}: Omit<SuggestionVerdict, 'says'>): SuggestionVerdict['says'] {
  if (behind_passed === null || behind_replayed === 0) return runs_worse > 0 ? 'harms' : 'unknown'
  if (behind_passed > 0) return runs_worse > 0 ? 'mixed' : 'helps'
  return runs_worse > 0 ? 'harms' : 'no_difference'
}
