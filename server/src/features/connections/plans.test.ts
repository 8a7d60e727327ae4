// The plans of what every process asks twice a second: by their indexes, however many connections there are.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { Client } from 'pg'
import { seedConnection } from '../../../test/kit/connections.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { connectionSettings, type Sql } from '../../base/db.ts'
import { flatten } from '../../base/sql.ts'
import { takeDue } from './credential/refresh.ts'
import { takeUnlisted } from './inRuns/refreshConnections.ts'
import { wakeWaitingRuns } from './credential/connectionWaits.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const { db } = service.context
const team = await seedTeam(service)
const first = await seedConnection(service, team, { name: 'First', type: 'mcp' })
await db.sql`
  insert into connections (id, team_id, name, type, provider, auth_method, refresh_at, list_tools_at)
  select gen_random_uuid(), ${team.id}, 'Connection ' || n, 'mcp', 'example', 'oauth', now() + interval '1 hour', now() + interval '1 hour'
  from generate_series(1, 5000) n`
await db.sql`
  update connections set refresh_at = now() - interval '1 hour', list_tools_at = now() - interval '1 hour' where id = ${first}`
await db.pool.query('analyze connections')
const client = new Client(connectionSettings(db.address()))
await client.connect()
after(() => client.end())

/** Runs what is asked, and keeps how each statement is planned. */
function explaining(plans: string[]): Sql {
  return async (strings, ...values) => {
    const { statement, parameters } = flatten(strings, values)
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (costs off) ${statement.text}`, parameters)
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
    return (await client.query(statement.text, parameters)).rows
  }
}

proves('connections.plans', 'what is due is found by an index, and nothing is read whole', async () => {
  const plans: string[] = []
  const context = { ...service.context, db: { ...db, sql: explaining(plans) } }
  assert.deepEqual(
    (await takeDue(context, { max: 5, notOf: [] })).map(({ id }) => id),
    [first],
  )
  assert.deepEqual(
    (await takeUnlisted(context)).map(({ id }) => id),
    [first],
  )
  await wakeWaitingRuns({ context, signal: new AbortController().signal })
  assert.ok(plans.length >= 3)
  for (const plan of plans) assert.doesNotMatch(plan, /Seq Scan on connections\b/, plan)
})
