// Rows of a file as cases: which column is what, what is wrong with a row, and the id that makes a repeat harmless.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { batchesOf, casesOf, guessUses, withIds } from './rows.ts'

const lined = (rows: unknown[][]) => rows.map((cells, at) => ({ line: at + 2, cells }))

const hash = async (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 40)

void test('columns are guessed by their names, and the first is the title where none is', () => {
  assert.deepEqual(guessUses(['Number', 'Subject', 'amount', 'Priority', 'id']), [
    'external_id',
    'title',
    'data',
    'priority',
    'data',
  ])
  assert.deepEqual(guessUses(['refund', 'amount']), ['title', 'data'])
})

void test('a row becomes a case with title, data, labels and priority, and a wrong one is named by its line', () => {
  const columns = ['title', 'amount', 'region', 'priority', 'id']
  const rows = lined([
    ['Refund 1', '30', 'eu', 'High', 'a'],
    ['', '31', '', '', 'b'],
    ['Refund 3', '32', '', 'urgent', 'c'],
    ['Refund 4', '33', '', '', 'a'],
  ])
  const { cases, problems } = casesOf(columns, rows, ['title', 'data', 'label', 'priority', 'external_id'])
  assert.deepEqual(cases, [
    {
      title: 'Refund 1',
      data: '{"amount":"30"}',
      priority: 'high',
      external_id: 'a',
      labels: [{ key: 'region', value: 'eu' }],
    },
  ])
  assert.deepEqual(
    problems.map(({ line, says }) => `${line} ${says}`),
    ['3 has no title', '4 has a priority that is not none, medium or high', '5 has the same external id as line 2'],
  )
})

void test('values of JSON stay what they are in the data, and a lone field that is called data is taken as it stands', () => {
  const { cases, problems } = casesOf(
    ['title', 'sum', 'note'],
    [
      { line: 1, cells: ['One', { eur: 2 }] },
      { line: 2, cells: [], problem: 'is not JSON' },
    ],
    ['title', 'data', 'label'],
  )
  assert.deepEqual(cases, [{ title: 'One', data: '{"sum":{"eur":2}}' }])
  assert.deepEqual(problems, [{ line: 2, says: 'is not JSON' }])
  const alone = casesOf(['title', 'data'], lined([[7, 'as it is']]), ['title', 'data'])
  assert.deepEqual(alone.cases, [{ title: '7', data: 'as it is' }])
})

void test('the same row gets the same id each time, and the second of two equal rows another', async () => {
  const rows = [{ title: 'A' }, { title: 'A' }, { title: 'B', external_id: 'own' }]
  const [first, second, own] = await withIds(rows, hash)
  assert.deepEqual(await withIds(rows, hash), [first, second, own])
  assert.equal(second?.external_id, `${first?.external_id}-2`)
  assert.equal(own?.external_id, 'own')
})

void test('a batch has at most a hundred rows and about a megabyte', () => {
  const many = Array.from({ length: 250 }, (_, at) => ({ title: `Case ${at}` }))
  assert.deepEqual(
    batchesOf(many).map((batch) => batch.length),
    [100, 100, 50],
  )
  const large = Array.from({ length: 4 }, () => ({ title: 'Large', data: 'x'.repeat(600_000) }))
  assert.deepEqual(
    batchesOf(large).map((batch) => batch.length),
    [1, 1, 1, 1],
  )
})
