// node bench/topStatements.ts <scenario>: which statements take PostgreSQL's time under a scenario's load, with what each costs a run.
import { allowLoopback, subscribe } from './deliveries.ts'
import { connections } from './interleave.ts'
import { startReceiver } from './receiver.ts'
import { startRunLoop } from './runLoop.ts'
import { agentFor, runStreams, scenarioList } from './scenarios.ts'
import { makeDataDir, startService } from './service.ts'
import { untilSettled } from './settled.ts'
import { countFromNextStart, countStatements } from './statements.ts'
import { startTinyServer } from './tinyServer.ts'

const shown = 25
const lettersMax = 110
const warmUpMs = 3000
const countedMs = 5000

const scenario = scenarioList[process.argv[2] ?? '']
if (!scenario || scenario.kind === 'model') {
  throw new Error(`name a scenario without a model: ${Object.keys(scenarioList).join(', ')}`)
}

await using dataDir = await makeDataDir()
await using outside = await startTinyServer()
await using receiver = await startReceiver()
const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort())
await using loop = await startRunLoop(interrupted.signal)
const first = await startService(dataDir, { env: allowLoopback })
await countFromNextStart(first)
await first.stop()
const service = await startService(dataDir, { env: allowLoopback })
try {
  const { host, port, teamId, apiKey, databaseUrl } = service
  const order = {
    service: { host, port, teamId, apiKey, databaseUrl },
    agentId: await agentFor(service, scenario, outside.url),
    connections,
    ...(scenario.isWatched && { runStreams }),
  }
  if (scenario.isTold) await subscribe(service, receiver.url, ['*'])
  await loop.run({ ...order, ms: warmUpMs })
  let runs = 0
  const statements = await countStatements(service, async () => {
    runs = (await loop.run({ ...order, ms: countedMs })).runs
    await untilSettled(service)
  })
  const total = statements.reduce((sum, { totalMs }) => sum + totalMs, 0)
  console.log(`${runs} runs, ${((total / runs) * 1000).toFixed(0)} µs of statements a run`)
  for (const { text, calls, totalMs } of statements.toSorted((a, b) => b.totalMs - a.totalMs).slice(0, shown)) {
    const figures = [(totalMs / runs) * 1000, calls / runs, (totalMs / calls) * 1000].map((figure) => figure.toFixed(2))
    console.log(`${figures.join('\t')}\t${text.replaceAll(/\s+/g, ' ').trim().slice(0, lettersMax)}`)
  }
} finally {
  await service.stop()
}
