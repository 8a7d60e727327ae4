// A round of whole runs: started over HTTP as fast as they are taken, and waited for until the last has ended.
import { setTimeout as sleep } from 'node:timers/promises'
import { connections, type Bed } from './interleave.ts'
import { query } from './pair.ts'
import type { Service } from './service.ts'

const roundMs = 4000

export interface RoundOfRuns {
  ended: number
  /** From the first start to the end of the last run: what is started faster than it is done is waited for. */
  seconds: number
}

export async function roundOfRuns({ load }: Bed, service: Service, agentId: string): Promise<RoundOfRuns> {
  const before = await completed(service, agentId)
  const startedAt = performance.now()
  const shot = {
    method: 'POST' as const,
    path: `/v2/teams/${service.teamId}/runs`,
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ agent_id: agentId, message: 'hello' }),
    freshKey: false,
    status: 201,
  }
  const result = await load.run({ host: service.host, port: service.port, shot, connections, ms: roundMs })
  if (result.failures > 0) throw new Error(`starts failed: ${result.firstFailure}`)
  while ((await active(service)) > 0) await sleep(20)
  const seconds = (performance.now() - startedAt) / 1000
  return { ended: (await completed(service, agentId)) - before, seconds }
}

/** Counting the runs again and again would be a load of its own; the team's places tell when all have left. */
async function active(service: Service): Promise<number> {
  const [held] = await query<{ runs: number }>(
    service,
    `select (sum(held + in_line) - coalesce((select sum(places) from places_left), 0))::int as runs from admission`,
  )
  return held!.runs
}

async function completed(service: Service, agentId: string): Promise<number> {
  const [ended] = await query<{ runs: number }>(
    service,
    `select count(*)::int as runs from runs where agent_id = '${agentId}' and status = 'completed'`,
  )
  return ended!.runs
}
