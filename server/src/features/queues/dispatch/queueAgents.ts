// Who fills a queue and who works it: agents whose runs made cases of it, whose procedures say so, and those with a trigger on it.
import type { Sql } from '../../../base/db.ts'
import { parseRunbook } from '../../../drivers/model/runbook/parse.ts'
import { parseBuildConfig } from '../../../engine/builds/buildConfig.ts'

interface Of {
  teamId: string
  queueId: string
  queueName: string
}

interface Producer {
  id: string
  name: string
  cases_made: number
  in_procedure: boolean
}

interface Consumer {
  id: string
  name: string
  trigger_id: string
  enabled: boolean
  concurrency: number | null
}

export const consumersOf = (sql: Sql, { teamId, queueId }: Of): Promise<Consumer[]> => sql<Consumer>`
  select a.id, a.name, t.id as trigger_id, t.enabled, t.concurrency
  from case_triggers t join agents a on a.id = t.agent_id
  where t.queue_id = ${queueId} and t.team_id = ${teamId} order by t.created_at, t.id`

/** How many of the newest cases are read: reading all cases of a busy queue would take too long. */
export const casesMax = 10_000
export const daysMax = 30

export async function producersOf(sql: Sql, of: Of): Promise<Producer[]> {
  const makers = await sql<{ id: string; name: string; cases_made: number }>`
    select a.id, a.name, sum(made.cases)::int as cases_made
    from (
      select newest.run_id, count(*) as cases from (
        select created_by_run_id as run_id from cases
        where queue_id = ${of.queueId} and team_id = ${of.teamId} and created_by_run_id is not null
          and created_at > now() - make_interval(days => ${daysMax})
        order by created_at desc limit ${casesMax}) newest
      group by newest.run_id) made
    join runs r on r.id = made.run_id and r.team_id = ${of.teamId} join agents a on a.id = r.agent_id
    where a.deleted_at is null and not a.is_hidden group by a.id, a.name`
  const producers = new Map(makers.map((maker): [string, Producer] => [maker.id, { ...maker, in_procedure: false }]))
  for (const { id, name } of await agentsWhoseProcedureFills(sql, of)) {
    producers.set(id, { cases_made: 0, ...producers.get(id), id, name, in_procedure: true })
  }
  return [...producers.values()].toSorted(
    (one, other) => one.name.localeCompare(other.name) || (one.id < other.id ? -1 : 1),
  )
}

/** The database finds the few builds that may name the queue; only their procedures are parsed. */
async function agentsWhoseProcedureFills(
  sql: Sql,
  { teamId, queueId, queueName }: Of,
): Promise<{ id: string; name: string }[]> {
  const live = await sql<{ id: string; name: string; config: unknown }>`
    select a.id, a.name, b.config from agents a join builds b on b.agent_id = a.id and b.status = 'live'
    where a.team_id = ${teamId} and a.deleted_at is null
      and strpos(b.config::text, 'queue=') > 0
      and (strpos(b.config #>> '{data,input}', ${queueName}) > 0 or strpos(b.config #>> '{data,input}', ${queueId}::text) > 0)`
  return live.filter(({ config }) => fills(parseBuildConfig(config).procedure, [queueName, queueId]))
}

/** A block gives its queue in plain text, by name or id; nothing else of the block is read. */
function fills(procedure: string, spellings: unknown[]): boolean {
  return parseRunbook(procedure).blocks.some(
    ({ tool, resolve }) =>
      tool === 'case_create' && spellings.includes((resolve(() => '') as { queue?: unknown }).queue),
  )
}
