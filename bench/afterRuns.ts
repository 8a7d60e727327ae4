// A service after much work: its memory, and what it takes of a core together with PostgreSQL when nobody has asked it for a minute.
import { setTimeout as sleep } from 'node:timers/promises'
import { makeAgent } from './agent.ts'
import { costsOf } from './costs.ts'
import { connections, type Bed } from './interleave.ts'
import { memoryMb } from './memory.ts'
import { startRunLoop } from './runLoop.ts'
import { insideSteps } from './scenarios.ts'
import { makeDataDir, startService } from './service.ts'
import { untilSettled } from './settled.ts'
import type { Row } from './table.ts'

/** BENCH_RUNS makes it more or fewer; the table says how many. */
const runs = Number(process.env['BENCH_RUNS'] ?? 20_000)
const steps = 3
const atMostMs = 3_600_000
const quietMs = 60_000
const idleMs = 30_000
const quickMs = 5000
const targetMb = 250
const targetShare = 0.01

export async function afterRuns(bed: Bed): Promise<Row[]> {
  const [quiet, idle] = bed.isQuick ? [quickMs, quickMs] : [quietMs, idleMs]
  await using dataDir = await makeDataDir()
  await using loop = await startRunLoop(bed.signal)
  const service = await startService(dataDir)
  try {
    const agentId = await makeAgent(service, insideSteps(steps))
    const freshMb = memoryMb(service.pid)
    const { host, port, teamId, apiKey, databaseUrl } = service
    const order = { service: { host, port, teamId, apiKey, databaseUrl }, agentId, connections }
    await loop.run({ ...order, ms: atMostMs, runsMax: runs })
    await untilSettled(service)
    const thenMb = memoryMb(service.pid)
    bed.tell(`${runs} runs have ended: ${thenMb.toFixed(0)} MB; now it is quiet for ${quiet / 1000} s`)
    await sleep(quiet, undefined, { signal: bed.signal })
    const { costs } = await costsOf(service, () => sleep(idle, undefined, { signal: bed.signal }))
    const share = (costs.nodeMs + costs.postgresMs) / idle
    const idleMb = memoryMb(service.pid)
    const parts = [costs.nodeMs, costs.postgresMs].map((ms) => percent(ms / idle)).join(' + ')
    return [
      {
        what: `memory of Node after ${runs} runs of ${steps} steps, ${quiet / 1000} s later, MB`,
        ours: idleMb.toFixed(0),
        floor: `${freshMb.toFixed(0)} (fresh)`,
        ratio: `${(idleMb / freshMb).toFixed(1)}×`,
        target: `≤ ${targetMb} MB`,
        met: idleMb <= targetMb,
      },
      { what: '  at once after the last run, MB', ours: thenMb.toFixed(0), floor: '' },
      {
        what: '  then idle: Node and PostgreSQL together, of a core',
        ours: percent(share),
        floor: `${parts} (Node + PostgreSQL)`,
        target: `≤ ${percent(targetShare)}`,
        met: share <= targetShare,
      },
    ]
  } finally {
    await service.stop()
  }
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
