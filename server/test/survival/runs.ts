// Proof: runs whose workers are killed at random moments all end, and nothing that happened outside happens again.
import { setTimeout as sleep } from 'node:timers/promises'
import { Killing } from '../../src/drill/killing.ts'
import { compareCalls, readLedger, type Calls, type Ledger } from '../../src/drill/ledger.ts'
import { honestPerson, type Answers } from '../../src/drill/person.ts'
import { activeRuns, block, bodyOf, untilQuiet, type Yard } from './yard.ts'

export interface KilledRuns extends Ledger, Calls, Answers {
  runs: number
  /** Each starts exactly one. */
  subRuns: number
  /** Runs and sub-runs: must be all. */
  completed: number
  /** Must be 0: did not end. */
  lost: number
  kills: number
  /** Kills that found a call between its intent and its result. */
  killsBetween: number
  /** Those calls, and how many of them had reached the outside. */
  cutOff: number
  cutOffAfterArrival: number
  memoryWrites: number
  memoryGeneration: number
  takeovers: number
  takeoverP50Ms: number
  takeoverP99Ms: number
  takeoverMaxMs: number
}

interface Options {
  runs: number
  /** So many runs are under way at any time, while there are some left to start. */
  atOnce: number
  kills: number
  /** Goes on killing beyond `kills`, and starting beyond `runs`, until so many fell between an intent and its result. */
  killsBetween?: number
  /** Between two kills, at most. */
  pauseMs?: number
  forMs: number
}

const memoryWritesPerRun = 2

/** Calls that may be repeated and calls that may not, with memory written between them. */
const procedure = (url: string) =>
  [
    block('http id=look', `GET ${url}/look`),
    block('memory path=progress.md', 'looked in {{ run.id }}'),
    block('http id=pay', `POST ${url}/pay\n\nonce`),
    block('memory path=progress.md', 'paid in {{ run.id }}'),
    block('agent name=Helper', 'tell them'),
    block('http id=check', `GET ${url}/check`),
    block('output', 'done'),
  ].join('\n')

const helperProcedure = (url: string) =>
  [block('http id=tell', `POST ${url}/tell\n\nonce`), block('output', 'told')].join('\n')

export async function killWorkersOfRuns(yard: Yard, options: Options): Promise<KilledRuns> {
  const { sql, counter } = yard
  const deadline = performance.now() + options.forMs
  const helper = await yard.newAgent(helperProcedure(counter.url), {}, 'Helper')
  const agentId = await yard.newAgent(procedure(counter.url), { subAgents: [helper], plugins: ['http', 'agents'] })
  const person = honestPerson(yard)
  const killing = new Killing(yard)
  let started = 0
  const isTime = () => performance.now() < deadline
  const isKilling = () =>
    isTime() && (killing.kills < options.kills || killing.killsBetween < (options.killsBetween ?? 0))

  async function feed(): Promise<void> {
    while (isKilling() || (isTime() && started < options.runs)) {
      const room = options.atOnce - (await activeRuns(yard, { depth: 0 }))
      await Promise.all(Array.from({ length: Math.max(0, room) }, () => yard.startRun(agentId).then(() => started++)))
      await sleep(20)
    }
  }

  async function kill(): Promise<void> {
    while (isKilling()) {
      await sleep(Math.random() * (options.pauseMs ?? 300))
      await killing.killOne()
    }
  }

  await Promise.all([feed(), kill()])
  const left = await untilQuiet(yard)
  await person.leave()
  await killing.ended()
  const ended = await sql<{ status: string; depth: number }>`select status, depth from runs`
  const memory = bodyOf(await yard.call({ path: `/v2/agents/${agentId}/memory/files/progress.md` }))
  return {
    runs: started,
    subRuns: ended.filter(({ depth }) => depth > 0).length,
    completed: ended.filter(({ status }) => status === 'completed').length,
    lost: left,
    kills: killing.kills,
    killsBetween: killing.killsBetween,
    cutOff: killing.cutOff,
    cutOffAfterArrival: killing.cutOffAfterArrival,
    ...person.answers,
    ...(await compareCalls(sql, await counter.arrivals())),
    ...(await readLedger(sql)),
    memoryWrites: started * memoryWritesPerRun,
    memoryGeneration: memory['generation'] as number,
    ...killing.takeoverTimes(),
  }
}
