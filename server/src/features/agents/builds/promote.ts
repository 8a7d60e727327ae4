// Makes a build the live one of its agent, and the former live one historic: the one way in which a build becomes live later than its agent.
import type { Sql } from '../../../base/db.ts'
import type { Context } from '../../../kit/context.ts'
import { Type } from '../../../kit/schema.ts'
import { hasActiveBuilder, isActive } from '../builder/builderRun.ts'
import { beginTriggers } from '../builder/proposedTriggers.ts'
import { buildColumns, type Build } from './build.ts'
import { passGates } from './promotion.ts'

export const ForceReason = Type.String({
  minLength: 1,
  maxLength: 500,
  description: 'Why to promote it although it fails a promotion gate of the agent. Stored.',
  examples: ['Rolls back a build that loses mail.'],
})

interface Wanted {
  sql: Sql
  context: Context
  team: { id: string }
  build: Build
  memberId: string
  forceReason: string | undefined
  /** A field that is not there stays as it is. */
  names: { revision_name?: string | null; revision_description?: string | null }
}

type Promoted =
  | {
      live: Build
      /** What `assignment.build.published` says. */
      published: { agent_id: string; build_id: string; revision_number: number; previous_build_id: string | null }
    }
  | {
      refusal: {
        code: 'already_live' | 'builder_run_active' | 'gate_not_met' | 'invalid_request' | 'not_found'
        message?: string
      }
    }

/** Whoever is refused must roll the transaction back. */
export async function promote(wanted: Wanted): Promise<Promoted> {
  const { sql, context, team, build, names, memberId, forceReason } = wanted
  // all promotions of an agent, and the starts of its builder runs, lock its row one after the other: each sees what the one before it left
  const agents = await sql`
    update agents set updated_at = now()
    where id = ${build.agent_id} and team_id = ${team.id} and deleted_at is null returning id`
  if (agents.length === 0) return { refusal: { code: 'not_found' } }
  // first the old one, then the new one: at no moment are there two
  const [former] = await sql<{ id: string }>`
    update builds set status = 'historic', updated_at = now()
    where agent_id = ${build.agent_id} and team_id = ${team.id} and status = 'live' and id <> ${build.id} returning id`
  const [live] = await sql<Build>`
    update builds set
      status = 'live',
      published_at = now(),
      updated_at = now(),
      revision_name = case when ${'revision_name' in names} then ${names.revision_name ?? null} else revision_name end,
      revision_description = case when ${'revision_description' in names}
        then ${names.revision_description ?? null} else revision_description end
    where id = ${build.id} and team_id = ${team.id} and status in ('draft', 'historic')
      and not exists (select from builder_runs where build_id = ${build.id} and team_id = ${team.id} and ${isActive})
    returning ${buildColumns}`
  if (!live) {
    const isWritten = await hasActiveBuilder(sql, build.id, team.id)
    return { refusal: { code: isWritten ? 'builder_run_active' : 'already_live' } }
  }
  const refusal = await passGates({ team, build: live, context, sql }, { memberId, forceReason })
  if (refusal) return { refusal }
  await beginTriggers({ sql, context, teamId: team.id, agentId: live.agent_id }, live.id)
  // a database trigger has ended the suggestions of the agent; of one that was followed in this way it cannot know who did it
  await sql`
    update suggestions set decided_by = ${memberId}
    where draft_build_id = ${live.id} and team_id = ${team.id} and state = 'accepted' and decided_by is null`
  const { agent_id, id: build_id, revision_number } = live
  return { live, published: { agent_id, build_id, revision_number, previous_build_id: former?.id ?? null } }
}
