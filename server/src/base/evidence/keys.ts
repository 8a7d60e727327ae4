// Ed25519 keys as a bundle names them, and what is signed with them.
import { createPublicKey, hash, verify, type KeyObject } from 'node:crypto'

export const publicKeyBytes = 32
const signatureBytes = 64
/** RFC 8410: what stands before the 32 bytes of a public key in its DER encoding. */
const derBegins = Buffer.from('302a300506032b6570032100', 'hex')

/** What signs a bundle. */
export interface BundleKey {
  /** 32 bytes. */
  publicKey: Buffer
  sign: (bytes: Buffer) => Buffer
}

/** The name of a key: the first 16 hex digits of the SHA-256 of its 32 bytes. */
export const keyIdOf = (publicKey: Buffer): string => hash('sha256', publicKey, 'hex').slice(0, 16)

/** The bytes of a base64 text that has exactly this many, in its one canonical spelling: other spellings would be changes that nobody finds. */
function fromBase64(text: unknown, bytes: number): Buffer | undefined {
  if (typeof text !== 'string' || text.length !== Math.ceil(bytes / 3) * 4) return undefined
  const read = Buffer.from(text, 'base64')
  return read.length === bytes && read.toString('base64') === text ? read : undefined
}

export const publicKeyFrom = (text: unknown): Buffer | undefined => fromBase64(text, publicKeyBytes)

export const signatureFrom = (text: unknown): Buffer | undefined => fromBase64(text, signatureBytes)

export function isSigned(publicKey: Buffer, bytes: Buffer, signature: Buffer): boolean {
  return verify(null, bytes, publicKeyObject(publicKey), signature)
}

const publicKeyObject = (publicKey: Buffer): KeyObject =>
  createPublicKey({ key: Buffer.concat([derBegins, publicKey]), format: 'der', type: 'spki' })

/** The 32 bytes of a public key of Ed25519; undefined for a key of another kind. */
export function rawKeyOf(key: KeyObject): Buffer | undefined {
  if (key.asymmetricKeyType !== 'ed25519') return undefined
  const open = key.type === 'private' ? createPublicKey(key) : key
  return open.export({ type: 'spki', format: 'der' }).subarray(-publicKeyBytes)
}
