// Refuses to write to a database whose schema is not the one this code was written for.
import type { Client } from 'pg'
import { firstRow } from '../base/rows.ts'
import { checkHistory, readHistory, readMigrations } from '../base/migrate.ts'
import { CommandFailed } from './command.ts'

/** A command does not migrate on the side: that is for a start, or for `runyard migrate`, to be done knowingly. */
export async function requireCurrentSchema(client: Client): Promise<void> {
  const { rows } = await client.query<{ present: boolean }>(
    `select to_regclass('schema_migrations') is not null as present`,
  )
  const migrations = await readMigrations()
  const done = firstRow(rows).present ? checkHistory(await readHistory(client), migrations, 'database') : 0
  if (done === migrations.length) return
  throw new CommandFailed(
    `This database lacks ${migrations.length - done} of ${migrations.length} migrations. Start Runyard once, or run npx runyard migrate.`,
  )
}
