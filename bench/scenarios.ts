// Whole runs as people have them, one row each: few and many steps, inside and outside, with a model, watched, told to a webhook,
// evaluated or not. Each against the bare commits of as many durable moments. `npm run bench -- scenarios/inside3` measures one.
import { makeAgent } from './agent.ts'
import { bareCommitsPerSecond, makeBareTable } from './bareCommits.ts'
import { remove } from './calls.ts'
import { costsOf, type Costs } from './costs.ts'
import { allowLoopback, subscribe } from './deliveries.ts'
import { evaluateRuns } from './evaluations.ts'
import { connections, median, type Bed } from './interleave.ts'
import { at } from './latencyRows.ts'
import { startReceiver } from './receiver.ts'
import { startRunLoop, type RunLoop, type RunLoopResult } from './runLoop.ts'
import { seedEndedRuns } from './seedRuns.ts'
import { makeDataDir, startService, type Service } from './service.ts'
import { untilSettled } from './settled.ts'
import { modelMs, startSlowModel } from './slowModel.ts'
import type { Sheet } from './table.ts'
import { startTinyServer } from './tinyServer.ts'

interface Scenario {
  what: string
  steps: number
  kind: 'inside' | 'outside' | 'model'
  /** One stream of the team and ten of runs are open. */
  isWatched?: true
  /** One webhook for all events. */
  isTold?: true
  isUnevaluated?: true
}

export const scenarioList: Record<string, Scenario> = {
  inside1: { what: '1 inside step', steps: 1, kind: 'inside' },
  inside3: { what: '3 inside steps', steps: 3, kind: 'inside' },
  inside3Watched: { what: '3 inside steps, watched', steps: 3, kind: 'inside', isWatched: true },
  inside3Told: { what: '3 inside steps, one webhook', steps: 3, kind: 'inside', isTold: true },
  inside3Unevaluated: { what: '3 inside steps, not evaluated', steps: 3, kind: 'inside', isUnevaluated: true },
  inside20: { what: '20 inside steps', steps: 20, kind: 'inside' },
  outside1: { what: '1 outside step', steps: 1, kind: 'outside' },
  outside3: { what: '3 outside steps', steps: 3, kind: 'outside' },
  outside3Watched: { what: '3 outside steps, watched', steps: 3, kind: 'outside', isWatched: true },
  outside3Told: { what: '3 outside steps, one webhook', steps: 3, kind: 'outside', isTold: true },
  outside20: { what: '20 outside steps', steps: 20, kind: 'outside' },
  model3: { what: `3 calls by a model of ${modelMs} ms`, steps: 3, kind: 'model' },
  model3Watched: { what: `3 calls by a model of ${modelMs} ms, watched`, steps: 3, kind: 'model', isWatched: true },
}

const seeded = 20_000
const rounds = 5
const roundMs = 4000
const quickRoundMs = 2000
const warmUpMs = 1500
/** A run with a model lasts more than a second, however fast the service is. */
const modelRoundMs = 10_000
const floorMs = 1000
export const runStreams = 10
/** Starts one after the other with this pause: what a person sees who looks at a service that is not busy. */
const paced = { runsMax: 100, pauseMs: 15, ms: 30_000, connections: 1 }

interface Round {
  perSecond: number
  floor: number
  runs: number
  costs: Costs
  seenMs: number[]
  pacedSeenMs: number[]
  /** Of PostgreSQL, beside what is measured: shows that it is not what limits. */
  lookingShare: number
}

export async function scenarios(bed: Bed): Promise<Sheet> {
  const names = bed.parts.length > 0 ? bed.parts : Object.keys(scenarioList)
  const unknown = names.filter((name) => !(name in scenarioList))
  if (unknown.length > 0) {
    throw new Error(`no scenario is called ${unknown.join(', ')}; there are ${Object.keys(scenarioList).join(', ')}`)
  }
  await using dataDir = await makeDataDir()
  await using receiver = await startReceiver()
  await using outside = await startTinyServer()
  await using model = await startSlowModel()
  await using loop = await startRunLoop(bed.signal)
  const service = await startService(dataDir, { env: { ...allowLoopback, OPENAI_COMPATIBLE_URL: model.url } })
  try {
    await seedEndedRuns(service, await makeAgent(service, insideSteps(1)), seeded)
    await makeBareTable(service)
    const agents = new Map<string, string>()
    for (const name of names) agents.set(name, await agentFor(service, scenarioList[name]!, outside.url))
    const measured = new Map<string, Round[]>(names.map((name) => [name, []]))
    const round = (name: string, ms: number | undefined, commitsBefore: number) => {
      const scenario = scenarioList[name]!
      const place = { service, loop, webhookUrl: receiver.url, ms: ms ?? msOf(scenario, bed) }
      return measure(place, scenario, agents.get(name)!, commitsBefore)
    }
    let commits = await bareCommitsPerSecond(service, 32, floorMs)
    // all scenarios in turn, so that whatever the machine does meets them alike
    for (let n = 0; n <= (bed.isQuick ? 1 : rounds); n++) {
      for (const name of names) {
        const result = await round(name, n === 0 ? warmUpMs : undefined, commits)
        commits = result.commitsAfter
        if (n === 0) continue
        measured.get(name)!.push(result)
        const looking = `looking for their ends took ${(result.lookingShare * 100).toFixed(1)} % of a core`
        const { perSecond, floor } = result
        bed.tell(`round ${n}, ${name}: ${perSecond.toFixed(0)} runs/s, floor ${floor.toFixed(0)}; ${looking}`)
      }
    }
    return {
      title: `whole runs in a closed loop, ${connections} connections, ${seeded} ended runs in the tables, ${bed.isQuick ? 'one round' : `medians of ${rounds} rounds`}; watched: one stream of the team and ${runStreams} of runs`,
      columns,
      lines: names.map((name) => lineOf(name, scenarioList[name]!, measured.get(name)!)),
    }
  } finally {
    await service.stop()
  }
}

const columns = [
  'scenario',
  'what',
  'runs/s',
  'floor',
  'ratio',
  'PostgreSQL µs a run / step',
  'Node µs a run / step',
  'WAL KB a run / step',
  'disk KB a run',
  'request → run.started seen, ms p50 / p99',
  'the same, service not busy',
]

const seen = (values: number[]): string =>
  values.length === 0 ? '' : `${at(values, 0.5).toFixed(1)} / ${at(values, 0.99).toFixed(1)}`

function lineOf(name: string, { what, steps }: Scenario, measured: Round[]): string[] {
  const middle = (of: (round: Round) => number) => median(measured.map(of))
  const each = (of: (costs: Costs) => number, digits: number) => {
    const perRun = middle(({ costs, runs }) => of(costs) / runs)
    return Number.isNaN(perRun) ? 'unknown' : `${perRun.toFixed(digits)} / ${(perRun / steps).toFixed(digits)}`
  }
  return [
    name,
    what,
    middle(({ perSecond }) => perSecond).toFixed(0),
    middle(({ floor }) => floor).toFixed(0),
    `${(middle(({ perSecond, floor }) => perSecond / floor) * 100).toFixed(0)} %`,
    each(({ postgresMs }) => postgresMs * 1000, 0),
    each(({ nodeMs }) => nodeMs * 1000, 0),
    each(({ walBytes }) => walBytes / 1024, 1),
    middle(({ costs, runs }) => costs.diskBytes / 1024 / runs).toFixed(1),
    seen(measured.flatMap(({ seenMs }) => seenMs)),
    seen(measured.flatMap(({ pacedSeenMs }) => pacedSeenMs)),
  ]
}

const msOf = ({ kind }: Scenario, { isQuick }: Bed): number =>
  kind === 'model' ? modelRoundMs : isQuick ? quickRoundMs : roundMs

interface Place {
  service: Service
  loop: RunLoop
  webhookUrl: string
  ms: number
}

async function measure(
  { service, loop, webhookUrl, ms }: Place,
  scenario: Scenario,
  agentId: string,
  commitsBefore: number,
): Promise<Round & { commitsAfter: number }> {
  const { host, port, teamId, apiKey, databaseUrl } = service
  const order = {
    service: { host, port, teamId, apiKey, databaseUrl },
    agentId,
    ...(scenario.isWatched && { runStreams }),
  }
  const webhook = scenario.isTold && (await subscribe(service, webhookUrl, ['*']))
  if (scenario.isUnevaluated) await evaluateRuns(service, false)
  let measured: { result: RunLoopResult; costs: Costs }
  let pacedSeenMs: number[] = []
  try {
    measured = await costsOf(service, async () => {
      const ended = await loop.run({ ...order, connections, ms })
      // what was put off is part of what runs cost
      await untilSettled(service)
      return ended
    })
    if (scenario.isWatched) pacedSeenMs = (await loop.run({ ...order, ...paced })).seenMs
  } finally {
    if (webhook) await remove(service, `/v2/teams/${teamId}/webhooks/${String(webhook['subscription_id'])}`)
    if (scenario.isUnevaluated) await evaluateRuns(service, true)
  }
  await untilSettled(service)
  const commitsAfter = await bareCommitsPerSecond(service, 32, floorMs)
  const { costs, result } = measured
  const { runs, perSecond, seenMs, lookingMs } = result
  return {
    perSecond,
    runs,
    seenMs,
    pacedSeenMs,
    lookingShare: lookingMs / ms,
    costs: { ...costs, postgresMs: costs.postgresMs - lookingMs },
    floor: floorOf(scenario, (commitsBefore + commitsAfter) / 2),
    commitsAfter,
  }
}

/** One commit for the start, for each turn, for each result and for the end; and a model that is waited for lets nobody be faster. */
function floorOf({ steps, kind }: Scenario, commitsPerSecond: number): number {
  const byCommits = commitsPerSecond / (2 + 2 * steps)
  const byModel = (connections * 1000) / ((steps + 1) * modelMs)
  return kind === 'model' ? Math.min(byCommits, byModel) : byCommits
}

export const insideSteps = (count: number): string =>
  Array.from({ length: count }, (_, n) => `\`\`\`memory path=note-${n}.md\nLast: {{ message }}\n\`\`\`\n`).join('\n')

export const outsideSteps = (count: number, url: string): string =>
  Array.from({ length: count }, (_, n) => `\`\`\`http\nGET ${url}/rates/${n}\n\`\`\`\n`).join('\n')

export function agentFor(
  service: Service,
  { kind, steps }: Pick<Scenario, 'kind' | 'steps'>,
  outsideUrl: string,
): Promise<string> {
  if (kind === 'inside') return makeAgent(service, insideSteps(steps))
  if (kind === 'outside') return makeAgent(service, outsideSteps(steps, outsideUrl))
  return makeAgent(service, 'Note the rates in your memory, one file each.', {
    models: { agent: { model: `openai-compatible:calls-${steps}` } },
    plugins: ['memory'],
  })
}
