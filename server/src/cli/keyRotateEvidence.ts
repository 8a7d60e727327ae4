// runyard key rotate-evidence: evidence is signed with a new key from now on. What older keys signed stays true, and they stay published.
import { openKeyring } from '../base/encryptionKey.ts'
import { rotateKey } from '../features/evidence/keys.ts'
import { recordCommand } from '../kit/audit.ts'
import type { Call } from './command.ts'
import { withDatabase } from './joinDatabase.ts'
import { withMigrationLock } from './withMigrationLock.ts'

const words = 'key rotate-evidence'

export async function keyRotateEvidence({ config, log, print }: Call): Promise<void> {
  const id = await withDatabase({ config, log, role: words }, (joined) =>
    withMigrationLock(joined, async () => {
      const { sql, transaction } = joined
      const { dataDir, encryptionKey: given } = config
      const keyring = await openKeyring(sql, { dataDir, given })
      return transaction(async () => {
        const key = await rotateKey(keyring, sql)
        for (const { id: teamId } of await sql<{ id: string }>`select id from teams order by id`) {
          await recordCommand(sql, teamId, words, { type: 'evidence_key', id: key })
        }
        return key
      })
    }),
  )
  print(`Evidence is signed with the key ${id} from now on.`)
}
