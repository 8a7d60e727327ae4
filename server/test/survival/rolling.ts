// Proof: every process is restarted in turn under load, behind a proxy that only follows /readyz, and nobody notices.
import { setTimeout as sleep } from 'node:timers/promises'
import { compareCalls, readLedger, type Calls, type Ledger } from '../../src/drill/ledger.ts'
import { send, type Service } from './processes.ts'
import { startProxy } from './proxy.ts'
import { block, untilQuiet, type Yard } from './yard.ts'

export interface Rolled extends Ledger, Calls {
  restarts: number
  requests: number
  /** Must be 0: anything but the answer of a service that runs. */
  failedRequests: number
  runs: number
  /** Must be 0. */
  failedRuns: number
  /** Must be 0: calls whose outcome somebody had to be asked about, or that were made again. */
  inDoubt: number
  exitCodes: string
}

interface Options {
  /** How often every process is restarted. */
  rounds: number
  clients: number
  readinessIntervalMs: number
}

const procedure = (url: string) =>
  [
    block('http', `GET ${url}/look`),
    block('memory path=progress.md', 'looked in {{ run.id }}'),
    block('http', `POST ${url}/ms/600/pay\n\nonce`),
    block('http', `POST ${url}/tell\n\nonce`),
    block('output', 'done'),
  ].join('\n')

export async function rollOver(yard: Yard, { rounds, clients, readinessIntervalMs }: Options): Promise<Rolled> {
  const agentId = await yard.newAgent(procedure(yard.counter.url))
  const { teamId, key } = yard.apis[0]!
  const proxy = await startProxy(() => yard.apis, readinessIntervalMs)
  const seen = { requests: 0, failedRequests: 0 }
  const exitCodes = new Set<number | string>()
  const over = new AbortController()

  async function ask(request: { method?: string; path: string; body?: object }): Promise<string | undefined> {
    seen.requests += 1
    const answer = await send(proxy.url, { ...request, key }).catch((error: Error) => ({
      status: 0,
      text: String(error),
    }))
    if (answer.status >= 200 && answer.status < 300) return answer.text
    seen.failedRequests += 1
    return undefined
  }

  async function client(): Promise<void> {
    const path = `/v2/teams/${teamId}/runs`
    while (!over.signal.aborted) {
      const started = await ask({ method: 'POST', path, body: { agent_id: agentId } })
      if (started === undefined) continue
      const { run_id } = JSON.parse(started) as { run_id: string }
      for (let looks = 0; looks < 5; looks++) {
        await ask({ path: `/v2/runs/${run_id}` })
        await sleep(50)
      }
    }
  }

  async function restartAll(): Promise<void> {
    for (let round = 0; round < rounds; round++) {
      for (const [processes, start] of [
        [yard.apis, yard.startApi],
        [yard.workers, yard.startWorker],
      ] as const) {
        for (const index of processes.keys()) exitCodes.add(await restart(processes, index, start))
      }
    }
    over.abort()
  }

  await Promise.all([restartAll(), ...Array.from({ length: clients }, client)])
  await untilQuiet(yard)
  proxy.close()
  const { sql, counter } = yard
  const runs = await sql<{ status: string }>`select status from runs`
  const asked = await sql`select id from human_requests`
  const calls = await compareCalls(sql, await counter.arrivals())
  return {
    restarts: rounds * (yard.apis.length + yard.workers.length),
    ...seen,
    runs: runs.length,
    failedRuns: runs.filter(({ status }) => status !== 'completed').length,
    inDoubt: asked.length + calls.retried,
    exitCodes: [...exitCodes].join(', '),
    ...calls,
    ...(await readLedger(sql)),
  }
}

/** As a supervisor does it: told to stop, waited for, started again, and ready before the next one's turn. */
async function restart(processes: Service[], index: number, start: () => Promise<Service>): Promise<number | string> {
  const exitCode = await processes[index]!.stop('SIGTERM')
  processes[index] = await start()
  await sleep(1000)
  return exitCode
}
