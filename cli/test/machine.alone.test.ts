// Proves the command line against a real data dir and its embedded PostgreSQL: bin/runyard.mjs for real where the program matters, else in this process.
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { compiledCode, programFile } from '../../server/test/kit/programFile.ts'
import { copyPreparedDataDir } from '../../server/test/kit/preparedDataDir.ts'
import { readConfig } from '../../server/src/base/config.ts'
import { connectionSettings, sqlOn, type Address } from '../../server/src/base/db.ts'
import { connectionUrl, type EmbeddedPostgres } from '../../server/src/base/embeddedPostgres.ts'
import { createLog } from '../../server/src/base/log.ts'
import { readFacts } from '../../server/src/base/postgres/facts.ts'
import { runningPostmaster } from '../../server/src/base/postgres/server.ts'
import { hashToken } from '../../server/src/base/secrets.ts'
import { runAndReport, runCommandLine } from '../src/main.ts'
import { UsageError } from '../src/command.ts'
import type { Call } from '../../server/src/cli/command.ts'
import { entitlementsList } from '../../server/src/cli/entitlementsList.ts'
import { entitlementsSet } from '../../server/src/cli/entitlementsSet.ts'
import { entitlementsUnset } from '../../server/src/cli/entitlementsUnset.ts'
import { findDatabase, leaveDatabase, prepareDatabase } from '../../server/src/database.ts'
import { announcePresence } from '../../server/src/kit/presence.ts'
import { proves } from '../../server/test/kit/proves.ts'

const installed = fileURLToPath(new URL('../bin/runyard.mjs', import.meta.url))
const program = programFile(fileURLToPath(new URL('../src/main.ts', import.meta.url)))
const log = createLog('silent')

let folder: string
let dataDir: string
let database: EmbeddedPostgres
let leave: () => Promise<void>

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runyard cli test '))
  await chmod(folder, 0o755) // as root, PostgreSQL runs as somebody else, who must be able to enter
  dataDir = join(folder, 'data')
  await copyPreparedDataDir(dataDir)
  const config = readConfig({ RUNYARD_DATA_DIR: dataDir, RUNYARD_TEAM_NAME: 'First' })
  const { address, embedded } = await findDatabase(config, log)
  database = embedded!
  await prepareDatabase(config, log, address())
  // like a service that runs: the commands must join the server and leave it running
  const presence = await announcePresence({ address, role: 'all', log })
  const client = new Client(connectionSettings(address()))
  await client.connect()
  leave = () => leaveDatabase({ embedded, presence, sql: sqlOn(client), log, close: () => client.end() })
})

after(async () => {
  await leave()
  assert.equal(database.serverPid(), undefined, 'the last one to leave stops the server')
  await rm(folder, { recursive: true, maxRetries: 5 })
})

interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

function start(
  words: string[],
  env: NodeJS.ProcessEnv,
  { cwd = folder, file = installed } = {},
): { child: ChildProcess; outcome: Promise<Outcome> } {
  const { PATH, HOME } = process.env
  const bare = { ...(file === program && compiledCode), PATH, HOME, RUNYARD_DATA_DIR: dataDir, PORT: '0' }
  const child = spawn(process.execPath, [file, ...words], { env: { ...bare, ...env }, cwd })
  const said = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text))
  // a test that fails before it stops what it started must not keep the run waiting
  after(() => child.kill('SIGKILL'))
  const outcome = once(child, 'close').then(([code]) => ({ code: code as number | null, ...said }))
  return { child, outcome }
}

type Run = (words: string[], env?: NodeJS.ProcessEnv) => Promise<Outcome>

/** What users start. */
const asInstalled: Run = (words, env = {}) => start(words, env).outcome

/** What it loads, in a process of its own. */
const runyard: Run = (words, env = {}) => start(words, env, { file: program }).outcome

/** The same without a process for each. */
const here: Run = async (words, env = {}) => {
  const outcome: Outcome = { code: 0, stdout: '', stderr: '' }
  outcome.code = await runAndReport(
    words,
    { RUNYARD_DATA_DIR: dataDir, PORT: '0', ...env },
    { stdout: { write: (text) => (outcome.stdout += text) }, stderr: { write: (text) => (outcome.stderr += text) } },
  )
  return outcome
}

async function succeeds(words: string[], env?: NodeJS.ProcessEnv, run = here): Promise<string> {
  const { code, stdout, stderr } = await run(words, env)
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' }, stdout)
  return stdout
}

/** Fails with one line, says nothing on stdout, and shows nobody a stack. */
async function fails(
  words: string[],
  expected: { code: number; says: RegExp },
  env?: NodeJS.ProcessEnv,
  run = here,
): Promise<void> {
  const { code, stdout, stderr } = await run(words, env)
  assert.match(stderr, expected.says)
  assert.deepEqual(
    { code, stdout, lines: stderr.split('\n').length - 1 },
    { code: expected.code, stdout: '', lines: 1 },
  )
}

async function query<Row extends object>(text: string, values: unknown[] = [], address: Address = database.address()) {
  const client = new Client(connectionSettings(address))
  await client.connect()
  try {
    return (await client.query<Row>(text, values)).rows
  } finally {
    await client.end()
  }
}

const field = (output: string, name: string): string => new RegExp(`^${name} +(\\S+)`, 'm').exec(output)![1]!

async function emptyDatabase(): Promise<Address> {
  const name = `cli_${randomBytes(6).toString('hex')}`
  await query(`create database ${name} owner ${database.address().user}`, [], database.superuser())
  return { ...database.address(), database: name }
}

describe('the command line', { concurrency: 2 }, () => {
  test('help names every command, and what each takes', async () => {
    const help = await succeeds(['help'], {}, asInstalled)
    for (const words of [
      'serve',
      'dev',
      'migrate',
      'team create',
      'key create',
      'key revoke',
      'key rotate-encryption',
      'key rotate-evidence',
      'entitlements list',
      'entitlements set',
      'entitlements unset',
      'backup',
      'restore',
      'doctor',
    ]) {
      assert.ok(help.includes(`\n  ${words} `), words)
    }
    assert.match(await succeeds(['help', 'key', 'create']), /--scopes a,b/)
  })

  proves(
    'cli.dataDir',
    'what is set goes first, then the nearest folder upwards, then that of the checkout',
    async () => {
      const deep = join(folder, 'mine', 'deep')
      const facts = { base_url: 'http://127.0.0.1:1', team_id: 'team', api_key: 'key' }
      for (const dir of [join(folder, 'mine', '.runyard'), join(deep, 'set'), deep])
        await mkdir(dir, { recursive: true })
      await writeFile(join(folder, 'mine', '.runyard', 'service.json'), JSON.stringify(facts))
      await writeFile(join(deep, 'set', 'service.json'), JSON.stringify({ ...facts, base_url: 'http://127.0.0.1:2' }))
      const inFolder = async (cwd: string, words: string[], set = '') => {
        const env = { HOME: folder, RUNYARD_DATA_DIR: set }
        const { stdout, stderr } = await start(words, env, { cwd }).outcome
        return stdout + stderr
      }
      const [set, nearest, checkout] = await Promise.all([
        inFolder(deep, ['whoami'], 'set'),
        inFolder(deep, ['whoami']),
        inFolder(folder, ['doctor']),
      ])
      assert.match(set, /127\.0\.0\.1:2 cannot be reached/)
      assert.match(nearest, /127\.0\.0\.1:1 cannot be reached: [^.]+\. Is the service running/)
      assert.ok(checkout.includes(join(dirname(dirname(dirname(installed))), '.runyard')), checkout)
    },
  )

  test('what is typed wrongly is answered in one line, with 64', async () => {
    await fails(['bakcup'], { code: 64, says: /no command "bakcup".*backup/ }, {}, asInstalled)
    await fails(['doctor', '--quick'], { code: 64, says: /--quick.*runyard doctor/ })
    const refused: [string[], RegExp][] = [
      [['team', 'destroy', 'x'], /"team destroy"/],
      [['serve', '--roll', 'api'], /--roll.*--role/],
      [['serve', 'all'], /serve \[--role/],
      [['team', 'create', ' '], /NAME/],
      [['backup'], /backup FILE/],
      [['backup', 'a', 'b'], /backup FILE/],
      [['backup', '--force=yes', 'a'], /--force/],
      [['key', 'create', '--team'], /--team/],
      [['key', 'create', '--scopes', 'runs:raed'], /"runs:raed".*runs:read/],
      [['key', 'create', '--expires', 'tomorrow'], /ISO 8601/],
      [['key', 'create', '--expires', '2001-01-01'], /future/],
      [['entitlements', 'set', 'a team', 'runs', '5'], /KEY.*monthly_runs/],
      [['entitlements', 'set', 'a team', 'agents', '1.5'], /whole number/],
      [['entitlements', 'set', 'a team', 'monthly_cost_usd', 'much'], /dollars/],
    ]
    for (const [words, message] of refused) {
      await assert.rejects(runCommandLine(words, { RUNYARD_DATA_DIR: dataDir }, process), (error) => {
        assert.ok(error instanceof UsageError, String(error))
        assert.match(error.message, message)
        assert.ok(!error.message.includes('\n'))
        return true
      })
    }
  })

  proves(
    'entitlements.commands',
    'limits of a team are set, shown and taken back, and each change is in its audit log',
    async () => {
      const [team] = await query<{ id: string }>(`select id from teams where name = 'First'`)
      const config = readConfig({ RUNYARD_DATA_DIR: dataDir })
      const run = async (command: (call: Call) => Promise<void>, ...words: string[]): Promise<string[]> => {
        const said: string[] = []
        const print = (line: string) => void said.push(line.replaceAll(/ +/g, ' '))
        await command({
          config,
          log,
          positionals: [team!.id, ...words],
          values: {},
          signal: AbortSignal.any([]),
          print,
        })
        return said
      }
      await run(entitlementsSet, 'monthly_runs', '500')
      await run(entitlementsSet, 'monthly_cost_usd', '99.50')
      await run(entitlementsSet, 'max_concurrent_runs', '7')
      const listed = await run(entitlementsList)
      assert.deepEqual(listed.slice(0, 3), [
        'max_concurrent_runs 7 runs, 0 used',
        'monthly_runs 500 runs, 0 used',
        'monthly_cost_usd 99.5 usd, 0 used',
      ])
      // the example artifact of a first start is stored
      assert.match(listed[3] ?? '', /^storage_bytes 10737418240 bytes, [1-9]\d* used$/)
      await run(entitlementsUnset, 'monthly_runs')
      assert.match((await run(entitlementsUnset, 'max_concurrent_runs')).join(), /is 50 now/)
      const left = await query('select key, value::float8 from entitlements where team_id = $1', [team!.id])
      assert.deepEqual(left, [{ key: 'monthly_cost_usd', value: 99.5 }])
      const audited = await query<{ target_id: string }>(
        `select target_id from audit_log where team_id = $1 and target_type = 'entitlement' order by id`,
        [team!.id],
      )
      assert.deepEqual(
        audited.map(({ target_id }) => target_id),
        ['monthly_runs=500', 'monthly_cost_usd=99.50', 'max_concurrent_runs=7', 'monthly_runs', 'max_concurrent_runs'],
      )
      await fails(['entitlements', 'list', 'nobody'], { code: 1, says: /No team has this id/ })
    },
  )

  test('bad settings exit 78, all of them named', async () => {
    for (const words of [['serve'], ['doctor']]) {
      const { code, stderr } = await runyard(words, { PORT: 'many', LOG_LEVEL: 'loud' })
      assert.equal(code, 78)
      assert.match(stderr, /PORT must be/)
      assert.match(stderr, /LOG_LEVEL must be/)
    }
  })

  test('a team and a key are made, the key is kept as a hash, and a revoked one is dead', async () => {
    const team = await succeeds(['team', 'create', 'Nächste Schicht'])
    const teamId = field(team, 'Team')
    assert.deepEqual(await query('select name from teams where id = $1', [teamId]), [{ name: 'Nächste Schicht' }])

    await fails(['key', 'create'], { code: 1, says: /--team/ })
    const words = [
      'key',
      'create',
      '--team',
      teamId,
      '--scopes',
      'runs:read,runs:write',
      '--expires',
      '2099-01-01T00:00:00Z',
    ]
    const key = await succeeds(words)
    const secret = field(key, 'Secret')
    const [row] = await query<object>(
      'select id, team_id, member_id, name, scopes, expires_at, revoked_at from api_keys where secret_hash = $1',
      [hashToken(secret)],
    )
    assert.deepEqual(row, {
      id: field(key, 'Key'),
      team_id: teamId,
      member_id: field(team, 'Member'),
      name: 'Command line',
      scopes: ['runs:read', 'runs:write'],
      expires_at: new Date('2099-01-01T00:00:00Z'),
      revoked_at: null,
    })

    await succeeds(['key', 'revoke', field(key, 'Key')])
    const [revoked] = await query<object>('select revoked_at is not null as revoked from api_keys where id = $1', [
      field(key, 'Key'),
    ])
    assert.deepEqual(revoked, { revoked: true })
    await fails(['key', 'revoke', secret], { code: 1, says: /^(?!.*ry_).*No working key/ })
  })

  test('a member’s role bounds the scopes of a key made here too', async () => {
    const [member] = await query<{ id: string; team_id: string }>(
      `insert into members (id, team_id, name, role)
       select gen_random_uuid(), id, 'Looker', 'viewer' from teams where name = 'First' returning id, team_id`,
    )
    const words = ['key', 'create', '--team', member!.team_id, '--member', member!.id, '--scopes', 'keys:manage']
    await fails(words, { code: 1, says: /role viewer cannot have keys:manage/ })
  })

  test('a backup goes into another database with its key, and not without', async () => {
    const file = join(folder, 'shift.backup')
    // a file is named from where the command was typed
    const said = await succeeds(['backup', 'shift.backup'], {}, runyard)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    const [known] = await query<{ key_id: string }>('select key_id from encryption_keys')
    assert.ok(said.includes(`key ${known!.key_id}`), said)
    assert.match(said, /not in it/)
    await fails(['backup', file], { code: 1, says: /--force/ })

    const target = await emptyDatabase()
    const elsewhere = { RUNYARD_DATA_DIR: join(folder, 'elsewhere'), DATABASE_URL: connectionUrl(target) }
    await fails(
      ['restore', file],
      { code: 1, says: new RegExp(`${known!.key_id}.*none here.*RUNYARD_ENCRYPTION_KEY`) },
      elsewhere,
    )
    const wrong = { ...elsewhere, RUNYARD_ENCRYPTION_KEY: '00'.repeat(32) }
    await fails(['restore', file], { code: 1, says: /but RUNYARD_ENCRYPTION_KEY holds/ }, wrong)
    assert.deepEqual(await query(`select to_regclass('teams') as teams`, [], target), [{ teams: null }])

    const right = { ...elsewhere, RUNYARD_ENCRYPTION_KEY: (await readFile(join(dataDir, 'key'), 'utf8')).trim() }
    assert.match(await succeeds(['restore', file], right), /^Restored \d+ rows/)
    assert.deepEqual(await query(`select name from teams where name = 'First'`, [], target), [{ name: 'First' }])
    await fails(['restore', file], { code: 1, says: /--replace/ }, right)

    const presence = await announcePresence({ address: () => target, role: 'worker', log })
    await fails(
      ['restore', file, '--replace'],
      { code: 1, says: new RegExp(`running.*worker, process ${process.pid} `) },
      right,
    )
    await presence.leave()
    await succeeds(['restore', file, '--replace'], right)
    assert.match(await succeeds(['doctor'], right), /encryption key +.*opens/)
  })

  test('the encryption key is not changed under a service that runs', async () => {
    await fails(['key', 'rotate-encryption'], {
      code: 1,
      says: new RegExp(`running.*all, process ${process.pid} .*Stop it, then`),
    })
    assert.deepEqual(
      (await readdir(dataDir)).filter((name) => name.startsWith('key')),
      ['key'],
    )
  })

  proves('growth.told', 'doctor finds nothing wrong with a healthy set-up, and says what grows', async () => {
    const said = await succeeds(['doctor'])
    assert.deepEqual(
      said.split('\n').filter((line) => line !== '' && !line.startsWith('ok ')),
      [],
    )
    for (const name of ['Node', 'data dir', 'disk', 'port', 'open files', 'migrations', 'database role', 'clock']) {
      assert.match(said, new RegExp(`^ok +${name} `, 'm'))
    }
    assert.match(said, /^ok +database +PostgreSQL 18\.\d+, embedded, in /m)
    assert.match(said, /^ok +growth +.*audit [\d.]+ MiB \(about \d+ rows/m)
    assert.match(said, new RegExp(`^ok +processes +.*all \\(process ${process.pid} `, 'm'))
  })

  test('doctor names what is wrong, all of it, and exits 1', async () => {
    const busy = createServer((_request, response) => response.end('not Runyard'))
    busy.listen(0, '127.0.0.1')
    await once(busy, 'listening')
    const { port } = busy.address() as AddressInfo
    const dir = await mkdtemp(join(folder, 'broken '))
    await writeFile(join(dir, 'key'), 'x', { mode: 0o644 })
    await chmod(dir, 0o777)
    const away = `postgres://runyard:secretword@127.0.0.1:1/runyard`
    const broken = { RUNYARD_DATA_DIR: dir, DATABASE_URL: away, PORT: String(port), RUNYARD_ROEL: 'api' }
    const { code, stdout } = await runyard(['doctor'], broken)
    busy.close()
    assert.equal(code, 1)
    assert.match(stdout, /^problem +data dir +.*key.*chmod 600/m)
    assert.match(stdout, /^problem +port +.*taken by another program/m)
    assert.match(stdout, /^problem +database +Nothing answers at 127\.0\.0\.1:1.*DATABASE_URL/m)
    assert.match(stdout, /^warning +settings +RUNYARD_ROEL/m)
    assert.ok(!stdout.includes('secretword'))

    const wrongKey = await here(['doctor'], { RUNYARD_ENCRYPTION_KEY: '00'.repeat(32) })
    assert.equal(wrongKey.code, 1)
    assert.match(wrongKey.stdout, /^problem +encryption key +RUNYARD_ENCRYPTION_KEY holds/m)
  })

  test('what cannot reach its database says so in one line', async () => {
    const away = { DATABASE_URL: 'postgres://runyard:secretword@127.0.0.1:1/runyard' }
    const unreachable = { code: 1, says: /^Nothing answers at 127\.0\.0\.1:1.*DATABASE_URL/ }
    await fails(['team', 'create', 'x'], unreachable, away, runyard)
    await fails(
      ['backup', 'x'],
      { code: 1, says: /no database.*npm start/ },
      { RUNYARD_DATA_DIR: join(folder, 'nowhere') },
    )
    assert.ok(!existsSync(join(folder, 'nowhere')), 'looking makes no data dir')
    const bare = { DATABASE_URL: connectionUrl(await emptyDatabase()) }
    await fails(['team', 'create', 'x'], { code: 1, says: /runyard migrate/ }, bare)
  })

  proves(
    'migrate.check',
    'a check changes nothing, and its exit code says whether there is something to do',
    async () => {
      assert.match(
        await succeeds(['migrate', '--check']),
        /^This version knows (\d+) migrations, and the database has \1\.\n/,
      )
      const address = await emptyDatabase()
      const bare = { DATABASE_URL: connectionUrl(address) }
      const empty = await here(['migrate', '--check', '--json'], bare)
      const plan = JSON.parse(empty.stdout) as { state: string; done: number; missing: { name: string }[] }
      assert.deepEqual([empty.code, plan.state, plan.done, plan.missing[0]?.name], [2, 'to_do', 0, '0001_encryption'])
      assert.deepEqual(await query(`select from pg_tables where schemaname = 'public'`, [], address), [])
      await query(
        `create table schema_migrations as select 999 as number, '0999_later' as name, 'x' as sha256`,
        [],
        address,
      )
      const newer = await here(['migrate', '--check'], bare)
      assert.equal(newer.code, 6)
      assert.match(newer.stdout, /^This database was made by a newer Runyard \(migration 0999_later\)/)
    },
  )

  test('a command stops the server that it had to start', async () => {
    const own = { RUNYARD_DATA_DIR: join(folder, 'own') }
    const running = () => {
      const facts = readFacts(own.RUNYARD_DATA_DIR)!
      return runningPostmaster(join(resolve(own.RUNYARD_DATA_DIR, facts.place), facts.cluster))
    }
    assert.match(await succeeds(['doctor'], own), /none yet/)
    assert.ok(!existsSync(own.RUNYARD_DATA_DIR), 'doctor makes nothing')
    assert.match(await succeeds(['migrate'], own, runyard), /^applied 0001_/)
    assert.equal(running(), undefined)
    await succeeds(['team', 'create', 'Own'], own)
    assert.match(await succeeds(['key', 'create'], own), /^Scopes +\*$/m) // the only team needs no --team
    assert.match(await succeeds(['key', 'rotate-encryption'], own), /^Sealed \d+ values again/)
    assert.equal(running(), undefined)

    const quick = { ...own, LOG_LEVEL: 'warn', RUNYARD_READINESS_INTERVAL_MS: '0' }
    const service = start(['serve'], quick, { file: program })
    await once(service.child.stdout!, 'data')
    assert.equal(await succeeds(['migrate'], own), 'The database was up to date.\n')
    assert.ok(running(), 'the service still needs it')
    service.child.kill('SIGTERM')
    // its log is not judged: on a machine that stood still, the database may have answered late
    const { code, stderr } = await service.outcome
    assert.equal(code, 0, stderr)
    assert.equal(running(), undefined)
    assert.ok(!(await readdir(own.RUNYARD_DATA_DIR)).includes('service.json'))
  })
})
