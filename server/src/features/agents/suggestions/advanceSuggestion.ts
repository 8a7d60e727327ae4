// Brings a suggestion forward by one step: from the builder's proposal to its replay, and from there to a person.
import type { Sql } from '../../../base/db.ts'
import { canonicalHash } from '../../../engine/builds/canonicalHash.ts'
import { latestEnded } from '../../../engine/ending/latestEnded.ts'
import type { Context } from '../../../kit/context.ts'
import { draftReplaysOf } from '../../../kit/registry.ts'
import { takeProposal } from '../builder/takeProposal.ts'
import { findBuild } from '../builds/build.ts'
import { lockSuggestion } from './decide.ts'
import type { SuggestionRow } from './suggestion.ts'

export interface DueSuggestion {
  id: string
  agent_id: string
  team_id: string
}

/** Finds suggestions whose builder run or replay has come to an end. Each goes behind all others, whatever becomes of it. */
export const dueSuggestions = (sql: Sql, limit: number): Promise<DueSuggestion[]> => sql<DueSuggestion>`
  update suggestions set checked_at = clock_timestamp() where id in (
    select g.id from suggestions g
    where g.state in ('drafting', 'replaying') and case g.state
      when 'drafting' then exists (select from builder_runs b where b.id = g.builder_run_id and b.status in ('review', 'completed', 'failed', 'discarded'))
      else not exists (select from replays r where r.id = g.replay_id and r.state = 'running') end
    order by g.checked_at limit ${limit} for no key update skip locked)
  returning id, agent_id, team_id`

/** One transaction: a process that dies in it has changed nothing. */
export async function advanceSuggestion(context: Context, due: DueSuggestion): Promise<void> {
  await context.db.transaction(async (sql) => {
    const suggestion = await lockSuggestion(sql, due, due.team_id)
    if (suggestion?.state === 'drafting') await afterBuilder(context, sql, suggestion, due.team_id)
    if (suggestion?.state === 'replaying') await afterReplay(sql, suggestion, due.team_id)
  })
}

interface Ended {
  status: string
  error: { message: string } | null
  created_by: string
}

async function afterBuilder(context: Context, sql: Sql, suggestion: SuggestionRow, teamId: string): Promise<void> {
  const { id, builder_run_id: builderRunId } = suggestion
  const [builder] = await sql<Ended>`
    select status, error, created_by from builder_runs where id = ${builderRunId} and team_id = ${teamId} for no key update`
  if (builder?.status === 'failed')
    return failSuggestion(sql, { id, teamId }, builder.error?.message ?? 'The builder failed.')
  if (builder?.status === 'discarded') return failSuggestion(sql, { id, teamId }, 'The builder run was discarded.')
  if (builder?.status === 'review') {
    const line = 'Taken into the draft of a suggestion, without triggers.'
    await takeProposal(sql, { builderRunId, teamId, memberId: builder.created_by, line })
  } else if (builder?.status !== 'completed') return
  await beginReplay(context, sql, suggestion, { teamId, memberId: builder.created_by })
}

async function beginReplay(
  context: Context,
  sql: Sql,
  suggestion: SuggestionRow,
  { teamId, memberId }: { teamId: string; memberId: string },
): Promise<void> {
  const { id, agent_id: agentId, draft_build_id } = suggestion
  const [build] = await findBuild(sql, draft_build_id, teamId)
  const [limits] = await sql<{ replay_runs: number; max_replay_cost_usd: string | null }>`
    select replay_runs, trim_scale(max_replay_cost_usd)::text as max_replay_cost_usd from suggestions where id = ${id} and team_id = ${teamId}`
  const runIds = await runsToReplay(sql, suggestion, { teamId, last: limits!.replay_runs })
  const wanted = {
    sql,
    context,
    teamId,
    agentId,
    build: build!,
    runIds,
    maxCostUsd: limits!.max_replay_cost_usd,
    memberId,
  }
  const begun = (await draftReplaysOf(context)?.begin(wanted)) ?? { problem: 'This server replays no runs.' }
  // it stays as it is, and its turn comes again
  if (begun === 'busy') return
  const isBegun = 'replayId' in begun
  await sql`
    update suggestions set state = ${isBegun ? 'replaying' : 'open'}, config_hash = ${canonicalHash(build!.config)},
      replay_id = ${isBegun ? begun.replayId : null}, replay_problem = ${isBegun ? null : begun.problem}, updated_at = now()
    where id = ${id} and team_id = ${teamId} and state = 'drafting'`
}

/** The runs behind it, and the last ones of the live build: in this order, since they may not all be recorded. */
async function runsToReplay(
  sql: Sql,
  { id, agent_id, base_build_id }: SuggestionRow,
  { teamId, last }: { teamId: string; last: number },
): Promise<string[]> {
  const rows = await sql<{ id: string }>`
    select id from (
      select run_id as id, 0 as place from suggestion_runs where suggestion_id = ${id} and team_id = ${teamId}
      union all
      select id, 1 from (${latestEnded({ teamId, agentId: agent_id, buildId: base_build_id, max: last })}) latest
    ) wanted group by id order by min(place), id desc`
  return rows.map((row) => row.id)
}

const afterReplay = (sql: Sql, { id }: SuggestionRow, teamId: string) => sql`
  update suggestions g set state = 'open', updated_at = now(),
    replay_problem = case when g.replay_id is null then 'The replay was deleted with its set.' end
  where g.id = ${id} and g.team_id = ${teamId} and g.state = 'replaying'
    and not exists (select from replays r where r.id = g.replay_id and r.state = 'running')`

/** No draft came of it. */
async function failSuggestion(sql: Sql, { id, teamId }: { id: string; teamId: string }, reason: string): Promise<void> {
  await sql`
    update suggestions set state = 'failed', reason = left(${reason}, 2000), decided_at = now(), updated_at = now()
    where id = ${id} and team_id = ${teamId} and state in ('drafting', 'replaying')`
}
