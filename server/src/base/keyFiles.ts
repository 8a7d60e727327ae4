// The files that hold encryption keys: the key in use, the next one while keys change, and those that were in use before.
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { readIfThere, writeWhole } from './atomicFile.ts'
import { syncFolder } from './atomicFolder.ts'
import { createKeyring, parseEncryptionKey, sameBytes } from './secrets.ts'

export const keyFile = (dataDir: string): string => join(dataDir, 'key')

/** Written before the database commits the new key, and renamed after that: a crash leaves both keys, and the database proves which one is right. */
export const nextKeyFile = (dataDir: string): string => join(dataDir, 'key.next')

export const oldKeyFile = (dataDir: string, keyId: string): string => join(dataDir, `key.${keyId}`)

/** Every file of the data dir that holds a key, by its name. */
export const isKeyFile = (name: string): boolean => name === 'key' || name.startsWith('key.')

/** Undefined: it is not there, or holds none. */
export async function readKeyFile(file: string): Promise<Buffer | undefined> {
  const text = await readIfThere(file)
  return text === undefined ? undefined : parseEncryptionKey(text)
}

export const writeKeyFile = (file: string, key: Buffer): Promise<void> =>
  writeWhole(file, `${key.toString('base64')}\n`, 0o600)

/** Stores the old key: backups that were made with it are worth nothing without it, and this may be its only copy. */
export async function keepOldKey(dataDir: string, next: Buffer): Promise<void> {
  const key = await readKeyFile(keyFile(dataDir))
  if (key && !sameBytes(key, next)) await writeKeyFile(oldKeyFile(dataDir, createKeyring(key).keyId), key)
}

/** Makes the next key the current one. If a process is cut off here, the next call finishes the change. */
export async function adoptNextKey(dataDir: string, next: Buffer): Promise<void> {
  await keepOldKey(dataDir, next)
  try {
    await rename(nextKeyFile(dataDir), keyFile(dataDir))
  } catch (error) {
    // a process that started when our connection was lost may have been faster
    const key = await readKeyFile(keyFile(dataDir))
    if (!key || !sameBytes(key, next)) throw error
  }
  await syncFolder(dataDir)
}
