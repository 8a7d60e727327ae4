// A transaction pooler between the service and its database: what is checked before it is used, and that everything works through it.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { DatabaseRefused, connectOrTell } from '../src/base/databaseRefused.ts'
import type { Address } from '../src/base/db.ts'
import { connectionUrl } from '../src/base/embeddedPostgres.ts'
import { migrate } from '../src/base/migrate.ts'
import { requirePooler, requireSessions } from '../src/base/pooler.ts'
import { findServer, startExternalServer } from './kit/externalServer.ts'
import { needsNamingPgbouncer, needsPgbouncer, startPgbouncer } from './kit/pgbouncer.ts'
import { proves } from './kit/proves.ts'
import { drainRuns, readRun, seedAgent, startRun } from './kit/runs.ts'
import { seedTeam } from './kit/seed.ts'
import { testApp } from './kit/testApp.ts'

const server = await startExternalServer(await findServer())
const address = await server.newDatabase()
await migrate({ address })
after(() => server.remove())

const pgbouncer = (mode: 'transaction' | 'session', at: Address = address, statementsMax?: number) =>
  startPgbouncer({ serverPort: server.port, users: [at.user], mode, ...(statementsMax && { statementsMax }) })

/** The sentence by which the pooler is refused, or undefined. */
async function refusal(port: number, at: Address = address): Promise<string | undefined> {
  const direct = await connectOrTell(address, 'test')
  try {
    await requirePooler(connectionUrl({ ...at, port }), direct)
    return undefined
  } catch (error) {
    assert.ok(error instanceof DatabaseRefused)
    return error.message
  } finally {
    await direct.end()
  }
}

proves(
  'postgres.poolerRefused',
  'a DATABASE_URL that leads to a transaction pooler is refused, one that leads to a session pooler is not',
  needsPgbouncer,
  async (t) => {
    const [transaction, session] = [await pgbouncer('transaction'), await pgbouncer('session')]
    t.after(() => Promise.all([transaction.stop(), session.stop()]))
    await requireSessions(address)
    await requireSessions(connectionUrl({ ...address, port: session.port }))
    await assert.rejects(
      requireSessions(connectionUrl({ ...address, port: transaction.port })),
      /^Error: DATABASE_URL leads to a transaction pooler.*Set DATABASE_POOL_URL to the pooler/,
    )
  },
)

proves(
  'postgres.poolerRefused',
  'a pooler whose sessions lack our settings is refused with the statements to run, and one to another database too',
  needsPgbouncer,
  async (t) => {
    const before = await pgbouncer('transaction')
    t.after(() => before.stop())
    const told = (await refusal(before.port)) ?? ''
    assert.match(told, /jit is on, .*statement_timeout is 0.*RECONNECT in the pooler: alter role own_/)
    const [, statements = ''] = told.split('in the pooler: ')
    await server.asSuperuser(statements, address.database)
    const afterwards = await pgbouncer('transaction')
    t.after(() => afterwards.stop())
    assert.equal(await refusal(afterwards.port), undefined)
    const other = await server.newDatabase()
    const elsewhere = await pgbouncer('transaction', other)
    t.after(() => elsewhere.stop())
    assert.match((await refusal(elsewhere.port, other)) ?? '', /another database than DATABASE_URL/)
  },
)

proves('postgres.pooler', 'requests, jobs, runs and notifications work through a pooler', needsPgbouncer, async (t) => {
  const pooler = await pgbouncer('transaction')
  const service = await testApp({
    address,
    pooler: { address: () => connectionUrl({ ...address, port: pooler.port }), keepsNames: false },
  })
  t.after(async () => {
    await service.close()
    await pooler.stop()
  })
  const { context } = service
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, '```memory path=note.md\nkept\n```\n```output\n{{ message }}\n```\n')
  const ids = await Promise.all(
    Array.from({ length: 20 }, (_, n) => startRun(team, agentId, { message: `hello ${n}` })),
  )
  await drainRuns(service)
  for (const [n, id] of ids.entries()) assert.equal((await readRun(team, id)).output, `hello ${n}`)
  await context.db.sql`select graphile_worker.add_job('sweepRequests')`
  await service.drain()
  const heard: string[] = []
  context.listener.on('pooler_test', (payload) => heard.push(payload))
  while (heard.length === 0) await context.db.sql`select pg_notify('pooler_test', 'hello')`
  const rows = await server.asSuperuser(
    `select application_name as name, count(*)::int from pg_stat_activity where usename = '${address.user}' group by 1 order by 1`,
  )
  // one that the pooler has opened and given to nobody yet has no name; each of ours is opened with its own
  assert.deepEqual(
    rows.map(({ name }) => name).filter((name) => name !== '' && name !== 'runyard' && name !== 'runyard watch'),
    ['runyard listener'],
  )
})

proves(
  'postgres.poolerNames',
  'with DATABASE_POOL_STATEMENTS=named a pooler that keeps names has each statement planned once a session',
  needsNamingPgbouncer,
  async (t) => {
    // fewer than there are statements: the pooler also forgets some
    const pooler = await pgbouncer('transaction', address, 20)
    const service = await testApp({
      address,
      pooler: { address: () => connectionUrl({ ...address, port: pooler.port }), keepsNames: true },
    })
    t.after(async () => {
      await service.close()
      await pooler.stop()
    })
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, '```memory path=note.md\nkept\n```\n```output\n{{ message }}\n```\n')
    const ids = await Promise.all(
      Array.from({ length: 40 }, (_, n) => startRun(team, agentId, { message: `hello ${n}` })),
    )
    await drainRuns(service)
    for (const [n, id] of ids.entries()) assert.equal((await readRun(team, id)).output, `hello ${n}`)
    const { sql } = service.context.db
    const kept = await sql<{ uses: number }>`
      select (generic_plans + custom_plans)::int as uses from pg_prepared_statements where name <> '' order by 1 desc`
    assert.ok(kept.length > 1, 'the session knows statements by names')
    assert.ok(kept[0]!.uses > 1, 'and used one again')
  },
)
