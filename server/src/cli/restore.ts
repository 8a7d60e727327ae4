// runyard restore: puts a backup into an empty database, or replaces what a database holds.
import type { WholeArchive } from '../base/backup/readArchive.ts'
import { openArchive, restoreBackup, RestoreRefused } from '../base/backup/restore.ts'
import type { Config } from '../base/config.ts'
import type { Sql } from '../base/db.ts'
import {
  EncryptionKeyRefused,
  encryptionKeySource,
  isProved,
  readEncryptionKey,
  readKnownKeys,
} from '../base/encryptionKey.ts'
import { keyFile } from '../base/keyFiles.ts'
import { namesOf } from '../base/olderCode.ts'
import { createKeyring, type Keyring } from '../base/secrets.ts'
import type { Call } from './command.ts'
import { withDatabase } from './joinDatabase.ts'
import { readLivingProcesses } from './livingProcesses.ts'

export async function restore({
  config,
  log,
  values,
  positionals: [file = ''],
  signal,
  print,
}: Call<{ replace?: boolean }>): Promise<void> {
  const archive = await openArchive(file, { signal })
  const keyring = await requireKey(config, archive)
  const { rows, passedOver, migrated } = await withDatabase(
    { config, log, role: 'restore', mayMake: true, announceLate: true },
    ({ address }) =>
      restoreBackup({
        address,
        archive,
        signal,
        replace: values.replace ?? false,
        acceptTarget: refuseWhileInUse,
        async acceptResult(sql) {
          if (keyring) await requireProof(sql, keyring)
        },
        onLoaded: (section, count) => log.info({ section, rows: count }, 'loaded'),
      }),
  )
  const counts = Object.values(rows)
  const total = counts.reduce((sum, count) => sum + count, 0)
  print(`Restored ${total} rows of ${counts.length} tables, as of ${archive.header.created_at}.`)
  if (migrated.length > 0) print(`Migrated forward: ${migrated.join(', ')}.`)
  if (passedOver.length > 0) print(`Passed over, for they are not Runyard’s: ${passedOver.join(', ')}.`)
  print('Start Runyard as usual. Keys work as they did then; one more: npx runyard key create')
}

/** Before anything is changed: without its key the data is worth nothing, and a start would refuse it. */
async function requireKey(config: Config, { header }: WholeArchive): Promise<Keyring | undefined> {
  const wanted = header.encryption_key_ids
  if (wanted.length === 0) return undefined
  const needed = `This backup needs the encryption key ${wanted.join(' or ')}`
  const mend = `Set RUNYARD_ENCRYPTION_KEY to it, or put its key file at ${keyFile(config.dataDir)}.`
  const key = await readEncryptionKey({ dataDir: config.dataDir, given: config.encryptionKey })
  if (!key) throw new EncryptionKeyRefused(`${needed}, and there is none here. ${mend}`)
  const keyring = createKeyring(key)
  if (wanted.includes(keyring.keyId)) return keyring
  const source = encryptionKeySource({ dataDir: config.dataDir, given: config.encryptionKey })
  throw new EncryptionKeyRefused(`${needed}, but ${source} holds ${keyring.keyId}. ${mend}`)
}

async function requireProof(sql: Sql, keyring: Keyring): Promise<void> {
  if (isProved(keyring, await readKnownKeys(sql))) return
  throw new EncryptionKeyRefused('The encryption key does not open what this backup keeps of it. Nothing was changed.')
}

async function refuseWhileInUse(sql: Sql): Promise<void> {
  const living = await readLivingProcesses(sql)
  if (living.length === 0) return
  throw new RestoreRefused(`Runyard is running on this database (${namesOf(living)}). Stop it, then restore.`)
}
