// A run, a builder run, a judgement, a delivery and a job that kill their processes are given up after three deaths; other work ends as usual.
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { connectionUrl } from '../../src/base/embeddedPostgres.ts'
import type { FakeAnswer, FakeRequest } from '../fakes/fakeProvider.ts'
import { startFakeOpenaiCompatible } from '../fakes/openaiCompatible.ts'
import { testDatabase } from '../kit/postgres.ts'
import { temporaryDataDir, type Service } from './processes.ts'
import { block, bodyOf, openYard, until } from './yard.ts'
import { proves } from '../kit/proves.ts'

/** Nobody answers until two processes have died, so each of them holds everything that is under way. */
let isSilent = true

const provider = await startFakeOpenaiCompatible()
const procedure = '# Mails\n\n## Steps\n\n1. Sort them.\n'
const verdict = { custom__stays_polite: { passed: true, comment: 'It is.', evidence: [] } }
function speak({ body }: FakeRequest): FakeAnswer {
  provider.answer(speak)
  if (isSilent) return { isDeaf: true }
  const isBuilder = JSON.stringify(body).includes('builder bystander')
  return { text: JSON.stringify(isBuilder ? { procedure: `${procedure}2. Answer them.\n`, questions: [] } : verdict) }
}
provider.answer(speak)

/** Receives deliveries and calls of runs. Only the last delivery of a run gets no answer: each waits for the one before. */
const receiver = createServer((request, response) => void receive(request, response))
async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request)
  const isLast = request.method === 'GET' || body.includes('run.completed')
  if (!isSilent || !isLast) response.end('ok')
}
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
const hooks = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`

const dataDir = await temporaryDataDir()
const model = 'openai-compatible:some'
const yard = await openYard({
  options: {
    dataDir: dataDir.path,
    env: {
      DATABASE_URL: connectionUrl(await testDatabase()),
      LOG_LEVEL: 'warn',
      OPENAI_COMPATIBLE_URL: `${provider.url}/v1`,
      RUNYARD_MODEL: model,
      RUNYARD_TEST_DEADLY: '5',
    },
    entry: fileURLToPath(new URL('./killerService.ts', import.meta.url)),
  },
  workers: 0,
})
after(async () => {
  await yard.close()
  await provider.close()
  receiver.closeAllConnections()
  receiver.close()
  await dataDir.remove()
})
const { sql } = yard
const runbook = { models: { agent: { model: 'builtin:runbook' } } }

const post = async (path: string, body?: object) =>
  bodyOf(await yard.call({ method: 'POST', path, ...(body && { body }) })) as Record<string, string>
const get = async (path: string) => bodyOf(await yard.call({ path }))

/** A run that is judged when it has ended, or whose end is sent to `callback_url`. */
async function endedRun(output: string, { rubric, callback }: { rubric?: string; callback?: string }): Promise<string> {
  const agent = await yard.newAgent(block('output', output), runbook)
  if (rubric) await post(`/v2/agents/${agent}/eval-rubrics`, { title: 'Stays polite', description: rubric })
  const wanted = { agent_id: agent, message: 'go', ...(callback && { callback_url: `${hooks}${callback}` }) }
  return (await post(`/v2/teams/${yard.apis[0]!.teamId}/runs`, wanted))['run_id']!
}

/** A run that calls `path` before it ends. */
const callingRun = async (path: string) => {
  const calling = `${block('http', `GET ${hooks}${path}`)}\n${block('output', 'survived')}`
  return yard.startRun(await yard.newAgent(calling, runbook))
}

async function builderRun(prompt: string): Promise<string> {
  const agent = await yard.newAgent(procedure, { models: { agent: { model } } })
  const { build_id } = await post(`/v2/agents/${agent}/revisions`)
  return (await post(`/v2/revisions/${build_id}/generate`, { prompt }))['builder_run_id']!
}

const readJobs = () => sql<{ name: string; attempts: number; max_attempts: number; last_error: string | null }>`
  select task_identifier as name, attempts, max_attempts, last_error from graphile_worker.jobs
  where task_identifier in ('deadlyJob', 'patientJob')`

const byRun = <T extends { run_id: string }>(rows: T[], ids: string[]) =>
  ids.map((id) => rows.find(({ run_id }) => run_id === id))

interface Run {
  status: string
  output: unknown
  error: { code: string; message: string } | null
}

async function seen(of: { runs: string[]; builders: string[]; judged: string[]; delivered: string[] }) {
  const builders = await Promise.all(
    of.builders.map(async (id) => (await get(`/v2/builder-runs/${id}/status`)).builder_run),
  )
  const evaluations = await sql<{ run_id: string; status: string; summary: { final_comment: string } }>`
    select run_id, status, summary from evaluations where run_id = any(${of.judged}::uuid[]) order by created_at`
  const deliveries = await sql<{
    run_id: string
    state: string
    reason: string | null
    log: { error: string | null }[]
  }>`
    select run_id, state, reason, log from every_delivery where run_id = any(${of.delivered}::uuid[]) and event = 'run.completed'`
  return {
    builders: builders as { status: string; error: { code: string; message: string } | null }[],
    judged: byRun(evaluations, of.judged),
    delivered: byRun(deliveries, of.delivered),
    jobs: await readJobs(),
    runs: await Promise.all(of.runs.map(async (id) => (await get(`/v2/runs/${id}`))['run'] as Run)),
  }
}

proves(
  ['work.deadly', 'runs.deadly'],
  'what kills its process is given up after three deaths, and what was beside it is done',
  async (t) => {
    const ids = {
      runs: [await callingRun('/kill'), await callingRun('/slow')],
      builders: [await builderRun('builder kill-the-asker'), await builderRun('builder bystander')],
      judged: [
        await endedRun('one', { rubric: 'Every message is friendly: kill-the-asker.' }),
        await endedRun('two', { rubric: 'Every message is friendly.' }),
      ],
      delivered: [
        await endedRun('kill-the-sender', { callback: '/same' }),
        await endedRun('three', { callback: '/same' }),
        await endedRun('four', { callback: '/other' }),
      ],
    }
    await sql`select graphile_worker.add_job('deadlyJob'), graphile_worker.add_job('patientJob')`
    const startedAt = performance.now()
    const deaths: (number | string)[] = []
    let service: Service = await yard.startWorker()
    for (let n = 0; n < 2; n++) {
      deaths.push(await service.exited)
      if (n === 1) {
        isSilent = false
        await sql`create table jobs_may_end ()`
      }
      service = await yard.startWorker()
    }
    yard.workers.push(service)
    ids.runs.push(await callingRun('/quick'))
    const { runs, builders, judged, delivered, jobs } = await until(
      'all have ended',
      () => seen(ids),
      (now) =>
        now.runs.every(({ status }) => status === 'failed' || status === 'completed') &&
        now.builders.every(({ status }) => status === 'failed' || status === 'review') &&
        now.judged.every((one) => one && one.status !== 'in_progress') &&
        now.delivered.every((one) => one && (one.state === 'delivered' || one.state === 'dead')) &&
        now.jobs.every(({ name, last_error }) => name === 'deadlyJob' && last_error !== null),
      { everyMs: 250 },
    )
    t.diagnostic(JSON.stringify({ deaths, seconds: Math.round((performance.now() - startedAt) / 1000) }))
    assert.deepEqual([runs[0]!.status, runs[0]!.error!.code], ['failed', 'internal_error'])
    assert.match(
      runs[0]!.error!.message,
      /^At least 3 processes of the service died while they worked on this run at step 1/,
    )
    assert.deepEqual(
      runs.slice(1).map(({ output }) => output),
      ['survived', 'survived'],
    )
    const [asked] = await sql<{ count: number }>`select count(*)::int as count from human_requests`
    assert.equal(asked!.count, 0)
    assert.deepEqual(
      builders.map(({ status }) => status),
      ['failed', 'review'],
    )
    assert.match(
      builders[0]!.error!.message,
      /^At least 3 processes of the service died while they worked on this builder run/,
    )
    assert.deepEqual(
      judged.map((one) => one!.status),
      ['unavailable', 'ready'],
    )
    assert.match(
      judged[0]!.summary.final_comment,
      /At least 3 processes of the service died while they judged this run/,
    )
    assert.deepEqual(
      delivered.map((one) => one!.state),
      ['dead', 'delivered', 'delivered'],
    )
    assert.match(delivered[0]!.reason!, /^At least three processes of the service died/)
    assert.match(delivered[0]!.log.at(-1)!.error!, /^At least three processes of the service died/)
    assert.equal(jobs.length, 1)
    assert.equal(jobs[0]!.attempts, jobs[0]!.max_attempts)
    assert.match(jobs[0]!.last_error!, /^At least 3 processes of the service died while they did this job/)
    assert.deepEqual(deaths, ['SIGKILL', 'SIGKILL'])
    assert.deepEqual([service.child.exitCode, service.child.signalCode], [null, null], 'the third one lives on')
  },
)
