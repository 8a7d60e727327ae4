// Proof: a hostile team plays every trick at once, and the good team beside it is served as before.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Pool } from 'pg'
import { sqlOn, type Sql } from '../../../src/base/db.ts'
import { percentile, startService, type Service } from '../processes.ts'
import type { Proof } from '../proof.ts'
import { createTeam } from '../secondTeam.ts'
import { until } from '../yard.ts'
import { startAttack, type Played } from './attack.ts'
import { openGoodTeam, type Answers } from './goodTeam.ts'
import { watchStolenTime } from './stolenTime.ts'

export interface Siege {
  seed: number
  goodRequests: number
  /** Must be 0: failed requests of the good team, beside the attack and alone. */
  goodFailed: number
  failures: string[]
  aloneP50Ms: number
  aloneP99Ms: number
  besideP50Ms: number
  besideP99Ms: number
  /** Must be at most 3, of the undisturbed requests. */
  p99Ratio: number
  commandP99Ratio: number
  runP99Ratio: number
  /** Must be 0: runs of the good team that did not complete. */
  goodRunsNotCompleted: number
  /** What the host of a virtual machine took of its processors for others, in percent, and how many requests that left undisturbed. */
  stolenPercent: number
  quietAlone: number
  quietBeside: number
  quietAloneP99Ms: number
  quietBesideP99Ms: number
  rssBeforeMb: number
  rssMaxMb: number
  /** Must be true: it is the process that was started. */
  livesOn: boolean
  attempts: number
  accepted: number
  refused: number
  /** Must be 0: requests of the hostile team that were answered with a 5xx. */
  serverErrors: number
  /** Must be 0: connections that broke, and answers that never came. */
  broken: number
  tricks: Record<string, Played>
}

export interface SiegeOptions {
  forMs: number
  aloneMs: number
  requestsPerSecond: number
  seed: number
  /** Requests and runs have a process each, instead of one for both. */
  isApart?: boolean
  only?: string[]
  env?: Record<string, string>
}

export async function besiege(dataDir: string, options: SiegeOptions): Promise<Siege> {
  const env = { LOG_LEVEL: 'error', ...options.env }
  // the service, the good team and the attack would have machines of their own
  const own = { dataDir, hasOwnSession: true }
  const service = await startService({ ...own, env, ...(options.isApart && { args: ['--role', 'api'] }) })
  const processes = [service]
  if (options.isApart) {
    processes.push(await startService({ ...own, env: { ...env, PORT: '' }, args: ['--role', 'worker'] }))
  }
  const { database_url } = JSON.parse(await readFile(join(dataDir, 'service.json'), 'utf8')) as { database_url: string }
  const pool = new Pool({ connectionString: database_url, max: 2 })
  const watched = watchMemory(processes.map(({ pid }) => pid))
  const stolenTime = await watchStolenTime()
  try {
    const operator = { ...env, RUNYARD_DATA_DIR: dataDir }
    const [good, hostile] = [await createTeam(operator, 'Good'), await createTeam(operator, 'Hostile')]
    const { baseUrl } = service
    const client = await openGoodTeam({ baseUrl, team: good, requestsPerSecond: options.requestsPerSecond, stolenTime })
    await client.work(Math.min(5000, options.aloneMs)) // code is compiled and caches are warm
    const rssBeforeMb = await watched.now()
    const alone = await client.work(options.aloneMs)
    const { forMs, seed, only } = options
    const [beside, tricks] = await Promise.all([
      client.work(forMs),
      startAttack({ baseUrl, team: hostile, forMs, seed, ...(only && { only }) }),
    ])
    return {
      seed,
      stolenPercent: await stolenTime.percent(),
      ...(await compare(sqlOn(pool), alone, beside)),
      rssBeforeMb,
      rssMaxMb: watched.max(),
      livesOn: processes.every(isRunning),
      ...sumOf(Object.values(tricks)),
      tricks,
    }
  } finally {
    watched.stop()
    stolenTime.stop()
    await pool.end()
    for (const one of processes.toReversed()) await one.stop('SIGINT')
  }
}

const ratio = (a: number, b: number): number => Math.round((b / a) * 100) / 100

async function compare(sql: Sql, alone: Answers, beside: Answers) {
  const runs = { alone: await runTimes(sql, alone.runIds), beside: await runTimes(sql, beside.runIds) }
  return {
    goodRequests: alone.requests + beside.requests,
    goodFailed: alone.failed + beside.failed,
    failures: [...alone.failures, ...beside.failures],
    aloneP50Ms: alone.p50Ms,
    aloneP99Ms: alone.p99Ms,
    besideP50Ms: beside.p50Ms,
    besideP99Ms: beside.p99Ms,
    quietAlone: alone.quietRequests,
    quietBeside: beside.quietRequests,
    quietAloneP99Ms: alone.quietP99Ms,
    quietBesideP99Ms: beside.quietP99Ms,
    p99Ratio: ratio(alone.quietP99Ms, beside.quietP99Ms),
    commandP99Ratio: ratio(alone.commandP99Ms, beside.commandP99Ms),
    runP99Ratio: ratio(percentile(runs.alone.times, 99), percentile(runs.beside.times, 99)),
    goodRunsNotCompleted: runs.alone.left + runs.beside.left,
  }
}

const active = new Set(['pending', 'running', 'waiting'])

/** From the start of a run to its end, by the database's clock; `left` counts those that did not complete. */
async function runTimes(sql: Sql, ids: string[]): Promise<{ times: number[]; left: number }> {
  const read = () => sql<{ status: string; ms: number | null }>`
    select status, (extract(epoch from completed_at - created_at) * 1000)::float8 as ms
    from runs where id = any(${ids}::uuid[])`
  const rows = await until('the good team’s runs end', read, (seen) => !seen.some((run) => active.has(run.status)))
  const completed = rows.filter(({ status }) => status === 'completed')
  return { times: completed.map(({ ms }) => ms!), left: ids.length - completed.length }
}

function sumOf(tricks: Played[]) {
  const sum = (key: 'sent' | 'accepted' | 'refused' | 'serverErrors' | 'broken') =>
    tricks.reduce((total, trick) => total + trick[key], 0)
  return {
    attempts: sum('sent'),
    accepted: sum('accepted'),
    refused: sum('refused'),
    serverErrors: sum('serverErrors'),
    broken: sum('broken'),
  }
}

const isRunning = ({ child }: Service): boolean => child.exitCode === null && child.signalCode === null

/** Measures the resident memory of some processes together, twice a second. */
function watchMemory(pids: number[]): { now: () => Promise<number>; max: () => number; stop: () => void } {
  let most = 0
  const look = async () => {
    const texts = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')))
    const kibibytes = texts.map((text) => Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? 0))
    const mb = Math.round(kibibytes.reduce((sum, one) => sum + one, 0) / 1024)
    most = Math.max(most, mb)
    return mb
  }
  const timer = setInterval(() => void look(), 500)
  return { now: look, max: () => most, stop: () => clearInterval(timer) }
}

const minute = 60_000
/** Above what the service needs for itself; a runaway evaluation takes gigabytes. */
const memoryMaxMb = 1500

const proofOf = (name: string, isApart: boolean): Proof => ({
  name,
  must: `the good team: 0 failed requests, every run completed, p99 at most 3 times of alone (without the seconds in which the host took more than 5 % of the processors); 0 answers with a 5xx, every request of the other answered, memory below ${memoryMaxMb} MB, no restart`,
  async run(dataDir) {
    const seed = Date.now() % 1_000_000
    const counts = await besiege(dataDir, {
      forMs: 10 * minute,
      aloneMs: 2 * minute,
      requestsPerSecond: 20,
      seed,
      isApart,
    })
    const isMeasured = counts.quietAlone + counts.quietBeside >= counts.goodRequests / 2
    const isServed = counts.goodFailed === 0 && counts.goodRunsNotCompleted === 0 && counts.p99Ratio <= 3 && isMeasured
    const isAnswered = counts.serverErrors === 0 && counts.broken === 0
    const isSound = isAnswered && counts.livesOn && counts.rssMaxMb < memoryMaxMb
    return { counts, holds: isServed && isSound }
  },
})

export const hostileProofs = [
  proofOf('hostile: one team plays every trick for 10 minutes beside another, in one process', false),
  proofOf('hostile: the same where requests and runs have a process each', true),
]
