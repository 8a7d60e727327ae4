// Makes a trigger for an agent.
import { one } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { hashToken } from '../../base/secrets.ts'
import { operation } from '../../kit/operation.ts'
import { oneOf, Type, wrapped } from '../../kit/schema.ts'
import { triggerKinds } from './judge.ts'
import { findTrigger, sealedSecret, sealedToken, shown, Trigger } from './trigger.ts'
import { newToken, optionalFields, requireWanted } from './wanted.ts'

/** Enough for every use seen, and few enough to be listed whole. */
const triggersMax = 100

export const createAgentTrigger = operation({
  id: 'createAgentTrigger',
  client: 'triggers.create',
  route: 'POST /v2/agents/:agent_id/triggers',
  summary: 'Make a trigger',
  description:
    'Starts a run of the agent’s live build for each thing that happens: a request to a URL of its own (`webhook`), an event of this team ' +
    '(`event`), an item that is new in the answer of a connection’s tool (`poll`), or a mail (`email`). Each thing starts one run, whatever ' +
    'crashes or is sent twice. An agent has at most 100 triggers. For cases of a queue, make a case trigger instead.',
  scope: 'agents:write',
  body: Type.Object(
    { kind: oneOf(triggerKinds, { description: 'What starts runs. It cannot be changed.' }), ...optionalFields },
    {
      examples: [
        {
          kind: 'webhook',
          name: 'New issues',
          webhook: { verifier: 'github', secret: 'the secret that GitHub has' },
          filter: 'body.action == "opened"',
          message: 'Look at issue {{ body.issue.number }}: {{ body.issue.title }}',
        },
      ],
    },
  ),
  status: 201,
  answer: wrapped('trigger', 'trigger_id', Trigger),
  errors: ['invalid_request', 'not_found', 'conflict', 'insufficient_scope'],
  async handler({ team, caller, agent, body, context, sql, fail }) {
    const asked = { context, caller, sql, teamId: team.id, kind: body.kind, given: body, stored: undefined }
    const wanted = await requireWanted(asked)
    // locked against its deletion, and against others who count its triggers
    const agents = await sql`
      select id from agents where id = ${agent.id} and team_id = ${team.id} and deleted_at is null for no key update`
    if (agents.length === 0) fail('not_found')
    const count = await one(sql<{ made: number }>`
      select count(*) as made from triggers where agent_id = ${agent.id} and team_id = ${team.id}`)
    if (count.made >= triggersMax) {
      fail('conflict', `This agent has ${triggersMax} triggers, which is the most. Delete or change one of them.`)
    }
    const id = newId()
    const token = body.kind === 'webhook' || body.kind === 'email' ? newToken() : null
    await sql`
      insert into triggers (id, team_id, agent_id, user_id, changed_by, kind, name, enabled, filter, message, dedupe_key, concurrency,
        token, token_hash, verifier, secret_header, secret, event, event_agent_id, connection_id, tool, arguments, items, every_minutes,
        start_existing, next_poll_at)
      values (${id}, ${team.id}, ${agent.id}, ${caller.member_id}, ${caller.member_id}, ${wanted.kind}, ${wanted.name}, ${wanted.enabled},
        ${wanted.filter}, ${wanted.message}, ${wanted.dedupe_key}, ${wanted.concurrency},
        ${token && sealedToken(context, id, token)}, ${token && hashToken(token)}, ${wanted.verifier}, ${wanted.secret_header},
        ${wanted.secret ? sealedSecret(context, id, wanted.secret) : null}, ${wanted.event}, ${wanted.event_agent_id}, ${wanted.connection_id},
        ${wanted.tool}, ${wanted.arguments && JSON.stringify(wanted.arguments)}::jsonb, ${wanted.items}, ${wanted.every_minutes},
        ${wanted.start_existing}, case when ${wanted.kind === 'poll' && wanted.enabled} then now() end)`
    const made = await one(findTrigger(sql, id, team.id))
    return { trigger: shown(context, caller, made), trigger_id: id }
  },
})
