// Proof: a claim that was committed but whose answer never reached the worker does not keep the run for ever.
import { claimRuns } from '../../src/engine/admission/claim.ts'
import type { Service } from './processes.ts'
import { block, processIdOf, until, type Yard } from './yard.ts'

export interface LostClaim {
  claimed: number
  /** How they ended; the worker lived all the time. */
  statuses: string[]
  tookMs: number
}

/** The worker stands still while a claim is made in its name, as if its connection had broken between the commit and the answer. */
export async function loseAnswerOfClaim(yard: Yard, worker: Service, { runs }: { runs: number }): Promise<LostClaim> {
  const agentId = await yard.newAgent(block('output', 'done'))
  const workerId = await processIdOf(yard, worker)
  worker.child.kill('SIGSTOP')
  let claimed: { id: string }[]
  try {
    await Promise.all(Array.from({ length: runs }, () => yard.startRun(agentId)))
    claimed = await claimRuns(yard.sql, workerId, runs)
  } finally {
    worker.child.kill('SIGCONT')
  }
  const startedAt = performance.now()
  const ids = claimed.map(({ id }) => id)
  const ended = await until(
    'runs whose claim got lost have ended',
    () =>
      yard.sql<{ status: string }>`select status from runs where id = any(${ids}::uuid[]) and completed_at is not null`,
    (rows) => rows.length === ids.length,
  )
  return {
    claimed: ids.length,
    statuses: [...new Set(ended.map(({ status }) => status))],
    tookMs: Math.round(performance.now() - startedAt),
  }
}
