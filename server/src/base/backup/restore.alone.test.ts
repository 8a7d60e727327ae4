// Proves what a restore refuses, and that a restore which is refused, fails or is killed has changed nothing.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { before, describe, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import {
  contentOf,
  fileNamed,
  fillTeams,
  firstCount,
  firstMigrations,
  folder,
  migrations,
  nasty,
  newDatabase,
  query,
  restoreFile,
  withExtra,
} from '../../../test/kit/backupDatabases.ts'
import type { Address } from '../db.ts'
import { connectionUrl } from '../embeddedPostgres.ts'
import { migrationLock } from '../locks.ts'
import { migrate, MigrationRefused } from '../migrate.ts'
import { BackupRefused, writeBackup } from './dump.ts'
import { ArchiveRefused } from './readArchive.ts'
import { openArchive, restoreBackup, RestoreRefused } from './restore.ts'

const restoreFirst = (options: Parameters<typeof restoreFile>[0]) =>
  restoreFile({ ...options, migrations: firstMigrations })

describe('databases that are not to be restored into', { concurrency: 2 }, () => {
  test('a database that has teams, or tables of others, is not restored into', async () => {
    const source = await newDatabase(firstMigrations)
    await fillTeams(source)
    const file = fileNamed('source')
    await writeBackup({ address: source, file })
    const target = await newDatabase(firstMigrations)
    await query(target, `insert into teams (id, name) values (gen_random_uuid(), 'keep me')`)
    const atFirst = await contentOf(target)
    await assert.rejects(restoreFirst({ address: target, file }), (error) => {
      assert.ok(error instanceof RestoreRefused)
      assert.match(error.message, /--replace/)
      return true
    })
    await query(target, 'create table ledger (id int)')
    await assert.rejects(restoreFirst({ address: target, file, replace: true }), /not Runyard’s \(ledger\)/)
    await query(target, 'drop table ledger')
    assert.deepEqual(await contentOf(target), atFirst)
    await restoreFirst({ address: target, file, replace: true })
    assert.deepEqual(await contentOf(target), await contentOf(source))

    const foreign = await newDatabase()
    await query(foreign, 'create table ledger (id int)')
    await assert.rejects(restoreFirst({ address: foreign, file, replace: true }), RestoreRefused)
    await assert.rejects(writeBackup({ address: foreign, file: fileNamed('foreign') }), BackupRefused)
  })

  test('a restore refuses while another process migrates', async () => {
    const source = await newDatabase(firstMigrations)
    const file = fileNamed('busy')
    await writeBackup({ address: source, file })
    const target = await newDatabase(firstMigrations)
    let inside: Promise<unknown> | undefined
    await migrate({
      address: target,
      migrations: firstMigrations,
      async afterwards() {
        inside = assert.rejects(restoreFirst({ address: target, file }), RestoreRefused)
        await inside
      },
    })
    assert.ok(inside)
  })
})

describe('what is not whole', () => {
  let good: Buffer
  let target: Address
  let atFirst: Record<string, string>

  before(async () => {
    const source = await newDatabase(firstMigrations)
    await fillTeams(source)
    await writeBackup({ address: source, file: fileNamed('good') })
    good = await readFile(fileNamed('good'))
    target = await newDatabase(firstMigrations)
    await query(target, `insert into teams (id, name) values (gen_random_uuid(), 'keep me')`)
    atFirst = await contentOf(target)
  })

  const refused = async (bytes: Buffer, expected: RegExp | typeof ArchiveRefused = ArchiveRefused) => {
    const file = fileNamed('bad')
    await writeFile(file, bytes)
    await assert.rejects(restoreFirst({ address: target, file, replace: true }), expected)
  }

  /** The same lines, changed, with a gzip around them that is in order. */
  const rewritten = (change: (text: string) => string, seal = false) => {
    const text = change(gunzipSync(good).toString())
    if (!seal) return gzipSync(text)
    const body = text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1)
    return gzipSync(`${body}{"sha256":"${hash('sha256', body)}"}\n`)
  }

  /** A few bits of gzip say nothing: the length of a code that is not used, and what fills up the last byte. */
  const saysTheSame = (bytes: Buffer) => {
    try {
      return gunzipSync(bytes).equals(gunzipSync(good))
    } catch {
      return false
    }
  }

  test('a truncated backup is refused wherever it breaks off, and nothing is changed', async () => {
    for (const share of [0, 0.001, 0.1, 0.5, 0.9, 0.999])
      await refused(good.subarray(0, Math.floor(good.length * share)))
    for (const missing of [1, 4, 8, 9]) await refused(good.subarray(0, good.length - missing))
    await refused(
      rewritten((text) => text.slice(0, text.lastIndexOf('{"sha256"'))),
      /breaks off/,
    )
    await refused(
      rewritten((text) => text.slice(0, text.indexOf('{"section":"teams"}'))),
      /breaks off/,
    )
    assert.deepEqual(await contentOf(target), atFirst)
  })

  test('a backup with one bit turned is refused, wherever it is, and nothing is changed', async () => {
    let turned = 0
    // the first ten bytes are gzip's own header, of which most say nothing about the content
    for (let place = 10; place < good.length; place += Math.ceil(good.length / 40)) {
      const bytes = Buffer.from(good)
      bytes[place]! ^= 1 << (place % 8)
      if (saysTheSame(bytes)) continue
      await refused(bytes)
      turned += 1
    }
    assert.ok(turned > 30, `${turned} of 40 places were tried`)
    await refused(
      rewritten((text) => text.replace('Zürich', 'Zuerich')),
      /SHA-256/,
    )
    await refused(
      rewritten((text) => text.replace('"last_value":"1"', '"last_value":"2"')),
      /SHA-256/,
    )
    await refused(
      rewritten((text) => `${text}more\n`),
      /follows/,
    )
    assert.deepEqual(await contentOf(target), atFirst)
  })

  test('a file that is not a backup is refused with its name', async () => {
    await refused(Buffer.from('PK\u0003\u0004 something else'), /bad is not a complete Runyard backup/)
    await refused(gzipSync('hello\n'))
    await refused(gzipSync('{"hello":"world"}\n'))
    await refused(gzipSync('{"runyard_backup":1}\n'), /header/)
    await refused(gzipSync('{"runyard_backup":2}\n'), /format 2/)
    await assert.rejects(restoreFirst({ address: target, file: fileNamed('absent') }), /no such file/)
    await assert.rejects(restoreFirst({ address: target, file: folder }), /folder/)
    assert.deepEqual(await contentOf(target), atFirst)
  })

  test('a row that PostgreSQL refuses undoes the whole restore', async () => {
    await refused(
      rewritten((text) => text.replace(/(\{"section":"members"\}\n)[^\t]+/, '$1no-uuid'), true),
      /invalid input syntax for type uuid/,
    )
    await refused(
      rewritten((text) => text.replace(/(\{"section":"members"\}\n[^\t]+\t)[^\t]+/, '$1' + '0'.repeat(32)), true),
      /foreign key/,
    )
    await refused(
      rewritten((text) => text.replace(/"teams":\d+/, '"teams":1000'), true),
      /promises 1000 rows of teams/,
    )
    assert.deepEqual(await contentOf(target), atFirst)
  })

  test('a restore that is interrupted, or whose file changes under it, undoes itself', async () => {
    const file = fileNamed('good')
    const controller = new AbortController()
    const interrupted = restoreFirst({
      address: target,
      file,
      replace: true,
      signal: controller.signal,
      onLoaded: (section) => void (section === 'events' && controller.abort()),
    })
    await assert.rejects(interrupted, { name: 'AbortError' })
    const archive = await openArchive(file, { migrations: firstMigrations })
    const other = restoreBackup({ address: target, archive: { ...archive, sha256: 'of another' }, replace: true })
    await assert.rejects(other, /was changed/)
    assert.deepEqual(await contentOf(target), atFirst)
  })

  test('kill -9 in the middle of a restore leaves the database as it was, and the next restore works', async () => {
    const source = `
      import { openArchive, restoreBackup } from ${JSON.stringify(new URL('restore.ts', import.meta.url).href)}
      import { readMigrations } from ${JSON.stringify(new URL('../migrate.ts', import.meta.url).href)}
      const [address, file] = process.argv.slice(1)
      const migrations = (await readMigrations()).slice(0, ${firstCount})
      await restoreBackup({ address, archive: await openArchive(file, { migrations }), replace: true, async onLoaded(section) {
        if (section !== 'members') return
        console.log('in the middle')
        await new Promise((resolve) => setTimeout(resolve, 600_000))
      } })`
    const words = ['--input-type=module', '-e', source, connectionUrl(target), fileNamed('good')]
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      await once(child.stdout, 'data')
      await assert.rejects(restoreFirst({ address: target, file: fileNamed('good'), replace: true }), RestoreRefused)
    } finally {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    // both wait for the locks of the killed one, which the server takes back when it notices
    assert.deepEqual(await contentOf(target), atFirst)
    await query(target, 'select pg_advisory_lock($1)', [migrationLock])
    const { rows } = await restoreFirst({ address: target, file: fileNamed('good'), replace: true })
    assert.equal(rows.teams, nasty.length)
  })
})

describe('versions', () => {
  test('a backup of a newer Runyard, or of changed migrations, is refused and nothing is changed', async () => {
    const newer = withExtra('create table later (id int)', firstMigrations)
    const source = await newDatabase(newer)
    const file = fileNamed('newer')
    await writeBackup({ address: source, file })
    const target = await newDatabase()
    await assert.rejects(restoreFirst({ address: target, file }), (error) => {
      assert.ok(error instanceof MigrationRefused)
      assert.match(error.message, /newer Runyard/)
      return true
    })
    const other = withExtra('create table other (id int)', firstMigrations)
    await assert.rejects(restoreFile({ address: target, file, migrations: other }), MigrationRefused)
    assert.deepEqual(await contentOf(target), {})
  })

  test('an older backup is loaded as it was and then migrated forward, whatever level the target has', async () => {
    const older = await newDatabase(firstMigrations)
    await fillTeams(older)
    const file = fileNamed('older')
    await writeBackup({ address: older, file })
    const forward = `
      alter table teams rename column name to title;
      alter table teams add column letters int;
      update teams set letters = length(title);
      alter table teams alter column letters set not null;
      create table titles as select id, title from teams;`
    const newer = withExtra(forward, firstMigrations)
    for (const target of [await newDatabase(), await newDatabase(firstMigrations), await newDatabase(newer)]) {
      const { migrated } = await restoreFile({ address: target, file, migrations: newer })
      assert.deepEqual(migrated, [newer.at(-1)!.name])
      const counts = 'select sum(letters)::int as letters, (select count(*)::int from titles) as titles from teams'
      assert.deepEqual(await query(target, counts), [
        { letters: nasty.reduce((sum, name) => sum + Array.from(name).length, 0), titles: nasty.length },
      ])
      assert.deepEqual((await migrate({ address: target, migrations: newer })).applied, [])
    }
  })

  test('a database of a newer Runyard can be replaced by a backup of this one', async () => {
    const source = await newDatabase(migrations)
    await fillTeams(source)
    const file = fileNamed('way-back')
    await writeBackup({ address: source, file })
    const target = await newDatabase(withExtra('create table later (id int)'))
    await assert.rejects(migrate({ address: target }), MigrationRefused)
    await restoreFile({ address: target, file, replace: true })
    assert.deepEqual((await migrate({ address: target })).applied, [])
    assert.deepEqual(await contentOf(target), await contentOf(source))
  })
})
