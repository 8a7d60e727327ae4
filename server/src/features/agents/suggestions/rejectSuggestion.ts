// Rejects a suggestion with a reason: for this build and this check there is no other.
import { operation } from '../../../kit/operation.ts'
import { Type } from '../../../kit/schema.ts'
import { clearSuggestion, lockSuggestion, whyNot } from './decide.ts'
import { isUndecided, listedColumns, type SuggestionRow } from './suggestion.ts'
import { suggestionAnswer, SuggestionAnswer } from './wholeSuggestion.ts'

export const rejectSuggestion = operation({
  id: 'rejectSuggestion',
  client: 'suggestions.reject',
  route: 'POST /v2/suggestions/:suggestion_id/reject',
  summary: 'Reject a suggestion',
  description:
    'Also possible before its draft is ready: then its builder run and its replay end. The draft stays a draft. While the same build is live, no other suggestion is ' +
    'made for this check.',
  scope: 'agents:write',
  body: Type.Object(
    { reason: Type.String({ minLength: 1, maxLength: 500, description: 'Why it is rejected; stored with it.' }) },
    { examples: [{ reason: 'The supplier fixed their API.' }] },
  ),
  status: 200,
  answer: SuggestionAnswer,
  errors: ['conflict', 'not_found'],
  async handler({ team, caller, suggestion, body, context, sql, fail }) {
    const locked = await lockSuggestion(sql, suggestion, team.id)
    if (!locked) return fail('not_found')
    const [rejected] = await sql<SuggestionRow>`
      update suggestions g set state = 'rejected', reason = ${body.reason}, decided_by = ${caller.member_id}, decided_at = now(), updated_at = now()
      where g.id = ${locked.id} and g.team_id = ${team.id} and ${isUndecided} returning ${listedColumns}, g.config_hash`
    if (!rejected) return fail('conflict', whyNot(locked))
    await clearSuggestion(context, sql, { id: rejected.id, teamId: team.id })
    return suggestionAnswer(rejected, { sql, context, caller })
  },
})
