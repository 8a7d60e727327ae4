// Gives a trigger another address. The old one takes nothing any more, at once.
import { one } from '../../base/db.ts'
import { hashToken } from '../../base/secrets.ts'
import { operation } from '../../kit/operation.ts'
import { wrapped } from '../../kit/schema.ts'
import { findTrigger, sealedToken, shown, Trigger } from './trigger.ts'
import { newToken } from './wanted.ts'

export const rotateTriggerAddress = operation({
  id: 'rotateTriggerAddress',
  client: 'triggers.rotateAddress',
  route: 'POST /v2/triggers/:trigger_id/rotate-address',
  summary: 'Give a trigger a new address',
  description:
    'For the URL of a webhook or a mail address that others have learned. The old address answers 404 from now on.',
  scope: 'agents:write',
  status: 200,
  answer: wrapped('trigger', 'trigger_id', Trigger),
  errors: ['not_found', 'conflict'],
  async handler({ team, caller, trigger: { id, kind }, context, sql, fail }) {
    if (kind !== 'webhook' && kind !== 'email') fail('conflict', `A trigger of kind ${kind} has no address.`)
    const token = newToken()
    const changed = await sql`
      update triggers set token = ${sealedToken(context, id, token)}, token_hash = ${hashToken(token)}, updated_at = now()
      where id = ${id} and team_id = ${team.id} returning id`
    if (changed.length === 0) fail('not_found')
    const row = await one(findTrigger(sql, id, team.id))
    return { trigger: shown(context, caller, row), trigger_id: id }
  },
})
