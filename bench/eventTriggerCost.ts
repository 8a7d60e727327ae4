// What the database trigger that turns events into deliveries of triggers costs an insert of events: `node scripts/with-node.mjs --dev bench/eventTriggerCost.ts`.
// Not part of `npm run bench`: it looks into one statement, and decision 0046 has its figures.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { connectionSettings } from '../server/src/base/db.ts'
import { embeddedPostgres } from '../server/src/base/embeddedPostgres.ts'
import { migrate } from '../server/src/base/migrate.ts'

const name = 'events_reach_triggers'
const rounds = 400
const warmUps = 50

const dataDir = await mkdtemp(join(tmpdir(), 'runyard-bench-'))
// passable for the user that PostgreSQL runs as when this runs as root
await chmod(dataDir, 0o711)
const postgres = await embeddedPostgres({ dataDir, log: () => undefined })
await migrate({ address: postgres.address() })
const client = new Client(connectionSettings(postgres.address()))
await client.connect()
// as all connections of the service have it (decision 0021)
await client.query('set enable_seqscan = off')
const team = await seedTeam()

const middle = (times: number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!
const us = (ms: number): string => `${(ms * 1000).toFixed(0)} µs`.padStart(9)
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`.padStart(7)

const insert = (rows: number): string => `
  insert into event_batches (id, team_id, kinds, entries)
  select gen_random_uuid(), '${team}', 'c', json_build_array(json_build_object('run_id', gen_random_uuid(), 'output', repeat('x', 200)))
  from generate_series(1, ${rows})`

async function seedTeam(): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    `insert into teams (id, name, plan) values (gen_random_uuid(), 'Measured', 'self_hosted') returning id`,
  )
  return rows[0]!.id
}

async function seedTriggers(count: number, event: string): Promise<void> {
  await client.query('delete from triggers')
  if (count === 0) return
  await client.query(`
    with a as (insert into agents (id, team_id, name, memory_enabled, builds_count) values (gen_random_uuid(), '${team}', 'Started', false, 0) returning id)
    insert into triggers (id, team_id, agent_id, user_id, changed_by, kind, enabled, event)
    select gen_random_uuid(), '${team}', a.id, gen_random_uuid(), gen_random_uuid(), 'event', true, '${event}'
    from a, generate_series(1, ${count})`)
}

/** The time of the whole statement and of the trigger in it, as PostgreSQL counts them; without the commit. */
async function statement(rows: number): Promise<{ whole: number; ours: number }> {
  const { rows: told } = await client.query<{ 'QUERY PLAN': Plan[] }>(`explain (analyze, format json) ${insert(rows)}`)
  const [plan] = told[0]!['QUERY PLAN']
  const ours = plan!.Triggers.find((one) => one['Trigger Name'] === name)
  return { whole: plan!['Execution Time'], ours: ours?.Time ?? 0 }
}

interface Plan {
  'Execution Time': number
  Triggers: { 'Trigger Name': string; Time: number }[]
}

async function committed(rows: number): Promise<number> {
  const from = performance.now()
  await client.query(insert(rows))
  return performance.now() - from
}

/** Turns with and without the trigger alternate, so that a slow moment of the machine meets both. */
async function withAndWithout(rows: number): Promise<{ on: number; off: number }> {
  const times = { enable: [] as number[], disable: [] as number[] }
  for (let block = 0; block < 40; block++) {
    for (const word of ['enable', 'disable'] as const) {
      await client.query(`alter table event_batches ${word} trigger ${name}`)
      await committed(rows)
      for (let n = 0; n < rounds / 40; n++) times[word].push(await committed(rows))
    }
  }
  await client.query(`alter table event_batches enable trigger ${name}`)
  return { on: middle(times.enable), off: middle(times.disable) }
}

const cases: [says: string, count: number, event: string][] = [
  ['no triggers', 0, ''],
  ['1,000 triggers of other events', 1000, 'run.failed'],
  ['1,000 triggers of this event', 1000, 'run.completed'],
]
try {
  for (const [says, count, event] of cases) {
    for (const rows of [1, 100]) {
      if (event === 'run.completed' && rows > 1) continue
      await seedTriggers(count, event)
      await client.query('truncate events, trigger_deliveries')
      await client.query('analyze')
      for (let n = 0; n < warmUps; n++) await statement(rows)
      const seen = []
      for (let n = 0; n < (event === 'run.completed' ? 20 : rounds); n++) seen.push(await statement(rows))
      const whole = middle(seen.map((one) => one.whole))
      const ours = middle(seen.map((one) => one.ours))
      const { on, off } = event === 'run.completed' ? { on: Number.NaN, off: Number.NaN } : await withAndWithout(rows)
      console.log(
        `${says.padEnd(32)} ${String(rows).padStart(4)} rows: trigger ${us(ours)} of ${us(whole)} (${percent(ours / whole)}); ` +
          `with commit ${us(on)}, without the trigger ${us(off)} (${percent((on - off) / off)})`,
      )
    }
  }
} finally {
  await client.end()
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
}
