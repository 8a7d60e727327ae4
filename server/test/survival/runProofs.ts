// The long proofs about runs, in the sizes in which they are printed.
import { crowdOnOneKey } from './idempotency.ts'
import { keyedStart } from './keyedStart.ts'
import { areTrue, isWhole } from '../../src/drill/ledger.ts'
import { loseAnswerOfClaim } from './lostClaim.ts'
import { loseLock } from './lostLock.ts'
import { stopNeighbours } from './neighbours.ts'
import { startNoise } from './noisyTeam.ts'
import { restartPostgresUnderRuns } from './postgresRestarts.ts'
import type { Proof } from './proof.ts'
import { rollOver } from './rolling.ts'
import { killWorkersOfRuns } from './runs.ts'
import { stopInEveryPhase } from './stops.ts'
import { weatherStorm } from './storm.ts'
import { runSubRuns } from './subRuns.ts'
import { block, openYard, type Yard } from './yard.ts'
import { stopAndContinueWorker } from './zombie.ts'

interface Size {
  apis?: number
  workers?: number
  env?: Record<string, string>
}

/** Opens a yard for one proof, and closes it whatever comes. */
const inYard =
  <Counts extends object>(
    { apis = 1, workers = 3, env = {} }: Size,
    prove: (yard: Yard, dataDir: string) => Promise<Counts>,
    holds: (counts: Counts) => boolean,
  ): Proof['run'] =>
  async (dataDir) => {
    const yard = await openYard({ options: { dataDir, env: { LOG_LEVEL: 'error', ...env } }, apis, workers })
    try {
      const counts = await prove(yard, dataDir)
      return { counts, holds: holds(counts) }
    } finally {
      await yard.close()
    }
  }

const minute = 60_000
const readinessIntervalMs = 500

export const runProofs: Proof[] = [
  {
    name: 'kill -9 of workers at 1,000 random moments under 1,000 runs',
    must:
      'at least 100 kills between intent and result; all runs completed, 0 finished calls repeated, 0 POSTs repeated, one end each, ' +
      'no gaps, one memory generation a call; takeover p50 < 1500 ms, p99 < 5000 ms',
    run: inYard(
      {},
      (yard) => killWorkersOfRuns(yard, { runs: 1000, atOnce: 12, kills: 1000, killsBetween: 100, forMs: 40 * minute }),
      (seen) =>
        seen.runs >= 1000 &&
        seen.kills >= 1000 &&
        seen.killsBetween >= 100 &&
        seen.subRuns === seen.runs &&
        seen.completed === seen.runs * 2 &&
        seen.memoryGeneration === seen.memoryWrites &&
        areTrue(seen) &&
        isWhole(seen) &&
        seen.takeoverP50Ms < 1500 &&
        seen.takeoverP99Ms < 5000,
    ),
  },
  {
    name: 'SIGSTOP of a worker until its 40 runs are taken over, then SIGCONT',
    must: '0 writes by the old holder, one end each, no call repeated against its rule',
    run: inYard(
      { workers: 1 },
      (yard) => stopAndContinueWorker(yard, { runs: 40, stillMs: 3000 }),
      (seen) =>
        seen.completed === seen.runs &&
        seen.takenOver === seen.keptWhileLocked &&
        seen.changedByZombie === 0 &&
        seen.livesOn &&
        areTrue(seen) &&
        isWhole(seen),
    ),
  },
  {
    name: 'a worker without its lock for 4 s',
    must: 'its calls go on, 0 cut off, 0 repeated, nobody is asked, its runs are completed',
    run: inYard(
      { workers: 1 },
      (yard) => loseLock(yard, yard.workers[0]!, { runs: 20 }),
      (seen) => seen.completed === seen.runs && seen.cutOff === 0 && seen.asked === 0 && areTrue(seen) && isWhole(seen),
    ),
  },
  {
    name: 'claims whose answer was lost, of a worker that lives',
    must: 'every run completed',
    run: inYard(
      { workers: 1 },
      (yard) => loseAnswerOfClaim(yard, yard.workers[0]!, { runs: 20 }),
      ({ statuses }) => statuses.join() === 'completed',
    ),
  },
  {
    name: '500 stops in ten phases',
    must:
      'getRun says so at once, 0 rows written after the answer, 0 outside calls later than 1 s after it, calls cut off within 1 s, ' +
      'answered within 2 s, one end each',
    run: inYard(
      { apis: 2, workers: 0 },
      (yard) => stopInEveryPhase(yard, { perPhase: 50, workers: 2 }),
      (seen) =>
        seen.notAsAnswered + seen.writtenAfter + seen.calledUnbegun + seen.calledLate === 0 &&
        isWhole(seen) &&
        seen.cutOffMaxMs < 1000 &&
        seen.answerMaxMs < 2000,
    ),
  },
  {
    name: 'runs that share their commits with others, which are stopped all the time, for 30 s',
    must: 'every run that nobody stopped is completed, 0 of its calls in doubt',
    run: inYard(
      { workers: 1 },
      (yard) => stopNeighbours(yard, { runs: 40, forMs: 30_000 }),
      (seen) => seen.completed === seen.runs && seen.inDoubt === 0 && areTrue(seen) && isWhole(seen),
    ),
  },
  {
    name: '500 runs that start four runs each, every third stopped on the way',
    must: 'all completed or stopped, 0 deadlocks, one end each',
    run: inYard(
      { apis: 2, workers: 2 },
      (yard) => runSubRuns(yard, { runs: 500, stopped: 33 }),
      (seen) => seen.otherwise + seen.deadlocks === 0 && isWhole(seen),
    ),
  },
  {
    name: 'everything at once for 3 minutes: kills, answers, messages, stops, waits and sub-runs',
    must: 'all runs completed or stopped, one end each, no call repeated against its rule, 0 answers with a 5xx',
    run: inYard(
      { apis: 2 },
      (yard) => weatherStorm(yard, { forMs: 3 * minute, atOnce: 30 }),
      (seen) => seen.failed + seen.stuck + seen.serverErrors === 0 && areTrue(seen) && isWhole(seen),
    ),
  },
  {
    name: '100 concurrent same-key starts over 2 API processes, 50 rounds',
    must: '50 runs, the rest byte-equal replays or 409',
    run: inYard(
      { apis: 2, workers: 1 },
      async (yard) => {
        const agentId = await yard.newAgent(block('output', 'done'))
        return crowdOnOneKey(yard.apis, { keyed: keyedStart(yard, agentId) })
      },
      ({ effects, other }) => effects === 50 && other === 0,
    ),
  },
  {
    name: 'every process of 2 APIs and 2 workers restarted three times by SIGTERM, behind a proxy that follows /readyz',
    must: '0 failed requests, 0 failed runs, 0 calls in doubt',
    run: inYard(
      { apis: 2, workers: 2, env: { RUNYARD_READINESS_INTERVAL_MS: String(readinessIntervalMs) } },
      (yard) => rollOver(yard, { rounds: 3, clients: 8, readinessIntervalMs }),
      (seen) => seen.failedRequests + seen.failedRuns + seen.inDoubt === 0 && areTrue(seen) && isWhole(seen),
    ),
  },
  {
    name: 'a team that starts 5,000 runs at once, a hundred times its places, beside another',
    must: 'the other team’s runs start within 2 s',
    run: inYard(
      { workers: 1 },
      (yard) => startNoise(yard, { noisyRuns: 5000, quietRuns: 200, everyMs: 150 }),
      (seen) => seen.notCompleted === 0 && seen.noisyInLineMax > 0 && seen.quietMaxMs < 2000,
    ),
  },
  {
    name: 'PostgreSQL stopped or killed every 5 to 10 s for 3 minutes under runs',
    must: '0 acknowledged starts lost, 0 effects doubled, everything completed, answers < 3 s after each return',
    run: inYard(
      { apis: 2, workers: 2 },
      (yard, dataDir) =>
        restartPostgresUnderRuns(yard, dataDir, { forMs: 3 * minute, pauseMs: [5000, 10_000], clients: 8 }),
      (seen) =>
        seen.lost + seen.doubled + seen.stuck === 0 &&
        seen.completed === seen.acknowledged &&
        areTrue(seen) &&
        isWhole(seen) &&
        seen.healthyMaxMs < 3000,
    ),
  },
]
