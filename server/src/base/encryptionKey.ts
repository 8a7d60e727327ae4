// Which encryption key this process uses, and the proof that it is the one this database was written with.
import { randomBytes } from 'node:crypto'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sql } from './db.ts'
import { readIfThere, writeWhole } from './files.ts'
import { createKeyring, parseEncryptionKey, type Keyring } from './secrets.ts'

/** Told to the operator as it stands. */
export class EncryptionKeyRefused extends Error {}

const canaryText = 'runyard'
const canaryPurpose = 'canary'

interface Settled {
  dataDir: string
  /** From RUNYARD_ENCRYPTION_KEY. */
  given: Buffer | undefined
}

/** Called under the migration lock, so that two first starts cannot make two keys. */
export async function settleEncryptionKey(sql: Sql, { dataDir, given }: Settled): Promise<Keyring> {
  const file = keyFile(dataDir)
  const known = await readKnownKeys(sql)
  let key = await readEncryptionKey({ dataDir, given })
  if (key && !given) await chmod(file, 0o600)
  if (!key) {
    if (known.length > 0) {
      throw new EncryptionKeyRefused(
        `This database has data sealed with an encryption key that is not here. Set RUNYARD_ENCRYPTION_KEY, or put the key file back at ${file}.`,
      )
    }
    key = randomBytes(32)
    await writeWhole(file, `${key.toString('base64')}\n`, 0o600)
  }
  const keyring = createKeyring(key)
  if (isProved(keyring, known)) return keyring
  if (known.length > 0) {
    throw new EncryptionKeyRefused(
      `This database was written with the encryption key ${known[0]!.key_id}, but ${encryptionKeySource({ dataDir, given })} holds ${keyring.keyId}. Use the right key.`,
    )
  }
  await sql`
    insert into encryption_keys (key_id, canary) values (${keyring.keyId}, ${keyring.seal(canaryText, canaryPurpose)})`
  return keyring
}

export const keyFile = (dataDir: string): string => join(dataDir, 'key')

/** Where the key at hand comes from, for sentences about it. */
export const encryptionKeySource = ({ dataDir, given }: Settled): string =>
  given ? 'RUNYARD_ENCRYPTION_KEY' : keyFile(dataDir)

export interface KnownKey {
  key_id: string
  canary: Buffer
}

/** What the database keeps of its key. */
export const readKnownKeys = (sql: Sql): Promise<KnownKey[]> =>
  sql<KnownKey>`select key_id, canary from encryption_keys`

/** The key itself opens what the database keeps of it; its id alone would prove nothing. */
export function isProved(keyring: Keyring, known: KnownKey[]): boolean {
  const proof = known.find(({ key_id }) => key_id === keyring.keyId)
  return proof !== undefined && keyring.open(proof.canary, canaryPurpose).toString() === canaryText
}

/** The key at hand: the setting, else the file of the data dir, else none. */
export async function readEncryptionKey({ dataDir, given }: Settled): Promise<Buffer | undefined> {
  if (given) return given
  const file = keyFile(dataDir)
  const text = await readIfThere(file)
  if (text === undefined) return undefined
  const key = parseEncryptionKey(text)
  if (!key) throw new EncryptionKeyRefused(`${file} holds no encryption key: 32 bytes as base64 or hex were expected.`)
  return key
}
