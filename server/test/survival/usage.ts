// Proof: what a team is told that it used is what its provider charged for, to the token, whoever was killed; what was lost is told apart.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  chargingModels,
  costOf,
  startChargingProvider,
  writePrices,
  type Charge,
  type ChargingProvider,
} from './chargingProvider.ts'
import { Killing } from '../../src/drill/killing.ts'
import type { Proof } from './proof.ts'
import { activeRuns, bodyOf, openYard, untilQuiet, type Yard } from './yard.ts'

export interface Used {
  runs: number
  kills: number
  stops: number
  /** Must be 0: did not end. */
  stuck: number
  /** What the provider charged: requests, tokens, and hundred-millionths of a dollar. */
  charged: Sums
  /** Of these, answers that were never written down: a worker died, a run was stopped, the stream broke. */
  lost: Sums
  /** What the service says that was used. Must be what was charged less what was lost. */
  used: Sums
  /** Must be true: the same by day, by agent and by model, and of the runs. */
  isSameEverywhere: boolean
  /** What the service says that may have been served beside: must be at least what was lost. */
  unsettled: number
  /** Must be 0: lost ones at a step that tells of fewer; and those that are written down and were never charged, or twice. */
  unlisted: number
  unknown: number
  /** Must be true: the most that the unsettled can cost is at least what the lost ones did. */
  isBounded: boolean
}

interface Sums {
  calls: number
  tokens: number
  cost: number
}

interface Options {
  runs: number
  atOnce: number
  kills: number
  /** Between two kills, at most. */
  pauseMs: number
  /** Every so many runs, one is stopped at some moment. */
  stopEvery: number
}

export async function useModels(yard: Yard, provider: ChargingProvider, options: Options): Promise<Used> {
  const { sql } = yard
  const agents = await Promise.all(
    [0, 1, 2].map((n) =>
      yard.newAgent('Note it, and go on.', {
        plugins: ['memory'],
        models: { agent: { model: chargingModels[n % chargingModels.length]! } },
      }),
    ),
  )
  const markers = new Map<string, string>()
  const killing = new Killing(yard)
  const stopping: Promise<void>[] = []
  let stops = 0

  async function start(): Promise<void> {
    const number = markers.size
    const marker = `marker-${number}`
    markers.set(marker, '')
    const runId = await yard.startRun(agents[number % agents.length]!, marker)
    markers.set(marker, runId)
    if (number % options.stopEvery === 0) stopping.push(stop(runId))
  }

  async function stop(runId: string): Promise<void> {
    await sleep(Math.random() * 150)
    const { status } = await yard.call({ method: 'POST', path: `/v2/runs/${runId}/stop` })
    if (status === 200) stops += 1
  }

  /** As long as somebody is still to be killed, too. */
  async function feed(): Promise<void> {
    while (markers.size < options.runs || killing.kills < options.kills) {
      const room = options.atOnce - (await activeRuns(yard))
      await Promise.all(Array.from({ length: Math.max(0, room) }, start))
      await sleep(10)
    }
  }

  async function kill(): Promise<void> {
    while (killing.kills < options.kills) {
      await sleep(Math.random() * options.pauseMs)
      await killing.killOne()
    }
  }

  await Promise.all([feed(), kill()])
  await Promise.all(stopping)
  const stuck = await untilQuiet(yard)
  await killing.ended()
  const steps = await sql<SettledStep>`
    select run_id, turn, tool as model, input_tokens::int, output_tokens::int, unsettled from run_steps where kind = 'model'`
  return {
    runs: markers.size,
    kills: killing.kills,
    stops,
    stuck,
    ...compare(provider.charges, steps, markers),
    ...(await told(yard, agents, provider.charges, steps, markers)),
  }
}

interface SettledStep {
  run_id: string
  turn: number
  model: string
  input_tokens: number | null
  output_tokens: number | null
  unsettled: number
}

const sumOf = (charges: Charge[]): Sums => ({
  calls: charges.length,
  tokens: charges.reduce((sum, { input, output }) => sum + input + output, 0),
  cost: charges.reduce((sum, charge) => sum + costOf(charge), 0),
})

/** The charges whose answer nobody wrote down. */
function lostOf(charges: Charge[], steps: SettledStep[], runs: Map<string, string>): Charge[] {
  const settled = new Set(steps.map(({ run_id, turn, input_tokens }) => `${run_id} ${turn} ${input_tokens}`))
  return charges.filter(({ marker, turn, input }) => !settled.has(`${runs.get(marker)} ${turn} ${input}`))
}

function compare(charges: Charge[], steps: SettledStep[], runs: Map<string, string>) {
  const lost = lostOf(charges, steps, runs)
  const lostAt = Map.groupBy(lost, ({ marker, turn }) => `${runs.get(marker)} ${turn}`)
  for (const { run_id, turn, unsettled } of steps) {
    const here = lostAt.get(`${run_id} ${turn}`)
    if (here && here.length <= unsettled) lostAt.delete(`${run_id} ${turn}`)
  }
  const byInput = new Map(charges.map((charge) => [charge.input, charge]))
  const answered = steps.filter(({ input_tokens }) => input_tokens !== null)
  const known = answered.filter(({ run_id, turn, model, input_tokens, output_tokens }) => {
    const charge = byInput.get(input_tokens!)
    // a charge stands for one answer: a second one with it is unknown
    byInput.delete(input_tokens!)
    return (
      charge?.output === output_tokens &&
      charge?.model === model &&
      runs.get(charge.marker) === run_id &&
      charge.turn === turn
    )
  })
  return {
    charged: sumOf(charges),
    lost: sumOf(lost),
    unlisted: [...lostAt.values()].flat().length,
    unknown: answered.length - known.length,
  }
}

interface Told {
  runs: { total: number; completed: number; failed: number; stopped: number }
  input_tokens: number
  output_tokens: number
  model_cost_usd: number
  unsettled: { calls: number; cost_usd_max: number }
  by_day: Part[]
  by_agent: (Part & { agent_id: string })[]
  by_model: (Part & { model: string; calls: number })[]
}

interface Part {
  tokens: number
  cost_usd: number
}

/** Exact in hundred-millionths: a double holds far more digits than a month has of them. */
const units = (dollars: number): number => Math.round(dollars * 1e8)

async function told(yard: Yard, agents: string[], charges: Charge[], steps: SettledStep[], runs: Map<string, string>) {
  const answer = bodyOf(await yard.call({ path: `/v2/teams/${yard.apis[0]!.teamId}/billing/usage` }))
  const usage = answer['usage'] as Told
  const [ofRuns] = await yard.sql<{ tokens: string; cost: string; ended: string; runs: string }>`
    select sum(input_tokens + output_tokens) as tokens, sum(cost_usd) * 100000000 as cost, count(*) as runs,
      count(*) filter (where status in ('completed', 'failed', 'stopped')) as ended
    from runs where agent_id = any(${agents}::uuid[])`
  const lost = lostOf(charges, steps, runs)
  const settled = charges.filter((charge) => !lost.includes(charge))
  const used: Sums = {
    calls: usage.by_model.reduce((sum, { calls }) => sum + calls, 0),
    tokens: usage.input_tokens + usage.output_tokens,
    cost: units(usage.model_cost_usd),
  }
  const { total, completed, failed, stopped } = usage.runs
  const isSameEverywhere =
    [usage.by_day, usage.by_agent, usage.by_model].every(
      (parts: Part[]) => addUp(parts, 'tokens') === used.tokens && units(addUp(parts, 'cost_usd')) === used.cost,
    ) &&
    usage.by_model.every(({ model, tokens }) => {
      return tokens === sumOf(settled.filter((charge) => charge.model === model)).tokens
    }) &&
    Number(ofRuns!.tokens) === used.tokens &&
    Number(ofRuns!.cost) === used.cost &&
    total === Number(ofRuns!.runs) &&
    completed + failed + stopped === Number(ofRuns!.ended)
  return {
    used,
    isSameEverywhere,
    unsettled: usage.unsettled.calls,
    isBounded: units(usage.unsettled.cost_usd_max) >= sumOf(lost).cost,
  }
}

const addUp = (parts: Part[], name: keyof Part): number => parts.reduce((sum, part) => sum + part[name], 0)

export const isExact = ({ charged, lost, used, ...seen }: Used): boolean =>
  (['calls', 'tokens', 'cost'] as const).every((name) => used[name] === charged[name] - lost[name]) &&
  seen.stuck + seen.unlisted + seen.unknown === 0 &&
  seen.unsettled >= lost.calls &&
  seen.isSameEverywhere &&
  seen.isBounded

/** What the processes of a yard are started with, so that they ask this provider and know its prices. */
export const chargedEnv = async (provider: ChargingProvider, dataDir: string): Promise<Record<string, string>> => ({
  OPENAI_COMPATIBLE_URL: provider.url,
  RUNYARD_MODEL_PRICES: await writePrices(join(dataDir, 'prices.json')),
})

export const usageProof: Proof = {
  name: 'usage: 10,000 runs with a model, workers killed at random, every twentieth run stopped',
  must: 'used = what the provider charged less what was lost, to the token and the micro-dollar; every lost call is listed, 0 unknown, 0 stuck, >= 100 kills',
  async run(dataDir) {
    const provider = await startChargingProvider()
    const env = { LOG_LEVEL: 'error', ...(await chargedEnv(provider, dataDir)) }
    const yard = await openYard({ options: { dataDir, env } })
    try {
      const sizes = { runs: 10_000, atOnce: 40, kills: 100, pauseMs: 2000, stopEvery: 20 }
      const counts = await useModels(yard, provider, sizes)
      return { counts, holds: isExact(counts) && counts.kills >= 100 && counts.lost.calls > 0 }
    } finally {
      await yard.close()
      await provider.close()
    }
  },
}
