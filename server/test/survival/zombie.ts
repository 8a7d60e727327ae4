// Proof: a worker that is stopped in the middle keeps its runs while it counts as alive; once they are taken over, it can only report answers.
import { setTimeout as sleep } from 'node:timers/promises'
import { presenceLockClass } from '../../src/base/locks.ts'
import { compareCalls, readLedger, type Calls, type Ledger } from '../../src/drill/ledger.ts'
import { honestPerson } from '../../src/drill/person.ts'
import type { Service } from './processes.ts'
import { activeRuns, block, processIdOf, until, type Yard } from './yard.ts'

export interface Zombie extends Ledger, Calls {
  runs: number
  completed: number
  /** Runs that stayed with the stopped worker for as long as its lock was held: all of them. */
  keptWhileLocked: number
  /** Runs that the other worker claimed after the lock was gone. */
  takenOver: number
  /** From the end of the lock to the claim of the last of them. */
  takeoverMs: number
  /** Must be 0: ended runs that changed when their old holder, which had their answers in its sockets, went on. */
  changedByZombie: number
  /** Runs whose call was in doubt when their old holder went on. */
  inDoubt: number
  /** How many of them ended with the answer that it had, without asking a person. */
  answeredLate: number
  /** Must be 0: questions that are still open then. */
  stillAsked: number
  /** The old holder is listed again and takes runs. */
  livesOn: boolean
}

interface Options {
  runs: number
  /** How long the worker stands still with its lock, and how long it is watched after it goes on. */
  stillMs: number
}

/** One call of each kind, answered while its caller stands still. */
const procedures = (url: string) => [
  `${block('http', `GET ${url}/ms/1500/look`)}\n${block('output', 'done')}`,
  `${block('http', `POST ${url}/ms/1500/pay\n\nonce`)}\n${block('output', 'done')}`,
]

export async function stopAndContinueWorker(yard: Yard, { runs, stillMs }: Options): Promise<Zombie> {
  const { sql, counter } = yard
  const old = yard.workers[0]!
  const oldId = await processIdOf(yard, old)
  const agents = await Promise.all(procedures(counter.url).map((procedure) => yard.newAgent(procedure)))
  await Promise.all(Array.from({ length: runs }, (_, n) => yard.startRun(agents[n % agents.length]!)))
  await until('every run is in its call', counter.arrivals, (arrivals) => arrivals.length === runs)
  old.child.kill('SIGSTOP')
  const other = await yard.startWorker()
  yard.workers.push(other)
  await sleep(stillMs)
  await until('every call is answered', counter.arrivals, (all) => all.every(({ answeredAt }) => answeredAt !== null))
  const kept = await sql`select id from runs where worker = ${oldId}`
  const endedAt = performance.now()
  await endLockOf(yard, oldId)
  const takenOver = await until(
    'the runs are taken over',
    () => sql`select id from runs where epoch >= 3`,
    (rows) => rows.length === kept.length,
  )
  const takeoverMs = Math.round(performance.now() - endedAt)
  // those that may be repeated end meanwhile; those in doubt wait for a person, who says nothing yet
  await until(
    'only people are waited for',
    () => notWaiting(yard),
    (count) => count === 0,
  )
  const before = await rowsOf(yard)
  const doubted = await sql<{ id: string }>`select id from runs where status = 'waiting'`
  const isDoubted = new Set(doubted.map(({ id }) => id))
  old.child.kill('SIGCONT')
  await until(
    'the old holder is listed again',
    () => isListed(yard, old),
    (listed) => listed,
  )
  await until(
    'every answer is told',
    () => activeRuns(yard),
    (count) => count === 0,
  )
  await sleep(stillMs)
  const after = await rowsOf(yard)
  const stillAsked = await sql`select id from human_requests where status = 'pending'`
  const person = honestPerson(yard)
  await until(
    'every run has ended',
    () => activeRuns(yard),
    (count) => count === 0,
  )
  await person.leave()
  const [completed] = await sql<{ count: string }>`select count(*) from runs where status = 'completed'`
  const answered = await sql`
    select run_id from run_steps where run_id = any(${[...isDoubted]}::uuid[]) and arrived is not null and state = 'done' and attempt = 1`
  return {
    runs,
    completed: Number(completed!.count),
    keptWhileLocked: kept.length,
    takenOver: takenOver.length,
    takeoverMs,
    changedByZombie: [...before].filter(([id, rows]) => !isDoubted.has(id) && after.get(id) !== rows).length,
    inDoubt: doubted.length,
    answeredLate: answered.length,
    stillAsked: stillAsked.length,
    livesOn: await takesRuns(yard, old, other, agents[0]!),
    ...(await compareCalls(sql, await counter.arrivals())),
    ...(await readLedger(sql)),
  }
}

/** Takes the stopped process's lock away, as the end of its connection would: its own kernel answers for it as long as it stands still. */
export async function endLockOf({ sql }: Yard, processId: string): Promise<void> {
  const ended = await sql`
    select pg_terminate_backend(l.pid) from pg_locks l join processes p on l.objid::bigint = p.lock_key
    where l.locktype = 'advisory' and l.classid::bigint = ${presenceLockClass} and l.granted and p.id = ${processId}
      and l.database = (select oid from pg_database where datname = current_database())`
  if (ended.length !== 1) throw new Error(`${ended.length} connections held the lock of one process`)
}

async function notWaiting({ sql }: Yard): Promise<number> {
  const [row] = await sql<{ count: string }>`
    select count(*) from runs where status in ('pending', 'running') or (status = 'waiting' and waiting_on ->> 'kind' <> 'human')`
  return Number(row!.count)
}

async function isListed({ sql }: Yard, { pid }: Service): Promise<boolean> {
  return (await sql`select id from processes where pid = ${pid}`).length > 0
}

/** Everything that is written of each run, as one text; but its evaluation, which comes later and from others. */
async function rowsOf({ sql }: Yard): Promise<Map<string, string>> {
  const rows = await sql<{ id: string; rows: string }>`
    select r.id, concat(to_jsonb(r) - 'eval_summary' - 'issues',
      (select json_agg(s order by s.seq) from run_steps s where s.run_id = r.id),
      (select json_agg(m order by m.seq) from run_messages m where m.run_id = r.id),
      (select json_agg(e order by e.sequence) from events e where e.run_id = r.id),
      (select json_agg(h order by h.id) from human_requests h where h.run_id = r.id)) as rows
    from runs r`
  return new Map(rows.map(({ id, rows: text }) => [id, text]))
}

/** With the other one gone, a new run is its. */
async function takesRuns(yard: Yard, old: Service, other: Service, agentId: string): Promise<boolean> {
  await other.stop('SIGKILL')
  const runId = await yard.startRun(agentId)
  const [ended] = await until(
    'a run ends',
    () => yard.sql<{ status: string }>`select status from runs where id = ${runId} and completed_at is not null`,
    (rows) => rows.length > 0,
  )
  return ended!.status === 'completed' && old.child.exitCode === null
}
