// The floor of durable work: bare commits of one small row by `pg`, as many as so many connections make, or one at a time.
import { Pool } from 'pg'
import type { Service } from './service.ts'

const statement = { name: 'bare', text: 'insert into bare_commits (note) values ($1)' }

export async function makeBareTable(service: Service): Promise<void> {
  await withPool(service, 1, (pool) =>
    pool.query('create table if not exists bare_commits (id bigserial primary key, note text not null)'),
  )
}

/** Commits a second over so many connections. */
export async function bareCommitsPerSecond(service: Service, connections: number, ms: number): Promise<number> {
  return withPool(service, connections, async (pool) => {
    const endsAt = performance.now() + ms
    let commits = 0
    const loop = async () => {
      while (performance.now() < endsAt) {
        await pool.query({ ...statement, values: ['a small note of some length'] })
        commits += 1
      }
    }
    const startedAt = performance.now()
    await Promise.all(Array.from({ length: connections }, loop))
    return (commits * 1000) / (performance.now() - startedAt)
  })
}

/** How long one commit takes, one after the other with a pause between them. */
export async function pacedCommits(service: Service, count: number, pause: () => Promise<void>): Promise<number[]> {
  return withPool(service, 1, async (pool) => {
    const times: number[] = []
    for (let n = 0; n < count; n++) {
      await pause()
      const at = performance.now()
      await pool.query({ ...statement, values: ['a small note of some length'] })
      times.push(performance.now() - at)
    }
    return times
  })
}

async function withPool<T>(service: Service, connections: number, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = new Pool({ connectionString: service.databaseUrl, max: connections })
  try {
    return await work(pool)
  } finally {
    await pool.end()
  }
}
