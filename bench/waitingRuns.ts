// 100,000 waiting runs: what they cost a process that works beside them.
import { setTimeout as sleep } from 'node:timers/promises'
import { makeAgent, smallProcedure, startRun } from './agent.ts'
import type { Bed } from './interleave.ts'
import { memoryMb } from './memory.ts'
import { query } from './pair.ts'
import { makeDataDir, startService, type Service } from './service.ts'
import type { Row } from './table.ts'

const waiting = 100_000
const targetMb = 10

export async function waitingRuns(bed: Bed): Promise<Row[]> {
  await using dataDir = await makeDataDir()
  const first = await startService(dataDir)
  let agentId: string
  let without: number
  try {
    agentId = await makeAgent(first, smallProcedure)
    without = await settledMb(first, agentId)
    await seedWaiting(first, agentId)
  } finally {
    await first.stop()
  }
  bed.tell(`${waiting} waiting runs are there`)
  const second = await startService(dataDir)
  try {
    const beside = await settledMb(second, agentId)
    return [
      {
        what: `memory of a process beside ${waiting} waiting runs, MB`,
        ours: beside.toFixed(1),
        floor: `${without.toFixed(1)} (without them)`,
        ratio: `${beside - without >= 0 ? '+' : ''}${(beside - without).toFixed(1)} MB`,
        target: `≤ +${targetMb} MB`,
        met: beside - without <= targetMb,
      },
    ]
  } finally {
    await second.stop()
  }
}

/** After some work and some seconds of quiet, so that both sides have compiled and collected the same. */
async function settledMb(service: Service, agentId: string): Promise<number> {
  for (let n = 0; n < 50; n++) await startRun(service, agentId)
  await sleep(8000)
  return memoryMb(service.pid)
}

async function seedWaiting(service: Service, agentId: string): Promise<void> {
  await query(
    service,
    `insert into runs (id, team_id, agent_id, build_id, run_number, source, title, limits, status, waiting_on, due_at, started_at, epoch)
     select gen_random_uuid(), b.team_id, b.agent_id, b.id, nextval('run_numbers'), 'api', 'Waiting ' || n, '{}', 'waiting',
       jsonb_build_object('kind', 'time', 'since', now(), 'detail', '{}'::jsonb), now() + interval '1 day', now(), 1
     from builds b, generate_series(1, ${waiting}) n where b.agent_id = '${agentId}' and b.status = 'live'`,
  )
  await query(service, 'analyze')
}
