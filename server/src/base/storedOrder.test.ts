// The order of fields in jsonb, held against PostgreSQL itself.
import assert from 'node:assert/strict'
import { proves } from '../../test/kit/proves.ts'
import { testApp } from '../../test/kit/testApp.ts'
import { inStoredOrder } from './storedOrder.ts'

const { context } = await testApp()

proves('runs.seenDurable', 'a value has its fields in the order in which the database gives it back', async () => {
  const value = { path: 1, a: [{ zz: 1, y: { long: 1, b: null } }], ä: 2, bb: 3, Z: 4, 'a b': [], '10': 5, '9': 6 }
  const [row] = await context.db.sql<{ value: unknown }>`select ${JSON.stringify(value)}::jsonb as value`
  assert.equal(JSON.stringify(inStoredOrder(value)), JSON.stringify(row?.value))
  assert.notEqual(JSON.stringify(value), JSON.stringify(row?.value))
})
