// A working process that is killed while it evaluates: another evaluates every run once, and nothing stays behind.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startFakeAnthropic } from '../../../test/fakes/anthropic.ts'
import { testDatabase } from '../../../test/kit/postgres.ts'
import { drainRuns, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { startService, temporaryDataDir } from '../../../test/survival/processes.ts'
import { connectionUrl } from '../../base/embeddedPostgres.ts'
import { newId } from '../../base/ids.ts'
import type { SuspectProcesses } from '../../kit/suspectProcesses.ts'
import { evaluateEnded } from './evaluateEnded.ts'
import { evaluateAsSuspect, evaluateSuspects } from './evaluateSuspects.ts'
import { reapEvaluations } from './evaluationDeaths.ts'
import { drainEvaluations } from './evaluator.ts'
import { proves } from '../../../test/kit/proves.ts'

const provider = await startFakeAnthropic()
const dataDir = await temporaryDataDir()
after(async () => {
  await provider.close()
  await dataDir.remove()
})
const address = await testDatabase()
const model = 'anthropic:claude-sonnet-4-5'
const service = await testApp({
  address,
  config: { anthropicKey: 'sk-ant-canary-1234567890', anthropicUrl: provider.url, model },
})
const { sql } = service.context.db
/** What it says begins like a key, so it is not evaluated with its end: the evaluator reads it. */
const readAgain = '```output\nsk-illed\n```\n'

proves(
  'evals.survives',
  'runs of a worker that is killed in the middle of an evaluation are each evaluated once by another',
  async () => {
    const team = await seedTeam(service)
    const data = { models: { agent: { model: 'builtin:runbook' } } }
    const agentId = await seedAgent(team, '```output\ndone\n```\n', data)
    const rubric = { title: 'Stays polite', description: 'Every message to the customer is friendly.' }
    await team.call(`POST /v2/agents/${agentId}/eval-rubrics`, { body: rubric })
    const asked = Promise.withResolvers<void>()
    provider.answer(() => {
      asked.resolve()
      return { isDeaf: true }
    })
    await startRun(team, agentId)
    await drainRuns(service)
    const worker = await startService({
      dataDir: dataDir.path,
      args: ['--role', 'worker'],
      env: {
        DATABASE_URL: connectionUrl(address),
        RUNYARD_MODEL: model,
        ANTHROPIC_API_KEY: 'sk-ant-canary-1234567890',
        ANTHROPIC_BASE_URL: provider.url,
        PORT: '',
      },
    })
    await asked.promise
    assert.equal(await worker.stop('SIGKILL'), 'SIGKILL')
    // ended, and not looked at by anybody yet
    await startRun(team, agentId)
    await drainRuns(service)
    await sql`update judgements set due_at = now() - interval '1 second'`
    const verdict = JSON.stringify({ custom__stays_polite: { passed: true, comment: 'It is.', evidence: [] } })
    provider.answer({ text: verdict }, { text: verdict })
    await drainEvaluations(service.context)
    const evaluations = await sql<{ status: string }>`select status from evaluations where agent_id = ${agentId}`
    assert.deepEqual(
      evaluations.map(({ status }) => status),
      ['ready', 'ready'],
    )
    const [left] = await sql<{ rows: number }>`
    select (select count(*) from runs_to_evaluate) + (select count(*) from judgements) as rows`
    assert.equal(left!.rows, 0)
    const [usage] = await sql<{ unsettled: number }>`
    select coalesce(sum(unsettled_calls), 0)::int as unsettled from usage_entries where team_id = ${team.id}`
    assert.equal(usage!.unsettled, 1, 'the answer that nobody has is listed apart')
  },
)

/** Returns when its server process is gone: until then that one has its locks, although its client was told already. */
async function cutOffBlocked(): Promise<void> {
  await sql`select pg_terminate_backend(${await untilBlocked()}::int, ${60_000}::int8)`
}

/** The connection that waits to write counts of evaluations. */
async function untilBlocked(): Promise<number> {
  for (;;) {
    const [blocked] = await sql<{ pid: number }>`
      select pid from pg_locks where relation = 'eval_counts'::regclass and not granted
        and database = (select oid from pg_database where datname = current_database()) limit 1`
    if (blocked) return blocked.pid
    await sql`select pg_sleep(0.005)`
  }
}

proves('evals.survives', 'a batch that is cut off before its commit leaves all its runs to the next one', async () => {
  const team = await seedTeam(service)
  const data = { models: { agent: { model: 'builtin:runbook' } } }
  const agentId = await seedAgent(team, readAgain, data)
  for (let n = 0; n < 3; n++) await startRun(team, agentId)
  await drainRuns(service)
  const cutOff = await service.context.db.transaction(async (other) => {
    await other`lock table eval_counts`
    const evaluating = evaluateEnded(service.context).then(
      () => undefined,
      (error: unknown) => error,
    )
    await cutOffBlocked()
    return evaluating
  })
  assert.ok(cutOff instanceof Error)
  const counted = () => sql<{ due: number; made: number }>`
    select (select count(*) from runs_to_evaluate where team_id = ${team.id}) as due,
      (select count(*) from evaluations where team_id = ${team.id} and counts) as made`
  assert.deepEqual(await counted(), [{ due: 3, made: 0 }])
  await drainEvaluations(service.context)
  assert.deepEqual(await counted(), [{ due: 0, made: 3 }])
})

/** A process dies in the middle of evaluating what is due: its transaction ends, and another process buries it. */
async function dieWhileEvaluating(): Promise<void> {
  const dead = { id: newId(), role: 'worker' }
  await service.context.db.transaction(async (other) => {
    await other`lock table eval_counts`
    const evaluating = evaluateEnded(service.context, dead.id).catch(() => undefined)
    await cutOffBlocked()
    await evaluating
  })
  await reapEvaluations(sql, dead)
}

const noted = async () => undefined

/** A process for suspects that dies over one run and evaluates the others. */
const mortal = (deadlyRun: string): SuspectProcesses => ({
  reserve: () => ({
    release: () => undefined,
    async drive(unit) {
      if (unit.id === deadlyRun) return { how: 'died', at: undefined, isSure: true }
      const { signal } = new AbortController()
      const self = { id: newId(), lost: () => signal }
      await evaluateAsSuspect({ context: service.context, unit, process: self, took: noted, signal, turn: signal })
      return { how: 'done' }
    },
  }),
  onReady: () => undefined,
  stop: async () => undefined,
})

proves(
  'evals.deadly',
  'a run whose evaluation kills processes is given up, and those beside it are evaluated',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, readAgain, { models: { agent: { model: 'builtin:runbook' } } })
    const runs = [await startRun(team, agentId), await startRun(team, agentId)]
    await drainRuns(service)
    await dieWhileEvaluating()
    await dieWhileEvaluating()
    assert.equal(await evaluateEnded(service.context, newId()), 0, 'no process evaluates them beside others')
    const underWay = new Map<string, Promise<void>>()
    for (let n = 0; n < 2; n++) {
      await evaluateSuspects(service.context, mortal(runs[0]!), underWay)
      await Promise.all(underWay.values())
    }
    const evaluations = await sql<{ run_id: string; status: string; summary: { final_comment: string } }>`
    select run_id, status, summary from evaluations where agent_id = ${agentId}`
    const of = (run: string | undefined) => evaluations.find(({ run_id }) => run_id === run)!
    assert.deepEqual([evaluations.length, of(runs[0]).status, of(runs[1]).status], [2, 'unavailable', 'ready'])
    assert.match(
      of(runs[0]).summary.final_comment,
      /At least 3 processes of the service died while they evaluated this run/,
    )
    const [left] = await sql<{ rows: number }>`
    select (select count(*) from runs_to_evaluate) + (select count(*) from evaluating) + (select count(*) from evaluation_deaths) as rows`
    assert.equal(left!.rows, 0)
  },
)
