// Files of cases become rows: by their names or their first character, each row with its line.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowsOf } from './fileRows.ts'

void test('the first line of a CSV file names its columns, and empty lines are no rows', () => {
  assert.deepEqual(rowsOf('a.csv', '\uFEFFtitle;amount\r\nOne;1\r\n\r\nTwo;2\r\n'), {
    columns: ['title', 'amount'],
    rows: [
      { line: 2, cells: ['One', '1'] },
      { line: 4, cells: ['Two', '2'] },
    ],
  })
  assert.throws(() => rowsOf('a.csv', 'title\n'), /no row below/)
})

void test('each line of an NDJSON file is a row, its fields are columns, and a wrong line is named', () => {
  const text = '{"title":"One","sum":1}\n\n{"sum":{"eur":2},"title":"Two","note":null}\n[1]\n{"title":\n'
  for (const name of ['a.jsonl', 'a.ndjson', 'lines.txt']) {
    const { columns, rows } = rowsOf(name, text)
    assert.deepEqual(columns, ['title', 'sum', 'note'])
    assert.deepEqual(rows, [
      { line: 1, cells: ['One', 1] },
      { line: 3, cells: ['Two', { eur: 2 }, null] },
      { line: 4, cells: [], problem: 'is not a JSON object' },
      { line: 5, cells: [], problem: 'is not JSON' },
    ])
  }
  assert.throws(() => rowsOf('a.jsonl', '[]\n'), /no line with a JSON object/)
})

void test('objects with too many different fields are refused before anything is drawn', () => {
  const lines = Array.from({ length: 101 }, (_, at) => JSON.stringify({ [`field ${at}`]: at }))
  assert.throws(() => rowsOf('a.jsonl', lines.join('\n')), /more than 100 different fields/)
})
