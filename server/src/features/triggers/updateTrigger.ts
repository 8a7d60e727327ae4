// Changes, pauses or resumes a trigger.
import { one } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { Type, wrapped } from '../../kit/schema.ts'
import { findTrigger, sealedSecret, shown, Trigger, triggerColumns, type TriggerRow } from './trigger.ts'
import { optionalFields, requireWanted } from './wanted.ts'

export const updateTrigger = operation({
  id: 'updateTrigger',
  client: 'triggers.update',
  route: 'PATCH /v2/triggers/:trigger_id',
  summary: 'Change a trigger',
  description:
    'Only the given fields change, also inside `webhook`, `event` and `poll`. What already waits is judged by the trigger as it is then. Its ' +
    'runs act on behalf of the member who changed it last. Another `verifier` needs its `secret` again, unless the ' +
    'trigger is paused.',
  scope: 'agents:write',
  body: Type.Object(optionalFields, { examples: [{ enabled: true, filter: 'body.action == "opened"' }] }),
  status: 200,
  answer: wrapped('trigger', 'trigger_id', Trigger),
  errors: ['invalid_request', 'not_found', 'insufficient_scope'],
  async handler({ team, caller, trigger, body, context, sql, fail }) {
    // locked, so that what is started at this moment is started by the trigger as it was
    const [stored] = await sql<TriggerRow>`
      select ${triggerColumns} from triggers where id = ${trigger.id} and team_id = ${team.id} for no key update`
    if (!stored) return fail('not_found')
    const { id, kind } = stored
    const wanted = await requireWanted({ context, caller, sql, teamId: team.id, kind, given: body, stored })
    const { secret } = wanted
    await sql`
      update triggers set name = ${wanted.name}, enabled = ${wanted.enabled}, filter = ${wanted.filter}, message = ${wanted.message},
        dedupe_key = ${wanted.dedupe_key}, concurrency = ${wanted.concurrency}, verifier = ${wanted.verifier},
        secret_header = ${wanted.secret_header},
        secret = case when ${secret === undefined} then secret else ${secret ? sealedSecret(context, id, secret) : null} end,
        event = ${wanted.event}, event_agent_id = ${wanted.event_agent_id}, connection_id = ${wanted.connection_id}, tool = ${wanted.tool},
        arguments = ${wanted.arguments && JSON.stringify(wanted.arguments)}::jsonb, items = ${wanted.items},
        every_minutes = ${wanted.every_minutes}, start_existing = ${wanted.start_existing},
        -- a poll that is under way has lost its claim: it asked for what the trigger was
        next_poll_at = case when ${kind === 'poll' && wanted.enabled} then now() end, poll_worker = null, poll_claim = null,
        poll_until = null,
        failures = 0, changed_by = ${caller.member_id}, updated_at = now()
      where id = ${id} and team_id = ${team.id}`
    const changed = await one(findTrigger(sql, id, team.id))
    return { trigger: shown(context, caller, changed), trigger_id: id }
  },
})
