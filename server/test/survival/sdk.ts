// Proofs of the SDK against real processes: kill -9 under waits and writes, streams cut at random bytes, and refusals for asking too often.
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../../src/base/ids.ts'
import type { StartOptions } from './processes.ts'
import type { Proof } from './proof.ts'
import { Restarted } from './restarted.ts'
import { startTcpProxy } from './tcpProxy.ts'
import { block } from './yard.ts'

interface WaitedFor {
  runs: number
  /** Completed, with the output of its own message: must be all. */
  results: number
  /** Runs that the service has beyond those: must be 0. */
  secondRuns: number
  kills: number
  errors: string[]
}

/** Starts runs and waits for them while the service is killed and started again. */
export async function waitOverRestarts(
  service: Restarted,
  { runs, atOnce = 10, everyMs, kills = Infinity }: { runs: number; atOnce?: number; everyMs: number; kills?: number },
): Promise<WaitedFor> {
  const runyard = service.client()
  const procedure = `${block('wait', '1s')}${block('output', 'done: {{ message }}')}`
  const config = { version: 'v2' as const, data: { input: procedure } }
  const { agent_id } = await runyard.agents.create({ name: 'Waited for', build: { config } })
  const before = service.kills
  const seen: WaitedFor = { runs, results: 0, secondRuns: 0, kills: 0, errors: [] }
  let next = 0

  async function lane(): Promise<void> {
    while (next < runs) {
      const message = `message ${next++}`
      try {
        const { status, output } = await runyard.runs.startAndWait({ agent_id, message })
        if (status === 'completed' && output === `done: ${message}`) seen.results += 1
        else seen.errors.push(`${message}: ${status} ${JSON.stringify(output)}`)
      } catch (error) {
        seen.errors.push(`${message}: ${String(error)}`)
      }
    }
  }

  const waiting = new AbortController()
  const lanes = Promise.all(Array.from({ length: atOnce }, lane)).finally(() => waiting.abort())
  while (service.kills - before < kills && !waiting.signal.aborted) {
    await sleep(everyMs, undefined, { signal: waiting.signal }).catch(() => undefined)
    if (waiting.signal.aborted) break
    await service.kill()
    await service.restart()
  }
  await lanes
  const { total } = await runyard.runs.list({ agent_id, limit: 1 }).page()
  return { ...seen, secondRuns: total - runs, kills: service.kills - before }
}

interface CutStreams {
  streams: number
  cuts: number
  events: number
  /** Events that came to all streams together, beyond `events` for each, or fewer: must be 0. */
  lost: number
  repeated: number
  outOfOrder: number
}

/** Follows a team by several streams through a proxy that cuts each connection after a random number of bytes. */
export async function cutTeamStreams(
  service: Restarted,
  { cuts, streams = 5 }: { cuts: number; streams?: number },
): Promise<CutStreams> {
  const direct = service.client()
  const made = { cuts: 0, starts: 0 }
  const proxy = await startTcpProxy(service.port, () => {
    let left = Math.ceil(Math.random() * 4000)
    return {
      answered(bytes) {
        const isCut = made.cuts < cuts && bytes.length >= left
        const passOn = isCut ? bytes.subarray(0, left) : bytes
        left -= bytes.length
        if (isCut) made.cuts += 1
        return { passOn, isCut }
      },
    }
  })
  const { queue_id } = await direct.queues.create({ name: 'Followed' })
  const stopping = new AbortController()
  const last = `last ${newId()}`
  const given: string[][] = Array.from({ length: streams }, () => [])
  const follow = async (titles: string[]) => {
    const runyard = service.client({ baseUrl: proxy.url })
    for await (const event of runyard.teams.events({ events: ['queue.case.created'], signal: stopping.signal })) {
      if (event.event === 'start') made.starts += 1
      if (event.event !== 'queue.case.created') continue
      titles.push(event.data.case.title)
      if (event.data.case.title === last) return
    }
  }
  const followed = Promise.all(given.map(follow))
  const titles: string[] = []
  const add = async (title: string) => {
    await direct.cases.create(queue_id, { case: { title } })
    titles.push(title)
  }
  while (made.starts < streams) await sleep(20)
  while (made.cuts < cuts) {
    await add(`Case ${titles.length}`)
    await sleep(10)
  }
  await add(last)
  await followed
  proxy.close()
  return { streams, cuts: made.cuts, events: titles.length, ...compared(titles, given) }
}

function compared(titles: string[], given: string[][]): Pick<CutStreams, 'lost' | 'repeated' | 'outOfOrder'> {
  const seen = { lost: 0, repeated: 0, outOfOrder: 0 }
  const order = new Map(titles.map((title, index) => [title, index]))
  for (const one of given) {
    const distinct = new Set(one)
    seen.lost += titles.filter((title) => !distinct.has(title)).length
    seen.repeated += one.length - distinct.size
    const numbers = one.map((title) => order.get(title) ?? -1)
    seen.outOfOrder += numbers.filter((number, index) => index > 0 && number < (numbers[index - 1] ?? 0)).length
  }
  return seen
}

interface Storm {
  limit: number
  calls: number
  answered: number
  /** Calls that failed in the end: must be 0. */
  lost: number
  refusals: number
  /** The most that one minute admitted. */
  admittedInAMinute: number
}

/** More calls at once than a minute takes. */
export async function stormOfCalls(
  options: StartOptions,
  { limit, calls }: { limit: number; calls: number },
): Promise<Storm> {
  const env = { ...options.env, RUNYARD_RATE_LIMIT: String(limit) }
  const service = await Restarted.start({ ...options, env })
  const admitted = new Map<number, number>()
  let refusals = 0
  const counting: typeof fetch = async (...words) => {
    const response = await fetch(...words)
    const endsIn = Number(response.headers.get('ratelimit-reset'))
    const minute = Math.round((Date.now() / 1000 + endsIn) / 60)
    if (response.status === 429) refusals += 1
    else admitted.set(minute, (admitted.get(minute) ?? 0) + 1)
    return response
  }
  const runyard = service.client({ fetch: counting })
  const outcomes = await Promise.allSettled(Array.from({ length: calls }, () => runyard.queues.list().page()))
  await service.stop()
  const answered = outcomes.filter(({ status }) => status === 'fulfilled').length
  const admittedInAMinute = Math.max(...admitted.values())
  return { limit, calls, answered, lost: calls - answered, refusals, admittedInAMinute }
}

/** What the service itself may admit beyond the limit (see the proof of the rate limit). */
export const isWithin = ({ limit, admittedInAMinute }: Storm): boolean => admittedInAMinute <= limit * 1.01 + 3

interface KilledWrites {
  kills: number
  /** The effect was there before the kill: the retry got the stored answer. */
  replayed: number
  /** Calls with exactly one effect: must be all. */
  single: number
}

/** Kills the service when it has the request and its caller has no answer: at the first byte of the answer, or somewhere before it. */
export async function killBeforeAnswers(service: Restarted, { kills }: { kills: number }): Promise<KilledWrites> {
  let isArmed = false
  let delayMs: number | undefined
  let killed: Promise<void> = Promise.resolve()
  const proxy = await startTcpProxy(service.port, (cut) => {
    const kill = () => {
      if (!isArmed) return
      isArmed = false
      killed = service.kill().then(() => service.restart())
      cut()
    }
    return {
      asked(bytes) {
        if (isArmed && delayMs !== undefined && bytes.includes('POST ')) setTimeout(kill, delayMs)
      },
      answered(bytes) {
        const isCut = isArmed
        if (isCut) kill()
        return { passOn: isCut ? Buffer.alloc(0) : bytes, isCut }
      },
    }
  })
  const runyard = service.client({ baseUrl: proxy.url })
  const before = service.kills
  const seen: KilledWrites = { kills, replayed: 0, single: 0 }
  const names: string[] = []
  await runyard.teamId()
  for (let round = 0; round < kills; round += 1) {
    const name = `killed ${newId()}`
    names.push(name)
    // half of them at the answer, which is after the commit; the others from the beginning of the request on
    delayMs = round % 2 === 0 ? undefined : Math.random() * 8
    isArmed = true
    const { isReplay } = await runyard.members.create({ name }).withResponse()
    await killed
    if (isReplay) seen.replayed += 1
  }
  const found: string[] = []
  for await (const member of service.client().members.list({ limit: 100 })) found.push(member.name)
  seen.single = names.filter((name) => found.filter((one) => one === name).length === 1).length
  proxy.close()
  return { ...seen, kills: service.kills - before }
}

const quiet = (dataDir: string): StartOptions => ({ dataDir, env: { LOG_LEVEL: 'error', RUNYARD_RATE_LIMIT: '0' } })

async function withService<T>(dataDir: string, work: (service: Restarted) => Promise<T>): Promise<T> {
  const service = await Restarted.start(quiet(dataDir))
  try {
    return await work(service)
  } finally {
    await service.stop()
  }
}

export const sdkProofs: Proof[] = [
  {
    name: 'SDK: 1,000 runs started and waited for, kill -9 of the service every 3 s',
    must: '1,000 results, 0 second runs',
    async run(dataDir) {
      const counts = await withService(dataDir, (service) => waitOverRestarts(service, { runs: 1000, everyMs: 3000 }))
      return { counts, holds: counts.results === 1000 && counts.secondRuns === 0 && counts.kills > 10 }
    },
  },
  {
    name: 'SDK: streams of a team cut at random bytes 500 times',
    must: 'every event once, in order, in every stream',
    async run(dataDir) {
      const counts = await withService(dataDir, (service) => cutTeamStreams(service, { cuts: 500 }))
      return { counts, holds: counts.lost + counts.repeated + counts.outOfOrder === 0 && counts.cuts >= 500 }
    },
  },
  {
    name: 'SDK: 250 calls at once where a minute admits 100',
    must: '0 calls lost, no minute admits more',
    async run(dataDir) {
      const counts = await stormOfCalls(quiet(dataDir), { limit: 100, calls: 250 })
      return { counts, holds: counts.lost === 0 && isWithin(counts) && counts.refusals > 0 }
    },
  },
  {
    name: 'SDK: kill -9 between request and answer, 100 times',
    must: 'one effect for every call',
    async run(dataDir) {
      const counts = await withService(dataDir, (service) => killBeforeAnswers(service, { kills: 100 }))
      return { counts, holds: counts.single === 100 && counts.kills === 100 }
    },
  },
]
