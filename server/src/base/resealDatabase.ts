// Seals everything in a database again with another encryption key, and makes sure that nothing is left with the old one.
import type { Client } from 'pg'
import { sqlOn } from './db.ts'
import { EncryptionKeyRefused, writeProof } from './encryptionKey.ts'
import { findSealed, resealColumn, type Resealing, type SealedColumn } from './sealedColumns.ts'

const settings = [
  // the files follow the commit: one that a power cut takes back would leave the database with a key that is gone
  'set local synchronous_commit = on',
  'set local statement_timeout = 0',
  'set local idle_in_transaction_session_timeout = 0',
  `set local lock_timeout = '10s'`,
]

interface Resealed extends Resealing {
  columns: SealedColumn[]
  /** The columns of bytes, as `table.column`, that hold no sealed values. */
  plain: readonly string[]
}

/** Runs in the caller's transaction, while nobody else writes sealed values. Returns how many values there were. */
export async function resealDatabase(client: Client, { columns, plain, ...resealing }: Resealed): Promise<number> {
  const { from, to } = resealing
  await client.query(settings.join(';'))
  let count = 0
  for (const column of columns) count += await resealColumn(client, column, resealing)
  await writeProof(sqlOn(client), to)
  const left = await findSealed(client, from.keyId, plain)
  if (left.length > 0) {
    throw new EncryptionKeyRefused(
      `${left.join(' and ')} would be lost: this Runyard does not know how to seal it again. ` +
        'Nothing was changed. Stay with the key you have until a version does, and report this.',
    )
  }
  return count
}
