// A new encryption key: everything sealed goes over to it, and whatever is cut off leaves a database and a key that fit together.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { Client } from 'pg'
import { begin } from '../../test/kit/heldTransaction.ts'
import { testDatabase } from '../../test/kit/postgres.ts'
import { readConfig, type Config } from '../base/config.ts'
import { cut } from '../base/session.ts'
import { connectionSettings, sqlOn, type Address, type Sql } from '../base/db.ts'
import { connectionUrl } from '../base/embeddedPostgres.ts'
import { canary, EncryptionKeyRefused } from '../base/encryptionKey.ts'
import {
  adoptNextKey,
  keepOldKey,
  keyFile,
  nextKeyFile,
  oldKeyFile,
  readKeyFile,
  writeKeyFile,
} from '../base/keyFiles.ts'
import { newId } from '../base/ids.ts'
import { migrationLock } from '../base/locks.ts'
import { createLog } from '../base/log.ts'
import { resealDatabase } from '../base/resealDatabase.ts'
import { columnsOfBytes, findSealed, resealColumn, SealBroken } from '../base/sealedColumns.ts'
import { createKeyring, type Keyring } from '../base/secrets.ts'
import { prepareDatabase } from '../database.ts'
import { features } from '../features.ts'
import { sealState } from '../features/browser/browserSession.ts'
import { readSecret, rotateSecret, signingSecrets } from '../features/webhooks/secret.ts'
import type { Context } from '../kit/context.ts'
import { findReply, hashRequest, sealedReply, sealReply } from '../kit/idempotency.ts'
import { announcePresence } from '../kit/presence.ts'
import { CommandFailed, type Call } from './command.ts'
import { encryptionKey as doctorsLook } from './checks/database.ts'
import type { Joined } from './joinDatabase.ts'
import type { AuthorizationServer } from '../drivers/oauth/oauth.ts'
import { beginFlow } from '../features/connections/oauth/oauthFlow.ts'
import { saveRegistration } from '../features/connections/oauth/registration.ts'
import { sealSecret } from '../features/connections/store/secret.ts'
import { sealModelKey } from '../features/models/modelKey.ts'
import { sealLogin } from '../features/secrets/logins/login.ts'
import { sealVariables } from '../features/secrets/variables.ts'
import { rotateKey } from '../features/evidence/keys.ts'
import { sealedSecret, sealedToken } from '../features/triggers/trigger.ts'
import { beginOidc } from '../features/signIn/oidcSignIn.ts'
import type { Caller } from '../kit/credential.ts'
import { takeSteps } from '../base/steps.ts'
import { keyRotateEncryption } from './keyRotateEncryption.ts'
import { keyRotateEvidence } from './keyRotateEvidence.ts'
import { plainBytes } from './plainBytes.ts'
import { proves } from '../../test/kit/proves.ts'

const log = createLog('silent')
const declared = features.flatMap(({ sealed = [] }) => sealed)
const requestHash = takeSteps(
  hashRequest(
    { credential: { type: 'api_key', id: newId() }, grant: '*' },
    { method: 'POST', url: '/v2/teams', body: undefined },
  ),
)

interface Yard {
  address: Address
  config: Config
  client: Client
  sql: Sql
  teamId: string
  keyring: Keyring
  /** What signs deliveries, as a receiver knows it. */
  secrets: string[]
}

/** A database with its key, and a value in every column that is sealed. */
async function newYard(env: NodeJS.ProcessEnv = {}): Promise<Yard> {
  const address = await testDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'runyard rotate test '))
  after(() => rm(dataDir, { recursive: true }))
  const config = readConfig({
    RUNYARD_DATA_DIR: dataDir,
    DATABASE_URL: connectionUrl(address),
    RUNYARD_DEMO: '0',
    ...env,
  })
  const { keyring, firstKey } = await prepareDatabase(config, log, address)
  const { teamId } = firstKey
  const client = await connect(address)
  const sql = sqlOn(client)
  await readSecret(sql, keyring, teamId)
  await rotateSecret(sql, keyring, teamId, 3600)
  await storeReply(sql, keyring, { teamId, key: 'k', body: 'shown once' })
  await sql`
    insert into idempotency_keys (team_id, key, request_hash, status, reply, expires_at)
    values (${teamId}, 'without a body', ${requestHash}, 204, null, now() + interval '1 day')`
  const session = newId()
  const state = sealState({ keyring } as Context, session, { storage: { cookies: [], origins: [] }, pages: [] })
  await sql`insert into browser_sessions (id, team_id, run_id, state) values (${session}, ${teamId}, ${newId()}, ${state})`
  await storeConnections(sql, keyring, teamId)
  await storeGiven(sql, keyring, teamId)
  return { address, config, client, sql, teamId, keyring, secrets: await signingSecrets(sql, keyring, teamId) }
}

/** A connection, a grant to give back, an authorisation under way and a registered client. */
async function storeConnections(sql: Sql, keyring: Keyring, teamId: string): Promise<void> {
  const [member] = await sql<{ id: string }>`select id from members where team_id = ${teamId}`
  const secret = sealSecret(keyring, teamId, { kind: 'headers', headers: { 'x-key': 'hidden' } })
  await sql`
    insert into connections (id, team_id, name, type, provider, auth_method, secret)
    values (${teamId}, ${teamId}, 'Ours', 'api', 'example', 'headers', ${secret})`
  await sql`
    insert into revocations (connection_id, team_id, provider, secret, oauth) values (${teamId}, ${teamId}, 'example', ${secret}, '{}')`
  const server = { issuer: 'https://as.example', authorization_endpoint: 'https://as.example/a' } as AuthorizationServer
  const client = { client_id: 'c', client_secret: 'client secret', auth_method: 'client_secret_basic' } as const
  await beginFlow(sql, { keyring } as Context, {
    caller: { team_id: teamId, member_id: member!.id, credential: { type: 'api_key', id: newId() } } as Caller,
    kind: 'mcp',
    provider: 'as.example',
    name: 'Ours',
    serverUrl: null,
    connectionId: null,
    server,
    client,
    isRegistered: true,
    resource: null,
    scopes: [],
    redirectUri: 'https://runyard.example/oauth/callback',
    returnUrl: null,
  })
  const key = { team_id: teamId, issuer: 'https://as.example', redirect_uri: 'https://runyard.example/oauth/callback' }
  await saveRegistration(sql, { keyring }, key, { ...client, expires_at: null })
  await beginOidc(sql, keyring, '/')
}

/** A secret, a login, a model key, a trigger with an address and a secret, and a key that signs evidence. */
async function storeGiven(sql: Sql, keyring: Keyring, teamId: string): Promise<void> {
  const id = newId()
  const [secret, login] = [sealVariables(keyring, id, { TOKEN: 'hidden' }), { password: 'hidden', otp_secret: null }]
  await sql`
    insert into secrets (id, team_id, name, env_var_keys, sealed) values (${id}, ${teamId}, 'ours', '{TOKEN}', ${secret})`
  await sql`
    insert into logins (id, team_id, domain, username, has_otp, sealed)
    values (${id}, ${teamId}, 'shop.example.com', 'ada', false, ${sealLogin(keyring, id, login)})`
  await sql`
    insert into model_keys (id, team_id, provider, secret, hint)
    values (${id}, ${teamId}, 'openai', ${sealModelKey(keyring, id, 'hidden key')}, '…')`
  await sql`
    insert into agents (id, team_id, name, memory_enabled, builds_count) values (${id}, ${teamId}, 'Ours', true, 0)`
  const context = { keyring } as Context
  await sql`
    insert into triggers (id, team_id, agent_id, user_id, changed_by, kind, enabled, verifier, token, token_hash, secret)
    values (${id}, ${teamId}, ${id}, ${id}, ${id}, 'webhook', true, 'secret', ${sealedToken(context, id, 'hidden')},
      ${Buffer.from('hash')}, ${sealedSecret(context, id, 'hidden')})`
  await rotateKey(keyring, sql)
}

async function connect(address: Address): Promise<Client> {
  const client = new Client(connectionSettings(address))
  await client.connect()
  // one that was cut off has no end to wait for
  client.on('error', () => undefined)
  after(() => cut(client))
  return client
}

const storeReply = (sql: Sql, keyring: Keyring, { teamId, key, body }: { teamId: string; key: string; body: string }) =>
  sql`
    insert into idempotency_keys (team_id, key, request_hash, status, reply, expires_at)
    values (${teamId}, ${key}, ${requestHash}, 201, ${sealReply(keyring, body)}, now() + interval '1 day')`

const rotate = (config: Config): Promise<string> => saidBy(keyRotateEncryption, config)
const rotateEvidence = (config: Config): Promise<string> => saidBy(keyRotateEvidence, config)

async function saidBy(command: (call: Call) => Promise<void>, config: Config): Promise<string> {
  const lines: string[] = []
  const signal = new AbortController().signal
  const print = (line: string) => void lines.push(line)
  await command({ config, log, signal, print, positionals: [], values: {} })
  return lines.join('\n')
}

/** What every reader of a sealed value gets with this key is what was put in. */
async function requireAllOpens({ client, sql, teamId, secrets }: Yard, keyring: Keyring): Promise<void> {
  for (const { table, column, key, purpose } of declared) {
    const keys = key.map((name) => `${name}::text`).join(', ')
    const { rows } = await client.query(`select ${keys}, ${column} as sealed from ${table} where ${column} is not null`)
    assert.ok(rows.length > 0, table)
    for (const { sealed, ...row } of rows) keyring.open(sealed, purpose(row))
  }
  assert.deepEqual(await signingSecrets(sql, keyring, teamId), secrets)
  assert.equal(secrets.length, 2)
  assert.deepEqual(await findReply(sql, keyring, { teamId, key: 'k', requestHash }), {
    status: 201,
    body: 'shown once',
  })
}

const keyFilesIn = async ({ config: { dataDir } }: Yard): Promise<string[]> =>
  (await readdir(dataDir)).filter((name) => name.startsWith('key')).sort()

proves('encryption.declared', 'every column of the database that holds sealed values is declared', async () => {
  const yard = await newYard()
  const names = [canary, ...declared].map(({ table, column }) => `${table}.${column}`)
  assert.deepEqual(await findSealed(yard.client, yard.keyring.keyId, []), names.sort())
  assert.deepEqual(await findSealed(yard.client, createKeyring(randomBytes(32)).keyId, []), [])
})

proves(
  'encryption.declared',
  'every column of bytes is declared to hold sealed values, or never to hold any',
  async () => {
    const client = await connect(await testDatabase())
    const sealed = [canary, ...declared].map(({ table, column }) => `${table}.${column}`)
    assert.deepEqual([...sealed, ...plainBytes].sort(), await columnsOfBytes(client))
  },
)

proves('encryption.declared', 'whatever file seals a value also declares its column', async () => {
  const root = new URL('../', import.meta.url)
  const files = (await readdir(root, { recursive: true })).filter((name) => /(?<!\.test)\.ts$/.test(name))
  const sealing: string[] = []
  for (const name of files) {
    const text = await readFile(new URL(name, root), 'utf8')
    if (!/\bseal\(/.test(text) || name === 'base/secrets.ts') continue
    sealing.push(name)
    assert.match(
      text,
      /: SealedColumn\b/,
      `${name} seals: declare the column as a SealedColumn and list it in its feature`,
    )
  }
  assert.ok(sealing.length >= 3, sealing.join(', '))
})

proves(
  'encryption.undeclared',
  'a sealed column that nobody declared is not lost: the change of keys is refused and undone',
  async () => {
    const yard = await newYard()
    await yard.sql`create table forgotten (id int primary key, token bytea)`
    await yard.sql`insert into forgotten values (1, ${yard.keyring.seal('mine', 'forgotten')})`
    await assert.rejects(rotate(yard.config), (error) => {
      assert.ok(error instanceof EncryptionKeyRefused)
      assert.match(error.message, /^forgotten\.token would be lost.*Nothing was changed/)
      return true
    })
    assert.deepEqual(await keyFilesIn(yard), ['key'])
    await requireAllOpens(yard, (await prepareDatabase(yard.config, log, yard.address)).keyring)
  },
)

proves(
  'encryption.files',
  'a file that begins like a sealed value does not keep the key from being changed',
  async () => {
    const yard = await newYard()
    const bytes = yard.keyring.seal('of a user who knows the id of the key', 'a file')
    const id = newId()
    await yard.sql`insert into blobs (id, sha256, size_bytes) values (${id}, sha256(${bytes}), ${bytes.length})`
    await yard.sql`insert into blob_chunks (blob_id, n, bytes) values (${id}, 0, ${bytes})`
    await rotate(yard.config)
    const { keyring } = await prepareDatabase(yard.config, log, yard.address)
    assert.notEqual(keyring.keyId, yard.keyring.keyId)
    await requireAllOpens(yard, keyring)
  },
)

proves(
  'encryption.rotateFile',
  'with the key file, a new key takes its place, opens everything, and the old one is kept for old backups',
  async () => {
    const yard = await newYard()
    const { dataDir } = yard.config
    const old = await readFile(keyFile(dataDir))
    const said = await rotate(yard.config)
    const { keyring } = await prepareDatabase(yard.config, log, yard.address)
    assert.notEqual(keyring.keyId, yard.keyring.keyId)
    await requireAllOpens(yard, keyring)
    assert.deepEqual(await findSealed(yard.client, yard.keyring.keyId, plainBytes), [])
    const kept = oldKeyFile(dataDir, yard.keyring.keyId)
    assert.deepEqual(await readFile(kept), old)
    assert.deepEqual(await keyFilesIn(yard), ['key', `key.${yard.keyring.keyId}`])
    for (const file of [keyFile(dataDir), kept]) assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.match(said, new RegExp(`^Sealed 15 values again with the encryption key ${keyring.keyId}`))
    assert.ok(said.includes(kept), said)
    const audit = await yard.sql`select team_id, credential_type, target_type, target_id, status from audit_log
    where operation = 'key rotate-encryption'`
    assert.deepEqual(audit, [
      {
        team_id: yard.teamId,
        credential_type: 'command_line',
        target_type: 'encryption_key',
        target_id: keyring.keyId,
        status: 200,
      },
    ])
  },
)

proves(
  'encryption.rotateGiven',
  'with the key in a setting, the new one comes from a setting, and a start with the old one says so',
  async () => {
    const [first, second] = [randomBytes(32).toString('hex'), randomBytes(32).toString('base64')]
    const yard = await newYard({ RUNYARD_ENCRYPTION_KEY: first })
    const given = (encryptionKey: string | undefined, newEncryptionKey?: string): Config => ({
      ...yard.config,
      encryptionKey: encryptionKey === undefined ? undefined : Buffer.from(encryptionKey, 'hex'),
      newEncryptionKey: newEncryptionKey === undefined ? undefined : Buffer.from(newEncryptionKey, 'base64'),
    })
    await assert.rejects(rotate(given(first)), /set RUNYARD_NEW_ENCRYPTION_KEY to 32 random bytes/)
    await assert.rejects(rotate(given(first, Buffer.from(first, 'hex').toString('base64'))), /set it to another one/)
    await assert.rejects(rotate(given(undefined, second)), /Unset RUNYARD_NEW_ENCRYPTION_KEY/)
    assert.match(
      await rotate(given(first, second)),
      /put the value of RUNYARD_NEW_ENCRYPTION_KEY into RUNYARD_ENCRYPTION_KEY/,
    )
    assert.deepEqual(await keyFilesIn(yard), [], 'no key that was given goes to disk')
    await requireAllOpens(yard, createKeyring(Buffer.from(second, 'base64')))
    // cut off before it could say so, it is said by the next start, and by the same command
    const told = /The right one is in RUNYARD_NEW_ENCRYPTION_KEY: put it into RUNYARD_ENCRYPTION_KEY/
    await assert.rejects(prepareDatabase(given(first, second), log, yard.address), told)
    await assert.rejects(rotate(given(first, second)), told)
    await prepareDatabase(given(Buffer.from(second, 'base64').toString('hex')), log, yard.address)
  },
)

const crashPoints = ['sealed anew', 'next key written', 'committed', 'old key kept', 'renamed'] as const

/** The steps of the command, up to where it is cut off. */
async function rotateUntil(yard: Yard, point: (typeof crashPoints)[number], key: Buffer): Promise<void> {
  const { dataDir } = yard.config
  const client = await connect(yard.address)
  const steps: Record<(typeof crashPoints)[number], () => Promise<unknown>> = {
    async 'sealed anew'() {
      await client.query('begin')
      await resealDatabase(client, { from: yard.keyring, to: createKeyring(key), columns: declared, plain: plainBytes })
    },
    'next key written': () => writeKeyFile(nextKeyFile(dataDir), key),
    committed: () => client.query('commit'),
    'old key kept': () => keepOldKey(dataDir, key),
    renamed: () => adoptNextKey(dataDir, key),
  }
  for (const step of crashPoints.slice(0, crashPoints.indexOf(point) + 1)) await steps[step]()
  cut(client)
}

for (const point of crashPoints) {
  proves(
    'encryption.crash',
    `cut off when it was at “${point}”, the next start has a key that opens everything`,
    async () => {
      const yard = await newYard()
      const key = randomBytes(32)
      await rotateUntil(yard, point, key)
      const { keyring } = await prepareDatabase(yard.config, log, yard.address)
      const isNew = crashPoints.indexOf(point) >= crashPoints.indexOf('committed')
      assert.equal(keyring.keyId, isNew ? createKeyring(key).keyId : yard.keyring.keyId)
      await requireAllOpens(yard, keyring)
      assert.deepEqual(await keyFilesIn(yard), isNew ? ['key', `key.${yard.keyring.keyId}`] : ['key'])
      // and it can be done again
      await rotate(yard.config)
      await requireAllOpens(yard, (await prepareDatabase(yard.config, log, yard.address)).keyring)
    },
  )
}

proves(
  'encryption.crash',
  'doctor and the command itself understand a change that was cut off, and keep the next key for another database',
  async () => {
    const yard = await newYard()
    const key = randomBytes(32)
    await rotateUntil(yard, 'committed', key)
    const scene = { config: yard.config, env: {}, database: undefined, databaseFailure: undefined }
    const finding = await doctorsLook.runOn({ sql: yard.sql } as Joined, scene)
    assert.equal(finding.state, 'warning')
    assert.match(finding.says, /the next start moves .*key\.next/)

    await assert.rejects(prepareDatabase(yard.config, log, await testDatabase()), /left of a change of keys on another/)
    const other = await newYard()
    await assert.rejects(prepareDatabase(yard.config, log, other.address), EncryptionKeyRefused)
    assert.deepEqual(await readKeyFile(nextKeyFile(yard.config.dataDir)), key)

    await rotate(yard.config)
    const ids = [yard.keyring.keyId, createKeyring(key).keyId].map((id) => `key.${id}`)
    assert.deepEqual(await keyFilesIn(yard), ['key', ...ids.sort()])
    await requireAllOpens(yard, (await prepareDatabase(yard.config, log, yard.address)).keyring)
  },
)

proves(
  'encryption.alone',
  'it refuses while another process lives on the database or prepares it, and says which',
  async () => {
    const yard = await newYard()
    const presence = await announcePresence({ address: () => yard.address, role: 'worker', log })
    try {
      await assert.rejects(rotate(yard.config), (error) => {
        assert.ok(error instanceof CommandFailed)
        assert.match(error.message, new RegExp(`running.*worker, process ${process.pid} .*Stop it, then`))
        return true
      })
    } finally {
      await presence.leave()
    }
    await yard.sql`select pg_advisory_lock(${migrationLock})`
    await assert.rejects(rotate(yard.config), /starting on this database.*try again/)
    await yard.sql`select pg_advisory_unlock(${migrationLock})`
    await requireAllOpens(yard, yard.keyring)
    await rotate(yard.config)
  },
)

proves(
  'encryption.alone',
  'no new key for evidence is sealed while the encryption key is changed, and the next key stays',
  async () => {
    const yard = await newYard()
    const { dataDir } = yard.config
    const next = randomBytes(32)
    await yard.sql`select pg_advisory_lock(${migrationLock})`
    await writeKeyFile(nextKeyFile(dataDir), next)
    await assert.rejects(rotateEvidence(yard.config), /changing a key.*try again/)
    assert.deepEqual(await readKeyFile(nextKeyFile(dataDir)), next)
    await yard.sql`select pg_advisory_unlock(${migrationLock})`

    const { its, commit } = await begin(yard.address)
    await its`select from evidence_keys for update`
    const rotating = rotateEvidence(yard.config)
    const lock = () => yard.sql`select pg_try_advisory_lock(${migrationLock}) as held`
    const waits = () =>
      yard.sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    while ((await waits()).length === 0) continue
    assert.deepEqual(await lock(), [{ held: false }], 'held until its commit')
    await commit()
    await rotating
    assert.deepEqual(await lock(), [{ held: true }], 'given back')
    await yard.sql`select pg_advisory_unlock(${migrationLock})`
    await rotate(yard.config)
    await requireAllOpens(yard, (await prepareDatabase(yard.config, log, yard.address)).keyring)
  },
)

proves(
  'encryption.batches',
  'a large table is sealed again in bounded pieces, values of any size and every row once',
  async () => {
    const yard = await newYard()
    const to = createKeyring(randomBytes(32))
    const bodies = Array.from({ length: 60 }, (_, index) =>
      `${index} `.repeat(index % 20 === 7 ? 2000 : 1 + (index % 5)),
    )
    for (const [index, body] of bodies.entries()) {
      await storeReply(yard.sql, yard.keyring, { teamId: yard.teamId, key: `Ä“${index}\\`, body })
    }
    const pieces: { rows: number; bytes: number }[] = []
    const client = await connect(yard.address)
    const query = client.query.bind(client) as (
      text: string,
      values: unknown[],
    ) => Promise<{ rows: { value?: Buffer }[] }>
    const watched = Object.assign(Object.create(client) as Client, {
      async query(text: string, values: unknown[]) {
        const result = await query(text, values)
        const bytes = result.rows.reduce((sum, { value }) => sum + (value?.length ?? 0), 0)
        pieces.push({ rows: result.rows.length, bytes })
        return result
      },
    })
    const batch = { rows: 7, bytes: 1000 }
    assert.equal(await resealColumn(watched, sealedReply, { from: yard.keyring, to, batch }), bodies.length + 1)
    assert.ok(pieces.length > (2 * bodies.length) / batch.rows)
    for (const { rows, bytes } of pieces) assert.ok(rows <= batch.rows && (bytes <= batch.bytes || rows === 1))
    for (const [index, body] of bodies.entries()) {
      const reply = await findReply(yard.sql, to, { teamId: yard.teamId, key: `Ä“${index}\\`, requestHash })
      assert.equal(reply?.body, body)
    }
  },
)

proves(
  'encryption.broken',
  'a value that cannot be opened, or an interruption, stops it before anything is changed',
  async () => {
    const yard = await newYard()
    const stopped = AbortSignal.abort(new Error('interrupted'))
    const resealing = { from: yard.keyring, to: createKeyring(randomBytes(32)), signal: stopped }
    await assert.rejects(resealColumn(yard.client, sealedReply, resealing), /interrupted/)
    await storeReply(yard.sql, createKeyring(randomBytes(32)), { teamId: yard.teamId, key: 'odd', body: 'lost' })
    await assert.rejects(rotate(yard.config), (error) => {
      assert.ok(error instanceof SealBroken)
      assert.match(
        error.message,
        new RegExp(`^idempotency_keys.reply .*team_id ${yard.teamId}, key odd .*Nothing was changed`),
      )
      return true
    })
    assert.deepEqual(await keyFilesIn(yard), ['key'])
    await yard.sql`delete from idempotency_keys where key = 'odd'`
    await requireAllOpens(yard, (await prepareDatabase(yard.config, log, yard.address)).keyring)
  },
)
