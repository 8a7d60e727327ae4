// Changes of memory that share a transaction: each sees the ones before it, and so does whatever else the transaction asks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seedAgent } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import type { Sql } from '../../base/db.ts'
import { changeMemory, type MemoryChange } from './changeMemory.ts'

const service = await testApp()
const { db } = service.context

async function newStore() {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, '```output\nx\n```\n')
  const change = (sql: Sql, path: string, what: { kind: 'write' | 'append'; content: string } | { kind: 'delete' }) => {
    const changes: MemoryChange[] = [{ team_id: team.id, agent_id: agentId, path, source_run_id: null, ...what }]
    return changeMemory(sql, changes)
  }
  const read = async (sql: Sql) => {
    const files = await sql<{ path: string; content: string }>`
      select path, content from memory_files where agent_id = ${agentId} order by path`
    return Object.fromEntries(files.map(({ path, content }) => [path, content]))
  }
  return { agentId, change, read }
}

test('what a transaction asks between two changes of memory shows the first, and the second adds to it', async () => {
  const { change, read } = await newStore()
  await db.transaction(async (sql) => {
    await change(sql, 'a.md', { kind: 'write', content: 'one' })
    await change(sql, 'b.md', { kind: 'write', content: 'gone soon' })
    assert.deepEqual(await read(sql), { 'a.md': 'one', 'b.md': 'gone soon' })
    await change(sql, 'a.md', { kind: 'append', content: ', two' })
    await change(sql, 'b.md', { kind: 'delete' })
    await change(sql, 'a.md', { kind: 'append', content: ', three' })
  })
  assert.deepEqual(await read(db.sql), { 'a.md': 'one, two, three' })
})

test('changes of a transaction with nothing between them are one change of the store, with its limits and generations', async () => {
  const { agentId, change, read } = await newStore()
  const outcomes = await db.transaction(async (sql) => [
    ...(await change(sql, 'a.md', { kind: 'write', content: 'one' })),
    ...(await change(sql, 'b.md', { kind: 'write', content: 'two' })),
    ...(await change(sql, 'a.md', { kind: 'write', content: 'three' })),
    ...(await change(sql, 'c.md', { kind: 'delete' })),
  ])
  assert.deepEqual(
    outcomes.map((outcome) => ('refused' in outcome ? outcome.refused : outcome.generation)),
    [1, 1, 2, 'not_found'],
  )
  const [store] = await db.sql`select files, size_bytes, changes from memory_stores where agent_id = ${agentId}`
  assert.deepEqual(store, { files: 2, size_bytes: 8, changes: 1 })
  assert.deepEqual(await read(db.sql), { 'a.md': 'three', 'b.md': 'two' })
})

test('a store with many files has its changes right too, one after the other in a transaction', async () => {
  const { agentId, change, read } = await newStore()
  await db.transaction(async (sql) => {
    for (let n = 0; n < 60; n++) await change(sql, `${n}.md`, { kind: 'write', content: 'x' })
  })
  const outcomes = await db.transaction(async (sql) => [
    ...(await change(sql, '7.md', { kind: 'append', content: 'y' })),
    ...(await change(sql, '8.md', { kind: 'write', content: 'z' })),
    ...(await change(sql, '7.md', { kind: 'append', content: 'y' })),
    ...(await change(sql, '60.md', { kind: 'delete' })),
  ])
  assert.deepEqual(
    outcomes.map((outcome) => ('refused' in outcome ? outcome.refused : outcome.generation)),
    [2, 2, 3, 'not_found'],
  )
  const files = await read(db.sql)
  assert.deepEqual([files['7.md'], files['8.md'], Object.keys(files).length], ['xyy', 'z', 60])
  const [store] = await db.sql`select files, size_bytes from memory_stores where agent_id = ${agentId}`
  assert.deepEqual(store, { files: 60, size_bytes: 62 })
})

test('a transaction that fails leaves nothing of its changes of memory', async () => {
  const { change, read } = await newStore()
  await assert.rejects(
    db.transaction(async (sql) => {
      await change(sql, 'a.md', { kind: 'write', content: 'one' })
      throw new Error('undone')
    }),
    /undone/,
  )
  assert.deepEqual(await read(db.sql), {})
})
