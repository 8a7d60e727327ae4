// runyard drill: kills workers of its own while runs are under way, on this machine's service or on a scratch one, and says what was lost.
import type { Config } from '../base/config.ts'
import { drill, type DrillOutcome } from '../drill/drill.ts'
import { DrillRefused } from '../drill/ground.ts'
import { withScratchService } from '../drill/scratch.ts'
import { usualTimeoutMs } from '../drill/timeout.ts'
import { drillBounds, type DrillProgress, type DrillResult } from '../features/system/drills/drill.ts'
import { holdsItsLock } from '../kit/presence.ts'
import { CommandFailed, UsageError, type Call } from './command.ts'
import { withDatabase } from './joinDatabase.ts'
import { requireCurrentSchema } from './requireCurrentSchema.ts'

interface Values {
  runs?: string
  kills?: string
  timeout?: string
  scratch?: boolean
}

interface Watching {
  env: NodeJS.ProcessEnv
  tell: (progress: DrillProgress, wanted: { runs: number; kills: number }) => void
}

export async function drillCommand(
  { config, log, values, signal }: Call<Values>,
  { env, tell }: Watching,
): Promise<DrillOutcome> {
  const wanted = {
    runs: readCount('runs', values.runs, drillBounds.runs),
    kills: readCount('kills', values.kills, drillBounds.kills),
  }
  const timeoutMs = readTimeout(values.timeout)
  const on = async (drilled: Config): Promise<DrillOutcome> => {
    await requireService({ config: drilled, log })
    return drill({ config: drilled, log, asked: wanted, timeoutMs, signal, tell: (progress) => tell(progress, wanted) })
  }
  try {
    return values.scratch ? await withScratchService(env, on) : await on(config)
  } catch (error) {
    if (error instanceof DrillRefused) throw new CommandFailed(error.message, { cause: error })
    throw error
  }
}

function readCount(name: string, given: string | undefined, { min, max, usual }: (typeof drillBounds)['runs']): number {
  if (given === undefined) return usual
  const count = /^\d{1,6}$/.test(given) ? Number(given) : NaN
  if (count >= min && count <= max) return count
  throw new UsageError(`--${name} must be a whole number from ${min} to ${max}.`)
}

const timeoutMaxS = 6 * 3600

function readTimeout(given: string | undefined): number {
  if (given === undefined) return usualTimeoutMs
  const seconds = /^\d{1,6}$/.test(given) ? Number(given) : NaN
  if (seconds >= 1 && seconds <= timeoutMaxS) return seconds * 1000
  throw new UsageError(`--timeout must be a whole number of seconds from 1 to ${timeoutMaxS}.`)
}

/** The deaths of the drill's workers are seen by the service: without one, nothing would be taken over. */
async function requireService({ config, log }: Pick<Call, 'config' | 'log'>): Promise<void> {
  const isThere = await withDatabase({ config, log, role: 'drill', onlyLooks: true }, async ({ client, sql }) => {
    await requireCurrentSchema(client)
    const living = await sql`
      select p.id from processes p where p.role in ('all', 'worker') and ${holdsItsLock} limit 1`
    return living.length > 0
  })
  if (isThere) return
  throw new CommandFailed(
    'No worker of the service is running. Start it (npm start, or runyard serve) and drill it then, or use --scratch, which starts a service of its own.',
  )
}

const ms = (value: number | null): string => (value === null ? 'none' : `${value} ms`)

/** The lines of a table for people. */
export function drillLines(result: DrillResult): string[] {
  const rows: [string, string | number][] = [
    ['Runs started', `${result.runs_started}, each with a sub-run and an approval`],
    ['Workers killed', `${result.kills}, of which ${result.kills_between} in the middle of a call`],
    ['Runs lost', result.runs_lost],
    ['Finished calls repeated', result.finished_calls_repeated],
    ['Calls doubled against their rule', result.calls_doubled],
    ['Calls with a result that never came', result.calls_missing],
    ['Calls retried as their rule allows', `${result.calls_retried} of ${result.calls}`],
    ['Calls in doubt, a person asked', result.in_doubt_asked],
    ['Takeovers', `${result.takeovers}, p50 ${ms(result.takeover_p50_ms)}, p99 ${ms(result.takeover_p99_ms)}`],
    ['Deliveries lost', `${result.deliveries_lost} of ${result.deliveries}`],
    [
      'Deliveries repeated',
      `${result.deliveries_repeated} with the same bytes, ${result.deliveries_changed} with others`,
    ],
    ['Memory writes missing', `${result.memory_missing} of ${result.memory_writes}`],
    ['Records of runs broken', result.records_broken],
    ['Cleaned up', `${result.erased_runs} runs and their team; ${result.rows_left} rows are left`],
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  return [
    ...rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`),
    ...result.findings.map(({ what, detail }) => `! ${what}: ${detail}`),
    '',
    result.verdict,
  ]
}
