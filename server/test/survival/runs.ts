// Proof: runs whose workers are killed at random moments all end, and nothing that happened outside happens again.
import { setTimeout as sleep } from 'node:timers/promises'
import { compareCalls, readLedger, type Calls, type Ledger } from './ledger.ts'
import { honestPerson, type Answers } from './person.ts'
import { percentile, type Service } from './processes.ts'
import { activeRuns, block, bodyOf, processIdOf, until, untilQuiet, type Yard } from './yard.ts'

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
  const isEnough = () =>
    started >= options.runs && killing.kills >= options.kills && killing.killsBetween >= (options.killsBetween ?? 0)
  const mayGoOn = () => !isEnough() && performance.now() < deadline

  async function feed(): Promise<void> {
    while (mayGoOn()) {
      const room = options.atOnce - (await activeRuns(yard, { depth: 0 }))
      await Promise.all(Array.from({ length: Math.max(0, room) }, () => yard.startRun(agentId).then(() => started++)))
      await sleep(20)
    }
  }

  async function kill(): Promise<void> {
    while (mayGoOn()) {
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

interface HeldRun {
  id: string
  epoch: number
  /** Calls between intent and result. */
  calls: string[]
}

/** The killer: ends one worker after another without a word, each time with another one started in its place. */
class Killing {
  kills = 0
  killsBetween = 0
  cutOff = 0
  cutOffAfterArrival = 0
  private readonly tookMs: number[] = []
  private readonly watches: Promise<void>[] = []
  private readonly starts: Promise<void>[] = []
  private readonly yard: Yard

  constructor(yard: Yard) {
    this.yard = yard
  }

  /** At least one is left to take over; the next one starts meanwhile. */
  async killOne(): Promise<void> {
    const { workers, sql, counter } = this.yard
    await until(
      'two workers live',
      async () => workers.length,
      (count) => count > 1,
    )
    const victim = await this.choose()
    workers.splice(workers.indexOf(victim), 1)
    const start = this.yard.startWorker().then((worker) => void workers.push(worker))
    // told by ended(), which waits for it
    start.catch(() => undefined)
    this.starts.push(start)
    const workerId = await processIdOf(this.yard, victim)
    victim.child.kill('SIGKILL')
    const killedAt = performance.now()
    const held = await sql<HeldRun>`
      select r.id, r.epoch, array(
        select r.id || ':' || s.seq from run_steps s where s.run_id = r.id and s.state = 'intent') as calls
      from runs r where r.worker = ${workerId}`
    const calls = held.flatMap((run) => run.calls)
    this.kills += 1
    if (calls.length > 0) this.killsBetween += 1
    this.cutOff += calls.length
    for (const id of calls) if ((await counter.count(id)) > 0) this.cutOffAfterArrival += 1
    if (held.length === 0) return
    const watch = this.watch(held, killedAt)
    watch.catch(() => undefined)
    this.watches.push(watch)
  }

  /** Any worker; three times of four one that has a run, since runs gather on few when there are few. */
  private async choose(): Promise<Service> {
    const { workers, sql } = this.yard
    const random = workers[Math.floor(Math.random() * workers.length)]!
    if (Math.random() < 0.25) return random
    const [busy] = await sql<{ pid: number }>`
      select p.pid from runs r join processes p on p.id = r.worker order by random() limit 1`
    return workers.find(({ pid }) => pid === busy?.pid) ?? random
  }

  /** A revival raises the epoch by one, the next claim by another one. */
  private async watch(held: HeldRun[], killedAt: number): Promise<void> {
    const claimed = new Set<string>()
    await until(
      'the runs of a killed worker are taken over',
      async () => {
        const ids = held.map(({ id }) => id)
        const now = await this.yard.sql<{ id: string; epoch: number }>`
          select id, epoch from runs where id = any(${ids}::uuid[])`
        const seenAfterMs = performance.now() - killedAt
        for (const { id, epoch } of held) {
          if (claimed.has(id) || now.find((run) => run.id === id)!.epoch < epoch + 2) continue
          claimed.add(id)
          this.tookMs.push(seenAfterMs)
        }
        return claimed.size
      },
      (count) => count === held.length,
    )
  }

  /** Everything of the dead is taken over, and everyone started in their place is there. */
  ended(): Promise<unknown> {
    return Promise.all([...this.watches, ...this.starts])
  }

  takeoverTimes() {
    return {
      takeovers: this.tookMs.length,
      takeoverP50Ms: Math.round(percentile(this.tookMs, 50)),
      takeoverP99Ms: Math.round(percentile(this.tookMs, 99)),
      takeoverMaxMs: Math.round(Math.max(0, ...this.tookMs)),
    }
  }
}
