// runyard migrate: brings the database to the schema of this version, as every start does.
import { sqlOn } from '../base/db.ts'
import { migrate } from '../base/migrate.ts'
import type { Call } from './command.ts'
import { withDatabase } from './joinDatabase.ts'
import { readLivingProcesses } from './livingProcesses.ts'

export async function migrateCommand({ config, log, print }: Call): Promise<void> {
  const applied = await withDatabase(
    { config, log, role: 'migrate', mayMake: true, announceLate: true },
    async ({ address }) =>
      (await migrate({ address, log, living: (client) => readLivingProcesses(sqlOn(client)) })).applied,
  )
  for (const name of applied) print(`applied ${name}`)
  print(applied.length === 0 ? 'The database was up to date.' : 'The database is up to date.')
}
