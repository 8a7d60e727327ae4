// Accepted → first step begun, on an idle service: one process, and API and worker apart. Against a commit paced the same way.
import { setTimeout as sleep } from 'node:timers/promises'
import { makeAgent, smallProcedure, startRun } from './agent.ts'
import { makeBareTable, pacedCommits } from './bareCommits.ts'
import type { Bed } from './interleave.ts'
import { query } from './pair.ts'
import { makeDataDir, startService, startWorkerBeside, type Service } from './service.ts'
import type { Row } from './table.ts'

const samples = 300
const pause = () => sleep(15)

export async function startLatency(bed: Bed): Promise<Row[]> {
  await using dataDir = await makeDataDir()
  const rows: Row[] = []
  const one = await startService(dataDir)
  try {
    rows.push(...(await measure(bed, one, 'one process', { p50: 2, p99: 5 })))
  } finally {
    await one.stop()
  }
  const api = await startService(dataDir, { args: ['--role', 'api'] })
  try {
    await using _worker = await startWorkerBeside(dataDir)
    rows.push(...(await measure(bed, api, 'API and worker apart', { p50: 4, p99: 20 })))
  } finally {
    await api.stop()
  }
  return rows
}

async function measure(
  bed: Bed,
  service: Service,
  where: string,
  target: { p50: number; p99: number },
): Promise<Row[]> {
  await makeBareTable(service)
  const agentId = await makeAgent(service, smallProcedure)
  const ids: string[] = []
  for (let n = 0; n < samples + 20; n++) {
    await pause()
    ids.push(await startRun(service, agentId))
  }
  // the first ones warm up
  const counted = ids.slice(20)
  const commits = await pacedCommits(service, samples, pause)
  await sleep(500)
  const began = await query<{ ms: number }>(
    service,
    `select (extract(epoch from s.started_at - r.created_at) * 1000)::float8 as ms from runs r join run_steps s on s.run_id = r.id and s.seq = 1
     where r.id in (${counted.map((id) => `'${id}'`).join(', ')})`,
  )
  if (began.length !== counted.length) throw new Error(`${counted.length - began.length} runs have not begun`)
  const ours = began.map(({ ms }) => ms)
  bed.tell(`${where}: p50 ${at(ours, 0.5).toFixed(2)} ms, a commit ${at(commits, 0.5).toFixed(2)} ms`)
  return (['p50', 'p99'] as const).map((name) => {
    const p = name === 'p50' ? 0.5 : 0.99
    const ratio = at(ours, p) / at(commits, p)
    return {
      what: `accepted → first step begun, idle, ${where}, ${name} in ms`,
      ours: at(ours, p).toFixed(2),
      floor: `${at(commits, p).toFixed(2)} (a paced commit)`,
      ratio: `${ratio.toFixed(1)}×`,
      target: `≤ ${target[name]}×`,
      met: ratio <= target[name],
    }
  })
}

const at = (values: number[], p: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * p))]!
