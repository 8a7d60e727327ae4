// Whole runs a second while every ended run is evaluated, against the same service when none is; and how the evaluations keep up.
import { setTimeout as sleep } from 'node:timers/promises'
import { makeAgent, smallProcedure } from './agent.ts'
import { connections, median, type Bed } from './interleave.ts'
import { query } from './pair.ts'
import { seedEndedRuns } from './seedRuns.ts'
import { makeDataDir, startService, type Service } from './service.ts'
import type { Row } from './table.ts'

const target = 0.85
const seeded = 20_000
const rounds = 6
const roundMs = 4000

interface Round {
  perSecond: number
  /** Until the last run that ended in the round was evaluated. */
  behindS: number
  evaluated: number
}

export async function evaluations(bed: Bed): Promise<Row[]> {
  await using dataDir = await makeDataDir()
  const service = await startService(dataDir)
  try {
    const agentId = await makeAgent(service, smallProcedure)
    await seedEndedRuns(service, agentId, seeded)
    const ratios: number[] = []
    const all: { on: Round; off: Round }[] = []
    for (let n = 0; n <= rounds; n++) {
      // in turn, so that whatever the machine does meets both alike
      const first = n % 2 === 0
      const one = await round(bed, service, first)
      const other = await round(bed, service, !first)
      const [on, off] = first ? [one, other] : [other, one]
      // the first pair warms up
      if (n === 0) continue
      ratios.push(on.perSecond / off.perSecond)
      all.push({ on, off })
      const figures = `${on.perSecond.toFixed(0)} runs/s with, ${off.perSecond.toFixed(0)} without`
      bed.tell(`round ${n} of ${rounds}: ${figures}, caught up after ${on.behindS.toFixed(1)} s`)
    }
    const ratio = median(ratios)
    const middle = (of: (pair: { on: Round; off: Round }) => number) => median(all.map(of))
    return [
      {
        what: `whole runs a second, ${connections} connections, every run evaluated`,
        ours: middle(({ on }) => on.perSecond).toFixed(0),
        floor: `${middle(({ off }) => off.perSecond).toFixed(0)} (none evaluated)`,
        ratio: `${(ratio * 100).toFixed(0)} %`,
        target: `≥ ${target * 100} %`,
        met: ratio >= target,
      },
      {
        what: '  of that, evaluations a second from the first end to the last evaluation',
        ours: middle(({ on }) => on.evaluated / (roundMs / 1000 + on.behindS)).toFixed(0),
        floor: '',
      },
    ]
  } finally {
    await service.stop()
  }
}

/** Without the trigger no ended run is noted, and the evaluator finds nothing to do. */
async function round(bed: Bed, service: Service, isOn: boolean): Promise<Round> {
  await query(service, `alter table runs ${isOn ? 'enable' : 'disable'} trigger runs_ended_to_evaluate`)
  // an agent of its own: its runs are counted by their completion alone
  const agentId = await makeAgent(service, smallProcedure)
  const startedAt = performance.now()
  const shot = {
    method: 'POST' as const,
    path: `/v2/teams/${service.teamId}/runs`,
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ agent_id: agentId, message: 'hello' }),
    freshKey: false,
    status: 201,
  }
  const result = await bed.load.run({ host: service.host, port: service.port, shot, connections, ms: roundMs })
  if (result.failures > 0) throw new Error(`starts failed: ${result.firstFailure}`)
  while ((await active(service)) > 0) await sleep(20)
  const seconds = (performance.now() - startedAt) / 1000
  const [ended] = await query<{ runs: number }>(
    service,
    `select count(*)::int as runs from runs where agent_id = '${agentId}' and status = 'completed'`,
  )
  while (await isBehind(service)) await sleep(50)
  const behindS = (performance.now() - startedAt) / 1000 - seconds
  const [evaluated] = await query<{ runs: number }>(
    service,
    `select count(*)::int as runs from evaluations where agent_id = '${agentId}' and status = 'ready'`,
  )
  if (isOn && evaluated!.runs !== ended!.runs) throw new Error('a run that ended was not evaluated')
  return { perSecond: ended!.runs / seconds, behindS, evaluated: evaluated!.runs }
}

/** Counting the runs again and again would be a load of its own; the team's places tell when all have left. */
async function active(service: Service): Promise<number> {
  const [held] = await query<{ runs: number }>(
    service,
    `select (sum(held + in_line) - coalesce((select sum(places) from places_left), 0))::int as runs from admission`,
  )
  return held!.runs
}

async function isBehind(service: Service): Promise<boolean> {
  const [left] = await query<{ found: boolean }>(service, 'select exists (select from runs_to_evaluate) as found')
  return left!.found
}
