// The lines of rows and the texts of seals: the bytes that were sealed, however they are made.
import assert from 'node:assert/strict'
import { newId } from '../../base/ids.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'
import { sealText, stepLine } from './rows.ts'

const { context } = await testApp()
const { sql } = context.db

/** 32 bytes, in hex. */
const hex = (digits: string): string => digits.repeat(32)

proves('evidence.rows', 'the line of a step is the JSON that PostgreSQL makes of it, byte for byte', async () => {
  const runId = newId()
  const odd = 'a "quote", a \\ backslash, a\ttab,\na line, \u0001, é, 漢, 😀, </script>'
  const json = JSON.stringify({ text: odd, list: [1, 2.5, null, true], empty: {} })
  await sql`
    insert into run_steps (run_id, seq, turn, kind, tool, state, attempt, started_at, completed_at, arguments, result, error, said, moments,
      arrived, input_tokens, output_tokens, cost_usd, unsettled)
    values (${runId}, 1, 0, 'wait', null, 'intent', 1, '2026-01-02T03:04:05.006Z', null, null, null, null, null, null, null, null, null, null, 0),
      (${runId}, 2, 3, 'tool', ${odd}, 'in_doubt', 4, '1999-12-31T23:59:59.999Z', '2026-06-07T08:09:10Z', ${json}, ${json}, ${odd}, ${odd},
        ${json}, ${json}, 0, 9007199254740991, 1.5000000000, 7),
      (${runId}, 3, 2147483647, 'model', '', 'failed', 1, '2026-01-02T03:04:05Z', now(), '""', 'null', '', '', '[]', '1e300', 1, 2, 0, 0),
      (${runId}, 4, 1, 'sub_run', 'x', 'done', 1, now(), now(), '0.10', '"1"', null, null, null, null, null, null, 0.0000000001, 0)`
  const lines = await sql<{ line: string; expected: string }>`
    select ${stepLine} as line,
      json_build_object('seq', s.seq, 'turn', s.turn, 'kind', s.kind, 'tool', s.tool, 'state', s.state, 'attempt', s.attempt,
        'started_at', iso(s.started_at), 'completed_at', iso(s.completed_at), 'arguments', s.arguments, 'result', s.result, 'error', s.error,
        'said', s.said, 'moments', s.moments, 'arrived', s.arrived, 'input_tokens', s.input_tokens, 'output_tokens', s.output_tokens,
        'cost_usd', trim_scale(s.cost_usd), 'unsettled', s.unsettled)::text as expected
    from run_steps s where s.run_id = ${runId} order by s.seq`
  assert.equal(lines.length, 4)
  for (const { line, expected } of lines) assert.equal(line, expected)
})

proves(
  'evidence.seals',
  'the text of a seal is JSON without spaces, its fields in the order of the format',
  async () => {
    const id = newId()
    for (const other of [id, null]) {
      const [row] = await sql<{ text: string }>`
      select ${sealText} as text from (
        select ${id}::uuid as team_id, ${id}::uuid as run_id, ${id}::uuid as agent_id, ${id}::uuid as build_id, 'api' as source,
          ${other}::uuid as user_id, ${other}::uuid as case_id, ${other}::uuid as parent_run_id, '2026-01-02T03:04:05.060Z'::timestamptz as created_at,
          decode(${hex('0a')}::text, 'hex') as config_hash, 2 as number, 30 as events_last, 4 as events_rows,
          decode(${hex('1b')}::text, 'hex') as events_link, 5 as steps_rows, decode(${hex('2c')}::text, 'hex') as steps_link, 0 as messages_rows,
          decode(${hex('00')}::text, 'hex') as messages_link, decode(${other && hex('ff')}::text, 'hex') as before
      ) n`
      const expected = {
        format: 'runyard-seal-1',
        team_id: id,
        run_id: id,
        agent_id: id,
        build_id: id,
        config_sha256: hex('0a'),
        source: 'api',
        user_id: other,
        case_id: other,
        parent_run_id: other,
        created_at: '2026-01-02T03:04:05.060Z',
        number: 2,
        events: { last: 30, rows: 4, link: hex('1b') },
        steps: { rows: 5, link: hex('2c') },
        messages: { rows: 0, link: hex('00') },
        before: other && hex('ff'),
      }
      assert.equal(row?.text, JSON.stringify(expected))
    }
  },
)
