// The disaster drill: the database of an operator is lost after a mistake, and comes back as it was just before, by PostgreSQL's own tools.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import { proves } from '../kit/proves.ts'
import { send, startService, temporaryDataDir, type HttpAnswer, type Service } from '../survival/processes.ts'
import { block, bodyOf, until } from '../survival/yard.ts'
import { findPrograms, startOwnPostgres, type OwnPostgres } from './ownPostgres.ts'

const programs = await findPrograms()
const needsPrograms = { skip: 'missing' in programs ? programs.missing : (false as const) }
const undo: (() => Promise<unknown>)[] = []
after(async () => {
  for (const step of undo.toReversed()) await step()
})

interface Runs {
  completed: string[]
  waiting: string[]
}

class Operator {
  service!: Service
  readonly #postgres: OwnPostgres
  readonly #dataDir: string
  readonly encryptionKey = randomBytes(32).toString('hex')
  readonly key = `drill-${randomBytes(16).toString('hex')}`

  constructor(postgres: OwnPostgres, dataDir: string) {
    this.#postgres = postgres
    this.#dataDir = dataDir
  }

  async start(encryptionKey = this.encryptionKey): Promise<void> {
    const env = {
      DATABASE_URL: this.#postgres.url,
      RUNYARD_ENCRYPTION_KEY: encryptionKey,
      RUNYARD_API_KEY: this.key,
      RUNYARD_RATE_LIMIT: '0',
    }
    this.service = await startService({ dataDir: this.#dataDir, env })
  }

  call(method: string, path: string, body?: object): Promise<HttpAnswer> {
    const whole = path.replace('{team}', this.service.teamId)
    return send(this.service.baseUrl, { method, path: whole, key: this.key, ...(body && { body }) })
  }

  async newAgent(name: string, procedure: string): Promise<string> {
    const config = { version: 'v2', data: { input: procedure, plugins: ['human'] } }
    return bodyOf(await this.call('POST', '/v2/teams/{team}/agents', { name, build: { config } }))['agent_id'] as string
  }

  async startRun(agentId: string): Promise<string> {
    return bodyOf(await this.call('POST', '/v2/teams/{team}/runs', { agent_id: agentId }))['run_id'] as string
  }

  async statusOf(runId: string): Promise<string> {
    const answer = await this.call('GET', `/v2/runs/${runId}`)
    return answer.status === 404 ? 'gone' : (bodyOf(answer)['run'] as { status: string }).status
  }

  /** Starts runs of an agent and waits until all are in this state. */
  async runs(agentId: string, count: number, status: string): Promise<string[]> {
    const ids = await Promise.all(Array.from({ length: count }, () => this.startRun(agentId)))
    for (const id of ids)
      await until(
        status,
        () => this.statusOf(id),
        (seen) => seen === status,
      )
    return ids
  }

  async approve(runId: string): Promise<void> {
    const [{ id } = { id: '' }] = await this.#postgres.query(
      `select id from human_requests where run_id = '${runId}' and status = 'pending'`,
    )
    bodyOf(await this.call('POST', `/v2/runs/${runId}/human-requests/${String(id)}/respond`, { approved: true }))
  }

  webhookSecret = async (): Promise<unknown> => bodyOf(await this.call('GET', '/v2/teams/{team}/webhook-secret'))
}

/** The file of the log that was open is in the archive when this resolves. */
async function archiveLog(postgres: OwnPostgres): Promise<void> {
  const [row] = await postgres.query('select pg_walfile_name(pg_switch_wal()) as name')
  const name = String(row?.['name'])
  await until(
    `${name} is archived`,
    async () => String((await postgres.query('select last_archived_wal as name from pg_stat_archiver'))[0]?.['name']),
    (archived) => archived >= name,
  )
}

proves(
  ['backups.pointInTime', 'backups.key'],
  'a database that was lost comes back as it was before a mistake, and every run that was acknowledged by then is there',
  needsPrograms,
  async (t) => {
    assert.ok('bin' in programs)
    const postgres = await startOwnPostgres(programs.bin)
    undo.push(() => postgres.remove())
    const dataDir = await temporaryDataDir()
    undo.push(() => dataDir.remove())
    const operator = new Operator(postgres, dataDir.path)
    await operator.start()
    undo.push(() => operator.service.stop('SIGKILL'))
    const quick = await operator.newAgent('Quick', block('output', 'done'))
    const asking = await operator.newAgent('Asking', block('approve id=go', 'Go on?') + block('output', 'went'))
    const secret = await operator.webhookSecret()

    const before: Runs = { completed: await operator.runs(quick, 20, 'completed'), waiting: [] }
    await postgres.backUp()
    before.completed.push(...(await operator.runs(quick, 20, 'completed')))
    before.waiting = await operator.runs(asking, 3, 'waiting')
    const [moment] = await postgres.query('select clock_timestamp()::text as now')
    await postgres.query('truncate runs cascade')
    const late = await operator.runs(quick, 5, 'completed')
    await archiveLog(postgres)
    await operator.service.stop('SIGKILL')
    const lostAt = performance.now()
    await postgres.lose()

    await postgres.restore(String(moment?.['now']))
    const restoredMs = performance.now() - lostAt
    await assert.rejects(operator.start(randomBytes(32).toString('hex')), /encryption key|RUNYARD_ENCRYPTION_KEY/)
    const startedAt = performance.now()
    await operator.start()
    const startMs = performance.now() - startedAt

    for (const id of before.completed) assert.equal(await operator.statusOf(id), 'completed')
    for (const id of late) assert.equal(await operator.statusOf(id), 'gone')
    for (const id of before.waiting) {
      assert.equal(await operator.statusOf(id), 'waiting')
      await operator.approve(id)
      await until(
        'it continues',
        () => operator.statusOf(id),
        (status) => status === 'completed',
      )
    }
    assert.deepEqual(await operator.webhookSecret(), secret)
    assert.equal((await operator.runs(quick, 1, 'completed')).length, 1)
    t.diagnostic(
      `${before.completed.length} ended and ${before.waiting.length} waiting runs are back, ${late.length} after the mistake are not; ` +
        `restored in ${(restoredMs / 1000).toFixed(1)} s, started in ${(startMs / 1000).toFixed(1)} s`,
    )
    assert.equal(await operator.service.stop('SIGTERM'), 0)
  },
)
