// What starts runs by itself, from a proposal to life: made paused with the draft that it is for, and switched on when that draft becomes live.
import type { Sql } from '../../../base/db.ts'
import { Fault } from '../../../base/errors.ts'
import type { Context } from '../../../kit/context.ts'
import { startKinds, type Starter, type StartKind } from '../../../kit/offers.ts'
import { runStartsOf } from '../../../kit/registry.ts'
import { Id, oneOf, Type, type Static } from '../../../kit/schema.ts'
import type { ProposedTrigger } from './builderRun.ts'

interface OfAgent {
  sql: Sql
  context: Context
  teamId: string
  agentId: string
}

export const MadeTrigger = Type.Object({
  kind: oneOf(startKinds),
  id: Id,
  title: Type.String({ examples: ['schedule: workday, 09:00 (Europe/Berlin)'] }),
})

type MadeTrigger = Static<typeof MadeTrigger>

/** In the transaction of the acceptance: the draft never has a procedure without what was accepted with it. */
export async function makeTriggers(
  ofAgent: OfAgent,
  { starter, builderRunId, wanted }: { starter: Starter; builderRunId: string; wanted: ProposedTrigger[] },
): Promise<MadeTrigger[]> {
  const { sql, context, teamId } = ofAgent
  const made: MadeTrigger[] = []
  for (const { kind, title, settings } of wanted) {
    const starts = runStartsOf(context).find(({ kinds }) => kinds(context).includes(kind))
    if (!starts) throw new Fault('conflict', `This server can have no ${kind} any more. Accept without the triggers.`)
    made.push({ kind, title, id: await starts.make({ ...ofAgent, starter, wanted: { kind, settings } }) })
  }
  if (made.length > 0) {
    await sql`
      update builder_runs set waiting_triggers = ${JSON.stringify(made)}::jsonb
      where id = ${builderRunId} and team_id = ${teamId}`
  }
  return made
}

/** What the promotion of a build would switch on now. */
export async function readyTriggers(ofAgent: OfAgent, buildId: string): Promise<MadeTrigger[]> {
  const { sql, context, teamId } = ofAgent
  const waiting = await sql<MadeTrigger>`
    select one ->> 'kind' as kind, one ->> 'id' as id, one ->> 'title' as title
    from builder_runs b, jsonb_array_elements(b.waiting_triggers) as one
    where b.build_id = ${buildId} and b.team_id = ${teamId} and b.waiting_triggers is not null
    order by b.created_at, b.id`
  const ready = new Set<string>()
  for (const { starts, ids } of byStarts(context, waiting)) {
    for (const id of await starts.ready({ ...ofAgent, ids })) ready.add(id)
  }
  return waiting.filter(({ id }) => ready.has(id))
}

function byStarts(context: Context, waiting: { kind: StartKind; id: string }[]) {
  return runStartsOf(context).flatMap((starts) => {
    const kinds = starts.kinds(context)
    const ids = waiting.filter(({ kind }) => kinds.includes(kind)).map(({ id }) => id)
    return ids.length > 0 ? [{ starts, ids }] : []
  })
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
  for (const { starts, ids } of byStarts(context, waiting)) await starts.begin({ ...ofAgent, ids })
}
