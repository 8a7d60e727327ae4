// Proof: a provider dies in every run at a random byte; all runs go on with their next model, and usage is what both providers charged.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { routeModels, startTwoProviders, type Booked, type TwoProviders } from './dyingProvider.ts'
import type { Proof } from './proof.ts'
import { activeRuns, bodyOf, openYard, untilQuiet, type Yard } from './yard.ts'

export interface Routed {
  runs: number
  /** Must be all of them. */
  completed: number
  /** Must be 0: did not end. */
  stuck: number
  /** Answers that the first provider began and did not end, one in each run that met it. */
  cut: number
  /** Steps that say for which model their run left them. */
  moved: number
  charged: Sums
  /** Of these, answers that were cut: nobody can know what they cost, and each is listed as unsettled. */
  lost: Sums
  /** What the service says that was used. Must be what was charged less what was lost, for each model. */
  used: Sums
  isSameByModel: boolean
  /** Must be 0: lost ones at a step that tells of fewer, and answers that are written down and were never charged, or twice. */
  unlisted: number
  unknown: number
}

interface Sums {
  calls: number
  tokens: number
}

interface Step {
  run_id: string
  turn: number
  model: string
  input_tokens: number | null
  output_tokens: number | null
  unsettled: number
  left_for: string | null
}

interface Options {
  /** In how many runs it dies. */
  deaths: number
  atOnce: number
}

export async function dieUnderRuns(yard: Yard, providers: TwoProviders, options: Options): Promise<Routed> {
  const models = Object.keys(routeModels).map((model) => ({ model }))
  const agent = await yard.newAgent('Note it, and go on.', { plugins: ['memory'], models: { agent: models } })
  const runs = new Map<string, string>()
  while (providers.cut < options.deaths) {
    // runs would leave it alone after a few deaths, and what is proven here is what happens to those that meet it
    await yard.sql`delete from model_breakers`
    const room = Math.min(options.atOnce - (await activeRuns(yard)), options.deaths - providers.cut)
    for (let started = 0; started < room; started++) {
      const marker = `marker-${runs.size}`
      runs.set(marker, '')
      runs.set(marker, await yard.startRun(agent, marker))
    }
    await sleep(20)
  }
  const stuck = await untilQuiet(yard)
  const steps = await yard.sql<Step>`
    select run_id, turn, tool as model, input_tokens::int, output_tokens::int, unsettled, result->>'left_for' as left_for
    from run_steps where kind = 'model'`
  const [ended] = await yard.sql<{ completed: number }>`
    select count(*)::int as completed from runs where agent_id = ${agent} and status = 'completed'`
  return {
    runs: runs.size,
    completed: ended!.completed,
    stuck,
    cut: providers.cut,
    moved: steps.filter(({ left_for }) => left_for !== null).length,
    ...(await compare(yard, providers.booked, steps, runs)),
  }
}

const sumOf = (booked: Booked[]): Sums => ({
  calls: booked.length,
  tokens: booked.reduce((sum, { input, output }) => sum + input + output, 0),
})

const keyOf = (runId: string | undefined, turn: number, model: string) => `${runId} ${turn} ${model}`

async function compare(yard: Yard, booked: Booked[], steps: Step[], runs: Map<string, string>) {
  const byInput = new Map(booked.map((one) => [one.input, one]))
  const answered = steps.filter(({ input_tokens }) => input_tokens !== null)
  const settled = answered.filter(({ run_id, turn, model, input_tokens, output_tokens }) => {
    const found = byInput.get(input_tokens!)
    byInput.delete(input_tokens!)
    return (
      found?.output === output_tokens &&
      found !== undefined &&
      keyOf(runs.get(found.marker), found.turn, found.model) === keyOf(run_id, turn, model)
    )
  })
  const lost = [...byInput.values()]
  const lostAt = Map.groupBy(lost, ({ marker, turn, model }) => keyOf(runs.get(marker), turn, model))
  for (const { run_id, turn, model, unsettled } of steps) {
    const here = lostAt.get(keyOf(run_id, turn, model))
    if (here && here.length <= unsettled) lostAt.delete(keyOf(run_id, turn, model))
  }
  const answer = bodyOf(await yard.call({ path: `/v2/teams/${yard.apis[0]!.teamId}/billing/usage` }))
  const usage = answer['usage'] as { by_model: { model: string; calls: number; tokens: number }[] }
  const whole = booked.filter((one) => !lost.includes(one))
  return {
    charged: sumOf(booked),
    lost: sumOf(lost),
    used: {
      calls: usage.by_model.reduce((sum, { calls }) => sum + calls, 0),
      tokens: usage.by_model.reduce((sum, { tokens }) => sum + tokens, 0),
    },
    isSameByModel: usage.by_model.every(
      ({ model, tokens }) => tokens === sumOf(whole.filter((one) => one.model === model)).tokens,
    ),
    unlisted: [...lostAt.values()].flat().length,
    unknown: answered.length - settled.length,
  }
}

export const isRouted = ({ charged, lost, used, ...seen }: Routed): boolean =>
  seen.completed === seen.runs &&
  seen.stuck + seen.unlisted + seen.unknown === 0 &&
  seen.moved > 0 &&
  seen.isSameByModel &&
  used.tokens === charged.tokens - lost.tokens &&
  used.calls === charged.calls - lost.calls &&
  lost.calls <= seen.cut

export const routeProof: Proof = {
  name: 'model routes: the first provider dies in 200 runs, at a random byte of its answer',
  must: 'all runs completed with the next model; used = what both providers charged less what was cut, to the token and for each model; every cut answer is listed, 0 unknown',
  async run(dataDir) {
    const providers = await startTwoProviders()
    const env = { LOG_LEVEL: 'error', ...(await providers.env(join(dataDir, 'prices.json'))) }
    const yard = await openYard({ options: { dataDir, env }, workers: 2 })
    try {
      const counts = await dieUnderRuns(yard, providers, { deaths: 200, atOnce: 20 })
      return { counts, holds: isRouted(counts) && counts.cut >= 200 }
    } finally {
      await yard.close()
      await providers.close()
    }
  },
}
