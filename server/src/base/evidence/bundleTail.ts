// The end of a bundle, which is found from behind: the end record, the signature of a fixed length before the list of entries, and the manifest.
import { crc32 } from 'node:zlib'
import { descriptorBytes, endBytes, entryBytes, localBytes, nameBytes } from './archive.ts'
import type { BundleBytes } from './bundleBytes.ts'
import { isSigned, signatureFrom } from './keys.ts'
import {
  manifestBytesMax,
  manifestPath,
  readManifest,
  signatureFileBytes,
  signaturePath,
  type Manifest,
} from './manifest.ts'
import type { Problems } from './problems.ts'

export interface BundleTail {
  /** Where the list of entries begins. */
  listAt: number
  manifestBytes: number
  /** Undefined if it cannot be read. */
  manifest: Manifest | undefined
  /** What the manifest says was signed with the key that it names. */
  isSigned: boolean
}

const endRecordSays = 'It is not the end of a bundle: the file was cut off or changed, or is not a bundle.'

/** Undefined if there is no way to find anything. */
export async function readTail(bytes: BundleBytes, problems: Problems): Promise<BundleTail | undefined> {
  const listAt = await findList(bytes)
  const signatureAt = listAt === undefined ? -1 : listAt - entryBytes(signaturePath, signatureFileBytes)
  if (listAt === undefined || signatureAt < entryBytes(manifestPath, 0)) {
    problems.add('end record', endRecordSays)
    return undefined
  }
  const text = await readManifestText(bytes, signatureAt)
  if (!text) {
    problems.add(`${manifestPath} descriptor`, 'It does not say how long the manifest is.')
    return undefined
  }
  const tail = { listAt, manifestBytes: text.length }
  const manifest = readManifest(text)
  if (typeof manifest === 'string') {
    problems.addIn(manifestPath, manifest)
    return { ...tail, manifest: undefined, isSigned: false }
  }
  return { ...tail, manifest, isSigned: await checkSignature(bytes, signatureAt, text, manifest.publicKey, problems) }
}

async function findList(bytes: BundleBytes): Promise<number | undefined> {
  if (bytes.size < endBytes) return undefined
  const end = await bytes.read(bytes.size - endBytes, endBytes)
  const listBytes = end.readUInt32LE(12)
  const listAt = end.readUInt32LE(16)
  return listAt + listBytes + endBytes === bytes.size ? listAt : undefined
}

/** The descriptor before the signature says the length of the manifest twice. If the two differ, the one that leads to a manifest is right. */
async function readManifestText(bytes: BundleBytes, signatureAt: number): Promise<Buffer | undefined> {
  const descriptorAt = signatureAt - descriptorBytes
  const descriptor = await bytes.read(descriptorAt, descriptorBytes)
  const lengths = [...new Set([descriptor.readUInt32LE(8), descriptor.readUInt32LE(12)])].filter(
    (length) => length <= manifestBytesMax && length + localBytes + nameBytes(manifestPath) <= descriptorAt,
  )
  let first: Buffer | undefined
  for (const length of lengths) {
    const text = await bytes.read(descriptorAt - length, length)
    if (lengths.length === 1 || typeof readManifest(text) !== 'string') return text
    first ??= text
  }
  return first
}

async function checkSignature(
  bytes: BundleBytes,
  signatureAt: number,
  manifest: Buffer,
  publicKey: Buffer,
  problems: Problems,
): Promise<boolean> {
  const contentAt = signatureAt + localBytes + nameBytes(signaturePath)
  const content = await bytes.read(contentAt, signatureFileBytes)
  const text = content.toString('latin1')
  const signature = text.endsWith('\n') ? signatureFrom(text.slice(0, -1)) : undefined
  if (signature && isSigned(publicKey, manifest, signature)) return true
  // one of the two was changed: the checksum behind the signature says whether it was the signature
  const descriptor = await bytes.read(contentAt + signatureFileBytes, descriptorBytes)
  if (descriptor.readUInt32LE(4) === crc32(content))
    problems.addIn(manifestPath, 'Its signature is not one of these bytes.')
  else problems.addIn(signaturePath, 'It is not the signature of the manifest.')
  return false
}
