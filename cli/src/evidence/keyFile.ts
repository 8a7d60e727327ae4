// The public keys in a file: what the service serves of its keys, a PEM file, or the base64 of one key.
import { createPublicKey } from 'node:crypto'
import { open } from 'node:fs/promises'
import { rawKeyOf, publicKeyFrom } from '../../../server/src/base/evidence/keys.ts'
import { readObject } from '../../../server/src/base/evidence/boundedObject.ts'
import { isRecord } from '../../../server/src/base/isRecord.ts'
import { CommandFailed } from '../command.ts'

/** Thousands of keys. */
const bytesMax = 1024 * 1024

export async function readKeyFile(path: string): Promise<Buffer[]> {
  const keys = keysIn(await readBounded(path))
  if (keys.length === 0) throw new CommandFailed(`${path} has no public key of Ed25519: as JSON, PEM or base64.`)
  return keys
}

async function readBounded(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytesMax + 1), 0, bytesMax + 1, 0)
    if (bytesRead > bytesMax) throw new CommandFailed(`${path} is too large to be a file of keys.`)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

function keysIn(bytes: Buffer): Buffer[] {
  const text = bytes.toString().trim()
  if (text.startsWith('-----BEGIN')) return pemKey(text)
  const listed = readObject(bytes)?.['keys']
  if (!Array.isArray(listed)) return [publicKeyFrom(text)].filter((key) => key !== undefined)
  return listed.flatMap((entry: unknown) => {
    const key = isRecord(entry) ? publicKeyFrom(entry['public_key']) : undefined
    return key ? [key] : []
  })
}

function pemKey(text: string): Buffer[] {
  try {
    const key = rawKeyOf(createPublicKey(text))
    return key ? [key] : []
  } catch {
    // not a key at all, which is reported like a key of another kind
    return []
  }
}
