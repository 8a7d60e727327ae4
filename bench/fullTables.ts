// Whole runs beside a million that have ended, against the same with empty tables: two services on one machine, in turn.
import { costsOf, type Costs } from './costs.ts'
import { makeAgent } from './agent.ts'
import { connections, median, type Bed } from './interleave.ts'
import { startRunLoop } from './runLoop.ts'
import { insideSteps } from './scenarios.ts'
import { seedEndedRuns } from './seedRuns.ts'
import { makeDataDir, startService, type Service } from './service.ts'
import { untilSettled } from './settled.ts'
import type { Row } from './table.ts'

/** BENCH_RUNS makes it smaller where time is short; the table then says so. */
const many = Number(process.env['BENCH_RUNS'] ?? 1_000_000)
const seedBatch = 50_000
const steps = 3
const rounds = 5
const warmUpMs = 1500
const roundMs = 4000
const quickRoundMs = 2000
const target = 0.85

interface Side {
  service: Service
  agentId: string
  measured: { perSecond: number; runs: number; costs: Costs }[]
}

const middle = ({ measured }: Side, of: (round: Side['measured'][number]) => number) => median(measured.map(of))

export async function fullTables(bed: Bed): Promise<Row[]> {
  await using emptyDir = await makeDataDir()
  await using fullDir = await makeDataDir()
  await using loop = await startRunLoop(bed.signal)
  await using running = new AsyncDisposableStack()
  const start = async (dataDir: typeof emptyDir): Promise<Side> => {
    const service = await startService(dataDir)
    running.defer(() => service.stop())
    return { service, agentId: await makeAgent(service, insideSteps(steps)), measured: [] }
  }
  const empty = await start(emptyDir)
  const full = await start(fullDir)
  const startedAt = performance.now()
  for (let made = 0; made < many; made += seedBatch) {
    await seedEndedRuns(full.service, full.agentId, Math.min(seedBatch, many - made))
  }
  bed.tell(`${many} ended runs seeded in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
  for (let n = 0; n <= (bed.isQuick ? 1 : rounds); n++) {
    for (const { service, agentId, measured } of [empty, full]) {
      const { host, port, teamId, apiKey, databaseUrl } = service
      const ms = n === 0 ? warmUpMs : bed.isQuick ? quickRoundMs : roundMs
      const order = { service: { host, port, teamId, apiKey, databaseUrl }, agentId, connections, ms }
      const { result, costs } = await costsOf(service, async () => {
        const ended = await loop.run(order)
        await untilSettled(service)
        return ended
      })
      if (n > 0) measured.push({ ...result, costs })
    }
    if (n > 0)
      bed.tell(
        `round ${n}: ${[full, empty].map((side) => side.measured.at(-1)!.perSecond.toFixed(0)).join(' beside ')} with empty tables`,
      )
  }
  const ratio = median(full.measured.map(({ perSecond }, n) => perSecond / empty.measured[n]!.perSecond))
  const cost = (side: Side) =>
    `${middle(side, ({ costs, runs }) => (costs.postgresMs * 1000) / runs).toFixed(0)} / ${middle(side, ({ costs, runs }) => costs.walBytes / 1024 / runs).toFixed(1)}`
  return [
    {
      what: `runs of ${steps} inside steps a second, ${connections} connections, beside ${many} ended runs`,
      ours: middle(full, ({ perSecond }) => perSecond).toFixed(0),
      floor: `${middle(empty, ({ perSecond }) => perSecond).toFixed(0)} (empty tables)`,
      ratio: `${(ratio * 100).toFixed(0)} %`,
      target: `≥ ${target * 100} %`,
      met: ratio >= target,
    },
    { what: '  PostgreSQL µs / WAL KB a run', ours: cost(full), floor: cost(empty) },
  ]
}
