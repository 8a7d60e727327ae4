// A run of very many steps, written into the tables at once: nobody wants to wait for ten thousand calls.
import { Client } from 'pg'
import type { Runyard } from '../../../sdk/src/index.ts'
import { mustHave } from '../../../server/src/base/mustHave.ts'
import { connectionUrl } from '../../../server/src/base/embeddedPostgres.ts'
import { readFacts } from '../../../server/src/base/postgres/facts.ts'

/** How one reaches the embedded database of a data dir. */
export const databaseOf = (dataDir: string): string =>
  connectionUrl(mustHave(readFacts(dataDir), `a database in ${dataDir}`))

/** An ended run with this many steps: turns, calls, clicks, requests to people, failures and second attempts. Gives its id. */
export async function makeLongRun(sdk: Runyard, databaseUrl: string, steps: number): Promise<string> {
  const procedure = '# Long\n\n```file path=a.txt\nx\n```\n\n```output\ndone\n```\n'
  const { agent_id } = await sdk.agents.create({
    name: 'Night ledger of ten thousand',
    build: { config: { version: 'v2', data: { input: procedure } } },
  })
  const { id } = await sdk.runs.startAndWait({ agent_id, title: 'Ten thousand steps' })
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query(
      `insert into run_steps (run_id, seq, turn, kind, tool, arguments, state, attempt, result, input_tokens, output_tokens, cost_usd,
         started_at, completed_at)
       select r.id, n, n / 5 + 1,
         case when n % 5 = 1 then 'model' when n % 97 = 0 then 'human' else 'tool' end,
         case when n % 5 = 1 then 'some:model' when n % 97 = 0 then 'human_approve' when n % 3 = 0 then 'browser_click' else 'http_request' end,
         jsonb_build_object('url', 'https://example.com/orders/' || n, 'method', 'GET', 'title', 'May it? ' || n),
         case when n % 211 = 0 then 'failed' else 'done' end, case when n % 301 = 0 then 2 else 1 end, '{"status": 200}',
         case when n % 5 = 1 then 100 end, case when n % 5 = 1 then 20 end, 0.001,
         r.started_at + make_interval(secs => n), r.started_at + make_interval(secs => n + 0.9)
       from runs r, generate_series(2, $2::int) n where r.id = $1`,
      [id, steps],
    )
    await client.query(
      `update runs set steps = $2, completed_at = started_at + make_interval(secs => $2 + 2) where id = $1`,
      [id, steps],
    )
  } finally {
    await client.end()
  }
  return id
}

/** Adds a folding to an ended run, as the engine writes one. */
export async function addFolding(databaseUrl: string, runId: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  const about = { room: 'fold', from_turn: 1, through_turn: 27, results: 31, tokens_before: 24_613, window: 32_768 }
  const says = 'Folded turns 1 to 27 with 31 results into notes: about 24,613 tokens before, 9,870 after'
  const result = { says, notes: 'Orders up to **88214** are checked.\n\n- Open: the refund of order 88190 (step 12).' }
  try {
    await client.query(
      `insert into run_steps (run_id, seq, turn, kind, tool, arguments, state, result, input_tokens, output_tokens, cost_usd, said,
         started_at, completed_at)
       select r.id, (select max(seq) + 1 from run_steps where run_id = r.id), 27, 'model', 'some:model', $2::jsonb, 'done', $3::jsonb,
         9100, 420, 0.034, $4, r.completed_at, r.completed_at + interval '3 seconds' from runs r where r.id = $1`,
      [runId, JSON.stringify(about), JSON.stringify(result), 'turns 1 to 27, 24,613 → 9,870 tokens'],
    )
  } finally {
    await client.end()
  }
}
