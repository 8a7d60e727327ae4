// Proof: a worker that cannot prove for a while that it lives keeps its calls under way, and neither fails, doubts nor repeats them.
import { presenceLockClass } from '../../src/base/locks.ts'
import { compareCalls, readLedger, type Calls, type Ledger } from '../../src/drill/ledger.ts'
import { honestPerson } from '../../src/drill/person.ts'
import type { Service } from './processes.ts'
import { block, processIdOf, untilQuiet, until, type Yard } from './yard.ts'
import { endLockOf } from './zombie.ts'

export interface LostLock extends Ledger, Calls {
  runs: number
  completed: number
  /** Must be 0: calls that the worker itself broke off while another session had its lock. */
  cutOff: number
  /** Must be 0: questions to people. */
  asked: number
}

/** More than the 3 s for which a process may be without its lock. */
const awaySeconds = 4

/** Somebody else holds the worker's lock, as its own lost connection does until the server notices. */
export async function loseLock(yard: Yard, worker: Service, { runs }: { runs: number }): Promise<LostLock> {
  const { sql, counter } = yard
  const before = (await counter.arrivals()).length
  const agentId = await yard.newAgent(
    `${block('http', `POST ${counter.url}/ms/8000/pay\n\nonce`)}\n${block('output', 'done')}`,
  )
  const ids = await Promise.all(Array.from({ length: runs }, () => yard.startRun(agentId)))
  await until('every run is in its call', counter.arrivals, (all) => all.length === before + runs)
  const workerId = await processIdOf(yard, worker)
  const [{ key } = { key: 0 }] = await sql<{
    key: number
  }>`select lock_key as key from processes where id = ${workerId}`
  const holding = sql`
    select pg_advisory_lock(${presenceLockClass}, ${key}), pg_sleep(${awaySeconds}), pg_advisory_unlock(${presenceLockClass}, ${key})`
  await endLockOf(yard, workerId)
  await holding
  const person = honestPerson(yard)
  await untilQuiet(yard)
  await person.leave()
  const completed = await sql`select id from runs where id = any(${ids}::uuid[]) and status = 'completed'`
  const asked = await sql`select id from human_requests where run_id = any(${ids}::uuid[])`
  const arrivals = await counter.arrivals()
  return {
    runs,
    completed: completed.length,
    asked: asked.length,
    cutOff: arrivals.slice(before).filter(({ cutOffAt }) => cutOffAt !== null).length,
    ...(await compareCalls(sql, arrivals)),
    ...(await readLedger(sql)),
  }
}
