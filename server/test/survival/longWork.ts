// Proof: runs of thousands of turns in a small window, whoever is killed: every turn is there once, old facts are recalled, requests stay short.
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Killing } from '../../src/drill/killing.ts'
import { areTrue, compareCalls, isWhole, readLedger, type Calls, type Ledger } from '../../src/drill/ledger.ts'
import { startLongModels, window, type LongModel, type LongModels } from './longModels.ts'
import { plotOf } from './longPlot.ts'
import { pageName, startLongWorld, type LongWorld } from './longWorld.ts'
import { percentile } from './processes.ts'
import type { Proof } from './proof.ts'
import { openYard, until, untilQuiet, type Yard } from './yard.ts'

export interface LongWork extends Calls, Ledger {
  /** One run with each provider. */
  runs: number
  turns: number
  completed: number
  kills: number
  killsBetween: number
  stuck: number
  /** Must be 0: turns that are not exactly once in the ledger, and pages that were not read by exactly one call. */
  turnsUnaccounted: number
  pagesUnaccounted: number
  /** Runs whose last turn said both facts of the third page. */
  recalled: number
  folds: number
  shortenings: number
  /** Requests that the provider refused as too long. */
  refused: number
  window: number
  tokensP50: number
  tokensMax: number
  /** What folding used, of all tokens. */
  foldingShare: number
  takeoverP50Ms: number
}

interface Size {
  turns: number
  kills: number
}

export async function workLong(yard: Yard, world: LongWorld, { models }: LongModels, size: Size): Promise<LongWork> {
  const { sql } = yard
  const runs = await Promise.all(
    models.map(async ({ name }) => {
      const agentId = await yard.newAgent('Read the pages one after another, then say the facts of the third one.', {
        plugins: ['http'],
        models: { agent: { model: name } },
        limits: { max_steps: 100_000, max_duration_s: 86_400 },
      })
      return yard.startRun(agentId, 'Begin with the first page.')
    }),
  )
  const killing = new Killing(yard)
  /** Each run must have come on since the last kill, so that the deaths of its processes are not its own doing. */
  const slowest = async () => {
    const [row] = await sql<{ turns: number | null }>`
      select min((select count(*)::int from run_steps s where s.run_id = r.id and s.kind = 'model' and s.state = 'done')) as turns
      from runs r where r.id = any(${runs}::uuid[]) and r.completed_at is null`
    return row?.turns ?? Number.POSITIVE_INFINITY
  }
  while (killing.kills < size.kills) {
    const next = Math.floor((size.turns * (killing.kills + 0.5)) / size.kills)
    const seen = await until('the runs come on', slowest, (turns) => turns >= next, { everyMs: 20, forMs: 300_000 })
    if (seen === Number.POSITIVE_INFINITY) break
    await killing.killOne()
  }
  const stuck = await untilQuiet(yard)
  await killing.ended()
  const { kills, killsBetween } = killing
  return {
    runs: runs.length,
    turns: size.turns,
    kills,
    killsBetween,
    stuck,
    ...(await accounted(yard, world, runs, size.turns)),
    ...sizesOf(models),
    ...(await compareCalls(sql, world.arrivals)),
    ...(await readLedger(sql)),
    takeoverP50Ms: killing.takeoverTimes().takeoverP50Ms,
  }
}

interface RunRow {
  status: string
  output: string | null
  turns: number[]
  pages: string[]
  folds: number
  shortenings: number
  folding: number
  tokens: number
}

async function accounted({ sql }: Yard, { gate, deep }: LongWorld, runs: string[], turns: number) {
  const rows = await sql<RunRow>`
    select r.status, r.output #>> '{}' as output, (r.input_tokens + r.output_tokens)::float8 as tokens,
      array(select s.turn from run_steps s where s.run_id = r.id and s.kind = 'model' and s.state = 'done'
        and s.arguments ->> 'room' is null order by s.turn) as turns,
      array(select right(s.arguments ->> 'url', 11) from run_steps s where s.run_id = r.id and s.tool = 'http_request' and s.state = 'done'
        order by 1) as pages,
      (select count(*)::int from run_steps s where s.run_id = r.id and s.arguments ->> 'room' = 'fold') as folds,
      (select count(*)::int from run_steps s where s.run_id = r.id and s.arguments ->> 'room' = 'shorten') as shortenings,
      (select coalesce(sum(s.input_tokens + s.output_tokens), 0)::float8 from run_steps s
        where s.run_id = r.id and s.arguments ->> 'room' = 'fold') as folding
    from runs r where r.id = any(${runs}::uuid[])`
  const sum = (of: (row: RunRow) => number): number => rows.reduce((all, row) => all + of(row), 0)
  const allTurns = Array.from({ length: turns }, (_, index) => index + 1)
  const allPages = allTurns.slice(0, -3).map(pageName)
  return {
    completed: rows.filter(({ status }) => status === 'completed').length,
    turnsUnaccounted: sum((row) => unaccounted(allTurns, row.turns)),
    pagesUnaccounted: sum((row) => unaccounted(allPages, row.pages)),
    recalled: rows.filter(({ output }) => output === `${gate} ${deep}`).length,
    folds: sum((row) => row.folds),
    shortenings: sum((row) => row.shortenings),
    foldingShare: Math.round((sum((row) => row.folding) / sum((row) => row.tokens)) * 1000) / 1000,
  }
}

/** How many are missing, and how many are there more than once. */
function unaccounted<T>(wanted: T[], seen: T[]): number {
  const there = new Set(seen)
  return wanted.filter((one) => !there.has(one)).length + seen.length - there.size
}

function sizesOf(models: LongModel[]) {
  const tokens = models.flatMap((model) => model.tokens.filter((one) => one > 0))
  return {
    refused: models.reduce((all, { refused }) => all + refused, 0),
    window,
    tokensP50: percentile(tokens, 50),
    tokensMax: Math.max(...tokens),
  }
}

export const isLongWork = (seen: LongWork): boolean =>
  seen.completed === seen.runs &&
  seen.recalled === seen.runs &&
  seen.stuck + seen.turnsUnaccounted + seen.pagesUnaccounted + seen.refused === 0 &&
  seen.folds > 0 &&
  // the setting is 75 % of the window; the rest of the bound is what the estimate may be wrong by
  seen.tokensMax <= window * 0.85 &&
  areTrue(seen) &&
  isWhole(seen)

const plotFile = fileURLToPath(new URL('../../../docs/proofs/long-work.svg', import.meta.url))

export const longWorkProof: Proof = {
  name: 'long work: runs of 2,000 turns in a window of 32k tokens, one with each provider, workers killed 100 times',
  must:
    'all turns and pages accounted, 0 finished calls repeated, the facts of turn 3 recalled in turn 1,999, no request over 85 % of the window, ' +
    '0 refused as too long, 100 kills',
  async run(dataDir) {
    const turns = 2000
    const world = await startLongWorld()
    const models = await startLongModels(world, turns)
    const yard = await openYard({ options: { dataDir, env: { LOG_LEVEL: 'error', ...models.env } } })
    try {
      const counts = await workLong(yard, world, models, { turns, kills: 100 })
      await writeFile(plotFile, plotOf(models.models, window))
      return { counts, holds: isLongWork(counts) && counts.kills >= 100 }
    } finally {
      await yard.close()
      await Promise.all([models.close(), world.close()])
    }
  },
}
