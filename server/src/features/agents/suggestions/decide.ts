// What a person's decision needs: the suggestion locked after its agent, as everybody locks them, and what is left of it cleared.
import type { Sql } from '../../../base/db.ts'
import type { Context } from '../../../kit/context.ts'
import { draftReplaysOf } from '../../../kit/registry.ts'
import { endBuilderRun } from '../builder/builderRun.ts'
import { listedColumns, type SuggestionRow } from './suggestion.ts'

interface Named {
  id: string
  agent_id: string
}

/** Undefined: it or its agent was deleted since then. */
export async function lockSuggestion(
  sql: Sql,
  { id, agent_id }: Named,
  teamId: string,
): Promise<SuggestionRow | undefined> {
  const agents = await sql`
    select id from agents where id = ${agent_id} and team_id = ${teamId} and deleted_at is null for no key update`
  if (agents.length === 0) return undefined
  const [locked] = await sql<SuggestionRow>`
    select ${listedColumns}, g.config_hash from suggestions g where g.id = ${id} and g.team_id = ${teamId} for no key update`
  return locked
}

const said: Record<string, string> = {
  drafting: 'The builder still works on it, or waits for answers.',
  replaying: 'Its draft is still replayed.',
  accepted: 'It is accepted already.',
  rejected: 'It is rejected already.',
  stale: 'Another build has become live since then. If its runs fail as well, there will be a new one.',
  failed: 'There is no draft.',
}

/** Why nothing can be decided in this state. */
export const whyNot = ({ state }: { state: string }): string =>
  `This suggestion cannot be decided. ${said[state] ?? ''}`.trimEnd()

/** Nobody needs its builder run and its recordings any more. */
export async function clearSuggestion(
  context: Context,
  sql: Sql,
  { id, teamId }: { id: string; teamId: string },
): Promise<void> {
  const [cleared] = await sql<{ builder_run_id: string; replay_id: string | null }>`
    update suggestions set is_cleared = true
    where id = ${id} and team_id = ${teamId} and state in ('accepted', 'rejected', 'stale', 'failed') and not is_cleared
    returning builder_run_id, replay_id`
  if (!cleared) return
  await endBuilderRun(sql, { id: cleared.builder_run_id, teamId })
  if (cleared.replay_id !== null) await draftReplaysOf(context)?.end({ sql, teamId, replayId: cleared.replay_id })
}
