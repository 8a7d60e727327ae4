// Whole runs a second while every ended run is evaluated, against the same service when none is; and how the evaluations keep up.
import { setTimeout as sleep } from 'node:timers/promises'
import { makeAgent, smallProcedure } from './agent.ts'
import { connections, median, type Bed } from './interleave.ts'
import { query } from './pair.ts'
import { roundOfRuns } from './roundOfRuns.ts'
import { seedEndedRuns } from './seedRuns.ts'
import { makeDataDir, startService, type Service } from './service.ts'
import type { Row } from './table.ts'

const target = 0.85
const seeded = 20_000
const rounds = 6

interface Round {
  perSecond: number
  seconds: number
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
        what: '  of that, evaluations a second from the first start to the last evaluation',
        ours: middle(({ on }) => on.evaluated / (on.seconds + on.behindS)).toFixed(0),
        floor: '',
      },
    ]
  } finally {
    await service.stop()
  }
}

/**
 * Runs of a build with a rubric are left to the evaluator, and without the trigger none of them is noted: so it finds nothing to do. Only
 * agents that exist by now are meant.
 */
export async function evaluateRuns(service: Service, isOn: boolean): Promise<void> {
  await query(service, `alter table runs ${isOn ? 'enable' : 'disable'} trigger runs_ended_to_evaluate`)
  await query(
    service,
    isOn
      ? `delete from eval_rubrics where slug = 'unmeasured'`
      : `insert into eval_rubrics (id, team_id, agent_id, build_id, slug, title, description, severity, sort_order)
        select gen_random_uuid(), team_id, agent_id, id, 'unmeasured', 'Unmeasured', 'Nobody looks at it.', 'low', 0 from builds
        on conflict do nothing`,
  )
}

async function round(bed: Bed, service: Service, isOn: boolean): Promise<Round> {
  // an agent of its own: its runs are counted by their completion alone
  const agentId = await makeAgent(service, smallProcedure)
  await evaluateRuns(service, isOn)
  const { ended, seconds } = await roundOfRuns(bed, service, agentId)
  const endedAt = performance.now()
  while (await isBehind(service)) await sleep(50)
  const behindS = (performance.now() - endedAt) / 1000
  const [evaluated] = await query<{ runs: number }>(
    service,
    `select count(*)::int as runs from evaluations where agent_id = '${agentId}' and status = 'ready'`,
  )
  if (isOn && evaluated!.runs !== ended) throw new Error('a run that ended was not evaluated')
  return { perSecond: ended / seconds, seconds, behindS, evaluated: evaluated!.runs }
}

async function isBehind(service: Service): Promise<boolean> {
  const [left] = await query<{ found: boolean }>(service, 'select exists (select from runs_to_evaluate) as found')
  return left!.found
}
