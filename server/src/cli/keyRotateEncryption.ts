// runyard key rotate-encryption: everything sealed in the database is sealed again with another key, all of it or nothing.
import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import type { Config } from '../base/config.ts'
import { lockNotAvailable, sqlState } from '../base/db.ts'
import { openKeyring } from '../base/encryptionKey.ts'
import { adoptNextKey, keyFile, nextKeyFile, oldKeyFile, writeKeyFile } from '../base/keyFiles.ts'
import { namesOf } from '../base/olderCode.ts'
import { resealDatabase } from '../base/resealDatabase.ts'
import type { SealedColumn } from '../base/sealedColumns.ts'
import { createKeyring, sameBytes } from '../base/secrets.ts'
import { recordCommand } from '../kit/audit.ts'
import { CommandFailed, type Call } from './command.ts'
import { withDatabase, type Joined } from './joinDatabase.ts'
import { readLivingProcesses } from './livingProcesses.ts'
import { plainBytes } from './plainBytes.ts'
import { withMigrationLock } from './withMigrationLock.ts'

const words = 'key rotate-encryption'

export async function keyRotateEncryption({ config, log, signal, print }: Call): Promise<void> {
  const key = newKeyFor(config)
  const to = createKeyring(key)
  const { from, count } = await withDatabase({ config, log, role: words }, (joined) =>
    alone(joined, async ({ client, sql, transaction }) => {
      const { dataDir, encryptionKey: given, newEncryptionKey: givenNext } = config
      const old = await openKeyring(sql, { dataDir, given, givenNext })
      // loaded only here: every other command starts in half the time without the whole service
      const { features } = await import('../features.ts')
      const columns = features.flatMap(({ sealed = [] }) => sealed)
      const values = await transaction(async () => {
        const resealed = await resealDatabase(client, { from: old, to, columns, plain: plainBytes, signal })
        for (const teamId of await teamsWithSealed(client, columns)) {
          await recordCommand(sql, teamId, words, { type: 'encryption_key', id: to.keyId })
        }
        if (!given) await writeKeyFile(nextKeyFile(dataDir), key)
        return resealed
      })
      if (!given) await adoptNextKey(dataDir, key)
      return { from: old, count: values }
    }),
  )
  print(`Sealed ${count} values again with the encryption key ${to.keyId}.`)
  for (const line of whatIsLeftToDo(config, from.keyId)) print(line)
}

/** Made here for the key file; whoever gives the key by a setting gives the new one too. */
function newKeyFor({ dataDir, encryptionKey: given, newEncryptionKey: next }: Config): Buffer {
  if (!given && !next) return randomBytes(32)
  if (!given) {
    throw new CommandFailed(
      `RUNYARD_NEW_ENCRYPTION_KEY goes with RUNYARD_ENCRYPTION_KEY, which is not set: the key is in ${keyFile(dataDir)}. ` +
        'Unset RUNYARD_NEW_ENCRYPTION_KEY and a new key is made there, or set both.',
    )
  }
  if (!next) {
    throw new CommandFailed(
      'The key is given by RUNYARD_ENCRYPTION_KEY, so the new one must be given too: set RUNYARD_NEW_ENCRYPTION_KEY to 32 random bytes ' +
        '(openssl rand -base64 32 makes some) and keep a copy.',
    )
  }
  if (!sameBytes(given, next)) return next
  throw new CommandFailed(
    'RUNYARD_NEW_ENCRYPTION_KEY is the key of RUNYARD_ENCRYPTION_KEY: set it to another one, or leave all as it is.',
  )
}

async function alone<T>(joined: Joined, work: (joined: Joined) => Promise<T>): Promise<T> {
  try {
    return await withMigrationLock(joined, async () => {
      await refuseWhileOthersLive(joined)
      return work(joined)
    })
  } catch (error) {
    if (sqlState(error) !== lockNotAvailable) throw error
    throw new CommandFailed(
      'Another session is using this database. Nothing was changed. End it, then run this again.',
      {
        cause: error,
      },
    )
  }
}

async function refuseWhileOthersLive({ sql, presence }: Joined): Promise<void> {
  const others = (await readLivingProcesses(sql)).filter(({ id }) => id !== presence?.processId)
  if (others.length === 0) return
  throw new CommandFailed(
    `Runyard is running on this database (${namesOf(others)}) and would continue with the old key. Stop it, then run this again.`,
  )
}

/** For the audit log. */
async function teamsWithSealed(client: Client, columns: SealedColumn[]): Promise<string[]> {
  const ofTeams = columns.filter(({ key }) => key.includes('team_id'))
  if (ofTeams.length === 0) return []
  const name = (text: string) => client.escapeIdentifier(text)
  const conditions = ofTeams.map(
    ({ table, column }) =>
      `exists (select from public.${name(table)} held where held.team_id = teams.id and held.${name(column)} is not null)`,
  )
  const { rows } = await client.query<{ id: string }>(
    `select id from teams where ${conditions.join(' or ')} order by id`,
  )
  return rows.map(({ id }) => id)
}

function whatIsLeftToDo({ dataDir, databaseUrl, encryptionKey: given }: Config, oldKeyId: string): string[] {
  if (given) {
    return [
      'Before the next start, put the value of RUNYARD_NEW_ENCRYPTION_KEY into RUNYARD_ENCRYPTION_KEY, on every machine, and unset RUNYARD_NEW_ENCRYPTION_KEY.',
      `Backups made until now need the old key ${oldKeyId}: keep it as long as you keep them.`,
    ]
  }
  return [
    `It is in ${keyFile(dataDir)}: keep a copy in another place.`,
    ...(databaseUrl === undefined ? [] : ['Other machines on this database need it too, before their next start.']),
    `Backups made until now need the old key: it is in ${oldKeyFile(dataDir, oldKeyId)}. Remove it when you keep none of them any more.`,
  ]
}
