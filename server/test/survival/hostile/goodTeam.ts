// The good team of the hostile proof: a client with a steady pace that records how long each answer took and which one failed.
import { setTimeout as sleep } from 'node:timers/promises'
import { percentile, send, type HttpAnswer } from '../processes.ts'
import type { Team } from '../secondTeam.ts'
import { block, bodyOf } from '../yard.ts'
import type { StolenTime } from './stolenTime.ts'

export interface GoodTeam {
  /** Sends requests at the same pace for this long, whatever the answers do. */
  work: (forMs: number) => Promise<Answers>
}

export interface Answers {
  requests: number
  /** Refused, failed, or not answered within half a minute. */
  failed: number
  /** The first few of them, for the reader. */
  failures: string[]
  p50Ms: number
  p99Ms: number
  /** The same of the requests to which the host of the machine left its processors, and how many those were. */
  quietP99Ms: number
  quietRequests: number
  /** Commands in a sandbox are processes and have their own time scale. */
  commandP50Ms: number
  commandP99Ms: number
  /** Runs that were started meanwhile. */
  runIds: string[]
}

interface Options {
  baseUrl: string
  team: Team
  requestsPerSecond: number
  stolenTime: StolenTime
}

const patienceMs = 30_000
const failuresShown = 5
/** One request in twenty is a command. */
const commandEvery = 20

interface Span {
  from: number
  to: number
}

const ms = (spans: Span[], p: number): number => {
  const took = spans.map(({ from, to }) => to - from)
  return Math.round(percentile(took, p) * 10) / 10
}

export async function openGoodTeam({ baseUrl, team, requestsPerSecond, stolenTime }: Options): Promise<GoodTeam> {
  const { teamId, key } = team
  const request = (method: string, path: string, body?: object) =>
    send(baseUrl, { method, path, key, ...(body && { body }) })
  const post = async (path: string, body: object) => bodyOf(await request('POST', path, body))
  const input = `${block('memory path=count.md', 'seen {{ message }}')}\n${block('output', 'done {{ message }}')}`
  const made = await post(`/v2/teams/${teamId}/agents`, {
    name: 'Good',
    build: { config: { version: 'v2', data: { input } } },
  })
  const { queue } = await post(`/v2/teams/${teamId}/queues`, { name: 'Good work' })
  const { sandbox_id } = await post('/v2/sandboxes', {})
  const queueId = (queue as { id: string }).id
  const { run_id } = await post(`/v2/teams/${teamId}/runs`, { agent_id: made['agent_id'], message: 'first' })
  const runPath = `/v2/runs/${String(run_id)}`

  const kinds: ((n: number) => Promise<HttpAnswer>)[] = [
    (n) => request('POST', `/v2/teams/${teamId}/runs`, { agent_id: made['agent_id'], message: `good ${n}` }),
    () => request('GET', runPath),
    () => request('GET', `/v2/teams/${teamId}/runs?limit=20`),
    (n) => request('POST', `/v2/queues/${queueId}/cases`, { case: { title: `Case ${n}`, data: '{}' } }),
    () => request('GET', `/v2/teams/${teamId}`),
    () => request('GET', `${runPath}/messages`),
    () => request('GET', `/v2/teams/${teamId}/runs?search=first`),
  ]
  const command = () => request('POST', `/v2/sandboxes/${String(sandbox_id)}/exec`, { command: 'echo good' })

  async function work(forMs: number): Promise<Answers> {
    const times: Span[] = []
    const commandTimes: Span[] = []
    const failures: string[] = []
    const runIds: string[] = []
    const open: Promise<void>[] = []
    let failed = 0
    let commanding: Promise<void> | undefined

    async function measure(act: () => Promise<HttpAnswer>, into: Span[]): Promise<void> {
      const begin = performance.now()
      const answer = await Promise.race([
        act().catch((error: Error): HttpAnswer => ({ status: 0, headers: {}, text: error.message })),
        sleep(patienceMs, { status: 0, headers: {}, text: 'no answer in time' }, { ref: false }),
      ])
      into.push({ from: begin, to: performance.now() })
      if (answer.status >= 200 && answer.status < 300) {
        const started = JSON.parse(answer.text) as { run_id?: string }
        if (answer.status === 201 && started.run_id) runIds.push(started.run_id)
        return
      }
      failed += 1
      if (failures.length < failuresShown) failures.push(`${answer.status} ${answer.text.slice(0, 200)}`)
    }

    const begin = performance.now()
    for (let n = 0; performance.now() - begin < forMs; n++) {
      if (n % commandEvery > 0) open.push(measure(() => kinds[n % kinds.length]!(n), times))
      // a sandbox runs one command at a time, so the next one waits for the one before
      else commanding ??= measure(command, commandTimes).finally(() => (commanding = undefined))
      const due = begin + ((n + 1) * 1000) / requestsPerSecond
      await sleep(Math.max(0, due - performance.now()))
    }
    await Promise.all([...open, commanding])
    const quiet = times.filter(({ from, to }) => stolenTime.wasQuiet(from, to))
    return {
      requests: times.length + commandTimes.length,
      failed,
      failures,
      p50Ms: ms(times, 50),
      p99Ms: ms(times, 99),
      quietP99Ms: ms(quiet, 99),
      quietRequests: quiet.length,
      commandP50Ms: ms(commandTimes, 50),
      commandP99Ms: ms(commandTimes, 99),
      runIds,
    }
  }

  return { work }
}
