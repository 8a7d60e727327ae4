// Writes down how large the tables are when a day begins, or the service does, one row for each group of them, so that growth can be seen.
import { readGrowth } from '../../kit/growth.ts'
import { job } from '../../kit/job.ts'

const daysKept = 400

export const recordSizes = job({
  name: 'recordSizes',
  safeToRepeat: 'a day keeps its first row',
  cron: '*/10 * * * *',
  async handler({ sql }) {
    const sizes = await readGrowth(sql)
    await sql`
      insert into stored_sizes (day, what, bytes, rows)
      select (now() at time zone 'utc')::date, * from unnest(${sizes.map(({ what }) => what)}::text[],
        ${sizes.map(({ bytes }) => bytes)}::bigint[], ${sizes.map(({ rows }) => rows)}::bigint[])
      on conflict (day, what) do nothing`
    await sql`delete from stored_sizes where day < (now() at time zone 'utc')::date - ${daysKept}::int`
  },
})
