// The keys that sign evidence: the first is made when there is something to sign, each next one by a command. None is ever forgotten.
import { createPrivateKey, generateKeyPairSync, hash, sign } from 'node:crypto'
import { BoundedCache } from '../../base/boundedCache.ts'
import { one, type Sql } from '../../base/db.ts'
import { keyIdOf, publicKeyBytes, rawKeyOf } from '../../base/evidence/keys.ts'
import type { SealedColumn } from '../../base/sealedColumns.ts'
import type { Keyring } from '../../base/secrets.ts'
import type { Context } from '../../kit/context.ts'
import { runningPart } from '../../kit/runningPart.ts'

export const sealedPrivateKey: SealedColumn = {
  table: 'evidence_keys',
  column: 'private_key',
  key: ['id'],
  purpose: ({ id }) => purposeOf(id!),
}

const purposeOf = (id: string): string => `evidence key ${id}`

interface SigningKey {
  id: string
  /** 32 bytes. */
  publicKey: Buffer
  sign: (text: string | Buffer) => Buffer
}

/** What the database has of a key. */
interface StoredKey {
  id: string
  public_key: Buffer
  private_key: Buffer
}

function newKey(keyring: Keyring): StoredKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  // the encoding of RFC 8410 ends with the key itself
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-publicKeyBytes)
  const id = keyIdOf(raw)
  const secret = privateKey.export({ type: 'pkcs8', format: 'der' })
  return { id, public_key: raw, private_key: keyring.seal(secret, purposeOf(id)) }
}

/** A key is opened once: to read it again took longer than to sign. Null: it is not one of this installation. */
const openedOf = runningPart(
  'evidence keys',
  () => new BoundedCache<SigningKey | null>({ name: 'evidence keys', entriesMax: 1000 }),
)

/**
 * The key, if it is one of this installation: its private part opens under the encryption key, and has this public one. Whoever can only write
 * the database cannot make such a row.
 */
export function ownKey(context: Context, stored: StoredKey): SigningKey | null {
  const bytes = hash('sha256', Buffer.concat([stored.public_key, stored.private_key]))
  return openedOf(context).getOrMake(`${stored.id} ${bytes}`, () => {
    const key = openKey(context.keyring, stored)
    if (!key)
      context.log.error(
        { key_id: stored.id },
        'a row of evidence_keys is not a key of this installation and is not used',
      )
    return key
  })
}

function openKey(keyring: Keyring, { id, public_key, private_key }: StoredKey): SigningKey | null {
  try {
    const key = keyring.open(private_key, purposeOf(id))
    const secret = createPrivateKey({ key, format: 'der', type: 'pkcs8' })
    const publicKey = rawKeyOf(secret)
    if (!publicKey?.equals(public_key) || keyIdOf(publicKey) !== id) return null
    return { id, publicKey, sign: (text) => sign(null, Buffer.from(text), secret) }
  } catch {
    // not sealed with our encryption key for this id, or not a key
    return null
  }
}

/** The key in use. If there is none yet, one is made: of two processes that do so at once, one is heard. */
export async function keyInUse(context: Context, sql: Sql): Promise<SigningKey> {
  const inUse = () => sql<StoredKey>`
    select id, public_key, private_key from evidence_keys where retired_at is null`
  let [found] = await inUse()
  if (!found) {
    await insertKey(sql, newKey(context.keyring))
    found = await one(inUse())
  }
  const key = ownKey(context, found)
  if (!key) throw new Error(`the evidence key ${found.id} is not one of this installation`)
  return key
}

async function insertKey(sql: Sql, { id, public_key, private_key }: StoredKey): Promise<void> {
  await sql`
    insert into evidence_keys (id, public_key, private_key) values (${id}, ${public_key}, ${private_key})
    on conflict ((retired_at is null)) where retired_at is null do nothing`
}

/** Another key is used from now on. The public part of the one before stays, and what it signed stays true. */
export async function rotateKey(keyring: Keyring, sql: Sql): Promise<string> {
  await sql`update evidence_keys set retired_at = now() where retired_at is null`
  const key = newKey(keyring)
  await insertKey(sql, key)
  return key.id
}

interface PublicKey {
  id: string
  algorithm: 'Ed25519'
  /** Base64 of the 32 bytes. */
  public_key: string
  created_at: string
  retired_at: string | null
}

/** Every key of this installation that has ever signed, the newest first. */
async function readPublicKeys(context: Context): Promise<PublicKey[]> {
  const keys = await context.db.sql<StoredKey & { created_at: Date; retired_at: Date | null }>`
    select id, public_key, private_key, created_at, retired_at from evidence_keys order by created_at desc, id`
  return keys.flatMap(({ created_at, retired_at, ...stored }) => {
    const key = ownKey(context, stored)
    if (!key) return []
    return {
      id: key.id,
      algorithm: 'Ed25519',
      public_key: key.publicKey.toString('base64'),
      created_at: created_at.toISOString(),
      retired_at: retired_at?.toISOString() ?? null,
    }
  })
}

/** Anybody may ask for them, so the database is asked at most once in this time. */
const freshMs = 5000

interface ReadKeys {
  at: number
  keys: Promise<PublicKey[]> | undefined
}

const readOf = runningPart<ReadKeys>('public evidence keys', () => ({ at: 0, keys: undefined }))

export function publicKeys(context: Context): Promise<PublicKey[]> {
  const read = readOf(context)
  const now = context.clock.now().getTime()
  if (read.keys && now >= read.at && now - read.at < freshMs) return read.keys
  const keys = readPublicKeys(context)
  Object.assign(read, { at: now, keys })
  // a failure is not kept
  keys.catch(() => (read.keys = undefined))
  return keys
}
