// Whether a store does what is asked of it: an object is written, read back, read in part, and deleted.
import { hash, randomBytes, randomUUID } from 'node:crypto'
import { StoreRefused, type ObjectStore } from './objectStore.ts'

export async function tryStore(store: ObjectStore): Promise<void> {
  // a name that no blob has: a probe that is left behind by a kill is known by it
  const key = `probe-${randomUUID()}`
  const bytes = randomBytes(1024)
  await store.put(key, { bytes, sha256: hash('sha256', bytes, 'hex') })
  let problem: string | undefined
  try {
    problem = await differenceOf(store, key, bytes)
  } finally {
    await store.remove(key)
  }
  if (problem !== undefined) throw new StoreRefused(problem)
  if ((await store.size(key)) !== undefined) throw new StoreRefused('the object store keeps what is deleted')
}

async function differenceOf(store: ObjectStore, key: string, bytes: Buffer): Promise<string | undefined> {
  for (const range of [
    { from: 0, to: bytes.length },
    { from: 100, to: 200 },
  ]) {
    const pieces: Buffer[] = []
    for await (const piece of store.read(key, range)) pieces.push(piece)
    if (!Buffer.concat(pieces).equals(bytes.subarray(range.from, range.to)))
      return `the object store gave other bytes from ${range.from} to ${range.to} than were written there`
  }
  return undefined
}
