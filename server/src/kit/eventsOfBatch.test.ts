// The events of a row: what this process makes of it is what the database makes of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proves } from '../../test/kit/proves.ts'
import { testApp } from '../../test/kit/testApp.ts'
import { newId } from '../base/ids.ts'
import { batchId, eventNames, letterOf, rowsOf, eventText } from './event.ts'
import { part } from '../base/db.ts'
import { elementsOf, eventsOfBatch, type BatchRow } from './eventsOfBatch.ts'

const { sql } = (await testApp()).context.db

const arrays = [
  '[{}]',
  '[{"a":1},{"b":[1,2,{"c":"]"}]}]',
  ' [ {"a": 1.0} , {"b" : "x, y"}\n,\t{"c":1e3} ] ',
  String.raw`[{"a":"\""},{"b":"\\"},{"c":"\\\",{"},{"d":"\u0022}"}]`,
  '[{"é":"😀 [","\\n":null},"text, with ]",12,null,[[],[1]]]',
]

test('the elements of an array are written as the database writes them', async () => {
  for (const array of arrays) {
    const rows = await sql<{ text: string }>`select e::text as text from json_array_elements(${array}::json) e`
    assert.deepEqual(
      elementsOf(array),
      rows.map(({ text }) => text),
    )
  }
})

proves('events.sameBytes', 'a row becomes the same events here and in the database', async () => {
  const [team_id, run_id, agent_id, case_id] = [newId(), newId(), newId(), newId()]
  const many = Array.from({ length: 40 }, (_, n) => `{"n": ${n}.0,"text":"é \\"😀\\\\"}`)
  const kinds = many.map((_, n) => letterOf[eventNames[n % eventNames.length]!]).join('')
  const rows: Omit<BatchRow, 'created_at'>[] = [
    { id: batchId(), team_id, run_id, agent_id, case_id: null, last: 43, kinds, entries: `[${many.join(',')}]` },
    { id: batchId(), team_id, run_id, agent_id, case_id, last: 44, kinds: 's', entries: '[{"status": "running"}]' },
    { id: newId(), team_id, run_id, agent_id: null, case_id: null, last: 45, kinds: 'w', entries: '[{"whole" : 1}]' },
    {
      id: newId(),
      team_id,
      run_id: null,
      agent_id: null,
      case_id: null,
      last: null,
      kinds: 'u',
      entries: '[ {"a":1} ]',
    },
  ]
  await sql`
    insert into event_batches (id, team_id, run_id, agent_id, case_id, last, kinds, entries)
    select id, team_id, run_id, agent_id, case_id, last, kinds, entries::json from json_to_recordset(${JSON.stringify(rows)}::json) as b (
      id uuid, team_id uuid, run_id uuid, agent_id uuid, case_id uuid, last bigint, kinds text, entries text)`
  const theirs = await sql<{
    id: string
    event: string
    created_at: Date
    data: string
    place: number
    sequence: number
  }>`
    select e.id, e.event, b.created_at, ${eventText} as data, e.place, coalesce(e.sequence, 0) as sequence
    from ${rowsOf(part`event_batches`)} where b.team_id = ${team_id} order by b.last, e.place`
  const stored = await sql<BatchRow>`
    select b.*, b.entries::text as entries from event_batches b where team_id = ${team_id} order by last`
  assert.deepEqual(
    stored.flatMap((row) => eventsOfBatch(row, 0)),
    theirs.map(({ id, event, created_at, data, place, sequence }) => {
      const head = JSON.stringify({ id, event, created_at })
      return { id, place, sequence, event, text: `${head.slice(0, -1)},"data":${data}}` }
    }),
  )
  assert.deepEqual(eventsOfBatch(stored[0]!, 38), eventsOfBatch(stored[0]!, 0).slice(38))
})
