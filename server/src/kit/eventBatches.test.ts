// Events as batches: every kind has its letter, whoever reads an event gets the same bytes, and a database from before loses none.
import assert from 'node:assert/strict'
import { Client } from 'pg'
import { newDatabase } from '../../test/kit/backupDatabases.ts'
import { proves } from '../../test/kit/proves.ts'
import { drainRuns, seedAgent, startRun } from '../../test/kit/runs.ts'
import { seedTeam } from '../../test/kit/seed.ts'
import { testApp } from '../../test/kit/testApp.ts'
import { connectionSettings } from '../base/db.ts'
import { migrate, readMigrations } from '../base/migrate.ts'
import { loadBatches, setApart } from '../features/webhooks/deliveryBatches.ts'
import { loadNew, type Loaded } from '../features/webhooks/deliveryRows.ts'
import { eventNames, letterOf } from './event.ts'
import { runEvents } from './readEvents.ts'

// excepted, so that no test waits for a resolver
const service = await testApp({ config: { allowPrivateHosts: ['hooks.example.com'] } })
const { sql } = service.context.db

proves('events.kinds', 'every kind of event has a letter of its own in the table', async () => {
  const kinds = await sql<{ kind: string; name: string }>`
    select event_kind(event) as kind, event_name(event_kind(event)) as name from unnest(${eventNames}::text[]) event`
  assert.deepEqual(
    kinds.map(({ name }) => name),
    eventNames,
  )
  assert.equal(new Set(kinds.map(({ kind }) => kind)).size, eventNames.length)
  assert.ok(kinds.every(({ kind }) => kind.length === 1))
  assert.deepEqual(
    kinds.map(({ kind }) => kind),
    eventNames.map((name) => letterOf[name]),
  )
})

/** What a receiver would get, in the order of ids. */
const sentOf = (all: Loaded[]) =>
  all.map(({ id, event, data }) => ({ id, event, data })).toSorted((a, b) => a.id.localeCompare(b.id))

/** The data within an envelope, byte for byte. */
const dataOf = (text: string): string => text.slice(text.indexOf(',"data":') + 8, -1)

proves('events.sameBytes', 'a stream, a webhook and the list have the same bytes of an event, every time', async () => {
  const team = await seedTeam(service)
  const body = { url: 'https://hooks.example.com/runyard', events: ['*'] }
  const { body: webhook } = await team.call('POST /v2/teams/:teamId/webhooks', { body })
  const procedure = '```memory path=a.md\n{{ message }}\n```\n\n```memory path=b.md\nb\n```\n\n```output\ndone\n```\n'
  const runId = await startRun(team, await seedAgent(team, procedure), { message: 'é "quoted" \\ 😀' })
  await drainRuns(service)
  const streamed = async () => {
    const [batch] = await runEvents(sql, [{ teamId: team.id, runId, after: 0 }])
    return batch!.events.map(({ text }) => dataOf(text))
  }
  const first = await streamed()
  assert.ok(first.length > 8)
  assert.deepEqual(await streamed(), first)
  const targetId = webhook.subscription_id as string
  const sent = await loadBatches(sql, [{ targetId, max: 1000, known: [] }])
  assert.deepEqual(
    sent.map(({ data }) => data),
    first,
  )
  await setApart(
    sql,
    sent.map(({ batch }) => ({ target_id: targetId, batch: batch! })),
  )
  const apart = await loadNew(sql, [targetId], [], 1000)
  assert.deepEqual(sentOf(apart), sentOf(sent), 'ids too, whether a delivery is in a batch or a row of its own')
  const { text } = await team.call(`GET /v2/runs/${runId}/event-log?limit=200`)
  for (const data of first) assert.ok(text.includes(JSON.stringify(JSON.parse(data))))
  const rows = await sql`select from event_batches where run_id = ${runId}`
  assert.ok(rows.length < first.length / 2, `${rows.length} rows for ${first.length} events`)
})

const migrations = await readMigrations()
const before = migrations.filter(({ name }) => name < '0094')

proves(
  'events.upgrade',
  'a database from before gets batches while others write, and no event or delivery is lost',
  async () => {
    const address = await newDatabase(before)
    const client = new Client(connectionSettings(address))
    await client.connect()
    const teamId = '00000000-0000-7000-8000-000000000001'
    const targetId = '00000000-0000-7000-8000-000000000002'
    await client.query(`insert into teams (id, name) values ('${teamId}', 'Old')`)
    await client.query(
      `insert into delivery_targets (id, team_id, kind, url, events) values ('${targetId}', '${teamId}', 'subscription', 'https://hooks.example.com/', '{*}')`,
    )
    const write = (runs: number) =>
      client.query(
        `insert into events (id, team_id, run_id, sequence, event, data)
       select gen_random_uuid(), '${teamId}', run, n, 'run.file.created', json_build_object('run_id', run, 'sequence', n)
       from (select gen_random_uuid() as run from generate_series(1, ${runs})) r, generate_series(1, 5) n`,
      )
    await write(3000)
    const told = async () => (await client.query('select id, event, data::text from events order by id')).rows
    const old = await told()
    const over = new AbortController()
    const writing = (async () => {
      let written = 0
      while (!over.signal.aborted) {
        await write(1)
        written += 5
      }
      return written
    })()
    await migrate({ address })
    over.abort()
    const meanwhile = await writing
    const all = await told()
    assert.equal(all.length, old.length + meanwhile)
    const kept = new Map(all.map((row) => [row.id, row]))
    for (const row of old) assert.deepEqual(kept.get(row.id), row)
    const { rows } = await client.query(
      `select count(*)::int as count, count(b.id)::int as found from every_delivery d left join event_batches b on b.id = d.event_id`,
    )
    assert.deepEqual(rows, [{ count: all.length, found: all.length }])
    await client.end()
  },
)
