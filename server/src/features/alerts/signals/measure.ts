// Measures a rule's signal, in a statement that is cut off when it takes too long: no rule may keep the database busy.
import { sqlState, type Database } from '../../../base/db.ts'
import { cost } from './cost.ts'
import { deliveryFailures } from './deliveryFailures.ts'
import { failureRate } from './failureRate.ts'
import type { Asked, Behind, Meter } from './measured.ts'
import { queueAge } from './queueAge.ts'
import { scheduleMisses } from './scheduleMisses.ts'
import type { Signal } from './signal.ts'
import { waitingAge } from './waitingAge.ts'

/** Each signal takes a few milliseconds at any size; this is for a database in trouble. */
const takesMaxMs = 2000

const meters: Record<Signal, Meter> = {
  failure_rate: failureRate,
  waiting_age: waitingAge,
  cost,
  queue_age: queueAge,
  delivery_failures: deliveryFailures,
  schedule_misses: scheduleMisses,
}

export interface Measurement {
  value: number | null
  /** What is behind the value, if it was asked for and there is one. */
  behind: Behind[]
}

/** Undefined: the database did not answer in time. `wantsBehind` says of a value whether to read what is behind it. */
export async function measure(
  db: Pick<Database, 'transaction'>,
  asked: Asked,
  wantsBehind: (value: number | null) => boolean,
): Promise<Measurement | undefined> {
  const { value, behind } = meters[asked.signal]
  try {
    return await db.transaction(async (sql) => {
      await sql`select set_config('statement_timeout', ${String(takesMaxMs)}, true)`
      const measured = await value(sql, asked)
      return { value: measured, behind: wantsBehind(measured) ? await behind(sql, asked) : [] }
    })
  } catch (error) {
    if (sqlState(error) === statementCancelled) return undefined
    throw error
  }
}

const statementCancelled = '57014'
