// A run of 10,000 steps: what a step costs at the end against the beginning, and how fast another worker takes it up there.
import { setTimeout as sleep } from 'node:timers/promises'
import { makeAgent, startRun } from './agent.ts'
import type { Bed } from './interleave.ts'
import { query } from './pair.ts'
import { makeDataDir, startService, startWorkerBeside, type Service } from './service.ts'
import type { Row } from './table.ts'

const steps = 10_000
const takeoverAt = 9000
const costTarget = 1.2
const takeoverTargetMs = 300

export async function longRun(bed: Bed): Promise<Row[]> {
  await using dataDir = await makeDataDir()
  const service = await startService(dataDir)
  let isStopped = false
  try {
    const procedure = '~~~memory path=a\nx\n~~~\n'.repeat(steps)
    const agentId = await makeAgent(service, procedure, { limits: { max_steps: steps + 1 } })
    const runId = await startRun(service, agentId)
    await until(service, runId, takeoverAt)
    bed.tell(`at step ${takeoverAt} the process stops, and another one takes the run up`)
    await using _heir = await startWorkerBeside(dataDir)
    await service.stop()
    isStopped = true
    const takeoverMs = await takenUp(service, runId)
    await until(service, runId, steps)
    const early = await stepMs(service, runId, 50, 150)
    const late = await stepMs(service, runId, steps - 100, steps)
    return [
      {
        what: `a step of a run of ${steps}: the last hundred, ms each`,
        ours: late.toFixed(2),
        floor: `${early.toFixed(2)} (steps 50 to 150)`,
        ratio: `${(late / early).toFixed(2)}×`,
        target: `≤ ${costTarget}×`,
        met: late / early <= costTarget,
      },
      {
        what: `taking it up at step ${takeoverAt}: claim → next step begun, ms`,
        ours: takeoverMs.toFixed(0),
        floor: '',
        target: `≤ ${takeoverTargetMs} ms`,
        met: takeoverMs <= takeoverTargetMs,
      },
    ]
  } finally {
    if (!isStopped) await service.stop()
  }
}

async function until(service: Service, runId: string, count: number): Promise<void> {
  for (;;) {
    const [row] = await query<{ steps: number; status: string }>(
      service,
      `select steps, status from runs where id = '${runId}'`,
    )
    if (row!.steps >= count) return
    if (row!.status === 'failed') throw new Error('the long run failed')
    await sleep(50)
  }
}

/** The claim is the run's running_since; the first step after it is the first that the new holder began. */
async function takenUp(service: Service, runId: string): Promise<number> {
  for (;;) {
    const [row] = await query<{ ms: number | null }>(
      service,
      `select (extract(epoch from min(s.started_at) - r.running_since) * 1000)::float8 as ms
       from runs r join run_steps s on s.run_id = r.id and s.started_at > r.running_since where r.id = '${runId}' group by r.running_since`,
    )
    if (row && row.ms !== null) return row.ms
    await sleep(20)
  }
}

/** From the beginning of one step to that of the next: everything a step costs. */
async function stepMs(service: Service, runId: string, from: number, to: number): Promise<number> {
  const [row] = await query<{ ms: number }>(
    service,
    `select percentile_cont(0.5) within group (order by ms) as ms from (
       select (extract(epoch from started_at - lag(started_at) over (order by seq)) * 1000)::float8 as ms
       from run_steps where run_id = '${runId}' and seq between ${from} and ${to}) t`,
  )
  return row!.ms
}
