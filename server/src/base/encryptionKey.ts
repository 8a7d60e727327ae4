// Which encryption key this process uses, and the proof that it is the one this database was written with.
import { randomBytes } from 'node:crypto'
import { chmod, rm } from 'node:fs/promises'
import type { Sql } from './db.ts'
import { readIfThere } from './atomicFile.ts'
import { adoptNextKey, keyFile, nextKeyFile, oldKeyFile, readKeyFile, writeKeyFile } from './keyFiles.ts'
import type { SealedColumn } from './sealedColumns.ts'
import { createKeyring, parseEncryptionKey, type Keyring } from './secrets.ts'

/** The key cannot be used. The operator gets the message unchanged. */
export class EncryptionKeyRefused extends Error {}

const canaryText = 'runyard'
const canaryPurpose = 'canary'

/** This value is not sealed again like others but replaced: its row names the key. */
export const canary: SealedColumn = {
  table: 'encryption_keys',
  column: 'canary',
  key: ['key_id'],
  purpose: () => canaryPurpose,
}

interface Settled {
  dataDir: string
  /** From RUNYARD_ENCRYPTION_KEY. */
  given: Buffer | undefined
  /** From RUNYARD_NEW_ENCRYPTION_KEY: not used here, but it may be the one that the database needs. */
  givenNext?: Buffer | undefined
}

/**
 * Called under the migration lock, which is kept until what is sealed with it is committed. Otherwise two first starts would make two keys, and
 * whoever looks while the key is changed would seal with the old one, and remove the next.
 */
export async function openKeyring(sql: Sql, settled: Settled): Promise<Keyring> {
  const { dataDir, given } = settled
  const file = keyFile(dataDir)
  const known = await readKnownKeys(sql)
  if (!given) await settleNextKey(dataDir, known)
  let key = await readEncryptionKey(settled)
  if (key && !given) await chmod(file, 0o600)
  if (!key) {
    if (known.length > 0) {
      throw new EncryptionKeyRefused(
        `This database has data sealed with an encryption key that is not here. Set RUNYARD_ENCRYPTION_KEY, or put the key file back at ${file}.`,
      )
    }
    key = randomBytes(32)
    await writeKeyFile(file, key)
  }
  const keyring = createKeyring(key)
  if (isProved(keyring, known)) return keyring
  const [first] = known
  if (first) {
    const source = encryptionKeySource(settled)
    const right = await sourceOfProvedKey(settled, known)
    throw new EncryptionKeyRefused(
      `This database was written with the encryption key ${first.key_id}, but ${source} holds ${keyring.keyId}. ` +
        (right === undefined ? 'Use the right key.' : `The right one is in ${right}: put it into ${source}.`),
    )
  }
  await writeProof(sql, keyring)
  return keyring
}

/** Finishes a change of keys that was cut off if the database already uses the next key; otherwise undoes it. */
async function settleNextKey(dataDir: string, known: KnownKey[]): Promise<void> {
  const file = nextKeyFile(dataDir)
  if ((await readIfThere(file)) === undefined) return
  const next = await readKeyFile(file)
  if (next && isProved(createKeyring(next), known)) return adoptNextKey(dataDir, next)
  if (known.length === 0) {
    throw new EncryptionKeyRefused(
      `${file} is left of a change of keys on another database than this one, which has no key yet. ` +
        'Start Runyard on that one first, or use another RUNYARD_DATA_DIR; if that database is gone, remove the file.',
    )
  }
  // if the database proves neither, this may be the only copy of a key that another database needs
  const key = await readKeyFile(keyFile(dataDir))
  if (key && isProved(createKeyring(key), known)) await rm(file, { force: true })
}

/** Where the key is that the database was written with, if it is one of those that we can find. */
export async function sourceOfProvedKey(
  { dataDir, givenNext }: Settled,
  known: KnownKey[],
): Promise<string | undefined> {
  if (givenNext && isProved(createKeyring(givenNext), known)) return 'RUNYARD_NEW_ENCRYPTION_KEY'
  const old = known.map(({ key_id }) => oldKeyFile(dataDir, key_id))
  for (const file of [keyFile(dataDir), nextKeyFile(dataDir), ...old]) {
    const key = await readKeyFile(file)
    if (key && isProved(createKeyring(key), known)) return file
  }
  return undefined
}

/** Where the current key comes from, for messages about it. */
export const encryptionKeySource = ({ dataDir, given }: Settled): string =>
  given ? 'RUNYARD_ENCRYPTION_KEY' : keyFile(dataDir)

interface KnownKey {
  key_id: string
  canary: Buffer
}

/** What the database stores about its key. */
export const readKnownKeys = (sql: Sql): Promise<KnownKey[]> =>
  sql<KnownKey>`select key_id, canary from encryption_keys`

/** Whether the key opens the value that the database sealed with it; the key's id alone would prove nothing. */
export function isProved(keyring: Keyring, known: KnownKey[]): boolean {
  const proof = known.find(({ key_id }) => key_id === keyring.keyId)
  return proof !== undefined && keyring.open(proof.canary, canaryPurpose).toString() === canaryText
}

/** From now on this key is the one that the database was written with. */
export async function writeProof(sql: Sql, keyring: Keyring): Promise<void> {
  await sql`delete from encryption_keys`
  await sql`
    insert into encryption_keys (key_id, canary) values (${keyring.keyId}, ${keyring.seal(canaryText, canaryPurpose)})`
}

/** The current key: the setting, else the file of the data dir, else none. */
export async function readEncryptionKey({ dataDir, given }: Settled): Promise<Buffer | undefined> {
  if (given) return given
  const file = keyFile(dataDir)
  const text = await readIfThere(file)
  if (text === undefined) return undefined
  const key = parseEncryptionKey(text)
  if (!key) throw new EncryptionKeyRefused(`${file} holds no encryption key: 32 bytes as base64 or hex were expected.`)
  return key
}
