// A database that answers but does not write: a standby, a read-only one, one whose disk is full, and one whose synchronous standby is away.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { migrate } from '../src/base/migrate.ts'
import { announcePresence } from '../src/kit/presence.ts'
import { findServer, startExternalServer } from './kit/externalServer.ts'
import { seedTeam } from './kit/seed.ts'
import { testApp } from './kit/testApp.ts'
import { proves } from './kit/proves.ts'

const server = await startExternalServer(await findServer())
const address = await server.newDatabase()
await migrate({ address })
const service = await testApp({ address })
const { context } = service
const team = await seedTeam(service)
after(async () => {
  await service.close()
  await server.remove()
})

const readiness = () => service.call('GET /readyz')
const addMember = () => team.call('POST /v2/teams/:teamId/members', { body: { name: 'Ann' } })
const asOperator = (statement: string) => server.asSuperuser(statement, address.database)

const timesUnconfirmed = () =>
  service.logged.filter((line) => line.includes('a synchronous standby that does not answer')).length
const timesWritingAgain = () => service.logged.filter((line) => line.includes('the database writes again')).length

async function untilReady(): Promise<void> {
  while ((await readiness()).status !== 200) await asOperator('select pg_sleep(0.02)')
}

/** The first red answer may still tell of the moment before, in which nobody answered. */
async function untilTold(problem: string): Promise<void> {
  for (;;) {
    const { problems } = (await readiness()).body
    if (problems?.includes(problem)) return
    await asOperator('select pg_sleep(0.02)')
  }
}

async function refusedWrite(sentence: RegExp): Promise<void> {
  const { status, body, headers } = await addMember()
  assert.deepEqual([status, body.error, headers['retry-after']], [500, 'internal_error', '1'])
  assert.match(body.message, sentence)
}

proves(
  ['postgres.writes', 'errors.databaseAway'],
  'a database that is set read-only turns /readyz red, and a write says why it is refused',
  async () => {
    assert.equal((await readiness()).status, 200)
    await asOperator('alter system set default_transaction_read_only = on')
    await asOperator('select pg_reload_conf()')
    await untilTold('the database is read-only')
    assert.equal((await team.call('GET /v2/teams/:teamId')).status, 200, 'what only reads goes on')
    await refusedWrite(/cannot write right now/)
    await asOperator('alter system reset default_transaction_read_only')
    await asOperator('select pg_reload_conf()')
    await untilReady()
    assert.equal((await addMember()).status, 201)
  },
)

proves(
  ['postgres.writes', 'errors.databaseAway'],
  'writes that fail on a full disk turn /readyz red until files can grow again',
  async () => {
    // what PostgreSQL raises when a file cannot grow, for rows and for new tables
    await asOperator(`
    create function disk_full() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$;
    create function disk_full_too() returns event_trigger language plpgsql as
      $$ begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$;
    create trigger disk_full before insert on members execute function disk_full();
    create event trigger disk_full on ddl_command_end when tag in ('CREATE TABLE AS') execute function disk_full_too()`)
    await refusedWrite(/cannot write right now/)
    assert.deepEqual((await readiness()).body.problems, ['the database cannot write, because its disk is full'])
    const before = timesWritingAgain()
    assert.equal((await readiness()).status, 503)
    await asOperator('drop event trigger disk_full; drop trigger disk_full on members')
    await untilReady()
    assert.equal(timesWritingAgain(), before + 1)
    assert.equal((await addMember()).status, 201)
  },
)

proves(
  'postgres.synchronous',
  'commits that wait for a synchronous standby that is away turn /readyz red, and are acknowledged when it is back',
  async () => {
    await asOperator(`alter system set synchronous_standby_names = 'nobody_here'`)
    await asOperator('select pg_reload_conf()')
    const waiting = addMember()
    await untilTold('commits wait for a synchronous standby that does not answer')
    assert.equal((await team.call('GET /v2/teams/:teamId')).status, 200)
    assert.equal(timesUnconfirmed(), 1)
    await asOperator('alter system reset synchronous_standby_names')
    await asOperator('select pg_reload_conf()')
    assert.equal((await waiting).status, 201)
    await untilReady()
    assert.equal(timesUnconfirmed(), 1)
  },
)

proves(
  ['postgres.standby', 'postgres.oneLoop', 'errors.databaseAway'],
  'a server that comes back as a standby has one connection of each loop, and everything continues when it is promoted',
  async (t) => {
    const heard: string[] = []
    context.listener.on('standby_test', (payload) => heard.push(payload))
    const presence = await announcePresence({ address: context.db.address, role: 'api', log: context.log })
    t.after(() => presence.leave())
    const notify = () => asOperator(`select pg_notify('standby_test', 'hello')`)
    while (heard.length === 0) await notify()
    await server.stop()
    await server.startStandby()
    await untilTold('the database is a standby, which only reads')
    await refusedWrite(/does not answer right now/)
    const refused = () => service.logged.filter((line) => line.includes('cannot execute LISTEN during recovery')).length
    let most = 0
    // each refusal doubled the loops once: five of them were 32 connections
    while (refused() < 5) {
      const [row] = await asOperator(
        `select max(count)::int as most from (select count(*) from pg_stat_activity where application_name like 'runyard%' group by application_name) counted`,
      )
      most = Math.max(most, row!['most'] as number)
    }
    // on a busy machine a few that were given up may be seen beside the next one for a moment
    assert.ok(most <= 4, `${most} connections of one kind`)
    await asOperator('select pg_promote()')
    await untilReady()
    assert.equal((await addMember()).status, 201)
    const before = heard.length
    while (heard.length === before) await notify()
    while (!service.logged.some((line) => line.includes('the presence lock is held again'))) await notify()
  },
)
