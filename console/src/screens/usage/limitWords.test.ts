// Each limit says what happens at 100 %, before and after it is reached.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { amountOf, consequenceOf } from './limitWords.ts'

const limit = { key: 'monthly_cost_usd', label: 'Cost', enabled: true, limit: 250, used: 100, unit: 'usd' } as const

test('a limit that is not reached says what will happen', () => {
  assert.match(consequenceOf(limit), /^At 100 %: no run starts until the month/)
})

test('a limit that is reached says what is so now', () => {
  assert.match(consequenceOf({ ...limit, used: 260 }), /^Reached\. No run starts/)
  assert.match(consequenceOf({ ...limit, limit: 0, used: 0 }), /^Reached\./)
})

test('without a limit nothing happens, and who can set one is said', () => {
  assert.match(consequenceOf({ ...limit, limit: null }), /^No limit is set/)
})

test('amounts have their units', () => {
  assert.equal(amountOf({ unit: 'usd' }, 1.5), '1.50 USD')
  assert.equal(amountOf({ unit: 'bytes' }, 10_737_418_240), '10.7 GB')
  assert.equal(amountOf({ unit: 'runs' }, 1200), '1,200')
})
