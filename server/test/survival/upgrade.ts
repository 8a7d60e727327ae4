// Proof: a database with a million runs gets the tables of today while processes of the version before go on writing to it.
import { Client } from 'pg'
import { connectionSettings, sqlOn, type Address } from '../../src/base/db.ts'
import { embeddedPostgres } from '../../src/base/embeddedPostgres.ts'
import { migrate, readMigrations } from '../../src/base/migrate.ts'
import { seedRuns } from '../kit/seedRuns.ts'
import type { Proof } from './proof.ts'

export interface Upgraded {
  runs: number
  events: number
  tookS: number
  /** What the version before wrote meanwhile, and what of it failed: must be 0. */
  changes: number
  failed: number
  /** How long one such change took; one that met the moment in which the table is replaced had to wait. */
  p50Ms: number
  p99Ms: number
  slowestMs: number
  /** Must be 0: events that are gone, doubled or say something else than before. */
  lost: number
  doubled: number
  different: number
}

/** The last schema in which an event was a row of its own, with a position. */
const isOfBefore = ({ name }: { name: string }): boolean => name < '0092'
const eventsOfARun = ['run.started', ...Array<string>(6).fill('run.message.created'), 'run.completed']
const batch = 20_000
const writers = 4

const teamId = '00000000-0000-7000-8000-000000000001'
const ids = (count: number): string[] => Array.from({ length: count }, () => crypto.randomUUID())

async function connect(address: Address): Promise<Client> {
  const client = new Client(connectionSettings(address))
  await client.connect()
  return client
}

/** The data of an event follows from its run and its place alone, so that it can be made again to compare. */
const dataOf = `json_build_object('run_id', r.id, 'sequence', n, 'text', 'What was said about ' || md5(r.id::text || n))`

async function seed(client: Client, runs: number): Promise<void> {
  await client.query(`insert into teams (id, name) values ('${teamId}', 'Old')`)
  const agents = ids(20).map((id) => ({ id, buildId: crypto.randomUUID() }))
  await seedRuns(sqlOn(client), { teamId, agents, users: ids(8), queues: ids(5), runs })
  const { rows } = await client.query<{ id: string }>('select id from runs order by id')
  for (let at = 0; at < rows.length; at += batch) {
    await writeEvents(
      client,
      rows.slice(at, at + batch).map(({ id }) => id),
    )
  }
  await client.query('vacuum analyze')
}

const writeEvents = (client: Client, runIds: string[]) =>
  client.query(
    `insert into events (id, team_id, run_id, sequence, event, data)
     select new_id(), '${teamId}', r.id, n, e, ${dataOf}
     from unnest($1::uuid[]) r (id), unnest($2::text[]) with ordinality as given (e, n)`,
    [runIds, eventsOfARun],
  )

interface Written {
  tookMs: number[]
  failed: number
}

/**
 * Writes as a process of the version before does: what a change of a run says and the run's row in one transaction. Then it looks at the run.
 * Such a process repeats a change that PostgreSQL ended for a deadlock. This writer does not, and there is none: 0092 locks events before runs, and
 * these transactions lock runs before events, but the migration gives way before PostgreSQL looks for a deadlock (base/migrate.ts).
 */
async function writeUntil(address: Address, over: AbortSignal): Promise<Written> {
  const client = await connect(address)
  const tookMs: number[] = []
  let failed = 0
  while (!over.aborted) {
    const startedAt = performance.now()
    try {
      const runId = crypto.randomUUID()
      await client.query('begin')
      await client.query(
        'update runs set updated_at = now() where id = (select id from runs where id > $1 order by id limit 1)',
        [runId],
      )
      await writeEvents(client, [runId])
      await client.query('commit')
      const { rows } = await client.query('select data from events where run_id = $1 order by sequence', [runId])
      if (rows.length !== eventsOfARun.length) throw new Error(`a run has ${rows.length} events`)
    } catch (error) {
      failed += 1
      console.error(error)
      await client.query('rollback')
    }
    tookMs.push(performance.now() - startedAt)
  }
  await client.end()
  return { tookMs, failed }
}

/** `runs` rows with all their events, then the upgrade under load. */
export async function upgradeUnderLoad(dataDir: string, runs: number): Promise<Upgraded> {
  const server = await embeddedPostgres({ dataDir, log: () => undefined })
  try {
    const address = server.address()
    await migrate({ address, migrations: (await readMigrations()).filter(isOfBefore) })
    const client = await connect(address)
    await seed(client, runs)
    const over = new AbortController()
    const writing = Array.from({ length: writers }, () => writeUntil(address, over.signal))
    const startedAt = performance.now()
    await migrate({ address })
    const tookS = Math.round((performance.now() - startedAt) / 1000)
    over.abort()
    const written = await Promise.all(writing)
    const { events, ...wrong } = await compare(client)
    await client.end()
    const tookMs = written.flatMap((one) => one.tookMs).toSorted((a, b) => a - b)
    const changes = tookMs.length
    const failed = written.reduce((sum, one) => sum + one.failed, 0)
    const expected = (runs + changes - failed) * eventsOfARun.length
    const at = (share: number) => Number(tookMs[Math.min(changes - 1, Math.floor(changes * share))]!.toFixed(1))
    return {
      runs,
      events: expected,
      tookS,
      changes,
      failed,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      slowestMs: at(1),
      lost: expected - events,
      ...wrong,
    }
  } finally {
    await server.stop()
  }
}

/** Each event of each run is there once, and says to the byte what was written. */
async function compare(client: Client): Promise<{ events: number; doubled: number; different: number }> {
  const { rows } = await client.query<{ events: number; doubled: number; different: number }>(
    `select count(*)::int as events,
       (count(*) - count(distinct (run_id, sequence)))::int as doubled,
       count(*) filter (where event <> ($1::text[])[sequence]
         or data::text <> (select ${dataOf} from (select run_id as id, sequence as n) r)::text)::int as different
     from events`,
    [eventsOfARun],
  )
  return rows[0]!
}

export const upgradeProof: Proof = {
  name: 'the upgrade of 1,000,000 runs with 8,000,000 events, while the version before writes',
  must: '0 events lost, doubled or different; 0 writes that fail; the slowest within 2 s',
  async run(dataDir) {
    const counts = await upgradeUnderLoad(dataDir, Number(process.env['RUNYARD_UPGRADE_RUNS'] ?? 1_000_000))
    const { failed, lost, doubled, different, slowestMs } = counts
    return { counts, holds: failed + lost + doubled + different === 0 && slowestMs <= 2000 }
  },
}
