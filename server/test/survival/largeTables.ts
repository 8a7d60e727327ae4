// Proof: 50 million events. The tables become partitioned while the release before serves, lists stay as fast as with a million, and a
// partition is dropped while everybody goes on.
import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { firstIdAt } from '../../src/base/ids.ts'
import { checkOutPrevious, whyNoPrevious } from './previousCheckout.ts'
import { percentile, send, startService, temporaryDataDir, type Service } from './processes.ts'
import type { Proof } from './proof.ts'
import { block, openYard, until, untilQuiet, type Yard } from './yard.ts'

interface Load {
  requests: number
  /** Must be 0: anything but an answer of success. */
  failed: number
  p99Ms: number
  slowestMs: number
  /** The longest that a session of a process waited for a lock, looked at twenty times a second. */
  longestLockMs: number
}

interface LargeTables {
  events: number
  deliveries: number
  auditRows: number
  seededS: number
  gigabytes: number
  migrateS: number
  /** Requests to processes of the release before, while the tables became partitioned. */
  migrating: Load
  /** Requests to this release, while the partition with all those events was dropped. */
  dropping: Load
  dropMs: number
  /** How many events were left of those: must be 0. */
  left: number
  /** Milliseconds of each list with a million events and with all, the median of 30 calls. */
  lists: Record<string, [number, number]>
  slowestRatio: number
  failures?: string[]
}

const procedure = [block('memory path=progress.md', 'noted in {{ run.id }}'), block('output', 'done')].join('\n')
const dayMs = 86_400_000
const eventsOfARow = 2
const rowsAtOnce = 250_000

/** Rows as they were written over months, the youngest `youngestDays` ago: ids, transactions and times rise together. */
async function seed(
  { sql }: Yard,
  teamId: string,
  agentId: string,
  { events, youngestDays }: { events: number; youngestDays: number },
) {
  const end = Date.now() - youngestDays * dayMs
  const spanMs = 150 * dayMs
  const fill = async (rows: number, insert: (from: number, to: number, stepMs: number) => Promise<unknown>) => {
    const parts = Array.from({ length: Math.ceil(rows / rowsAtOnce) }, (_, n) => n * rowsAtOnce)
    const next = async () => {
      for (let from = parts.shift(); from !== undefined; from = parts.shift())
        await insert(from, Math.min(from + rowsAtOnce, rows) - 1, spanMs / rows)
    }
    // each on its own connection
    await Promise.all([next(), next()])
  }
  const batches = Math.ceil(events / eventsOfARow)
  await fill(
    batches,
    (from, to, stepMs) => sql`
    insert into event_batches (id, team_id, run_id, agent_id, last, xid, created_at, kinds, entries)
    select (lpad(to_hex(m.ms), 12, '0') || '7' || substr(m.random, 1, 3) || '8' || substr(m.random, 4, 11) || '0000')::uuid, ${teamId}::uuid,
      (lpad(to_hex(m.run_ms), 12, '0') || '7000' || '8' || substr(md5((n / 4)::text), 1, 15))::uuid, ${agentId}::uuid,
      (n % 4 + 1) * 2, 1 + n / 1000000, to_timestamp(m.ms / 1000.0), case n % 4 when 0 then 'sm' when 3 then 'tc' else 'tm' end,
      json_build_array(json_build_object('message', json_build_object('id', m.random, 'type', 'text', 'text_content', repeat(m.random, 4))),
        json_build_object('tool_call_id', m.random, 'name', 'memory_write', 'ok', true, 'duration_ms', n % 100))
    from generate_series(${from}::bigint, ${to}::bigint) n, lateral (select
      (${end - spanMs}::float8 + n * ${stepMs}::float8)::bigint as ms,
      (${end - spanMs}::float8 + (n / 4) * 4 * ${stepMs}::float8)::bigint as run_ms, md5(n::text) as random) m`,
  )
  const rows = Math.ceil(events / 10)
  const targetId = crypto.randomUUID()
  await fill(
    rows,
    (from, to, stepMs) => sql`
    insert into delivery_batches (batch_id, target_id, team_id, created_at, kinds, waiting, delivered, log)
    select (lpad(to_hex(m.ms), 12, '0') || '7' || substr(m.random, 1, 3) || '8' || substr(m.random, 4, 11) || '0000')::uuid, ${targetId}::uuid,
      ${teamId}::uuid, to_timestamp(m.ms / 1000.0), 'tm', '00', '11', '[' || m.ms || ',[[0,' || m.ms || ',200,12,[0,1,null,3,4],"ok"]]]'
    from generate_series(${from}::bigint, ${to}::bigint) n, lateral (select
      (${end - spanMs}::float8 + n * ${stepMs}::float8)::bigint as ms, md5(n::text) as random) m`,
  )
  await fill(
    rows,
    (from, to, stepMs) => sql`
    insert into audit_log (id, team_id, created_at, credential_type, operation, target_type, target_id, request_id, status)
    select (lpad(to_hex(m.ms), 12, '0') || '7' || substr(m.random, 1, 3) || '8' || substr(m.random, 4, 15))::uuid, ${teamId}::uuid,
      to_timestamp(m.ms / 1000.0), 'api_key', (array['startRun', 'stopRun', 'writeMemoryFile', 'respondHumanRequest'])[n % 4 + 1], 'run',
      m.random, m.random, case when n % 20 = 0 then 404 else 201 end
    from generate_series(${from}::bigint, ${to}::bigint) n, lateral (select
      (${end - spanMs}::float8 + n * ${stepMs}::float8)::bigint as ms, md5(n::text) as random) m`,
  )
  await sql`vacuum analyze event_batches`
  await sql`vacuum analyze delivery_batches`
  await sql`vacuum analyze audit_log`
  return { deliveries: rows, auditRows: rows }
}

interface Used {
  failed: number
  tookMs: number[]
}

/** Starts runs and looks at them and at the lists, until it is told to end. */
async function use(apis: () => Service[], agentId: string, over: AbortSignal, failures: string[]): Promise<Used> {
  const tookMs: number[] = []
  let failed = 0
  const ask = async (method: string, path: string, body?: object) => {
    const at = apis()[Math.floor(Math.random() * apis().length)]!
    const startedAt = performance.now()
    const answer = await send(at.baseUrl, { method, path, key: at.key, ...(body && { body }) }).catch(
      (error: Error) => ({
        status: 0,
        text: String(error),
      }),
    )
    tookMs.push(performance.now() - startedAt)
    if (answer.status >= 200 && answer.status < 300) return JSON.parse(answer.text) as Record<string, string>
    failed += 1
    failures.push(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`)
    return undefined
  }
  while (!over.aborted) {
    const { teamId } = apis()[0]!
    const run = await ask('POST', `/v2/teams/${teamId}/runs`, { agent_id: agentId, message: 'go' })
    if (run) await ask('GET', `/v2/runs/${run['run_id']}/event-log`)
    await ask('GET', `/v2/teams/${teamId}/event-log?limit=20`)
    await ask('PUT', `/v2/agents/${agentId}/memory/files/seen.md`, { content: String(Math.random()) })
  }
  return { failed, tookMs }
}

const clients = 4

/** What clients see while something is done. */
async function under<T>(
  { apis, sql }: Yard,
  agentId: string,
  failures: string[],
  work: () => Promise<T>,
): Promise<{ load: Load; done: T }> {
  const over = new AbortController()
  const watching = watchLocks(sql, over.signal)
  const using = Array.from({ length: clients }, () => use(() => apis, agentId, over.signal, failures))
  let done: T
  try {
    await sleep(2000)
    done = await work()
    await sleep(2000)
  } finally {
    over.abort()
  }
  const seen = await Promise.all(using)
  const tookMs = seen.flatMap((one) => one.tookMs)
  const load = {
    requests: tookMs.length,
    failed: seen.reduce((sum, one) => sum + one.failed, 0),
    p99Ms: Math.round(percentile(tookMs, 99)),
    slowestMs: Math.round(Math.max(...tookMs)),
    longestLockMs: await watching,
  }
  return { load, done }
}

/** The longest wait for a lock of a table that was seen. The one who changes the table gives up after 200 ms, and is not meant. */
async function watchLocks(sql: Yard['sql'], over: AbortSignal): Promise<number> {
  let longest = 0
  while (!over.aborted) {
    const [seen] = await sql<{ ms: number }>`
      select coalesce(max(extract(epoch from clock_timestamp() - waitstart) * 1000), 0)::float8 as ms
      from pg_locks where not granted and locktype = 'relation'`
    longest = Math.max(longest, seen!.ms)
    await sleep(50)
  }
  return Math.round(longest)
}

const calls = 30

/** The median time of each list. */
async function measureLists(api: Service, runId: string): Promise<Record<string, number>> {
  const { teamId, baseUrl, key } = api
  const paths = {
    'events of a run': `/v2/runs/${runId}/event-log`,
    'events of the team': `/v2/teams/${teamId}/event-log?limit=50`,
    deliveries: `/v2/teams/${teamId}/webhook-deliveries?limit=50`,
    'audit log': `/v2/teams/${teamId}/audit-log?limit=50`,
    'audit log of an operation': `/v2/teams/${teamId}/audit-log?limit=50&operation=stopRun`,
  }
  const medians: Record<string, number> = {}
  for (const [name, path] of Object.entries(paths)) {
    const tookMs: number[] = []
    // the first ones read what is cold, and make the plan
    for (let n = -10; n < calls; n++) {
      const startedAt = performance.now()
      const { status, text } = await send(baseUrl, { path, key })
      if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
      if (n >= 0) tookMs.push(performance.now() - startedAt)
    }
    medians[name] = Number(percentile(tookMs, 50).toFixed(1))
  }
  return medians
}

/** The lists of this release with fewer events. */
async function listsWith(events: number): Promise<Record<string, number>> {
  const dataDir = await temporaryDataDir()
  const yard = await openYard({ options: { dataDir: dataDir.path, env: { LOG_LEVEL: 'error' } }, apis: 1, workers: 1 })
  try {
    const agentId = await yard.newAgent(procedure)
    await seed(yard, yard.apis[0]!.teamId, agentId, { events, youngestDays: 32 })
    const runId = await yard.startRun(agentId)
    await untilQuiet(yard)
    return await measureLists(yard.apis[0]!, runId)
  } finally {
    await yard.close()
    await dataDir.remove()
  }
}

/** As if the tables had been partitioned a month ago: what is younger goes where it would be without a partition for it. */
async function ageFirstPartition({ sql }: Yard): Promise<void> {
  const past = firstIdAt(Math.floor(Date.now() / dayMs - 31) * dayMs)
  await sql`
    create or replace function proof_age(root text, key text, past uuid) returns void language plpgsql as $$
    declare
      columns text := (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
        where attrelid = to_regclass(root) and attnum > 0 and not attisdropped and attgenerated = '');
    begin
      execute format('alter table %I detach partition %I', root, root || '_before');
      execute format('insert into %I (%s) select %s from %I where %I >= %L', root || '_rest', columns, columns, root || '_before', key, past);
      execute format('delete from %I where %I >= %L', root || '_before', key, past);
      execute format('alter table %I attach partition %I for values from (minvalue) to (%L)', root, root || '_before', past);
    end $$`
  for (const [table, key] of [
    ['event_batches', 'id'],
    ['delivery_batches', 'batch_id'],
  ])
    await sql`select proof_age(${table}, ${key}, ${past}::uuid)`
}

const cli = fileURLToPath(new URL('../../../cli/bin/runyard.mjs', import.meta.url))

const migrateBeside = (env: Record<string, string>): Promise<void> =>
  new Promise((resolve, reject) => {
    execFile(process.execPath, [cli, 'migrate'], { env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      error ? reject(new Error(`runyard migrate: ${stdout}${stderr}`)) : resolve(),
    )
  })

const secondsSince = (startedAt: number) => Math.round((performance.now() - startedAt) / 1000)

async function growLarge(dataDir: string, events: number): Promise<LargeTables> {
  const few = await listsWith(1_000_000)
  const previous = await checkOutPrevious()
  const env = { LOG_LEVEL: 'error' }
  const yard = await openYard({ options: { dataDir, entry: previous.main, env }, apis: 2, workers: 1 })
  const fresh: Service[] = []
  const failures: string[] = []
  try {
    const { sql } = yard
    const agentId = await yard.newAgent(procedure)
    const { teamId } = yard.apis[0]!
    let startedAt = performance.now()
    const seeded = await seed(yard, teamId, agentId, { events, youngestDays: 32 })
    const seededS = secondsSince(startedAt)
    const [{ bytes }] = (await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`) as [
      { bytes: number },
    ]

    startedAt = performance.now()
    const { load: migrating, done: migrateS } = await under(yard, agentId, failures, async () => {
      await migrateBeside(yard.env)
      return secondsSince(startedAt)
    })

    for (const role of ['worker', 'api', 'api'] as const) {
      fresh.push(
        await startService({
          dataDir,
          env: { ...yard.env, ...(role === 'worker' && { PORT: '' }) },
          args: ['--role', role],
        }),
      )
    }
    await Promise.all([...yard.workers, ...yard.apis].splice(0).map((one) => one.stop('SIGTERM')))
    yard.workers.length = 0
    yard.apis.splice(0, yard.apis.length, ...fresh.slice(1))
    const runId = await yard.startRun(agentId)
    await untilQuiet(yard)
    const many = await measureLists(yard.apis[0]!, runId)

    await ageFirstPartition(yard)
    startedAt = performance.now()
    const { load: dropping, done: dropMs } = await under(yard, agentId, failures, async () => {
      const begun = performance.now()
      await sql`select graphile_worker.add_job('sweepRuns', '{}'::json)`
      const isThere = async () => (await sql`select from pg_class where relname = 'event_batches_before'`).length
      await until('the old partition is gone', isThere, (count) => count === 0, { everyMs: 20, forMs: 120_000 })
      return Math.round(performance.now() - begun)
    })
    const [{ left }] = (await sql<{ left: number }>`
      select count(*)::int as left from event_batches where created_at < now() - interval '31 days'`) as [
      { left: number },
    ]
    const lists = Object.fromEntries(
      Object.entries(many).map(([name, ms]) => [name, [few[name]!, ms] as [number, number]]),
    )
    return {
      events,
      ...seeded,
      seededS,
      gigabytes: Number((bytes / 1024 ** 3).toFixed(1)),
      migrateS,
      migrating,
      dropping,
      dropMs,
      left,
      lists,
      slowestRatio: Number(Math.max(...Object.values(lists).map(([with1M, withAll]) => withAll / with1M)).toFixed(2)),
      ...(failures.length > 0 && { failures: failures.slice(0, 5) }),
    }
  } finally {
    await Promise.all(fresh.map((one) => one.stop('SIGINT')))
    await yard.close()
    await previous.remove()
  }
}

const events = Number(process.env['RUNYARD_LARGE_EVENTS'] ?? 50_000_000)

const isCalm = ({ failed, longestLockMs }: Load): boolean => failed === 0 && longestLockMs <= 1000

export const largeTablesProof: Proof = {
  name: `${events.toLocaleString('en-US')} events: the tables become partitioned, lists, and the events of months dropped`,
  must:
    '0 failed requests while the tables become partitioned and while the partition is dropped, no wait of more than 1 s for a table; nothing left of what was ' +
    'dropped; lists within twice the time that they take with 1,000,000 events',
  async run(dataDir) {
    const missing = await whyNoPrevious()
    if (missing !== undefined) throw new Error(`This proof needs the whole history: ${missing}.`)
    const counts = await growLarge(dataDir, events)
    const { migrating, dropping, left, slowestRatio } = counts
    return { counts, holds: isCalm(migrating) && isCalm(dropping) && left === 0 && slowestRatio <= 2 }
  },
}
