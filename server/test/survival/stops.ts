// Proof: a run that is stopped in any phase is over at once, writes nothing more, and soon touches nothing outside.
import { newId } from '../../src/base/ids.ts'
import type { Arrival } from './callCounter.ts'
import { readLedger, type Ledger } from './ledger.ts'
import { percentile } from './processes.ts'
import { block, bodyOf, until, type Yard } from './yard.ts'

export interface Stops extends Ledger {
  stops: number
  /** By the phase in which the stop was asked. */
  phases: Record<string, number>
  /** The run had ended by itself before its stop. */
  tooLate: number
  /** Must be 0: the first getRun after the answer does not say what the answer said. */
  notAsAnswered: number
  /** Must be 0: steps, messages or events of a stopped run that were written after the answer. */
  writtenAfter: number
  /** Must be 0: outside calls that came more than a second after the answer. */
  calledAfter: number
  /** Calls under way when their run was stopped, and how long after the answer the caller hung up. */
  cutOff: number
  cutOffP99Ms: number
  /** From asking to the answer. */
  answerP50Ms: number
  answerP99Ms: number
}

/** A way to a run in one phase; the answer is the run to stop and the calls outside that it may make. */
type Phase = (yard: Yard, agents: Agents) => Promise<string>

interface Agents {
  calls: string
  model: string
  asks: string
  waits: string
  delegates: string
  short: string
}

async function makeAgents(yard: Yard): Promise<Agents> {
  const { url } = yard.counter
  const post = (ms: number) => block('http', `POST ${url}/ms/${ms}/stopped\n\nonce`)
  const child = await yard.newAgent(`${post(2000)}${post(2000)}`, {}, 'Child')
  return {
    calls: await yard.newAgent([200, 500, 1000, 2000].map(post).join('\n')),
    model: await yard.newAgent('Think about it.', { model: 'openai-compatible:slow' }),
    asks: await yard.newAgent(`${block('approve', 'Go on?')}${post(200)}`),
    waits: await yard.newAgent(`${block('wait', '1h')}${post(200)}`),
    delegates: await yard.newAgent(`${block('agent name=Child', 'do it')}${post(200)}`, { subAgents: [child] }),
    short: await yard.newAgent(`${block('memory path=last.md', 'x')}${block('output', 'done')}`),
  }
}

/** The phases that need nobody to work: with a place and no worker, and in line for a place. */
const withoutWorkers: Record<string, Phase> = {
  pending: ({ startRun }, { calls }) => startRun(calls),
}

const withWorkers: Record<string, Phase> = {
  async 'just started'({ startRun }, { calls }) {
    return startRun(calls)
  },
  async 'in a model turn'({ startRun, counter }, { model }) {
    const marker = `marker-${newId()}`
    const id = await startRun(model, marker)
    await until('the model is asked', () => counter.count(marker), (count) => count > 0)
    return id
  },
  async 'in a call'({ startRun, counter }, { calls }) {
    const id = await startRun(calls)
    const step = 1 + Math.floor(Math.random() * 4)
    await until('the call has come', () => counter.count(`${id}:${step}`), (count) => count > 0)
    return id
  },
  'waiting for a person': (yard, { asks }) => waiting(yard, asks, 'human'),
  'waiting for a time': (yard, { waits }) => waiting(yard, waits, 'time'),
  'waiting for a sub-run': (yard, { delegates }) => waiting(yard, delegates, 'sub_run'),
  async 'just ending'({ startRun, sql }, { short }) {
    const id = await startRun(short)
    // anywhere from its claim to past its end
    if (Math.random() < 0.8) {
      await until('the run has begun', () => sql`select 1 from runs where id = ${id} and status <> 'pending'`, (rows) => rows.length > 0, { everyMs: 1 })
    }
    return id
  },
}

async function waiting({ startRun, sql }: Yard, agentId: string, kind: string): Promise<string> {
  const id = await startRun(agentId)
  const look = () => sql`select 1 from runs where id = ${id} and status = 'waiting' and waiting_on ->> 'kind' = ${kind}`
  await until(`the run waits (${kind})`, look, (rows) => rows.length > 0)
  return id
}

interface Stopped {
  phase: string
  runId: string
  /** The run and what it started. */
  family: string[]
  answeredAt: number
  tookMs: number
  status: string
  isAsAnswered: boolean
  rows: number
}

const inParallel = 8

/** So many stops in each phase; the workers of the yard start only when the phases without them are over. */
export async function stopInEveryPhase(yard: Yard, { perPhase, workers }: { perPhase: number; workers: number }): Promise<Stops> {
  const agents = await makeAgents(yard)
  const stopped: Stopped[] = []
  await stopAll(yard, agents, withoutWorkers, { each: perPhase * 2, stopped, gather: true })
  yard.workers.push(...(await Promise.all(Array.from({ length: workers }, yard.startWorker))))
  await stopAll(yard, agents, withWorkers, { each: perPhase, stopped, gather: false })
  // two looks of every worker and the longest call of all lie behind what could still be written or made
  const deadline = Date.now() + 3000
  await until('the last stop is some time ago', async () => Date.now(), (now) => now > deadline)
  return judge(yard, stopped, await yard.counter.arrivals())
}
