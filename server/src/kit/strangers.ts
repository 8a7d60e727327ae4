// Counts requests without a valid credential by the caller's address.
import type { IncomingMessage } from 'node:http'
import { mustHave } from '../base/mustHave.ts'
import { zip } from '../base/zip.ts'
import type { Sql } from '../base/db.ts'
import { createAddressReader, type ReadAddress } from './callerAddress.ts'
import type { Context } from './context.ts'
import { createWindows, leaseMany, refuseIfOver, type Lease, type Windows } from './rateLimit.ts'
import { shareLookups } from './sharedLookups.ts'
import { runningPart } from './runningPart.ts'

interface Strangers {
  windows: Windows
  readAddress: ReadAddress
}

/** An address that is forgotten here is asked for again in the database, which has the count. */
const addressesMax = 20_000

const strangersOf = runningPart('strangers', ({ db, config }): Strangers => {
  const lease = shareLookups((asked: Asked[]) => leaseOnce(db.sql, asked, config.rateLimit))
  const windows = createWindows({ bucketsMax: addressesMax, lease: (name, _limit, wanted) => lease({ name, wanted }) })
  return { windows, readAddress: createAddressReader(config.trustedProxies) }
})

interface Asked {
  name: string
  wanted: number
}

/** An address that was forgotten while its lease was under way can be there twice: the second is granted nothing and asks again. */
async function leaseOnce(sql: Sql, asked: Asked[], limit: number): Promise<Lease[]> {
  const first = new Map(asked.toReversed().map((one) => [one.name, one]))
  const leases = await leaseMany(sql, [...first.values()], limit)
  const leaseOf = new Map(zip([...first.keys()], leases))
  return asked.map((one) => ({
    ...mustHave(leaseOf.get(one.name), 'the lease of an address'),
    ...(first.get(one.name) !== one && { granted: 0 }),
  }))
}

/** The address that counts for this request. */
export const addressOf = (context: Context, request: IncomingMessage): string =>
  strangersOf(context).readAddress(request)

/**
 * Counts a request after its credential, state or secret turned out to be invalid, and refuses it when its address has used up the
 * minute. It is never called for a known caller: strangers behind an address do not delay anybody else there.
 */
export async function countStranger(context: Context, address: string): Promise<void> {
  const { rateLimit } = context.config
  if (rateLimit === 0) return
  refuseIfOver(await strangersOf(context).windows.take(`address ${address}`, rateLimit), {})
}
