// Proof: the release before and this one work side by side on the new schema, under load, in both directions, and nobody notices.
import { execFile } from 'node:child_process'
import { request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { newId } from '../../src/base/ids.ts'
import { startHookReceiver, type HookReceiver } from '../../src/drill/hookReceiver.ts'
import { areTrue, compareCalls, isWhole, readLedger, type Calls, type Ledger } from '../../src/drill/ledger.ts'
import { checkOutPrevious, whyNoPrevious, type PreviousCheckout } from './previousCheckout.ts'
import { send, startService, type HttpAnswer, type Request, type Service } from './processes.ts'
import type { Proof } from './proof.ts'
import { block, bodyOf, openYard, until, untilQuiet, type Yard } from './yard.ts'

export interface SideBySide extends Ledger, Calls {
  previous: string
  seconds: number
  /** On the database of the release before, applied while it served. */
  migrations: number
  migrateMs: number
  requests: number
  /** Must be 0: anything but an answer of success. */
  failedRequests: number
  runs: number
  /** Must be 0: did not complete. */
  failedRuns: number
  /** Completed while there were only workers of the release before, started at processes of this one; and the other way round. */
  newApiOldWorker: number
  oldApiNewWorker: number
  /** Runs that were under way when their worker was told to stop, which workers of the other release may have continued. */
  handedOver: number
  /** Processes of the release before that were started again on the new schema; none if it cannot yet (decision 0064). */
  restartedOld: number
  approvals: number
  streams: number
  /** Must be 0: ended early, or with a gap in its events. */
  brokenStreams: number
  /** Starts that were sent again to a process of the other release. */
  replays: number
  /** Must be 0: such a start got another answer. */
  otherReplays: number
  deliveries: number
  /** Must be 0: events that did not reach the webhook. */
  lostDeliveries: number
  /** Must be 0: somebody had to be asked what became of a call. */
  inDoubt: number
  /** The first failures, in words. */
  failures?: string[]
}

interface Options {
  forMs: number
  clients: number
}

const procedure = (url: string) =>
  [
    block('http', `GET ${url}/ms/50/look`),
    block('memory path=progress.md', 'looked in {{ run.id }}'),
    block('approve', 'May it be paid?'),
    block('http', `POST ${url}/ms/200/pay\n\nonce`),
    block('memory path=progress.md', 'paid in {{ run.id }}'),
    block('http', `POST ${url}/ms/50/tell\n\nonce`),
    block('output', 'done'),
  ].join('\n')

const cli = fileURLToPath(new URL('../../../cli/bin/runyard.mjs', import.meta.url))

const anyOf = (services: Service[]): Service => services[Math.floor(Math.random() * services.length)]!

/** A yard of the release before becomes one of this release, step by step, while clients use it. */
export async function workSideBySide(
  old: Yard,
  previous: PreviousCheckout,
  { forMs, clients }: Options,
): Promise<SideBySide> {
  const { sql, counter } = old
  const [{ teamId, key, dataDir }] = old.apis as [Service]
  const receiver = await startHookReceiver()
  const hook = { url: `${receiver.url}/all`, events: ['*'] }
  bodyOf(await old.call({ method: 'POST', path: `/v2/teams/${teamId}/webhooks`, body: hook }))
  const agentId = await old.newAgent(procedure(counter.url))

  const fresh = { apis: [] as Service[], workers: [] as Service[] }
  const { RUNYARD_DATA_DIR: _, ...env } = old.env
  const startNew = (role: 'api' | 'worker') =>
    startService({ dataDir, env: { ...env, ...(role === 'worker' && { PORT: '' }) }, args: ['--role', role] })

  const seen = {
    requests: 0,
    failedRequests: 0,
    approvals: 0,
    streams: 0,
    brokenStreams: 0,
    replays: 0,
    otherReplays: 0,
  }
  const failures: string[] = []
  const over = new AbortController()
  /** Where runs are started now; everything else is asked of all. */
  let starting = (): Service[] => old.apis
  const all = () => [...old.apis, ...fresh.apis]
  const otherThan = (service: Service): Service => {
    const others = all().filter((one) => one !== service)
    return others.length > 0 ? anyOf(others) : service
  }

  async function ask(at: Service, request: Omit<Request, 'key'>): Promise<HttpAnswer | undefined> {
    seen.requests += 1
    const answer = await send(at.baseUrl, { ...request, key }).catch((error: Error) => ({
      status: 0,
      headers: {},
      text: String(error),
    }))
    if (answer.status >= 200 && answer.status < 300) return answer
    seen.failedRequests += 1
    failures.push(`${request.method ?? 'GET'} ${request.path}: ${answer.status} ${answer.text.slice(0, 300)}`)
    return undefined
  }

  async function client(): Promise<void> {
    while (!over.signal.aborted) {
      const at = anyOf(starting())
      const start = {
        method: 'POST',
        path: `/v2/teams/${teamId}/runs`,
        body: { agent_id: agentId, message: 'go' },
        idempotencyKey: newId(),
      }
      const started = await ask(at, start)
      if (!started) continue
      const again = await ask(otherThan(at), start)
      seen.replays += 1
      if (again && again.text !== started.text) seen.otherReplays += 1
      const { run_id: runId } = JSON.parse(started.text) as { run_id: string }
      const streaming = followRun(otherThan(at), key, runId)
      for (const path of [`/v2/runs/${runId}`, `/v2/teams/${teamId}/runs?limit=20`, `/v2/runs/${runId}/steps`]) {
        await ask(anyOf(all()), { path })
      }
      seen.requests += 1
      seen.streams += 1
      const broken = await streaming
      if (broken !== undefined) {
        seen.brokenStreams += 1
        failures.push(`stream of ${runId}: ${broken}`)
      }
      const path = `/v2/agent/${agentId}/runs/${runId}/evaluation`
      for (const one of [anyOf(old.apis), anyOf(all())]) await ask(one, { path })
    }
  }

  /** Finds what is open at one process and answers it at another, until the last run has ended. */
  async function approve(ended: AbortSignal): Promise<void> {
    while (!ended.aborted) {
      const list = await ask(anyOf(all()), { path: `/v2/teams/${teamId}/human-requests?status=pending&limit=100` })
      const open = list
        ? (JSON.parse(list.text) as { human_requests: { id: string; run_id: string; type: string }[] })
        : undefined
      for (const { id, run_id, type } of open?.human_requests ?? []) {
        if (type !== 'approval') continue
        const path = `/v2/runs/${run_id}/human-requests/${id}/respond`
        if (await ask(anyOf(all()), { method: 'POST', path, body: { approved: true } })) seen.approvals += 1
      }
      await sleep(50)
    }
  }

  /** How many runs are started and completed until this is asked for. */
  async function completedFromNow(): Promise<() => Promise<number>> {
    const [{ from }] = (await sql<{ from: string }>`select now()::text as from`) as [{ from: string }]
    return async () =>
      (
        await sql<{ count: number }>`
          select count(*)::int as count from runs where status = 'completed' and created_at > ${from}::timestamptz`
      )[0]!.count
  }
  const held = async (pid: number) =>
    (
      await sql<{ count: number }>`
        select count(*)::int as count from runs where worker in (select id from processes where pid = ${pid})`
    )[0]!.count
  /** Told to stop, as a supervisor does it; how many runs it had. */
  async function retire(worker: Service): Promise<number> {
    const had = await held(worker.pid)
    await worker.stop('SIGTERM')
    return had
  }

  async function upgrade() {
    await sleep(forMs * 0.1)
    const check = await runyard(['migrate', '--check'], old.env)
    const begun = performance.now()
    const applied = await runyard(['migrate'], old.env)
    if (applied.code !== 0) throw new Error(`runyard migrate ended with ${applied.code}: ${applied.out}`)
    const migrateMs = Math.round(performance.now() - begun)
    const migrations = applied.out.match(/^applied /gm)?.length ?? 0
    if (check.code !== (migrations > 0 ? 2 : 0))
      throw new Error(`runyard migrate --check ended with ${check.code}: ${check.out}`)

    fresh.apis.push(await startNew('api'), await startNew('api'))
    starting = () => fresh.apis
    const byOldWorkers = await completedFromNow()
    await sleep(forMs * 0.3)
    const newApiOldWorker = await byOldWorkers()

    starting = all
    fresh.workers.push(await startNew('worker'), await startNew('worker'))
    let handedOver = 0
    await sleep(forMs * 0.1)
    for (const index of fresh.workers.keys()) {
      handedOver += await retire(fresh.workers[index]!)
      fresh.workers[index] = await startNew('worker')
      await sleep(forMs * 0.05)
    }
    const restartedOld = previous.mayRestart ? old.workers.length : 0
    for (const index of old.workers.keys()) {
      if (!previous.mayRestart) break
      handedOver += await retire(old.workers[index]!)
      old.workers[index] = await old.startWorker()
    }
    await sleep(forMs * 0.1)

    for (const worker of old.workers.splice(0)) handedOver += await retire(worker)
    starting = () => old.apis
    const byNewWorkers = await completedFromNow()
    await sleep(forMs * 0.3)
    const oldApiNewWorker = await byNewWorkers()
    over.abort()
    return { migrations, restartedOld, migrateMs, newApiOldWorker, oldApiNewWorker, handedOver }
  }

  const begun = performance.now()
  const ended = new AbortController()
  const approving = approve(ended.signal)
  try {
    const [upgraded] = await Promise.all([upgrade(), ...Array.from({ length: clients }, client)])
    await untilQuiet(old)
    ended.abort()
    await approving
    const runs = await sql<{ status: string }>`select status from runs`
    const [asked] = await sql<{ count: number }>`
      select count(*)::int as count from human_requests where title like 'Outcome unknown%'`
    return {
      previous: previous.commit,
      seconds: Math.round((performance.now() - begun) / 1000),
      ...upgraded,
      ...seen,
      runs: runs.length,
      failedRuns: runs.filter(({ status }) => status !== 'completed').length,
      inDoubt: asked!.count,
      ...(await countDeliveries(old, receiver)),
      ...(await compareCalls(sql, await counter.arrivals())),
      ...(await readLedger(sql)),
      ...(failures.length > 0 && { failures: failures.slice(0, 5) }),
    }
  } finally {
    over.abort()
    ended.abort()
    await Promise.all(fresh.workers.map((worker) => worker.stop('SIGINT')))
    await Promise.all(fresh.apis.map((api) => api.stop('SIGINT')))
    await receiver.down()
  }
}

export const holdsSideBySide = (seen: SideBySide): boolean =>
  seen.failedRequests +
    seen.failedRuns +
    seen.brokenStreams +
    seen.otherReplays +
    seen.lostDeliveries +
    seen.inDoubt ===
    0 &&
  seen.newApiOldWorker > 0 &&
  seen.oldApiNewWorker > 0 &&
  areTrue(seen) &&
  isWhole(seen)

/** Reads a run's events to their end; answers with what is wrong with them. */
function followRun({ baseUrl }: Service, key: string, runId: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${key}` }
    const asked = httpRequest(`${baseUrl}/v2/runs/${runId}/events`, { agent: false, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('error', (error) => resolve(String(error)))
      response.on('end', () => {
        if (response.statusCode !== 200) return resolve(`${response.statusCode} ${text}`)
        const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
        const hasGap = ids.some((id, index) => id !== index + 1)
        const isEnded = /^event: end$/m.test(text) && /^event: run\.completed$/m.test(text)
        return resolve(hasGap ? `events ${ids.join()}` : isEnded ? undefined : `no end: ${text.slice(-500)}`)
      })
    })
    asked.on('error', (error) => resolve(String(error)))
    asked.end()
  })
}

async function countDeliveries(
  { sql }: Yard,
  receiver: HookReceiver,
): Promise<Pick<SideBySide, 'deliveries' | 'lostDeliveries'>> {
  const left = async () =>
    (await sql<{ count: number }>`select count(*)::int as count from every_delivery where state <> 'delivered'`)[0]!
      .count
  await until('everything is delivered', left, (count) => count === 0, { everyMs: 200, forMs: 120_000 })
  const wanted = await sql<{ id: string }>`
    select e.id from events e where exists (
      select from delivery_targets t where t.team_id = e.team_id and e.created_at >= t.created_at)`
  const arrived = new Set(receiver.arrivals.map(({ id }) => id))
  return { deliveries: arrived.size, lostDeliveries: wanted.length - arrived.size }
}

/** The command line of this release. */
function runyard(words: string[], env: Record<string, string>): Promise<{ code: number; out: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [cli, ...words],
      { env: { ...process.env, ...env } },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, out: stdout + stderr }),
    )
  })
}

const seconds = Number(process.env['RUNYARD_SIDE_BY_SIDE_S'] ?? 300)

export const sideBySideProof: Proof = {
  name: 'the release before and this one side by side, under load',
  must:
    '5 minutes: 0 failed requests, 0 failed runs, 0 broken streams, 0 lost deliveries, 0 finished calls repeated; runs of new processes by old workers and ' +
    'of old processes by new workers',
  async run(dataDir) {
    const missing = await whyNoPrevious()
    if (missing !== undefined) throw new Error(`This proof needs the whole history: ${missing}.`)
    const previous = await checkOutPrevious()
    try {
      const options = { dataDir, entry: previous.main, env: { LOG_LEVEL: 'error' } }
      const yard = await openYard({ options, apis: 2, workers: 2 })
      try {
        const counts = await workSideBySide(yard, previous, { forMs: seconds * 1000, clients: 8 })
        return { counts, holds: holdsSideBySide(counts) }
      } finally {
        await yard.close()
      }
    } finally {
      await previous.remove()
    }
  },
}
