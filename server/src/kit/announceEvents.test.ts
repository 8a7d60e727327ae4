// Listeners hear of events after the commit that wrote them, and only then.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seedTeam } from '../../test/kit/seed.ts'
import { testApp } from '../../test/kit/testApp.ts'
import { part } from '../base/db.ts'
import { onEventsWritten } from './announceEvents.ts'
import { emitEvent, insertEvents } from './event.ts'

const service = await testApp()
const { context } = service
const { db } = context
const team = await seedTeam(service)
let heard = 0
onEventsWritten(context, () => (heard += 1))

const data = { connection_id: team.id, provider: 'mcp', reason: 'a test', waiting_run_ids: [] }

test('a commit that wrote events is announced once, after it', async () => {
  heard = 0
  await db.transaction(async (sql) => {
    await emitEvent(sql, team.id, 'connection.action_required', data)
    await emitEvent(sql, team.id, 'connection.action_required', data)
    assert.equal(heard, 0)
  })
  assert.equal(heard, 1)
  await emitEvent(db.sql, team.id, 'connection.action_required', data)
  assert.equal(heard, 2)
})

test('what wrote no event is not announced: a rollback, an empty list, another statement', async () => {
  heard = 0
  const undone = db.transaction(async (sql) => {
    await emitEvent(sql, team.id, 'connection.action_required', data)
    throw new Error('undone')
  })
  await assert.rejects(undone, /undone/)
  await db.sql`${insertEvents(part`select id, team_id, event, data from events where false`)}`
  await db.sql`select 1`
  assert.equal(heard, 0)
})

test('a listener that fails neither fails the write nor keeps the others from hearing', async () => {
  heard = 0
  let isFailing = true
  onEventsWritten(context, () => {
    if (isFailing) throw new Error('a broken listener')
  })
  onEventsWritten(context, () => (heard += 10))
  await emitEvent(db.sql, team.id, 'connection.action_required', data)
  isFailing = false
  assert.equal(heard, 11)
})
