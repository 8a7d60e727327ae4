// A run with long work, written into the tables as the engine writes it: calls side by side, and old turns folded into notes.
import { Client } from 'pg'
import type { Runyard } from '../../../sdk/src/index.ts'
import { step } from './sampleAgents.ts'

interface Line {
  turn: number
  kind: 'model' | 'tool'
  tool: string
  /** Seconds after the start of the run. */
  from: number
  to: number
  said?: string
  arguments?: object
  result: unknown
  tokens?: [input: number, output: number]
}

const model = 'anthropic:claude-sonnet-4-5'

const said = (turn: number, from: number, to: number, text: string, input: number): Line => ({
  turn,
  kind: 'model',
  tool: model,
  from,
  to,
  said: text,
  result: { text },
  tokens: [input, 180],
})

const asked = (turn: number, from: number, took: number, order: number): Line => ({
  turn,
  kind: 'tool',
  tool: 'http_request',
  from,
  to: from + took,
  arguments: { method: 'GET', url: `https://shop.example.com/orders/${order}` },
  result: { status: 200, body: { order, state: order % 3 === 0 ? 'late' : 'sent' } },
})

const folding: Line = {
  turn: 19,
  kind: 'model',
  tool: model,
  from: 96,
  to: 101,
  said: 'turns 1 to 17, 151,204 → 38,610 tokens',
  arguments: {
    room: 'fold',
    from_turn: 1,
    through_turn: 17,
    results: 52,
    tokens_before: 151_204,
    window: 200_000,
  },
  result: {
    says: 'Folded turns 1 to 17 with 52 results into notes: about 151,204 tokens before, 38,610 after',
    notes: [
      'Orders **88100 to 88152** are checked; 49 were sent on time.',
      '',
      '- Late: 88107, 88119 and 88140. The customers of the first two know it.',
      '- Open: the carrier has not answered about order 88140 (step 9).',
    ].join('\n'),
  },
  tokens: [39_800, 410],
}

/** In five rounds of four calls each, the third of which is slow, and with a folding after three of them. */
function linesOfWork(): Line[] {
  const lines: Line[] = []
  for (let round = 0; round < 5; round += 1) {
    const turn = 16 + round
    const at = round * 30 + (round > 2 ? 14 : 0)
    const first = 88_141 + round * 4
    const text = `I read the orders ${first} to ${first + 3} side by side.`
    lines.push(said(turn, at, at + 6, text, round > 2 ? 39_000 + round * 900 : 140_000 + round * 3600))
    const took = [4.2, 7.5, 19.8, 5.1]
    lines.push(...took.map((seconds, nth) => asked(turn, at + 6.1 + nth * 0.1, seconds, first + nth)))
    if (round === 2) lines.push(folding)
  }
  return lines
}

export async function makeSampleLongWork(sdk: Runyard, databaseUrl: string): Promise<string> {
  const input = [
    '# Check every order of the week',
    step('file path=late.md', 'None yet.'),
    step('output', '{"checked": 73, "late": 4}'),
  ]
  const { agent_id } = await sdk.agents.create({
    name: 'Order check',
    description: 'Goes through the orders of a week, and names those that are late.',
    build: { config: { version: 'v2', data: { input: input.join('\n\n') } } },
  })
  const { id } = await sdk.runs.startAndWait({ agent_id, title: 'Orders of week 46' })
  const lines = linesOfWork()
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query(`update runs set started_at = completed_at - interval '175 seconds' where id = $1`, [id])
    await client.query('delete from run_steps where run_id = $1', [id])
    await client.query(
      `insert into run_steps (run_id, seq, turn, kind, tool, arguments, state, result, input_tokens, output_tokens, cost_usd, said,
         started_at, completed_at)
       select r.id, n, (l ->> 'turn')::int, l ->> 'kind', l ->> 'tool', l -> 'arguments', 'done', l -> 'result',
         (l -> 'tokens' ->> 0)::bigint, (l -> 'tokens' ->> 1)::bigint, (l -> 'tokens' ->> 0)::bigint * 0.000003, l ->> 'said',
         r.started_at + make_interval(secs => (l ->> 'from')::float8), r.started_at + make_interval(secs => (l ->> 'to')::float8)
       from runs r, jsonb_array_elements($2::jsonb) with ordinality as given (l, n) where r.id = $1`,
      [id, JSON.stringify(lines)],
    )
    await client.query(
      `update runs set steps = $2, active_ms = 175000, input_tokens = s.input, output_tokens = s.output, cost_usd = s.cost
       from (select sum(input_tokens) as input, sum(output_tokens) as output, sum(cost_usd) as cost from run_steps where run_id = $1) s
       where id = $1`,
      [id, lines.length],
    )
  } finally {
    await client.end()
  }
  return id
}
