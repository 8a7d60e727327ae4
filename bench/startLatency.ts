// Accepted → first step begun, on an idle service: one process, and API and worker apart. Against a commit paced the same way.
// Accepted is a run when its start is committed: PostgreSQL's own record of that moment, which it takes before it waits for the disk.
import { setTimeout as sleep } from 'node:timers/promises'
import { makeAgent, smallProcedure, startRun } from './agent.ts'
import { makeBareTable, pacedCommits } from './bareCommits.ts'
import type { Bed } from './interleave.ts'
import { at, latencyRows } from './latencyRows.ts'
import { query } from './pair.ts'
import { makeDataDir, startService, startWorkerBeside, type Service } from './service.ts'
import { setFromNextStart } from './superuser.ts'
import type { Row } from './table.ts'

const samples = 300
const pause = () => sleep(15)

export async function startLatency(bed: Bed): Promise<Row[]> {
  await using dataDir = await makeDataDir()
  const rows: Row[] = []
  const first = await startService(dataDir)
  await setFromNextStart(first, 'track_commit_timestamp', 'on')
  await first.stop()
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
  // a run's row is changed later; what lists search by is written once, with the start
  const began = await query<{ accepted: number; asked: number }>(
    service,
    `select ${msUntilStep('pg_xact_commit_timestamp(f.xmin)')} as accepted, ${msUntilStep('r.created_at')} as asked
     from runs r join run_steps s on s.run_id = r.id and s.seq = 1 join run_search f on f.run_id = r.id
     where r.id in (${counted.map((id) => `'${id}'`).join(', ')})`,
  )
  if (began.length !== counted.length) throw new Error(`${counted.length - began.length} runs have not begun`)
  const ours = began.map(({ accepted }) => accepted)
  const requests = began.map(({ asked }) => asked)
  bed.tell(`${where}: p50 ${at(ours, 0.5).toFixed(2)} ms, a commit ${at(commits, 0.5).toFixed(2)} ms`)
  const whole = {
    what: `  request read → first step begun, p50 / p99 in ms`,
    ours: `${at(requests, 0.5).toFixed(2)} / ${at(requests, 0.99).toFixed(2)}`,
    floor: '',
  }
  const rows = latencyRows(`accepted → first step begun, idle, ${where}`, ours, commits, target)
  return [...rows, whole]
}

/** What a step is begun at is a time of Node's clock in whole milliseconds: half of one more on average. */
const msUntilStep = (from: string) => `(extract(epoch from s.started_at + interval '0.5 ms' - ${from}) * 1000)::float8`
