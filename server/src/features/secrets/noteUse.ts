// Notes in the audit log which run used what, once for each run in each process.
import { BoundedCache } from '../../base/boundedCache.ts'
import { recordUse } from '../../kit/audit.ts'
import type { GivenTo } from '../../kit/given.ts'
import { runningPart } from '../../kit/runningPart.ts'

/** What this process has noted, so that a run of a thousand commands makes one entry. */
const notedOf = runningPart('noted uses', () => new BoundedCache<true>({ name: 'noted uses', entriesMax: 10_000 }))

export async function noteUse(
  { context, run }: Pick<GivenTo, 'context' | 'run'>,
  operation: 'useSecret' | 'useLogin',
  target: { type: 'secret' | 'login'; id: string },
): Promise<void> {
  const noted = notedOf(context)
  const key = `${run.id} ${target.id}`
  if (noted.get(key)) return
  await recordUse(context.db.sql, run, operation, target)
  noted.set(key, true)
}
