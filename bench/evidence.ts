// What sealing adds to whole runs: the same rounds in turn, with every log sealed and signed, and with none; and what it takes to seal those
// afterwards, when nothing else happens. The first is what counts, but differs by more than the bound from round to round; the second does not.
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
const restMs = 2000
/** Larger than the number of any transaction: as far as this, all is sealed. */
const never = Number.MAX_SAFE_INTEGER

const lastEnded = `lateral (
  select ended_xid, id from runs where completed_at is not null and ended_xid is not null order by ended_xid desc, id desc limit 1)`

interface Round {
  runs: number
  costs: Costs
}

/** A round in which nothing was sealed. */
interface Unsealed extends Round {
  /** To seal its runs afterwards, without what the service takes when it rests. */
  sealing: Costs
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

  const untilSealed = async () => {
    while (!(await sealed())) await sleep(50)
  }

  async function round(andThen: () => Promise<void>): Promise<Round> {
    const { host, port, teamId, apiKey, databaseUrl } = service
    const order = { service: { host, port, teamId, apiKey, databaseUrl }, agentId, connections }
    const { result, costs } = await costsOf(service, async () => {
      const done = await loop.run({ ...order, ms: bed.isQuick ? quickMs : roundMs })
      await untilSettled(service)
      await andThen()
      return done
    })
    return { runs: result.runs, costs: { ...costs, postgresMs: costs.postgresMs - result.lookingMs } }
  }

  async function unsealedRound(): Promise<Unsealed> {
    // not by a lock: an open transaction would keep PostgreSQL from tidying up, and the streams of events from going on
    const { rows } = await client.query<{ xid: string }>('select xid from evidence_cursor')
    await client.query('update evidence_cursor set xid = $1', [never])
    const done = await round(async () => undefined)
    const resting = await costsOf(service, () => sleep(restMs))
    const startedAt = performance.now()
    const { costs } = await costsOf(service, async () => {
      await client.query('update evidence_cursor set xid = $1', [rows[0]!.xid])
      await untilSealed()
    })
    const rests = (performance.now() - startedAt) / restMs
    const sealing = {
      ...costs,
      nodeMs: costs.nodeMs - resting.costs.nodeMs * rests,
      postgresMs: costs.postgresMs - resting.costs.postgresMs * rests,
    }
    return { ...done, sealing }
  }

  const agentId = await makeAgent(service, insideSteps(steps))
  try {
    await seedEndedRuns(service, agentId, seeded)
    const pairs: Pair[] = []
    for (let n = 0; n <= rounds; n++) {
      const pair: Partial<Pair> = {}
      const both = [
        async () => void (pair.on = await round(untilSealed)),
        async () => void (pair.off = await unsealedRound()),
      ]
      for (const one of n % 2 === 0 ? both : both.toReversed()) await one()
      // the first pair warms up
      if (n === 0) continue
      const { on, off } = pair as Pair
      pairs.push({ on, off })
      const told = [on, off, sealingOf(off)].map((one) => usOf(one).toFixed(0))
      bed.tell(`round ${n} of ${rounds}: ${told[0]} µs a run with, ${told[1]} without and ${told[2]} afterwards`)
    }
    const middle = (of: (pair: Pair) => number) => median(pairs.map(of))
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
        what: '  sealed afterwards by itself',
        ours: middle(({ off }) => usOf(sealingOf(off))).toFixed(0),
        floor: `${middle(({ off }) => usOf(off)).toFixed(0)} (the runs)`,
        ratio: `${(middle(({ off }) => usOf(sealingOf(off)) / usOf(off)) * 100).toFixed(1)} %`,
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

interface Pair {
  on: Round
  off: Unsealed
}

const sealingOf = ({ runs, sealing }: Unsealed): Round => ({ runs, costs: sealing })
const usOf = ({ runs, costs }: Round): number => ((costs.nodeMs + costs.postgresMs) * 1000) / runs
const walOf = ({ runs, costs }: Round): number => costs.walBytes / 1024 / runs
