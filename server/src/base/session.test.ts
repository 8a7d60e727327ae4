// The settings that a session of ours has, on a server whose operator has set the opposite.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after } from 'node:test'
import { testDatabase } from '../../test/kit/postgres.ts'
import { openDatabase } from './db.ts'
import { createLog } from './log.ts'
import { connectionSettings, SessionClient } from './session.ts'
import { proves } from '../../test/kit/proves.ts'

const address = await testDatabase()
const db = openDatabase({ address: () => address, log: createLog('silent') })
after(() => db.close())

/** Sets them as an operator would: for everybody who uses this database. */
const contrary = {
  jit: 'on',
  plan_cache_mode: 'force_custom_plan',
  default_transaction_isolation: 'serializable',
  timezone: 'America/New_York',
  datestyle: 'SQL, DMY',
  intervalstyle: 'iso_8601',
  bytea_output: 'escape',
  standard_conforming_strings: 'off',
  synchronous_commit: 'off',
  idle_session_timeout: '1h',
  transaction_timeout: '1h',
  statement_timeout: '1h',
  lock_timeout: '1h',
  idle_in_transaction_session_timeout: '1h',
}

const ours = {
  jit: 'off',
  plan_cache_mode: 'auto',
  default_transaction_isolation: 'read committed',
  timezone: 'UTC',
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
  synchronous_commit: 'on',
  idle_session_timeout: '0',
  transaction_timeout: '0',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
}

const names = Object.keys(ours)
const shown = `select jsonb_object_agg(name, current_setting(name)) as found from unnest($1::text[]) name`

proves(
  'postgres.settings',
  'a session has our settings whatever the operator set for the database, and the pool its own limits',
  async () => {
    const first = new SessionClient(connectionSettings(address))
    await first.connect()
    for (const [name, value] of Object.entries(contrary)) {
      await first.query(`alter database ${address.database} set ${name} = '${value}'`)
    }
    await first.end()
    const session = new SessionClient(connectionSettings(address), { lock_timeout: '7s' })
    await session.connect()
    assert.deepEqual((await session.query(shown, [names])).rows[0].found, { ...ours, lock_timeout: '7s' })
    await session.end()
    const [pooled] = await db.sql<{ found: object; seqscan: string }>`
    select jsonb_object_agg(name, current_setting(name)) as found, current_setting('enable_seqscan') as seqscan
    from unnest(${names}::text[]) name`
    const limits = { statement_timeout: '30s', lock_timeout: '2s', idle_in_transaction_session_timeout: '1min' }
    assert.deepEqual(pooled, { found: { ...ours, ...limits }, seqscan: 'off' })
  },
)

proves(
  'postgres.settings',
  'a session that cannot make its settings is not connected, and leaves no connection behind',
  async () => {
    const broken = new SessionClient(connectionSettings(address), { no_such_setting: '1' })
    const gone = new Promise((resolve) => broken.once('end', resolve))
    await assert.rejects(broken.connect(), /no_such_setting/)
    await gone
  },
)

/** The line of the kernel about a connection to the test's server: its timer is `02:` with hundredths of a second while it is kept alive. */
async function timerOf(localPort: number): Promise<string | undefined> {
  const place = new RegExp(
    `^\\s*\\d+: \\w+:${localPort.toString(16).toUpperCase().padStart(4, '0')} .* (\\d\\d:\\w{8}) `,
    'm',
  )
  return place.exec(await readFile('/proc/net/tcp', 'utf8'))?.[1]
}

proves(
  'postgres.settings',
  'a session and a connection of the pool ask within seconds whether a silent server is still there',
  { skip: process.platform !== 'linux' && 'only Linux says how a connection is kept alive' },
  async () => {
    const session = new SessionClient(connectionSettings(address))
    await session.connect()
    const [pooled] = await db.sql<{ port: number }>`select inet_client_port() as port`
    const own = await session.query<{ port: number }>('select inet_client_port() as port')
    for (const { port } of [own.rows[0]!, pooled!]) {
      const [kind, left] = (await timerOf(port))!.split(':')
      assert.equal(kind, '02')
      assert.ok(Number.parseInt(left!, 16) <= 500, `the first question comes after ${left} hundredths of a second`)
    }
    await session.end()
  },
)
