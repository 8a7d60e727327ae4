// What starts runs by itself, from a proposal to life: made paused with the draft that it is for, and switched on when that draft becomes live.
import type { Sql } from '../../../base/db.ts'
import { Fault } from '../../../base/errors.ts'
import type { Context } from '../../../kit/context.ts'
import type { Starter, StartKind } from '../../../kit/offers.ts'
import { runStartsOf } from '../../../kit/registry.ts'
import type { ProposedTrigger } from './builderRun.ts'

interface OfAgent {
  sql: Sql
  context: Context
  teamId: string
  agentId: string
}

interface Made {
  kind: StartKind
  id: string
  title: string
}

/** In the transaction of the acceptance: the draft never has a procedure without what was accepted with it. */
export async function makeTriggers(
  ofAgent: OfAgent,
  { starter, builderRunId, wanted }: { starter: Starter; builderRunId: string; wanted: ProposedTrigger[] },
): Promise<Made[]> {
  const { sql, context, teamId } = ofAgent
  const made: Made[] = []
  for (const { kind, title, settings } of wanted) {
    const starts = runStartsOf(context).find(({ kinds }) => kinds(context).includes(kind))
    if (!starts) throw new Fault('conflict', `This server can have no ${kind} any more. Accept without the triggers.`)
    made.push({ kind, title, id: await starts.make({ ...ofAgent, starter, wanted: { kind, settings } }) })
  }
  if (made.length > 0) {
    const waiting = made.map(({ kind, id }) => ({ kind, id }))
    await sql`
      update builder_runs set waiting_triggers = ${JSON.stringify(waiting)}::jsonb
      where id = ${builderRunId} and team_id = ${teamId}`
  }
  return made
}

/** In the transaction of the promotion, once: after a rollback and another promotion, people have decided on them since. */
export async function beginTriggers(ofAgent: OfAgent, buildId: string): Promise<void> {
  const { sql, context, teamId } = ofAgent
  const waiting = await sql<{ kind: StartKind; id: string }>`
    with taken as (
      update builder_runs b set waiting_triggers = null from builder_runs old
      where b.build_id = ${buildId} and b.team_id = ${teamId} and b.waiting_triggers is not null and old.id = b.id
      returning old.waiting_triggers
    )
    select one ->> 'kind' as kind, one ->> 'id' as id from taken, jsonb_array_elements(waiting_triggers) as one`
  if (waiting.length === 0) return
  for (const starts of runStartsOf(context)) {
    const kinds = starts.kinds(context)
    const ids = waiting.filter(({ kind }) => kinds.includes(kind)).map(({ id }) => id)
    if (ids.length > 0) await starts.begin({ ...ofAgent, ids })
  }
}
