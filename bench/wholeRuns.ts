// Whole runs a second: HTTP start, model turn, a memory write, the end; every step and event durable. Against bare commits.
import { makeAgent, smallProcedure } from './agent.ts'
import { bareCommitsPerSecond, makeBareTable } from './bareCommits.ts'
import { allowLoopback, subscribe } from './deliveries.ts'
import { connections, type Bed } from './interleave.ts'
import { startReceiver } from './receiver.ts'
import { roundOfRuns } from './roundOfRuns.ts'
import { seedEndedRuns } from './seedRuns.ts'
import { makeDataDir, startService, type Service } from './service.ts'
import { untilSettled } from './settled.ts'
import type { Row } from './table.ts'

const target = 0.5
const perSecondTarget = 1000
const seeded = 20_000
const rounds = 5
/** What the contract's words for a run's durability amount to, one commit each: start, turn, result, end. */
const commitsPerRun = 4

const targetWithWebhook = 0.35

export async function wholeRuns(bed: Bed): Promise<Row[]> {
  await using dataDir = await makeDataDir()
  await using receiver = await startReceiver()
  const service = await startService(dataDir, { env: allowLoopback })
  try {
    const agentId = await makeAgent(service, smallProcedure)
    await seedEndedRuns(service, agentId, seeded)
    await makeBareTable(service)
    const plain = await measure(bed, service, agentId)
    await subscribe(service, receiver.url, ['*'])
    const told = await measure(bed, service, agentId)
    const what = `whole runs a second, ${connections} connections, ${seeded} ended runs in the tables`
    return [
      rowOf(what, plain, target),
      {
        what: '  of that, runs a second',
        ours: plain.runs.toFixed(0),
        floor: '',
        target: `≥ ${perSecondTarget}`,
        met: plain.runs >= perSecondTarget,
      },
      rowOf(`${what}, one webhook for all events`, told, targetWithWebhook),
    ]
  } finally {
    await service.stop()
  }
}

interface Measured {
  runs: number
  floor: number
}

/** The round whose ratio is in the middle. */
async function measure(bed: Bed, service: Service, agentId: string): Promise<Measured> {
  await round(bed, service, agentId)
  await untilSettled(service)
  const measured: Measured[] = []
  for (let n = 1; n <= rounds; n++) {
    const before = await bareCommitsPerSecond(service, 32, 1500)
    const runs = await round(bed, service, agentId)
    await untilSettled(service)
    const after = await bareCommitsPerSecond(service, 32, 1500)
    const floor = (before + after) / 2 / commitsPerRun
    measured.push({ runs, floor })
    bed.tell(
      `round ${n} of ${rounds}: ${runs.toFixed(0)} runs/s, floor ${floor.toFixed(0)}, ${((runs / floor) * 100).toFixed(0)} %`,
    )
  }
  return measured.toSorted((a, b) => a.runs / a.floor - b.runs / b.floor)[Math.floor(rounds / 2)]!
}

function rowOf(what: string, { runs, floor }: Measured, wanted: number): Row {
  const ratio = runs / floor
  return {
    what,
    ours: runs.toFixed(0),
    floor: `${floor.toFixed(0)} (4 bare commits each)`,
    ratio: `${(ratio * 100).toFixed(0)} %`,
    target: `≥ ${wanted * 100} %`,
    met: ratio >= wanted,
  }
}

async function round(bed: Bed, service: Service, agentId: string): Promise<number> {
  const { ended, seconds } = await roundOfRuns(bed, service, agentId)
  return ended / seconds
}
