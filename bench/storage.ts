// What 1 MB of text takes on disk, in all tables and indexes: as the message that starts a run, as the result of a call, as the output.
import { setTimeout as sleep } from 'node:timers/promises'
import { makeAgent, startRun } from './agent.ts'
import { costsOf } from './costs.ts'
import { allowLoopback } from './deliveries.ts'
import type { Bed } from './interleave.ts'
import { query } from './pair.ts'
import { makeDataDir, startService, type Service } from './service.ts'
import { untilSettled } from './settled.ts'
import type { Row } from './table.ts'
import { letters, startTinyServer } from './tinyServer.ts'

const runs = 20
const megabyte = 1_000_000
const target = 1.3

export async function storage(_bed: Bed): Promise<Row[]> {
  await using dataDir = await makeDataDir()
  await using outside = await startTinyServer()
  const service = await startService(dataDir, { env: allowLoopback })
  const call = `\`\`\`http id=call\nGET ${outside.url}/letters/${megabyte}\n\`\`\`\n`
  try {
    return [
      ...(await rowsOf(service, 'the message that starts a run', output('kept'), () => letters(megabyte))),
      ...(await rowsOf(service, 'the result of a call', call + output('kept'))),
      ...(await rowsOf(service, 'the result of a call, and the output', call + output('{{ steps.call.output.body }}'))),
    ]
  } finally {
    await service.stop()
  }
}

const output = (value: string): string => `\n\`\`\`output\n${value}\n\`\`\`\n`

async function rowsOf(service: Service, what: string, procedure: string, message?: () => string): Promise<Row[]> {
  const agentId = await makeAgent(service, procedure)
  const all = async () => {
    for (let n = 0; n < runs; n++) await startRun(service, agentId, message?.())
    await untilAllEnded(service, agentId)
  }
  // so that the tables have their first pages
  await all()
  const { costs } = await costsOf(service, all)
  const megabytes = costs.diskBytes / runs / megabyte
  return [
    {
      what: `1 MB as ${what}, MB on disk`,
      ours: megabytes.toFixed(2),
      floor: '1.00 (the text)',
      ratio: `${megabytes.toFixed(2)}×`,
      target: `≤ ${target} MB`,
      met: megabytes <= target,
    },
    { what: '  write-ahead log for it, MB', ours: (costs.walBytes / runs / megabyte).toFixed(2), floor: '' },
  ]
}

async function untilAllEnded(service: Service, agentId: string): Promise<void> {
  const left = `select count(*)::int as runs, bool_or(status = 'failed') as failed
    from runs where agent_id = '${agentId}' and status <> 'completed'`
  for (;;) {
    const [found] = await query<{ runs: number; failed: boolean }>(service, left)
    if (found!.failed) throw new Error('a run failed')
    if (found!.runs === 0) break
    await sleep(50)
  }
  await untilSettled(service)
}
