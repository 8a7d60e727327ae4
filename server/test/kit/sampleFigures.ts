// What the tools of operations answer for a made-up team that has been at work for two months: the same figures each time.
import { sampleDeliveries, sampleQueues } from './sampleQueues.ts'
import { sampleId, sampleNow } from './sampleTeam.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Numbers from 0 to 1 in a fixed order, which look as if they were thrown. */
function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Agent {
  name: string
  /** Runs in a working hour. */
  pace: number
  failing: number
  passing: number
  model: string | null
  /** Dollars a call. */
  price: number
}

const agents: Agent[] = [
  { name: 'Invoice check', pace: 14, failing: 0.03, passing: 0.93, model: 'anthropic:claude-sonnet-4-5', price: 0.021 },
  { name: 'Support triage', pace: 11, failing: 0.05, passing: 0.88, model: 'openai:gpt-5-mini', price: 0.006 },
  { name: 'Contract reader', pace: 4, failing: 0.09, passing: 0.81, model: 'anthropic:claude-opus-4-1', price: 0.094 },
  { name: 'Nightly report', pace: 1.4, failing: 0.02, passing: 0.97, model: 'google:gemini-2.5-flash', price: 0.004 },
  { name: 'Data import', pace: 2.6, failing: 0.16, passing: 0.74, model: null, price: 0 },
  { name: 'Onboarding mails', pace: 1.9, failing: 0.01, passing: 0.95, model: 'openai:gpt-5-mini', price: 0.007 },
]

/** How busy an hour of UTC is. */
const bustle = (hour: number): number =>
  [0.15, 0.1, 0.1, 0.1, 0.2, 0.4, 0.7, 1, 1.3, 1.4, 1.3, 1.1, 1, 1.2, 1.3][hour] ?? (hour < 18 ? 1 : 0.35)

const share = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000

interface Runs {
  runs: number
  active: number
  completed: number
  failed: number
  stopped: number
}

function runsOf(amount: number, failing: number, roll: () => number, active = 0): Runs {
  const runs = Math.round(amount)
  const failed = Math.min(runs, Math.round(runs * failing * (0.4 + 1.2 * roll())))
  const stopped = Math.min(runs - failed, roll() < 0.05 ? 1 : 0)
  const open = Math.min(runs - failed - stopped, active)
  return { runs, active: open, completed: runs - failed - stopped - open, failed, stopped }
}

const none: Runs = { runs: 0, active: 0, completed: 0, failed: 0, stopped: 0 }
const addRuns = (a: Runs, b: Runs): Runs => ({
  runs: a.runs + b.runs,
  active: a.active + b.active,
  completed: a.completed + b.completed,
  failed: a.failed + b.failed,
  stopped: a.stopped + b.stopped,
})

const withRate = (runs: Runs) => ({ ...runs, success_rate: share(runs.completed, runs.completed + runs.failed) })

/** The runs of one agent in one hour; `ago` says how many hours ago that hour was. */
function inHour(agent: Agent, n: number, ago: number): Runs {
  const at = new Date(Math.floor(sampleNow.getTime() / hourMs - ago) * hourMs)
  const roll = dice(n * 7919 + at.getTime() / hourMs)
  const isWeekend = at.getUTCDay() % 6 === 0 && ago > 24
  const amount =
    agent.pace *
    bustle(at.getUTCHours()) *
    (isWeekend ? 0.3 : 1) *
    (0.4 + 1.2 * roll()) *
    (1.15 - ago / 3000) *
    (ago === 0 ? 0.4 : 1)
  return runsOf(amount, agent.failing * (ago === 5 ? 3 : 1), roll, ago === 0 ? 4 : ago === 1 ? 1 : 0)
}

const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n)
const over =
  (hours: number[]) =>
  (agent: Agent, n: number): Runs =>
    hours.map((ago) => inHour(agent, n, ago)).reduce(addRuns, none)
const hoursToday = sampleNow.getUTCHours() + 1
/** The hours of the last days, today included. */
const hoursOf = (days: number): number[] => range((days - 1) * 24 + hoursToday)

const dayAgo = (ago: number): string => new Date(sampleNow.getTime() - ago * dayMs).toISOString().slice(0, 10)
const spanOf = (days: number) => ({
  since: `${dayAgo(days - 1)}T00:00:00.000Z`,
  until: `${dayAgo(0)}T15:00:00.000Z`,
  time_zone: 'UTC',
})

const all = (of: (agent: Agent, n: number) => Runs): Runs => agents.map(of).reduce(addRuns, none)

function sampleRuns(by: string, last: string) {
  const days = last === '24h' ? 1 : Number(last.slice(0, -1))
  const hours = last === '24h' ? range(24) : hoursOf(days)
  const earlier = hours.map((ago) => ago + hours.length)
  const rows = {
    hour: () =>
      range(24)
        .toReversed()
        .map((ago) => ({
          hour: new Date(Math.floor(sampleNow.getTime() / hourMs - ago) * hourMs).toISOString(),
          ...all(over([ago])),
        })),
    day: () =>
      range(days)
        .toReversed()
        .map((ago) => ({
          day: dayAgo(ago),
          ...all(over(ago === 0 ? range(hoursToday) : range(24).map((hour) => hoursToday + (ago - 1) * 24 + hour))),
        })),
    agent: () =>
      agents
        .map((agent, n) => ({ agent_id: sampleId(n), agent: agent.name, ...withRate(over(hours)(agent, n)) }))
        .toSorted((a, b) => b.runs - a.runs),
  }[by as 'hour' | 'day' | 'agent']()
  return {
    by,
    ...spanOf(days),
    rows,
    left_out: 0,
    totals: withRate(all(over(hours))),
    before: withRate(all(over(earlier))),
    now: { active: 21, waiting_for_person: 3 },
  }
}

interface Used {
  runs: number
  active_s: number
  calls: number
  input_tokens: number
  output_tokens: number
  tokens: number
  cost_usd: number
}

function usageOf(agent: Agent, runs: number): Used {
  const calls = agent.model === null ? 0 : Math.round(runs * 3.2)
  const [input_tokens, output_tokens] = [calls * 2310, calls * 420]
  return {
    runs,
    active_s: runs * 41,
    calls,
    input_tokens,
    output_tokens,
    tokens: input_tokens + output_tokens,
    cost_usd: calls * agent.price,
  }
}

const addUsed = (a: Used, b: Used): Used => ({
  runs: a.runs + b.runs,
  active_s: a.active_s + b.active_s,
  calls: a.calls + b.calls,
  input_tokens: a.input_tokens + b.input_tokens,
  output_tokens: a.output_tokens + b.output_tokens,
  tokens: a.tokens + b.tokens,
  cost_usd: a.cost_usd + b.cost_usd,
})
const nothing: Used = { runs: 0, active_s: 0, calls: 0, input_tokens: 0, output_tokens: 0, tokens: 0, cost_usd: 0 }
const perRun = (used: Used) => ({ ...used, cost_per_run: used.runs === 0 ? null : used.cost_usd / used.runs })
const usedIn =
  (hours: number[]) =>
  (agent: Agent, n: number): Used =>
    usageOf(agent, over(hours)(agent, n).runs)
const hoursOfDay = (ago: number): number[] =>
  ago === 0 ? range(hoursToday) : range(24).map((hour) => hoursToday + (ago - 1) * 24 + hour)

const ofCalls = ({ calls, input_tokens, output_tokens, tokens, cost_usd }: Used) => ({
  calls,
  input_tokens,
  output_tokens,
  tokens,
  cost_usd,
})
const dearest = <Row extends { cost_usd: number }>(rows: Row[]): Row[] =>
  rows.toSorted((a, b) => b.cost_usd - a.cost_usd)
const models = [...new Set(agents.flatMap(({ model }) => model ?? []))]

const used = (of: number[]) => agents.map(usedIn(of)).reduce(addUsed, nothing)
const ofModel = (model: string, of: number[]) =>
  agents.map((agent, n) => (agent.model === model ? usedIn(of)(agent, n) : nothing)).reduce(addUsed, nothing)

function sampleUsage(by: string, last: string) {
  const days = Number(last.slice(0, -1))
  const hours = hoursOf(days)
  const rows = {
    day: () =>
      range(days)
        .toReversed()
        .map((ago) => ({ day: dayAgo(ago), ...used(hoursOfDay(ago)) })),
    agent: () =>
      dearest(
        agents.map((agent, n) => ({ agent_id: sampleId(n), agent: agent.name, ...perRun(usedIn(hours)(agent, n)) })),
      ),
    model: () => dearest(models.map((model) => ({ model, ...ofCalls(ofModel(model, hours)) }))),
    agent_model: () =>
      dearest(
        agents.flatMap((agent, n) =>
          agent.model === null
            ? []
            : [{ agent_id: sampleId(n), agent: agent.name, model: agent.model, ...ofCalls(usedIn(hours)(agent, n)) }],
        ),
      ),
    day_model: () =>
      range(days)
        .toReversed()
        .flatMap((ago) =>
          models.map((model) => {
            const { calls, tokens, cost_usd } = ofModel(model, hoursOfDay(ago))
            return { day: dayAgo(ago), model, calls, tokens, cost_usd }
          }),
        ),
  }[by as 'day']()
  const earlier = hours.map((ago) => ago + days * 24)
  return { by, ...spanOf(days), rows, left_out: 0, totals: perRun(used(hours)), before: perRun(used(earlier)) }
}

function evaluated(agent: Agent, runs: number) {
  const passed = Math.round(runs * agent.passing)
  const with_issues = runs - passed
  const [critical, medium] = [Math.round(with_issues * 0.12), Math.round(with_issues * 0.55)]
  return {
    evaluated: runs,
    passed,
    with_issues,
    pass_rate: share(passed, runs),
    critical,
    medium,
    low: with_issues - critical - medium,
  }
}

type Evaluated = ReturnType<typeof evaluated>
const addEvaluated = (a: Evaluated, b: Evaluated): Evaluated => {
  const [runs, passed] = [a.evaluated + b.evaluated, a.passed + b.passed]
  return {
    evaluated: runs,
    passed,
    with_issues: runs - passed,
    pass_rate: share(passed, runs),
    critical: a.critical + b.critical,
    medium: a.medium + b.medium,
    low: a.low + b.low,
  }
}
const endedOf = ({ runs, active }: Runs): number => runs - active
const evaluatedIn =
  (hours: number[]) =>
  (agent: Agent, n: number): Evaluated =>
    evaluated(agent, endedOf(over(hours)(agent, n)))
const notEvaluated: Evaluated = {
  evaluated: 0,
  passed: 0,
  with_issues: 0,
  pass_rate: null,
  critical: 0,
  medium: 0,
  low: 0,
}

const evaluatedBy = (hours: number[]) => agents.map(evaluatedIn(hours)).reduce(addEvaluated, notEvaluated)

function sampleEvaluations(last: string) {
  const days = Number(last.slice(0, -1))
  return {
    by: 'day',
    ...spanOf(days),
    rows: range(days)
      .toReversed()
      .map((ago) => ({ day: dayAgo(ago), ...evaluatedBy(hoursOfDay(ago)) })),
    left_out: 0,
    totals: evaluatedBy(hoursOf(days)),
    checks: [
      { check: 'Tool errors were handled', severity: 'medium', runs: 312 },
      { check: 'Answers in the customer’s language', severity: 'medium', runs: 204 },
      { check: 'No call was repeated', severity: 'low', runs: 187 },
      { check: 'Ended by itself', severity: 'critical', runs: 96 },
      { check: 'Limits were kept', severity: 'medium', runs: 41 },
      { check: 'Cites the clause it speaks of', severity: 'low', runs: 28 },
    ],
  }
}

const comparedIn = (of: number[]) => (agent: Agent, n: number) => ({
  ...perRun(usedIn(of)(agent, n)),
  ...withRate(over(of)(agent, n)),
  ...evaluatedIn(of)(agent, n),
})

function sampleAgents(last: string) {
  const hours = hoursOf(Number(last.slice(0, -1)))
  const earlier = hours.map((ago) => ago + Number(last.slice(0, -1)) * 24)
  const totals = (of: number[]) => ({
    agents: agents.length,
    ...perRun(agents.map(usedIn(of)).reduce(addUsed, nothing)),
    ...withRate(all(over(of))),
    ...agents.map(evaluatedIn(of)).reduce(addEvaluated, notEvaluated),
  })
  const rows = agents.map((agent, n) => ({ agent_id: sampleId(n), agent: agent.name, ...comparedIn(hours)(agent, n) }))
  return {
    ...spanOf(Number(last.slice(0, -1))),
    rows: rows.toSorted((a, b) => b.runs - a.runs),
    left_out: 0,
    totals: totals(hours),
    before: totals(earlier),
  }
}

/** The answer of a tool of operations. */
export function sampleFigures(tool: string, input: { by?: string; last?: string }): object {
  const { by = 'day', last = '30d' } = input
  if (tool === 'operations_runs') return sampleRuns(by, last)
  if (tool === 'operations_usage') return sampleUsage(by, last)
  if (tool === 'operations_evaluations') return sampleEvaluations(last)
  if (tool === 'operations_agents') return sampleAgents(last)
  if (tool === 'operations_queues') return sampleQueues()
  if (tool === 'operations_deliveries') return sampleDeliveries()
  throw new Error(`${tool} has no sample`)
}
