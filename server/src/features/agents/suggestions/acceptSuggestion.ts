// Accepts a suggestion: its draft becomes live by an ordinary promotion, with its gates.
import { canonicalHash } from '../../../engine/builds/canonicalHash.ts'
import type { Sql } from '../../../base/db.ts'
import { operation } from '../../../kit/operation.ts'
import { Id, Type } from '../../../kit/schema.ts'
import { Build, findBuild } from '../builds/build.ts'
import { ForceReason, promote } from '../builds/promote.ts'
import { refusalOfBuild } from '../builds/promotion.ts'
import { clearSuggestion, lockSuggestion, whyNot } from './decide.ts'

export const acceptSuggestion = operation({
  id: 'acceptSuggestion',
  client: 'suggestions.accept',
  route: 'POST /v2/suggestions/:suggestion_id/accept',
  summary: 'Accept a suggestion',
  description:
    'Its draft becomes live, exactly as promoteRevision would make it: the gates of the agent apply, unless `force_reason` is given. Other ' +
    'suggestions for the agent become stale, because they are about the build that was live before.',
  scope: 'agents:write',
  body: Type.Object({ force_reason: Type.Optional(ForceReason) }, { examples: [{}] }),
  status: 200,
  answer: Type.Object({ success: Type.Literal(true), build: Build, build_id: Id, suggestion_id: Id }),
  errors: ['already_live', 'builder_run_active', 'conflict', 'gate_not_met', 'invalid_request', 'not_found'],
  emits: ['assignment.build.published'],
  async prepare({ team, suggestion, context, sql, fail }) {
    if (suggestion.state !== 'open') fail('conflict', whyNot(suggestion))
    const refusal = await refusalOfBuild({ team, build: await draftOf(sql, suggestion, team.id), context, sql })
    if (refusal) fail(refusal.code, refusal.message)
  },
  async handler({ team, caller, suggestion, body, context, sql, emit, fail }) {
    const locked = await lockSuggestion(sql, suggestion, team.id)
    if (!locked) return fail('not_found')
    const accepted = await sql`
      update suggestions set state = 'accepted', decided_by = ${caller.member_id}, decided_at = now(), updated_at = now()
      where id = ${locked.id} and team_id = ${team.id} and state = 'open' returning id`
    if (accepted.length === 0) return fail('conflict', whyNot(locked))
    const build = await draftOf(sql, locked, team.id)
    if (canonicalHash(build.config) !== locked.config_hash) return fail('conflict', changedSince)
    const who = { memberId: caller.member_id, forceReason: body.force_reason }
    const promoted = await promote({ sql, context, team, build, ...who, names: {} })
    if ('refusal' in promoted) return fail(promoted.refusal.code, promoted.refusal.message)
    // whoever changes a draft locks only its row: until that row was ours, somebody could
    if (canonicalHash(promoted.live.config) !== locked.config_hash) return fail('conflict', changedSince)
    await clearSuggestion(context, sql, { id: locked.id, teamId: team.id })
    await emit('assignment.build.published', promoted.published)
    return { success: true as const, build: promoted.live, build_id: build.id, suggestion_id: locked.id }
  },
})

const changedSince =
  'The draft was changed after its replay began. Promote it with promoteRevision, or reject the suggestion.'

/** A suggestion goes with its draft, so the draft is there. */
async function draftOf(sql: Sql, { draft_build_id }: { draft_build_id: string }, teamId: string): Promise<Build> {
  const [draft] = await findBuild(sql, draft_build_id, teamId)
  return draft!
}
