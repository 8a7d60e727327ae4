// Proof: everything at once. Workers die, people answer, speak and stop, sub-runs come and go, and every run still ends once and truly.
import { setTimeout as sleep } from 'node:timers/promises'
import { Killing } from '../../src/drill/killing.ts'
import { compareCalls, readLedger, type Calls, type Ledger } from '../../src/drill/ledger.ts'
import { honestPerson, type Answers } from '../../src/drill/person.ts'
import { activeRuns, block, untilQuiet, type Yard } from './yard.ts'

export interface Storm extends Ledger, Calls, Answers {
  runs: number
  completed: number
  stopped: number
  /** Must be 0. */
  failed: number
  /** Must be 0: did not end. */
  stuck: number
  kills: number
  messages: number
  approvals: number
  /** Must be 0: requests that were answered with a 5xx. */
  serverErrors: number
}

interface Options {
  forMs: number
  atOnce: number
}

const procedure = (url: string) =>
  [
    block('http', `GET ${url}/look`),
    block('approve', 'Go on?'),
    block('memory path=progress.md', 'approved in {{ run.id }}'),
    block('http', `POST ${url}/pay\n\nonce`),
    block('wait', '1s'),
    block('agent name=Helper', 'tell them'),
    block('memory path=progress.md', 'told in {{ run.id }}'),
    block('output', 'done'),
  ].join('\n')

export async function weatherStorm(yard: Yard, { forMs, atOnce }: Options): Promise<Storm> {
  const { sql, counter } = yard
  const helper = await yard.newAgent(
    `${block('http', `POST ${counter.url}/tell\n\nonce`)}\n${block('output', 'x')}`,
    {},
    'Helper',
  )
  const agentId = await yard.newAgent(procedure(counter.url), {
    subAgents: [helper],
    plugins: ['http', 'human', 'schedule', 'agents'],
  })
  const deadline = performance.now() + forMs
  const seen = { messages: 0, approvals: 0, serverErrors: 0 }
  const killing = new Killing(yard)
  const person = honestPerson(yard)
  const isOver = new AbortController()

  async function post(path: string, body?: object): Promise<number> {
    const { status } = await yard.call({ method: 'POST', path, ...(body && { body }) })
    if (status >= 500) seen.serverErrors += 1
    return status
  }

  /** Not a sub-run: the run above one that is stopped fails, and rightly. */
  async function someRun(): Promise<string | undefined> {
    const [run] = await sql<{ id: string }>`
      select id from runs where status in ('pending', 'running', 'waiting') and depth = 0 order by random() limit 1`
    return run?.id
  }

  const during = async (pauseMs: number, act: () => Promise<void>) => {
    while (performance.now() < deadline) {
      await sleep(Math.random() * pauseMs)
      await act()
    }
  }

  /** Goes on to the end, for what still waits. */
  async function approve(): Promise<void> {
    while (!isOver.signal.aborted) {
      const open = await sql<{ id: string; run_id: string }>`
        select id, run_id from human_requests where status = 'pending' and type = 'approval'`
      for (const { id, run_id } of open) {
        const status = await post(`/v2/runs/${run_id}/human-requests/${id}/respond`, { approved: true })
        if (status === 200) seen.approvals += 1
      }
      await sleep(50)
    }
  }

  const approving = approve()
  await Promise.all([
    during(50, async () => {
      const room = atOnce - (await activeRuns(yard, { depth: 0 }))
      if (room > 0) await yard.startRun(agentId)
    }),
    during(1500, () => killing.killOne()),
    during(300, async () => {
      const runId = await someRun()
      if (runId && (await post(`/v2/runs/${runId}/messages`, { message: 'faster' })) === 201) seen.messages += 1
    }),
    during(1000, async () => {
      const runId = await someRun()
      if (runId) await post(`/v2/runs/${runId}/stop`)
    }),
  ])
  const stuck = await untilQuiet(yard)
  isOver.abort()
  await Promise.all([approving, person.leave(), killing.ended()])
  const runs = await sql<{ status: string }>`select status from runs`
  const count = (wanted: string) => runs.filter(({ status }) => status === wanted).length
  return {
    runs: runs.length,
    completed: count('completed'),
    stopped: count('stopped'),
    failed: count('failed'),
    stuck,
    kills: killing.kills,
    ...seen,
    ...person.answers,
    ...(await compareCalls(sql, await counter.arrivals())),
    ...(await readLedger(sql)),
  }
}
