// The rows of drills: each move of the state is one statement that expects the state before.
import { firstRow, part, type Sql } from '../../../base/db.ts'
import { newId } from '../../../base/ids.ts'
import { drillColumns, type Drill, type DrillProgress, type DrillResult } from './drill.ts'

/** How many drills are remembered. */
const keptMax = 500

export const isActive = part`state in ('requested', 'running')`

interface Wanted {
  runs: number
  kills: number
  /** Null: the command line. */
  requestedBy: string | null
  /** The process that runs it already; undefined: any worker may take it. */
  processId?: string
}

/** Undefined: another one is under way, of which there is one at a time. */
export async function insertDrill(sql: Sql, wanted: Wanted): Promise<Drill | undefined> {
  const { runs, kills, requestedBy, processId = null } = wanted
  await sql`
    delete from drills where id in (
      select id from drills where not ${isActive} and (is_erased or scratch_team_id is null) order by id desc offset ${keptMax})`
  const [made] = await sql<Drill>`
    insert into drills (id, state, runs, kills, requested_by, process_id, started_at)
    values (${newId()}, ${processId === null ? 'requested' : 'running'}, ${runs}, ${kills}, ${requestedBy}, ${processId}::uuid,
      case when ${processId}::uuid is not null then now() end)
    on conflict do nothing
    returning ${drillColumns}`
  return made
}

/** Takes the drill that waits for a worker. */
export async function takeRequested(sql: Sql, processId: string): Promise<Drill | undefined> {
  const [taken] = await sql<Drill>`
    update drills set state = 'running', process_id = ${processId}, started_at = now()
    where id in (select id from drills where state = 'requested' for update skip locked)
    returning ${drillColumns}`
  return taken
}

/** The process that was started for a drill runs it from now on. Undefined: somebody has given it up since then. */
export async function handOver(sql: Sql, id: string, processId: string): Promise<Drill | undefined> {
  const [taken] = await sql<Drill>`
    update drills set process_id = ${processId} where id = ${id} and state = 'running' and scratch_team_id is null
    returning ${drillColumns}`
  return taken
}

/** In the transaction that makes the team: whoever finds the row knows what to erase. */
export async function noteScratchTeam(sql: Sql, id: string, processId: string, teamId: string): Promise<void> {
  const noted = await sql`
    update drills set scratch_team_id = ${teamId} where id = ${id} and process_id = ${processId} and state = 'running' returning 1`
  firstRow(noted)
}

/** Writes how far it is. Answers whether it goes on: somebody may have asked it to stop, or have given it up. */
export async function noteProgress(
  sql: Sql,
  id: string,
  processId: string,
  progress: DrillProgress,
): Promise<'goes_on' | 'stop' | 'given_up'> {
  const [row] = await sql<{ asked: boolean }>`
    update drills set progress = ${JSON.stringify(progress)}::jsonb
    where id = ${id} and process_id = ${processId} and state = 'running' returning stop_asked_at is not null as asked`
  if (!row) return 'given_up'
  return row.asked ? 'stop' : 'goes_on'
}

interface Ending {
  state: 'held' | 'failed' | 'stopped' | 'broken_off'
  result?: DrillResult | undefined
  problem?: string | undefined
}

/** False: it had ended before. */
export async function endDrill(sql: Sql, id: string, { state, result, problem }: Ending): Promise<boolean> {
  const ended = await sql`
    update drills set state = ${state}, ended_at = now(), result = ${result ? JSON.stringify(result) : null}::jsonb, problem = ${problem ?? null}
    where id = ${id} and state = 'running' returning 1`
  return ended.length > 0
}

/** Drills whose process is gone do not come to a result. */
export async function breakOffLost(sql: Sql): Promise<{ id: string }[]> {
  return sql<{ id: string }>`
    update drills d set state = 'broken_off', ended_at = now(),
      problem = 'The process that ran the drill died. Its scratch team is erased.'
    where d.state = 'running' and not exists (select from processes p where p.id = d.process_id)
    returning d.id`
}

interface ToErase {
  id: string
  team_id: string
}

/** Drills that have ended and whose teams are still there. */
export const drillsToErase = (sql: Sql): Promise<ToErase[]> => sql<ToErase>`
  select id, scratch_team_id as team_id from drills
  where scratch_team_id is not null and not is_erased and not ${isActive} order by id limit 100`

export async function noteErased(sql: Sql, id: string): Promise<void> {
  await sql`update drills set is_erased = true where id = ${id}`
}

export async function readLatest(sql: Sql): Promise<Drill | undefined> {
  const [latest] = await sql<Drill>`select ${drillColumns} from drills order by id desc limit 1`
  return latest
}

/** Undefined: none is under way. One that no worker has taken ends at once. */
export async function askToStop(sql: Sql): Promise<Drill | undefined> {
  const [asked] = await sql<Drill>`
    update drills set stop_asked_at = coalesce(stop_asked_at, now()),
      state = case when state = 'requested' then 'stopped' else state end,
      ended_at = case when state = 'requested' then now() end
    where ${isActive} returning ${drillColumns}`
  return asked
}
