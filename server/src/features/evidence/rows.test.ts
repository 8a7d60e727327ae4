// The lines of rows: the bytes that were sealed, however they are made.
import assert from 'node:assert/strict'
import { newId } from '../../base/ids.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'
import { stepLine } from './rows.ts'

const { context } = await testApp()
const { sql } = context.db

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
