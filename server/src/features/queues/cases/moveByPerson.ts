// A person's move of a case: made when nobody else holds it, refused with a sentence that says who does.
import type { Sql } from '../../../base/db.ts'
import { Type } from '../../../kit/schema.ts'
import { Case, caseColumns, type FoundCase } from './case.ts'
import { moveCases, type CaseMove } from './moveCases.ts'

export const Reason = Type.String({ maxLength: 2000, description: 'Why, for the timeline of the case.' })

interface Asked {
  sql: Sql
  case: FoundCase
  caller: { member_id: string }
  fail: (code: 'conflict' | 'not_found', message?: string) => never
}

export async function moveByPerson(
  { sql, case: found, caller, fail }: Asked,
  move: Pick<CaseMove, 'type' | 'reason' | 'result' | 'postponed_to' | 'assignee_id' | 'holder_id'>,
): Promise<{ case: Case; case_id: string }> {
  const { id, team_id } = found
  const moved = await moveCases(sql, [{ case_id: id, team_id, by: { user_id: caller.member_id }, ...move }])
  const [now] = await sql<Case & Holder>`
    select ${caseColumns}, m.name as holder_name
    from cases c left join members m on m.id = c.claimed_by_user_id and m.team_id = c.team_id
    where c.id = ${id} and c.team_id = ${team_id}`
  if (!now) return fail('not_found')
  if (moved.length === 0) return fail('conflict', whyNot(now, caller.member_id, move))
  const { holder_name: _name, ...shown } = now
  return { case: shown, case_id: id }
}

interface Holder {
  holder_name: string | null
}

/** Undefined: what refused the move is gone again. */
function whyNot(
  now: Case & Holder,
  userId: string,
  { type, holder_id }: Pick<CaseMove, 'type' | 'holder_id'>,
): string | undefined {
  if (now.claimed_by_run_id !== null) {
    return `The run ${now.claimed_by_run_id} holds this case. Wait until it ends or stop it, then try again.`
  }
  if (holder_id !== undefined && now.claimed_by_user_id !== null) {
    const name = now.claimed_by_user_id === userId ? 'You hold' : `${now.holder_name ?? 'Another member'} holds`
    return `${name} this case by now. Look at it again, then decide.`
  }
  // also if the holder is the same member: two people who share a key must not both take one case
  if (now.claimed_by_user_id === userId && type === 'claimed') {
    return 'You hold this case already. Complete, fail, postpone or release it.'
  }
  if (now.claimed_by_user_id !== null && now.claimed_by_user_id !== userId) {
    return `${now.holder_name ?? 'Another member'} holds this case. Ask them to release it, or take another case.`
  }
  if (now.status !== 'pending') {
    return `The case is ${now.status} already. Use bulk-reprocess to have it worked on once more.`
  }
  if (holder_id !== undefined) return 'Nobody holds this case any more. Claim or assign it.'
  if (type === 'released') return 'Nobody holds this case, so there is nothing to release. Claim it first.'
  return undefined
}
