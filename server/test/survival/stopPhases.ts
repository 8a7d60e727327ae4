// The phases in which a run can be stopped, and for each a way to bring a run there.
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../../src/base/ids.ts'
import { block, until, type Yard } from './yard.ts'

/** Answers with the run when it is there. */
export type Phase = (yard: Yard, agents: Agents) => Promise<string>

export interface Agents {
  calls: string
  capped: string
  model: string
  asks: string
  waits: string
  delegates: string
  delegatesBriefly: string
  short: string
}

export async function makeAgents({ newAgent, counter: { url } }: Yard): Promise<Agents> {
  const post = (ms: number) => block('http', `POST ${url}/ms/${ms}/stopped\n\nonce`)
  const brief = `${block('memory path=last.md', 'x')}\n${block('output', 'done')}`
  const children = [await newAgent(`${post(2000)}\n${post(2000)}`, {}, 'Slow'), await newAgent(brief, {}, 'Brief')]
  const delegating = { subAgents: children, plugins: ['http', 'agents'] }
  return {
    calls: await newAgent([200, 500, 1000, 2000].map(post).join('\n')),
    capped: await newAgent(post(200), { limits: { max_concurrent_runs: 1 } }),
    model: await newAgent('Think about it.', { models: { agent: { model: 'openai-compatible:slow' } } }),
    asks: await newAgent(`${block('approve', 'Go on?')}\n${post(200)}`),
    waits: await newAgent(`${block('wait', '1h')}\n${post(200)}`),
    delegates: await newAgent(`${block('agent name=Slow', 'do it')}\n${post(200)}`, delegating),
    delegatesBriefly: await newAgent(`${block('agent name=Brief', 'do it')}\n${post(200)}`, delegating),
    short: await newAgent(brief),
  }
}

/** What is known of the run as it goes. */
interface Row {
  status: string
  has_place: boolean
  waits_for: string | null
}

async function runWhere(yard: Yard, agentId: string, what: string, isThere: (row: Row) => boolean): Promise<string> {
  const id = await yard.startRun(agentId)
  const look = async () => {
    const [row] = await yard.sql<Row>`
      select status, admitted_at is not null as has_place, waiting_on ->> 'kind' as waits_for
      from runs where id = ${id}`
    return row!
  }
  await until(`a run is ${what}`, look, isThere, { everyMs: 5 })
  return id
}

/** Anywhere from its very start to past what it does first. */
async function soonAfterStart({ startRun }: Yard, agentId: string, withinMs: number): Promise<string> {
  const id = await startRun(agentId)
  await sleep(Math.random() * withinMs)
  return id
}

/** Those that need nobody to work. */
export const phasesWithoutWorkers: Record<string, Phase> = {
  'with a place': (yard, { calls }) =>
    runWhere(yard, calls, 'with a place', ({ status, has_place }) => status === 'pending' && has_place),
  /** Of an agent that may run one at a time: in line at first, and let in by the stops of others. */
  'in line': (yard, { capped }) => yard.startRun(capped),
}

export const phasesWithWorkers: Record<string, Phase> = {
  'just started': (yard, { calls }) => yard.startRun(calls),
  async 'in a model turn'({ startRun, counter }, { model }) {
    const marker = `marker-${newId()}`
    const id = await startRun(model, marker)
    await until(
      'the model is asked',
      () => counter.count(marker),
      (count) => count > 0,
    )
    return id
  },
  async 'in a call'({ startRun, counter }, { calls }) {
    const id = await startRun(calls)
    const step = 1 + Math.floor(Math.random() * 4)
    await until(
      'the call has come',
      () => counter.count(`${id}:${step}`),
      (count) => count > 0,
    )
    return id
  },
  'waiting for a person': (yard, { asks }) =>
    runWhere(yard, asks, 'waiting for a person', ({ waits_for }) => waits_for === 'human'),
  'waiting for a time': (yard, { waits }) =>
    runWhere(yard, waits, 'waiting for a time', ({ waits_for }) => waits_for === 'time'),
  'waiting for a sub-run': (yard, { delegates }) =>
    runWhere(yard, delegates, 'waiting for a sub-run', ({ waits_for }) => waits_for === 'sub_run'),
  'just ending': (yard, { short }) => soonAfterStart(yard, short, 40),
  'with a sub-run that just ends': (yard, { delegatesBriefly }) => soonAfterStart(yard, delegatesBriefly, 120),
}
