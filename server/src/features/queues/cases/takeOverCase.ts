// An admin takes a case from the member who holds it: for themselves, for another member, or to release it.
import type { Sql } from '../../../base/db.ts'
import { isId } from '../../../base/ids.ts'
import { operation } from '../../../kit/operation.ts'
import { nullable, Type, wrapped } from '../../../kit/schema.ts'
import { announceQueue } from './announceQueue.ts'
import { Case } from './case.ts'
import { moveByPerson, Reason } from './moveByPerson.ts'

interface Holder {
  id: string
  name: string
  has_left: boolean
}

export const takeOverCase = operation({
  id: 'takeOverCase',
  client: 'cases.takeOver',
  route: 'POST /v2/cases/:case_id/take-over',
  summary: 'Take a case from the member who holds it',
  description:
    'For admins; a case of somebody who has left the team can be taken by everyone. The case goes to you, to the member that ' +
    'assignee_user_id names, or back to the queue if it is null. The timeline says who held it. Refused with 409 if another member than ' +
    'held_by_user_id holds it by now, or nobody. A case that a run holds is free when the run is stopped.',
  scope: 'queues:write',
  body: Type.Object({
    held_by_user_id: Type.String({ description: 'Who holds the case, as you saw it.' }),
    assignee_user_id: Type.Optional(
      nullable(Type.String({ description: 'A member of the team, you if this is left out; null: nobody.' })),
    ),
    reason: Type.Optional(nullable(Reason)),
  }),
  status: 200,
  answer: wrapped('case', 'case_id', Case),
  errors: ['invalid_request', 'forbidden', 'conflict', 'not_found'],
  async handler(call) {
    const { team, caller, body, sql, fail } = call
    const { held_by_user_id: holderId, assignee_user_id: wanted = caller.member_id, reason: why } = body
    const holder = await memberOf(sql, team.id, holderId)
    if (!holder) return fail('invalid_request', 'This team has no member with this held_by_user_id. List the members.')
    if (caller.role !== 'admin' && !holder.has_left) {
      return fail('forbidden', `Only an admin takes a case from another member. Ask ${holder.name} to release it.`)
    }
    const from = { holder_id: holder.id }
    const says = (text: string) => (why ? `${text} ${why}` : text)
    if (wanted === null) {
      const released = await moveByPerson(call, { ...from, type: 'released', reason: says(`From ${holder.name}.`) })
      await announceQueue(sql, released.case.queue_id)
      return released
    }
    const next = await memberOf(sql, team.id, wanted)
    if (!next || next.has_left) {
      return fail('invalid_request', 'This team has no member with this assignee_user_id. List the members.')
    }
    if (next.id === caller.member_id) {
      return moveByPerson(call, { ...from, type: 'claimed', reason: says(`From ${holder.name}.`) })
    }
    const reason = says(`From ${holder.name} to ${next.name}.`)
    return moveByPerson(call, { ...from, type: 'assigned', assignee_id: next.id, reason })
  },
})

/** Locked, so that nobody who is just being removed gets a case. */
async function memberOf(sql: Sql, teamId: string, id: string): Promise<Holder | undefined> {
  if (!isId(id)) return undefined
  const [member] = await sql<Holder>`
    select id, name, removed_at is not null as has_left from members where id = ${id} and team_id = ${teamId} for key share`
  return member
}
