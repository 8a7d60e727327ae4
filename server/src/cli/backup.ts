// runyard backup: everything that Runyard stores in its database, as of one moment, in one file.
import { resolve } from 'node:path'
import { writeBackup } from '../base/backup/dump.ts'
import { storedObjects } from '../drivers/blobs/storedObjects.ts'
import { encryptionKeySource } from '../base/encryptionKey.ts'
import type { Call } from './command.ts'
import { withDatabase } from './joinDatabase.ts'

export async function backup({
  config,
  log,
  values,
  positionals: [file = ''],
  signal,
  print,
}: Call<{ force?: boolean }>): Promise<void> {
  const { header, end, bytes, stored } = await withDatabase({ config, log, role: 'backup' }, async (joined) => ({
    ...(await writeBackup({ address: joined.address, file, force: values.force ?? false, signal })),
    stored: await storedObjects(joined.sql),
  }))
  const counts = Object.values(end.rows)
  const rows = counts.reduce((sum, count) => sum + count, 0)
  print(`Wrote ${rows} rows of ${counts.length} tables to ${resolve(file)} (${sizeOf(bytes)}).`)
  if (stored.objects > 0) {
    print(
      `${stored.objects} files (${sizeOf(stored.bytes)}) are not in it: they are in ${stored.stores.join(' and ')}. ` +
        'Copy the bucket after the backup, and keep what is deleted there for as long as the backup.',
    )
  }
  if (header.encryption_key_ids.length === 0) return
  print(
    `The encryption key is not in it. To restore it you need the key ${header.encryption_key_ids.join(' and ')}: ` +
      `keep a copy of ${encryptionKeySource({ dataDir: config.dataDir, given: config.encryptionKey })} in another place.`,
  )
}

function sizeOf(bytes: number): string {
  const mebibytes = bytes / 1024 / 1024
  return mebibytes < 1 ? `${Math.ceil(bytes / 1024)} KiB` : `${mebibytes.toFixed(1)} MiB`
}
