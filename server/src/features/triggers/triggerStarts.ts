// Triggers as what starts runs by itself, for builders: made paused, and switched on when their build becomes live.
import { part } from '../../base/db.ts'
import type { RunStarts, WantedStart } from '../../kit/offers.ts'
import type { Static } from '../../kit/schema.ts'
import { validateBody } from '../../kit/validate.ts'
import { triggerKinds } from './judge.ts'
import { insertTrigger, NewTrigger } from './insertTrigger.ts'
import { takesMail } from './mailAddress.ts'
import { triggerColumns, type TriggerRow } from './trigger.ts'
import { requireWanted } from './wanted.ts'

type Body = Static<typeof NewTrigger>

/** A paused one: what it starts is not there yet. */
const bodyOf = ({ kind, settings }: WantedStart): Body =>
  ({ ...validateBody(NewTrigger, { ...settings, kind }), enabled: false }) as unknown as Body

interface Titled {
  kind: string
  name?: string | null | undefined
  verifier?: string | null | undefined
  event?: string | null | undefined
  tool?: string | null | undefined
  every_minutes?: number | null | undefined
}

/** `webhook “New issues”: proved by github`. */
function titleOf({ kind, name, verifier, event, tool, every_minutes }: Titled): string {
  const called = name ? `${kind} “${name}”` : kind
  const how: Record<string, string> = {
    webhook: !verifier || verifier === 'none' ? 'whoever knows the URL may send' : `proved by ${verifier}`,
    event: event ?? '',
    poll: `${tool ?? ''}, every ${every_minutes ?? 5} minutes`,
    email: 'an address of its own',
  }
  return `${called}: ${how[kind] ?? ''}`
}

/** SQL condition: as it was made, which was paused. One whose senders must prove themselves waits for its secret. */
const isReady = part`
  (not enabled and updated_at = created_at and (verifier is null or verifier = 'none' or secret is not null))`

export const triggerStarts: RunStarts = {
  kinds: ({ config }) => (takesMail(config) ? [...triggerKinds] : triggerKinds.filter((kind) => kind !== 'email')),
  title({ kind, settings }) {
    const { name, webhook, event, poll } = settings as Partial<Body>
    return titleOf({ kind, name, ...webhook, ...poll, event: event?.event })
  },
  async list({ sql, teamId, agentId }) {
    const rows = await sql<TriggerRow>`
      select ${triggerColumns} from triggers where agent_id = ${agentId} and team_id = ${teamId} order by id`
    return rows.map(titleOf)
  },
  async check({ context, sql, teamId, starter, wanted }) {
    const body = bodyOf(wanted)
    await requireWanted({ context, caller: starter, sql, teamId, kind: body.kind, given: body, stored: undefined })
  },
  make: async ({ wanted, ...asked }) => (await insertTrigger({ ...asked, body: bodyOf(wanted) })).id,
  async ready({ sql, teamId, ids }) {
    const rows = await sql<{ id: string }>`
      select id from triggers where id = any(${ids}::uuid[]) and team_id = ${teamId} and ${isReady}`
    return rows.map(({ id }) => id)
  },
  async begin({ sql, teamId, ids }) {
    await sql`
      update triggers set enabled = true, next_poll_at = case when kind = 'poll' then now() end, updated_at = now()
      where id = any(${ids}::uuid[]) and team_id = ${teamId} and ${isReady}`
  },
}
