// Columns of many rows: whatever a tenant wrote comes back as it was, and in its own row.
import assert from 'node:assert/strict'
import { proves } from '../../test/kit/proves.ts'
import { testApp } from '../../test/kit/testApp.ts'
import { jsonColumn, plainColumn, textColumn } from './columns.ts'

const { sql } = (await testApp()).context.db

const hostile = [
  '',
  'null',
  'NULL',
  '{}',
  ',',
  '"',
  '\\',
  "'; drop table runs; --",
  '\u001f',
  '\u001e',
  'a\u001fb',
  '\n',
  '😀',
  null,
]

proves('sql.columns', 'texts and JSON with any character stay in their rows', async () => {
  const rows = await sql<{ place: number; text: string | null; json: unknown }>`
    select place, text, json::jsonb as json from unnest(${plainColumn(hostile.map((_, index) => index))}::int[],
      ${textColumn(hostile)}::text[], ${jsonColumn(hostile.map((text) => (text === null ? null : { [`k${text}`]: [text] })))})
      as t (place, text, json) order by place`
  assert.deepEqual(
    rows,
    hostile.map((text, place) => ({ place, text, json: text === null ? null : { [`k${text}`]: [text] } })),
  )
})

proves('sql.columns', 'a NUL and half a character are replaced, and a column of nothing but null is null', async () => {
  const rows = await sql`
    select text, json::jsonb as json, none from unnest(
      ${textColumn(['a\u0000b', '\ud83d'])}::text[], ${jsonColumn(['a\u0000b', '\ud83d'])}, ${jsonColumn([null, undefined])})
      as t (text, json, none)`
  assert.deepEqual(rows, [
    { text: 'a\ufffdb', json: 'a\ufffdb', none: null },
    { text: '\ufffd', json: '\ufffd', none: null },
  ])
})
