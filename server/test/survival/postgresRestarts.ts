// Proof: PostgreSQL goes away and comes back again and again under runs; what was acknowledged is there, once, and everything goes on.
import { setTimeout as sleep } from 'node:timers/promises'
import { isConnectionTrouble } from '../../src/base/db.ts'
import { embeddedPostgres } from '../../src/base/embeddedPostgres.ts'
import { newId } from '../../src/base/ids.ts'
import { compareCalls, readLedger, type Calls, type Ledger } from './ledger.ts'
import { honestPerson, type Answers } from './person.ts'
import { percentile, send } from './processes.ts'
import { signalTree } from './processTree.ts'
import { activeRuns, block, until, type Yard } from './yard.ts'

export interface Restarted extends Ledger, Calls, Answers {
  restarts: number
  /** Starts that were answered with 201, at last; each was sent with one key until then. */
  acknowledged: number
  /** Of them, sent more than once because the answer was a 5xx. */
  sentAgain: number
  /** Must be 0: acknowledged and not there. */
  lost: number
  /** Must be 0: runs beyond one for each key. */
  doubled: number
  completed: number
  /** Must be 0: under way for ever. */
  stuck: number
  /** From the first connection that PostgreSQL takes to good answers of every API and an ended run. */
  healthyP50Ms: number
  healthyMaxMs: number
}

interface Options {
  forMs: number
  /** Between two restarts. */
  pauseMs: [number, number]
  clients: number
}

const procedure = (url: string) =>
  [
    block('http', `GET ${url}/look`),
    block('memory path=progress.md', 'looked in {{ run.id }}'),
    block('http', `POST ${url}/pay\n\nonce`),
    block('output', 'done'),
  ].join('\n')

/** A fast shutdown, an immediate one, and the end without any. */
const ways: NodeJS.Signals[] = ['SIGINT', 'SIGQUIT', 'SIGKILL']

export async function restartPostgresUnderRuns(yard: Yard, dataDir: string, options: Options): Promise<Restarted> {
  const agentId = await yard.newAgent(procedure(yard.counter.url))
  const person = honestPerson(yard)
  const deadline = performance.now() + options.forMs
  const load = { acknowledged: [] as string[], sentAgain: 0 }
  const healthyMs: number[] = []

  async function client(): Promise<void> {
    while (performance.now() < deadline) {
      const runId = await startUntilAcknowledged(yard, agentId, load)
      await until('a run of the load ends', () => hasEnded(yard, runId), (ended) => ended || performance.now() > deadline)
    }
  }

  async function restart(): Promise<void> {
    const [leastMs, mostMs] = options.pauseMs
    for (let round = 0; ; round++) {
      await sleep(leastMs + Math.random() * (mostMs - leastMs))
      if (performance.now() > deadline) return
      const returnedAt = await restartOnce(dataDir, ways[round % ways.length]!)
      await untilHealthy(yard, agentId, load)
      healthyMs.push(performance.now() - returnedAt)
    }
  }

  await Promise.all([restart(), ...Array.from({ length: options.clients }, client)])
  await until('every run has ended', () => activeRuns(yard), (count) => count === 0, { forMs: 40_000 }).catch(() => undefined)
  await person.leave()
  return judge(yard, { ...load, healthyMs, answers: person.answers })
}
