// What is old goes in rounds, past rows that somebody holds, and nothing more goes once the process stops.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '../../test/kit/testApp.ts'
import { newId } from '../base/ids.ts'
import { eraseOld } from './eraseOld.ts'

const { context } = await testApp()
const { sql } = context.db
const team = newId()

const add = (count: number, ago: string) => sql`
  insert into schedule_misses (id, team_id, schedule_id, agent_id, reason, missed_at)
  select gen_random_uuid(), ${team}::uuid, ${team}::uuid, ${team}::uuid, 'late', now() - ${ago}::interval
  from generate_series(1, ${count}::int)`

async function left(): Promise<number> {
  const rows = await sql`select id from schedule_misses where team_id = ${team}`
  return rows.length
}

const erase = (signal = new AbortController().signal) =>
  eraseOld({ sql, signal }, { table: 'schedule_misses', by: 'missed_at', days: 30 })

test('rows that are old enough go in as many rounds as it takes, and those that somebody holds go the next time', async () => {
  await add(1500, '31 days')
  await add(1, '29 days')
  await erase(AbortSignal.abort())
  assert.equal(await left(), 1501)
  await context.db.transaction(async (held) => {
    await held`select id from schedule_misses where team_id = ${team} order by missed_at limit 1 for update`
    await erase()
    assert.equal(await left(), 2)
  })
  await erase()
  assert.equal(await left(), 1)
})
