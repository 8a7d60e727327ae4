// The keys that sign evidence: the first is made when there is something to sign, each next one by a command. None is ever forgotten.
import { createPrivateKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { one, type Sql } from '../../base/db.ts'
import { keyIdOf, publicKeyBytes } from '../../base/evidence/keys.ts'
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

/** What the database has of a key in use. */
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

/** A key is opened once: to read it again took longer than to sign. */
const openedOf = runningPart('evidence keys', () => new Map<string, KeyObject>())

function opened(context: Context, { id, public_key, private_key }: StoredKey): SigningKey {
  const known = openedOf(context)
  let secret = known.get(id)
  if (!secret) {
    const key = context.keyring.open(private_key, purposeOf(id))
    secret = createPrivateKey({ key, format: 'der', type: 'pkcs8' })
    known.set(id, secret)
  }
  const signer = secret
  return { id, publicKey: public_key, sign: (text) => sign(null, Buffer.from(text), signer) }
}

/** The key in use. If there is none yet, one is made: of two processes that do so at once, one is heard. */
export async function keyInUse(context: Context, sql: Sql): Promise<SigningKey> {
  const inUse = () => sql<StoredKey>`
    select id, public_key, private_key from evidence_keys where retired_at is null`
  const [found] = await inUse()
  if (found) return opened(context, found)
  await insertKey(sql, newKey(context.keyring))
  return opened(context, await one(inUse()))
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

/** Every key that has ever signed, the newest first. */
export async function publicKeys(sql: Sql): Promise<PublicKey[]> {
  const keys = await sql<{ id: string; public_key: Buffer; created_at: Date; retired_at: Date | null }>`
    select id, public_key, created_at, retired_at from evidence_keys order by created_at desc, id`
  return keys.map(({ id, public_key, created_at, retired_at }) => ({
    id,
    algorithm: 'Ed25519',
    public_key: public_key.toString('base64'),
    created_at: created_at.toISOString(),
    retired_at: retired_at?.toISOString() ?? null,
  }))
}
