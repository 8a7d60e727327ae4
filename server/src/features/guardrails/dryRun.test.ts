// A dry run tells, call by call, what the same rules stop when they are live on the same starts.
import assert from 'node:assert/strict'
import { seedArtifact, startArtifactRun } from '../../../test/kit/artifactRuns.ts'
import { seedConnection } from '../../../test/kit/connections.ts'
import { quietNow, setRules } from '../../../test/kit/guardrails.ts'
import { proves } from '../../../test/kit/proves.ts'
import { startReceiver } from '../../../test/kit/receiver.ts'
import { drainRuns, readRun, seedAgent } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import type { Sql } from '../../base/db.ts'
import { foldUsage, noteModelUse } from '../../engine/counting/usage.ts'
import type { Context } from '../../kit/context.ts'
import { teamTimeOf, type TeamTime } from '../../kit/teamTime.ts'
import { drain } from '../../kit/worker.ts'
import type { Report } from './dryRun.ts'
import { judgeRecords } from './judgeRecords.job.ts'

const service = await testApp({ config: { allowPrivateHosts: ['127.0.0.1', 'localhost'] } })
const receiver = await startReceiver()
const elsewhere = receiver.url.replace('127.0.0.1', 'localhost')
const block = (words: string, body = '') => `\`\`\`${words}\n${body}\n\`\`\`\n\n`
const get = (url: string) => block('http', `GET ${url}/read`)
const post = (url: string) => block('http', `POST ${url}/write\n\nten`)
const note = block('memory path=note.md', 'kept')

/** The context of the service with another way to the database, which says whose time was used. */
function contextWith(sql: Sql, onPiece: (teamId: string) => void = () => undefined): Context {
  const { context } = service
  const time = teamTimeOf(context)
  const noted: TeamTime = {
    ...time,
    piece(teamId, work) {
      onPiece(teamId)
      return time.piece(teamId, work)
    },
  }
  const parts = new Map([...context.parts].map(([key, part]) => [key, part === time ? noted : part]))
  return { ...context, parts, db: { ...context.db, sql } }
}

async function dryRun(team: TestTeam, rules: object, by = service.context): Promise<Report & { first: string[] }> {
  const started = await team.call('POST /v2/teams/:teamId/guardrails/dry-runs', { body: { rules } })
  assert.equal(started.status, 202, started.text)
  await drain(by)
  const { body } = await team.call(`GET /v2/teams/:teamId/guardrails/dry-runs/${started.body.dry_run_id}`)
  assert.equal(body.dry_run.status, 'done')
  return body.dry_run.report
}

/** Starts a run of each agent, one after the other, and answers whatever it asks. Null: the start was refused. */
async function startAll(team: TestTeam, agents: string[], approved = true): Promise<(string | null)[]> {
  const runs: (string | null)[] = []
  for (const agent_id of agents) {
    const started = await team.call('POST /v2/teams/:teamId/runs', { body: { agent_id } })
    assert.ok([201, 409].includes(started.status), started.text)
    runs.push(started.status === 201 ? started.body.run_id : null)
    await drainRuns(service)
    for (;;) {
      const { body } = started.status === 201 ? await team.call(`GET /v2/runs/${started.body.run_id}`) : { body: {} }
      const request = body.pending_human_request
      if (!request) break
      const path = `/v2/runs/${request.run_id}/human-requests/${request.id}/respond`
      assert.equal((await team.call(`POST ${path}`, { body: { approved } })).status, 200)
      await drainRuns(service)
    }
  }
  return runs
}

/** Every stop as `start step rule way`; `start` is which of the starts it was. */
const recorded = (report: Report, runs: (string | null)[]): string[] =>
  report.rules
    .flatMap(({ rule, way, first }) =>
      first.map(({ run_id, step }) => `${runs.indexOf(run_id)} ${step ?? 'start'} ${rule} ${way}`),
    )
    .toSorted()

async function stopped(team: TestTeam, runs: (string | null)[]): Promise<string[]> {
  const rows = await team.sql<{ run_id: string; step: number; rule: string; way: string }>`
    select run_id, step, rule, way from guardrail_stops where team_id = ${team.id}`
  const calls = rows.map(({ run_id, step, rule, way }) => `${runs.indexOf(run_id)} ${step} ${rule} ${way}`)
  const starts = runs.flatMap((id, index) => (id === null ? [`${index} start runs_per_day refused`] : []))
  return [...calls, ...starts].toSorted()
}

const procedures = [
  get(receiver.url) + block('output', 'read'),
  get(receiver.url) + get(elsewhere) + get(receiver.url) + block('output', 'both'),
  note + post(receiver.url) + post(receiver.url) + block('output', 'written'),
  note + block('output', 'inside'),
  post(elsewhere) + block('output', 'elsewhere'),
]

const seedAll = (team: TestTeam): Promise<string[]> =>
  Promise.all(procedures.map((procedure) => seedAgent(team, procedure, { plugins: ['http', 'memory'] })))

const cases: { rules: object; of: string }[] = [
  { of: 'hosts', rules: { allowed_hosts: ['127.0.0.1'] } },
  { of: 'tools that ask', rules: { always_ask: ['http_*', 'memory_write'] } },
  { of: 'quiet hours', rules: quietNow() },
  { of: 'calls of a day', rules: { outside_calls_per_day: 4 } },
  {
    of: 'several at once',
    rules: { allowed_hosts: ['127.0.0.1'], always_ask: ['memory_*'], outside_calls_per_day: 3 },
  },
]

for (const { of, rules } of cases) {
  proves('guardrails.dryRun', `of ${of} it equals what is then stopped, call by call`, async () => {
    const team = await seedTeam(service)
    const agents = await Promise.all(
      procedures.map((procedure) => seedAgent(team, procedure, { plugins: ['http', 'memory', 'human'] })),
    )
    const before = await startAll(team, agents)
    for (const id of before) assert.equal((await readRun(team, id!)).status, 'completed')
    const report = await dryRun(team, rules)
    const expected = recorded(report, before)
    assert.ok(expected.length > 0)
    assert.equal(report.runs, agents.length)
    assert.ok(report.rows_since !== null && !report.is_cut)
    await setRules([service], team, rules)
    assert.deepEqual(await stopped(team, await startAll(team, agents)), expected)
  })
}

proves('guardrails.dryRun', 'of connections it equals what is then stopped, call by call', async () => {
  const team = await seedTeam(service)
  const secret = { kind: 'headers', headers: { 'X-Key': 'key-0123456789' } } as const
  const [bank, vault] = [
    await seedConnection(service, team, { name: 'Bank', server_url: receiver.url, secret }),
    await seedConnection(service, team, { name: 'Vault', server_url: receiver.url, secret }),
  ]
  const uses = (name: string) =>
    block(`http connection=${name}`, `GET ${receiver.url}/${name}`) + block('output', 'used')
  const agents = await Promise.all(
    ['Bank', 'Vault', bank].map((name) => seedAgent(team, uses(name), { connections: [bank, vault] })),
  )
  const before = await startAll(team, agents)
  const rules = { allowed_connections: [vault] }
  const expected = recorded(await dryRun(team, rules), before)
  assert.deepEqual(expected, ['0 1 allowed_connections refused', '2 1 allowed_connections refused'])
  await setRules([service], team, rules)
  assert.deepEqual(await stopped(team, await startAll(team, agents)), expected)
})

proves('guardrails.dryRun', 'of runs of a day it equals the starts that are then refused', async () => {
  // the same starts in a team of its own: those of the record would count as starts of the same day
  const [team, other] = [await seedTeam(service), await seedTeam(service)]
  const rules = { runs_per_day: 3 }
  const before = await startAll(team, await seedAll(team))
  const expected = recorded(await dryRun(team, rules), before)
  assert.deepEqual(expected, ['3 start runs_per_day refused', '4 start runs_per_day refused'])
  await setRules([service], other, rules)
  assert.deepEqual(await stopped(other, await startAll(other, await seedAll(other))), expected)
})

proves('guardrails.dryRun', 'of a team without runs it says that there are no rows', async () => {
  const team = await seedTeam(service)
  const report = await dryRun(team, { always_ask: ['*'] })
  assert.deepEqual([report.rows_since, report.runs, report.rules], [null, 0, []])
})

proves('guardrails.dryRun', 'a call that would wait day after day counts once', async () => {
  const team = await seedTeam(service)
  await startAll(team, [await seedAgent(team, post(receiver.url) + block('output', 'done'))])
  const report = await dryRun(team, { outside_calls_per_day: 0 })
  assert.deepEqual(
    report.rules.map(({ rule, calls, runs }) => [rule, calls, runs]),
    [['outside_calls_per_day', 1, 1]],
  )
})

proves(
  'guardrails.dryRun',
  'a call that a person allowed later is judged at the time at which it was made',
  async () => {
    const team = await seedTeam(service)
    const agents = [
      await seedAgent(team, post(receiver.url), { approvals: { http_request: 'always' } }),
      await seedAgent(team, post(receiver.url)),
    ]
    const runs = await startAll(team, agents)
    await team.sql`update run_steps set started_at = started_at - interval '2 days' where run_id = ${runs[0]}`
    await team.sql`update runs set created_at = created_at - interval '2 days' where id = ${runs[0]}`
    const report = await dryRun(team, { outside_calls_per_day: 1 })
    assert.deepEqual(recorded(report, runs), ['1 1 outside_calls_per_day waits'])
  },
)

proves(
  'guardrails.dryRun',
  'a call that a person rejected was not made, so it is not judged and takes no call of its day',
  async () => {
    const team = await seedTeam(service)
    const asking = await seedAgent(team, post(receiver.url), { approvals: { http_request: 'always' } })
    const rejected = await startAll(team, [asking], false)
    const made = await startAll(team, [await seedAgent(team, post(receiver.url))])
    assert.equal((await dryRun(team, { outside_calls_per_day: 1, allowed_hosts: [] })).calls, 1)
    assert.deepEqual(recorded(await dryRun(team, { outside_calls_per_day: 1 }), [...rejected, ...made]), [])
    const allowed = await startAll(team, [asking])
    const report = await dryRun(team, { outside_calls_per_day: 1 })
    assert.deepEqual(recorded(report, [...rejected, ...made, ...allowed]), ['2 1 outside_calls_per_day waits'])
  },
)

proves('guardrails.dryRun', 'runs of artifacts count like live ones and are not named', async () => {
  const team = await seedTeam(service)
  await startArtifactRun(service, team, await seedArtifact(service, team))
  await drainRuns(service)
  const runs = await startAll(team, [await seedAgent(team, note, { plugins: ['memory'] })])
  await startArtifactRun(service, team, await seedArtifact(service, team))
  await drainRuns(service)
  const report = await dryRun(team, { runs_per_day: 1 })
  assert.deepEqual([report.runs, report.runs_stopped], [3, 2])
  assert.deepEqual(recorded(report, runs), ['0 start runs_per_day refused'])
})

proves('guardrails.dryRun', 'what builders and judges cost counts from the beginning of its day', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, note, { plugins: ['memory'] })
  const spend = (purpose: 'builder' | 'judge' | 'replay') =>
    noteModelUse(team.sql, {
      team_id: team.id,
      agent_id: agentId,
      model: 'test',
      purpose,
      usage: { input_tokens: 1, output_tokens: 1 },
      cost_usd: '1.5',
    })
  for (const purpose of ['builder', 'judge', 'replay'] as const) await spend(purpose)
  const runs = await startAll(team, [agentId])
  assert.deepEqual(recorded(await dryRun(team, { cost_usd_per_day: '3.01' }), runs), [])
  await foldUsage(service.context.db)
  const report = await dryRun(team, { cost_usd_per_day: '3' })
  assert.deepEqual(recorded(report, runs), ['0 start cost_usd_per_day refused'])
})

proves(
  'guardrails.dryRunBounds',
  'a dry run over runs with many megabytes of arguments holds only some of them at a time, and the team is charged for judging',
  async () => {
    const team = await seedTeam(service)
    const runs = await startAll(team, [
      await seedAgent(team, note, { plugins: ['memory'] }),
      await seedAgent(team, note, { plugins: ['memory'] }),
    ])
    const megabyte = 2 ** 20
    // few bytes on the disk
    await team.sql`
      insert into run_steps (run_id, seq, turn, kind, tool, arguments, state, started_at, completed_at)
      select id, 100 + n, 1, 'tool', 'memory_write', jsonb_build_object('path', 'long.md', 'content', repeat('a', ${megabyte}::int)), 'done', now(), now()
      from unnest(${runs}::uuid[]) id, generate_series(1, 12) n`
    const { sql } = service.context.db
    const [sizes, charged] = [[] as number[], new Set<string>()]
    const reading: Sql = async (...asked) => {
      const rows = await sql(...asked)
      sizes.push(JSON.stringify(rows).length)
      return rows as never
    }
    const report = await dryRun(
      team,
      { always_ask: ['http_*'] },
      contextWith(reading, (teamId) => charged.add(teamId)),
    )
    assert.ok(report.calls >= 24, `${report.calls} calls`)
    assert.ok(Math.max(...sizes) < 3 * megabyte, `${Math.max(...sizes)} bytes at once`)
    assert.deepEqual(charged, new Set([team.id]))
  },
)

proves(
  'guardrails.dryRunBounds',
  'a dry run that cannot be judged is `failed` after its last attempt, and another can be started',
  async () => {
    const team = await seedTeam(service)
    const start = () => team.call('POST /v2/teams/:teamId/guardrails/dry-runs', { body: { rules: {} } })
    const ids = (await Promise.all([start(), start(), start()])).map(({ body }) => body.dry_run_id)
    assert.equal((await start()).status, 409)
    const { sql } = service.context.db
    const failing = contextWith((...asked) =>
      asked[0].join('').includes('from runs r join agents') ? Promise.reject(new Error('not readable')) : sql(...asked),
    )
    const statuses = async () =>
      new Set(
        await Promise.all(
          ids.map(
            async (id) =>
              (await team.call(`GET /v2/teams/:teamId/guardrails/dry-runs/${id}`)).body.dry_run.status as string,
          ),
        ),
      )
    for (let attempt = 1; attempt <= judgeRecords.attemptsMax; attempt += 1) {
      assert.deepEqual(await statuses(), new Set(['running']), `before attempt ${attempt}`)
      await team.sql`update graphile_worker._private_jobs set run_at = now() where payload ->> 'team_id' = ${team.id}`
      await drain(failing)
    }
    assert.deepEqual(await statuses(), new Set(['failed']))
    assert.equal((await start()).status, 202)
    await service.drain()
  },
)
