// What a working process asks the database at each beat, as PostgreSQL plans it.
import assert from 'node:assert/strict'
import { part, type Sql } from '../src/base/db.ts'
import { newId } from '../src/base/ids.ts'
import { flatten } from '../src/base/sql.ts'
import { createRunSweep } from '../src/engine/ending/sweepDue.ts'
import type { Context } from '../src/kit/context.ts'
import { registryOf } from '../src/kit/registry.ts'
import { lookFor } from '../src/kit/sharedLook.ts'
import { proves } from './kit/proves.ts'
import { testApp } from './kit/testApp.ts'

const { context } = await testApp()

proves('kit.look', 'what all loops of a working process ask at each beat reads no table whole', async () => {
  let asked = { text: '', parameters: [] as unknown[] }
  const sql: Sql = (strings, ...values) => {
    const { statement, parameters } = flatten(strings, values)
    if (statement.text.startsWith('select array[')) asked = { text: statement.text, parameters }
    return context.db.sql(strings, ...values)
  }
  const mine: Context = { ...context, parts: new Map(context.parts), db: { ...context.db, sql } }
  const { signal } = new AbortController()
  const { features } = registryOf(context)
  const works = features.flatMap(({ work }) => (work ? [work(mine, { id: newId(), lost: () => signal })] : []))
  const ticks = features.flatMap(({ tick }) => (tick ? [tick] : []))
  await createRunSweep(mine).run()
  for (const tick of ticks) await tick({ context: mine, signal })
  for (const work of works) await work.poll()
  for (const work of works) await work.stop()
  // what was asked by any of them is asked whenever somebody asks
  await lookFor(mine, { last: part`true` })
  for (const table of ['runs', 'schedules', 'connections', 'trigger_deliveries'])
    assert.match(asked.text, new RegExp(table))
  const { rows } = await context.db.pool.query<{ 'QUERY PLAN': string }>(
    `explain (costs off) ${asked.text}`,
    asked.parameters,
  )
  assert.doesNotMatch(rows.map((row) => row['QUERY PLAN']).join('\n'), /Seq Scan/)
})
