// A CSV file of usage has a line for each row, and what a tenant named its agent is never a formula.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BillingUsage } from '@runyard/sdk'
import { usageCsv } from './usageCsv.ts'

const amounts = { runs: 2, active_seconds: 1.5, tokens: 30, cost_usd: 0.25 }
const usage = {
  by_day: [{ day: '2026-03-01', ...amounts }],
  by_agent: [{ agent_id: 'a1', agent_name: '=HYPERLINK("x")', is_artifact: false, ...amounts }],
} as unknown as BillingUsage

test('each day is a line', () => {
  assert.equal(
    usageCsv('day', usage, []),
    '\ufeffday,runs,active_seconds,tokens,cost_usd\r\n2026-03-01,2,1.5,30,0.25\r\n',
  )
})

test('the name of an agent stays text', () => {
  assert.match(usageCsv('agent', usage, []), /a1,"'=HYPERLINK\(""x""\)",false,2,1\.5,30,0\.25\r\n$/)
})

test('models without a row leave the head alone', () => {
  assert.equal(usageCsv('model', usage, []).split('\r\n').length, 2)
})
