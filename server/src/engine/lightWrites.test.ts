// What the engine writes for a run between two moves costs the row of the run and nothing else of its table.
import assert from 'node:assert/strict'
import { testApp } from '../../test/kit/testApp.ts'
import { proves } from '../../test/kit/proves.ts'

const { context } = await testApp()

/** What applyChanges sets for a run that stays where it is. */
const written = new Set([
  'last_change',
  'message_seq',
  'event_seq',
  'event_xid',
  'steps',
  'input_tokens',
  'output_tokens',
  'cost_usd',
  'reserved_usd',
  'updated_at',
])

proves('runs.light', 'no index of runs has a column that every write of a run changes', async () => {
  // PostgreSQL writes an entry of every index if a column of any of them has changed, also one of a condition
  const indexed = await context.db.sql<{ index: string; column: string }>`
    select distinct i.indexrelid::regclass::text as index, a.attname as column
    from pg_index i join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = i.indexrelid
    join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
    where i.indrelid = 'runs'::regclass and d.refclassid = 'pg_class'::regclass and d.refobjid = i.indrelid`
  assert.ok(indexed.some(({ column }) => column === 'completed_at'))
  assert.deepEqual(
    indexed.filter(({ column }) => written.has(column)),
    [],
  )
})
