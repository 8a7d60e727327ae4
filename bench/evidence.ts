// What sealing adds to whole runs: the same rounds in turn, with every log sealed and signed, and with none.
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { makeAgent } from './agent.ts'
import { costsOf, type Costs } from './costs.ts'
import { connections, median, type Bed } from './interleave.ts'
import { startRunLoop } from './runLoop.ts'
import { insideSteps } from './scenarios.ts'
import { seedEndedRuns } from './seedRuns.ts'
import { makeDataDir, startService } from './service.ts'
import { untilSettled } from './settled.ts'
import type { Row } from './table.ts'

const rounds = 6
const roundMs = 6000
const quickMs = 2000
const steps = 3
const seeded = 20_000
const targetShare = 0.03
/** Larger than the number of any transaction: as far as this, all is sealed. */
const never = Number.MAX_SAFE_INTEGER

const lastEnded = `lateral (
  select ended_xid, id from runs where completed_at is not null and ended_xid is not null order by ended_xid desc, id desc limit 1)`

interface Round {
  runs: number
  costs: Costs
}

export async function evidence(bed: Bed): Promise<Row[]> {
  await using dataDir = await makeDataDir()
  await using loop = await startRunLoop(bed.signal)
  const service = await startService(dataDir)
  const client = new Client({ connectionString: service.databaseUrl })
  await client.connect()
  const sealed = async () =>
    (
      await client.query<{ is_all: boolean }>(`
        select (c.xid, c.run_id) >= (last.ended_xid, last.id) as is_all from evidence_cursor c, ${lastEnded} last`)
    ).rows[0]!.is_all

  async function round(isSealed: boolean): Promise<Round> {
    const { host, port, teamId, apiKey, databaseUrl } = service
    const order = { service: { host, port, teamId, apiKey, databaseUrl }, agentId, connections }
    // not by a lock: an open transaction would keep PostgreSQL from tidying up, and the streams of events from going on
    if (!isSealed) await client.query(`update evidence_cursor set xid = ${never}`)
    const { result, costs } = await costsOf(service, async () => {
      const done = await loop.run({ ...order, ms: bed.isQuick ? quickMs : roundMs })
      await untilSettled(service)
      if (isSealed) while (!(await sealed())) await sleep(50)
      return done
    })
    // what ended meanwhile is not sealed in the next round either
    if (!isSealed) {
      await client.query(`update evidence_cursor set (xid, run_id) = (select ended_xid, id from ${lastEnded} last)`)
    }
    return { runs: result.runs, costs: { ...costs, postgresMs: costs.postgresMs - result.lookingMs } }
  }

  const agentId = await makeAgent(service, insideSteps(steps))
  try {
    await seedEndedRuns(service, agentId, seeded)
    const pairs: { on: Round; off: Round }[] = []
    for (let n = 0; n <= rounds; n++) {
      const first = n % 2 === 0
      const one = await round(first)
      const other = await round(!first)
      const [on, off] = first ? [one, other] : [other, one]
      // the first pair warms up
      if (n === 0) continue
      pairs.push({ on, off })
      bed.tell(`round ${n} of ${rounds}: ${usOf(on).toFixed(0)} µs a run with, ${usOf(off).toFixed(0)} without`)
    }
    const middle = (of: (pair: { on: Round; off: Round }) => number) => median(pairs.map(of))
    const share = middle(({ on, off }) => usOf(on) / usOf(off) - 1)
    return [
      {
        what: `Node and PostgreSQL, µs a run of ${steps} inside steps, every log sealed`,
        ours: middle(({ on }) => usOf(on)).toFixed(0),
        floor: `${middle(({ off }) => usOf(off)).toFixed(0)} (none sealed)`,
        ratio: `+${(share * 100).toFixed(1)} %`,
        target: `≤ +${targetShare * 100} %`,
        met: share <= targetShare,
      },
      {
        what: '  write-ahead log, KB a run',
        ours: middle(({ on }) => walOf(on)).toFixed(1),
        floor: `${middle(({ off }) => walOf(off)).toFixed(1)} (none sealed)`,
      },
    ]
  } finally {
    await client.end()
    await service.stop()
  }
}

const usOf = ({ runs, costs }: Round): number => ((costs.nodeMs + costs.postgresMs) * 1000) / runs
const walOf = ({ runs, costs }: Round): number => costs.walBytes / 1024 / runs
