// Says what grows in the database: the largest groups of tables, and how far back they go.
import { readGrowth, type Growth } from '../../kit/growth.ts'
import { ok, type DatabaseCheck } from './check.ts'

export const growth: DatabaseCheck = {
  name: 'growth',
  async runOn({ sql, presence }) {
    // the database does not have Runyard's tables
    if (!presence) return ok('nothing is stored yet')
    const told = (await readGrowth(sql)).map(tell)
    return ok(`${told.join('; ')}. RUNYARD_RETENTION_DAYS says how long each kind is stored.`)
  },
}

const tell = ({ what, bytes, rows, oldest }: Growth): string => {
  const since = oldest ? `, since ${oldest.toISOString().slice(0, 10)}` : ''
  return `${what} ${(bytes / 1024 ** 2).toFixed(1)} MiB (about ${rows} rows${since})`
}
