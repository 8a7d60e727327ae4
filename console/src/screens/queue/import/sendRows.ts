// Sends one batch of an import. The batch is kept in the browser until the import is over, so a reload continues with it.
import type { CallOptions, NewCase } from '@runyard/sdk'
import { newId, startWork } from '../../../app/work.ts'
import { addToFile, partOf } from '../../../app/workFiles.ts'
import { runyard } from '../../../app/client.ts'
import { batchesOf, withIds } from './rows.ts'

interface Import {
  id: string
  queueId: string
}

/** An item is the number of a batch and how many rows it has: `3:100`. */
export async function sendRows(item: string, input: unknown, options: CallOptions): Promise<void> {
  const { id, queueId } = input as Import
  const cases = JSON.parse(await partOf(id, Number(item.split(':')[0]))) as NewCase[]
  await runyard.cases.create(queueId, { cases }, options)
}

/** Only a page of a safe origin can hash; elsewhere rows are numbered, which a reload does not change either. */
function hasher(id: string): (text: string) => Promise<string> {
  const subtle = (crypto as Partial<Crypto>).subtle
  let count = 0
  if (!subtle) return async () => `${id}-${(count += 1)}`
  return async (text) => {
    const digest = new Uint8Array(await subtle.digest('SHA-256', new TextEncoder().encode(text)))
    return Array.from(digest.slice(0, 20), (byte) => byte.toString(16).padStart(2, '0')).join('')
  }
}

/** Keeps the rows, then begins: from here on nothing is lost. */
export async function startImport(queueId: string, member: string, cases: NewCase[]): Promise<void> {
  const id = newId()
  const batches = batchesOf(await withIds(cases, hasher(id)))
  for (const [at, batch] of batches.entries()) await addToFile(id, at, JSON.stringify(batch))
  startWork('importCases', member, {
    id,
    input: { id, queueId } satisfies Import,
    items: batches.map((batch, at) => `${at}:${batch.length}`),
    total: cases.length,
    over: id,
  })
}
