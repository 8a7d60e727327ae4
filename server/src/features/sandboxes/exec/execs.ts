// Commands of callers: asked for as rows by an API process, taken by a worker, and answered in the row.
import type { Sql } from '../../../base/db.ts'
import { PoolFull } from '../../../base/fairPool.ts'
import { newId } from '../../../base/ids.ts'
import { storableJson } from '../../../base/storable.ts'
import type { CommandResult } from '../pool/command.ts'
import type { LockedSandbox } from '../workspace/changes.ts'

/** How long a command may wait for a worker before it is given up, and how long its answer may take beyond its own time. */
const lineS = 30
const graceS = 15
/** How many commands of one team may wait for a worker. */
export const waitingMax = 100

export interface TakenExec {
  id: string
  team_id: string
  sandbox_id: string
  command: string
  timeout_s: number
  attempt: number
  /** How many workers died while they ran it. */
  deaths: number
}

/** After this many deaths a command runs only while its worker runs no other, so that the next death is its own. */
export const suspectDeaths = 2

export async function askExec(
  sql: Sql,
  { sandbox_id, team_id }: LockedSandbox,
  { command, timeoutS }: { command: string; timeoutS: number },
): Promise<string> {
  const id = newId()
  const [asked] = await sql`
    insert into sandbox_execs (id, team_id, sandbox_id, command, timeout_s, awaited_until)
    select ${id}, ${team_id}, ${sandbox_id}, ${command}, ${timeoutS}, now() + make_interval(secs => ${lineS + timeoutS + graceS})
    where (select count(*) from sandbox_execs where team_id = ${team_id} and ended_at is null and worker is null) < ${waitingMax}
    returning 1`
  if (!asked) throw new PoolFull('commands', `This team already has ${waitingMax} commands waiting for a worker.`)
  return id
}

/**
 * Takes the oldest command of the team that has the fewest under way; `full` lists the teams that this process takes no more of. `isIdle`:
 * the process runs no command now, so it may take one that two workers died over.
 */
export async function takeExec(
  sql: Sql,
  worker: string,
  full: string[],
  isIdle: boolean,
): Promise<TakenExec | undefined> {
  const deathsMost = isIdle ? suspectDeaths : suspectDeaths - 1
  const [taken] = await sql<TakenExec>`
    with team as materialized (
      select team_id, count(worker) as under_way,
        min(requested_at) filter (where worker is null and deaths <= ${deathsMost}::int) as oldest
      from sandbox_execs where ended_at is null group by team_id
    ),
    next as materialized (
      select n.id from (
        select team_id from team where oldest is not null and team_id <> all(${full}::uuid[]) order by under_way, oldest
      ) t, lateral (
        select id from sandbox_execs where team_id = t.team_id and ended_at is null and worker is null and deaths <= ${deathsMost}::int
        order by requested_at limit 1 for update skip locked) n
      limit 1
    )
    update sandbox_execs e set worker = ${worker}, attempt = e.attempt + 1 from next
    where e.id = next.id
    returning e.id, e.team_id, e.sandbox_id, e.command, e.timeout_s, e.attempt, e.deaths`
  return taken
}

/** Ends a command with its answer, in the transaction that writes what it changed. False: another worker has it now, and nothing may be written. */
export async function endExec(
  sql: Sql,
  { id, attempt }: TakenExec,
  worker: string,
  answer: { result: CommandResult } | { failure: string },
): Promise<boolean> {
  const result = 'result' in answer ? storableJson(answer.result) : null
  const failure = 'failure' in answer ? answer.failure : null
  const [ended] = await sql`
    update sandbox_execs set result = ${result}::jsonb, failure = ${failure}, ended_at = now()
    where id = ${id} and worker = ${worker} and attempt = ${attempt} and ended_at is null returning 1`
  return ended !== undefined
}

/** Releases a command without an answer, for any worker to take. */
export const releaseExec = (sql: Sql, { id, attempt }: TakenExec, worker: string) =>
  sql`update sandbox_execs set worker = null where id = ${id} and worker = ${worker} and attempt = ${attempt} and ended_at is null`

const diedSentence =
  'The worker that ran this command died. Whether it reached a host before is unknown; the files are as they were before it.'

const givenUpSentence =
  'Three workers died while they ran this command, so it was given up. The files are as they were before it.'

/**
 * Frees the commands of dead workers, and gives a command up after the third death. If commands may reach hosts, it ends the command at
 * once, because it must not run twice. It also ends commands that nobody waits for. Answers with whether there is something to take.
 */
export async function sweepExecs(sql: Sql, mayRepeat: boolean): Promise<boolean> {
  const open = await sql<{ id: string; worker: string | null; is_dead: boolean; is_late: boolean }>`
    select e.id, e.worker, e.worker is not null and not exists (select from processes p where p.id = e.worker) as is_dead,
      e.awaited_until < now() as is_late
    from sandbox_execs e where e.ended_at is null`
  const dead = open.filter(({ is_dead }) => is_dead).map(({ id }) => id)
  if (dead.length > 0) {
    await sql`
      update sandbox_execs set worker = null, deaths = deaths + 1,
        failure = case when not ${mayRepeat} then ${diedSentence} when deaths >= ${suspectDeaths} then ${givenUpSentence} end,
        ended_at = case when not ${mayRepeat} or deaths >= ${suspectDeaths} then now() end
      where id = any(${dead}) and ended_at is null and not exists (select from processes p where p.id = worker)`
  }
  const late = open
    .filter(({ is_late, worker, is_dead }) => is_late && (worker === null || is_dead))
    .map(({ id }) => id)
  if (late.length > 0) {
    await sql`
      update sandbox_execs set failure = 'Nobody waited for this command any more.', ended_at = now()
      where id = any(${late}) and ended_at is null and worker is null`
  }
  return open.some(({ worker, is_dead }) => worker === null || is_dead)
}

export type Answered = { result: CommandResult } | { failure: string }

/** Undefined: not yet. One that no worker takes ends here. */
export async function readAnswer(sql: Sql, id: string): Promise<Answered | undefined> {
  const [row] = await sql<{
    result: CommandResult | null
    failure: string | null
    is_ended: boolean
    is_untaken: boolean
  }>`
    select result, failure, ended_at is not null as is_ended,
      worker is null and requested_at < now() - make_interval(secs => ${lineS}) as is_untaken
    from sandbox_execs where id = ${id}`
  if (!row) return { failure: 'The sandbox was deleted while the command ran in it.' }
  if (row.is_ended) return row.result ? { result: row.result } : { failure: row.failure! }
  if (!row.is_untaken) return undefined
  const failure = `No worker took this command within ${lineS} seconds. Start a worker, or try again when there is less to do.`
  const [given] = await sql`
    update sandbox_execs set failure = ${failure}, ended_at = now()
    where id = ${id} and worker is null and ended_at is null returning 1`
  return given ? { failure } : undefined
}
