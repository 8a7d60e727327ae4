// Erases rows by their age, a few at a time, so that no statement holds many of them for long.
import { word } from '../base/db.ts'
import type { JobCall } from './job.ts'

const batch = 1000

interface Old {
  table: string
  /** The column whose moment counts. A row without one stays. */
  by: string
  days: number
}

/** When the process stops, the rest is left to the next job. */
export async function eraseOld(
  { sql, signal }: Pick<JobCall<unknown>, 'sql' | 'signal'>,
  { table, by, days }: Old,
): Promise<void> {
  for (let gone = batch; gone === batch && !signal.aborted;) {
    const rows = await sql`
      delete from ${word(table)} where id in (
        select id from ${word(table)} where ${word(by)} < now() - make_interval(days => ${days})
        order by ${word(by)} limit ${batch} for update skip locked)
      returning 1`
    gone = rows.length
  }
}
