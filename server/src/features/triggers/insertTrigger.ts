// Stores a new trigger of an agent, for the operation that makes one and for a builder's proposal that is accepted.
import { one, type Sql } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import { newId } from '../../base/ids.ts'
import { hashToken } from '../../base/secrets.ts'
import type { Context } from '../../kit/context.ts'
import type { Starter } from '../../kit/offers.ts'
import { oneOf, Type, type Static } from '../../kit/schema.ts'
import { triggerKinds } from './judge.ts'
import { findTrigger, sealedSecret, sealedToken, type TriggerRow } from './trigger.ts'
import { newToken, optionalFields, requireWanted } from './wanted.ts'

/** Enough for every use seen, and few enough to be listed whole. */
const triggersMax = 100
/** A team has as many for events, paused ones too: whoever writes an event writes it once for each of them, in a commit that several teams share. */
const eventTriggersMax = 100

export const NewTrigger = Type.Object(
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
)

interface Wanted {
  sql: Sql
  context: Context
  teamId: string
  agentId: string
  starter: Starter
  body: Static<typeof NewTrigger>
}

export async function insertTrigger({ sql, context, teamId, agentId, starter, body }: Wanted): Promise<TriggerRow> {
  const asked = { context, caller: starter, sql, teamId, kind: body.kind, given: body, stored: undefined }
  const wanted = await requireWanted(asked)
  // locked against its deletion, and against others who count its triggers
  const agents = await sql`
    select id from agents where id = ${agentId} and team_id = ${teamId} and deleted_at is null for no key update`
  if (agents.length === 0) throw new Fault('not_found')
  const count = await one(sql<{ made: number }>`
    select count(*) as made from triggers where agent_id = ${agentId} and team_id = ${teamId}`)
  if (count.made >= triggersMax) {
    throw new Fault(
      'conflict',
      `This agent has ${triggersMax} triggers, which is the most. Delete or change one of them.`,
    )
  }
  if (wanted.kind === 'event') await requireFewForEvents(sql, teamId)
  const id = newId()
  const token = body.kind === 'webhook' || body.kind === 'email' ? newToken() : null
  const memberId = starter.member_id
  await sql`
    insert into triggers (id, team_id, agent_id, user_id, changed_by, kind, name, enabled, filter, message, dedupe_key, concurrency,
      token, token_hash, verifier, secret_header, secret, event, event_agent_id, connection_id, tool, arguments, items, every_minutes,
      start_existing, next_poll_at)
    values (${id}, ${teamId}, ${agentId}, ${memberId}, ${memberId}, ${wanted.kind}, ${wanted.name}, ${wanted.enabled},
      ${wanted.filter}, ${wanted.message}, ${wanted.dedupe_key}, ${wanted.concurrency},
      ${token && sealedToken(context, id, token)}, ${token && hashToken(token)}, ${wanted.verifier}, ${wanted.secret_header},
      ${wanted.secret ? sealedSecret(context, id, wanted.secret) : null}, ${wanted.event}, ${wanted.event_agent_id}, ${wanted.connection_id},
      ${wanted.tool}, ${wanted.arguments && JSON.stringify(wanted.arguments)}::jsonb, ${wanted.items}, ${wanted.every_minutes},
      ${wanted.start_existing}, case when ${wanted.kind === 'poll' && wanted.enabled} then now() end)`
  return one(findTrigger(sql, id, teamId))
}

async function requireFewForEvents(sql: Sql, teamId: string): Promise<void> {
  // locked against others who count them
  await sql`select id from teams where id = ${teamId} for no key update`
  const count = await one(sql<{ made: number }>`
    select count(*) as made from triggers where team_id = ${teamId} and kind = 'event'`)
  if (count.made < eventTriggersMax) return
  throw new Fault(
    'conflict',
    `This team has ${eventTriggersMax} triggers for events, which is the most. Delete or change one of them.`,
  )
}
