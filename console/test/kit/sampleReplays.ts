// An agent whose builds were replayed: recorded runs, a draft that changes some of them, a gate, and what the builder suggests.
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import type { Runyard } from '../../../sdk/src/index.ts'
import { canonicalHash } from '../../../server/src/engine/builds/canonicalHash.ts'
import { step } from './sampleAgents.ts'
import { requestOfRun, untilStatus } from './sampleData.ts'

export interface SampleReplays {
  agent: string
  /** Of a draft that somebody wrote: it changes two runs. */
  replay: string
  /** Nobody has decided on it. */
  suggestion: string
}

interface Invoice {
  number: string
  supplier: string
  /** As a mail program reads it: not always a number. */
  total: number | string
  is_known?: boolean
  order?: string
  due?: string
}

const invoices: Invoice[] = [
  { number: 'R-2041', supplier: 'Hansen Packaging', total: 318, order: '5502', due: '2 December' },
  { number: 'R-2042', supplier: 'Blue Lamp Ltd', total: 96.4, order: '5503', due: '4 December' },
  { number: '7714', supplier: 'Harbour Freight', total: '1.240,50 EUR', order: '5490', due: '1 December' },
  { number: 'R-2043', supplier: 'Hansen Packaging', total: 44, order: '5507', due: '9 December' },
  { number: '26-118', supplier: 'Nordic Desks', total: 2880, is_known: false, order: '5511', due: '30 November' },
  { number: '7720', supplier: 'Harbour Freight', total: '96,00 EUR', order: '5512', due: '4 December' },
  { number: 'R-2044', supplier: 'Blue Lamp Ltd', total: 61.2, due: '11 December' },
  { number: '881', supplier: 'City Cleaning', total: 450, order: '5514' },
  { number: '7723', supplier: 'Harbour Freight', total: '310,75 EUR', order: '5519', due: '7 December' },
  { number: 'R-2045', supplier: 'Hansen Packaging', total: 127.9, order: '5520', due: '14 December' },
]

interface Words {
  says: string
  /** When a person is asked. */
  asksIf?: string
  total?: string
  due?: string
}

const procedure = ({ says, asksIf = 'message.is_known == false', total = '', due = '' }: Words): string =>
  [
    '# Take an invoice',
    says,
    step(
      'file path=invoice.json',
      '{"number": {{ message.number }}, "supplier": {{ message.supplier }}, "total": {{ message.total }}}',
    ),
    step(
      `approve id=book if="${asksIf}" timeout=2d on_timeout=reject`,
      'Book invoice {{ message.number }} of {{ message.supplier }}?\nIt is over {{ message.total }} EUR.',
    ),
    step(
      'output',
      `{"booked": {{ message.number }}, "total": {{ message.total${total} }}, "due": {{ message.due${due} }}}`,
    ),
  ].join('\n\n')

const isNumber = ' | number'
const live = procedure({
  says: 'Somebody agrees before the first invoice of a new supplier is booked.',
  total: isNumber,
})
const careful = procedure({
  says: 'Somebody agrees before an invoice is booked that has no order, or comes from a new supplier.',
  asksIf: 'message.is_known == false or message.order == null',
  total: isNumber,
  due: ' | default("in 30 days")',
})
const suggested = procedure({
  says: 'Somebody agrees before the first invoice of a new supplier is booked. A total is booked as it was read: some suppliers write “1.240,50 EUR”.',
})

const configOf = (input: string) => ({ version: 'v2' as const, data: { input } })

export async function makeSampleReplays(sdk: Runyard, database: string): Promise<SampleReplays> {
  const { agent_id: agent } = await sdk.agents.create({
    name: 'Invoice desk',
    description: 'Takes invoices from mails, and asks before it books one of a new supplier.',
    build: { config: configOf(live) },
  })
  for (const invoice of invoices) await book(sdk, agent, invoice)
  const { replay_set_id: set } = await sdk.replays.createSet(agent, { name: 'Invoices of November' })
  await sdk.replays.addRecordings(set, { last: 50 })
  const { replay_set_id: small } = await sdk.replays.createSet(agent, { name: 'New suppliers' })
  await sdk.replays.addRecordings(small, { last: 6 })
  const { build: draft } = await sdk.agents.createRevision(agent, {
    name: 'Invoices without an order',
    config: configOf(careful),
  })
  const { build: fix } = await sdk.agents.createRevision(agent, {
    name: 'Totals as they were read',
    config: configOf(suggested),
  })
  const { agent: made } = await sdk.agents.get(agent)
  await replayed(sdk, set, made.live_build_id ?? '')
  const helping = await replayed(sdk, set, fix.id)
  const replay = await replayed(sdk, set, draft.id)
  await sdk.replays.putGate(agent, { replay_set_id: set, min_match: 0.7, max_cost_usd: '2.50' })
  await sdk.suggestions.putSettings(agent, { is_on: true, failures: 3, of_runs: 10 })
  const suggestion = await suggest(database, { agent, draft: fix.id, hash: canonicalHash(fix.config), replay: helping })
  return { agent, replay, suggestion }
}

async function book(sdk: Runyard, agent_id: string, invoice: Invoice): Promise<void> {
  const title = `Invoice ${invoice.number} of ${invoice.supplier}`
  const { run_id } = await sdk.runs.start({ agent_id, title, message: { is_known: true, ...invoice } })
  if (invoice.is_known === false) {
    await untilStatus(sdk, run_id, 'waiting')
    await sdk.humanRequests.of(await requestOfRun(sdk, run_id)).approve()
  }
  await untilStatus(sdk, run_id, typeof invoice.total === 'number' ? 'completed' : 'failed')
}

async function replayed(sdk: Runyard, set: string, build_id: string): Promise<string> {
  const { replay_id } = await sdk.replays.start(set, { build_id })
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await pause(50)) {
    const { replay } = await sdk.replays.get(replay_id)
    if (replay.state === 'completed') return replay_id
    if (replay.state !== 'running') throw new Error(`the replay is ${replay.state}`)
  }
  throw new Error(`the replay ${replay_id} has not ended`)
}

interface Suggested {
  agent: string
  draft: string
  hash: string
  replay: string
}

/** Written into the tables: only a model writes drafts, and there is none here. */
async function suggest(database: string, { agent, draft, hash, replay }: Suggested): Promise<string> {
  const client = new Client({ connectionString: database })
  await client.connect()
  try {
    const { rows } = await client.query<{ id: string; state: string }>(
      `with builder as (
         insert into builder_runs (id, team_id, agent_id, build_id, status, model, prompt, checkpoint_config)
         select new_id(), team_id, agent_id, id, 'completed', 'builtin:runbook', '', config from builds where id = $1 returning *)
       insert into suggestions (id, team_id, agent_id, flag, label, failed_runs, of_runs, base_build_id, draft_build_id, builder_run_id, state,
         config_hash, replay_runs, replay_id, replay_problem, reason, decided_at, created_at)
       select new_id(), w.team_id, w.agent_id, g.flag, g.label, g.failed, 10, b.id, w.build_id, w.id, g.state, $2, 10,
         case when g.state = 'open' then $3::uuid end, case when g.state <> 'open' then 'The team has spent its monthly_cost_usd.' end,
         g.reason, now() - g.ago, now() - g.ago
       from builder w join builds b on b.agent_id = w.agent_id and b.status = 'live', (values
         ('limits_kept', 'Limits were kept', 4, 'rejected', 'The supplier sent the same page forty times.', interval '3 days'),
         ('ended_by_itself', 'Ended by itself', 3, 'open', null, interval '11 minutes')) as g (flag, label, failed, state, reason, ago)
       returning id, state`,
      [draft, hash, replay],
    )
    const suggestion = rows.find(({ state }) => state === 'open')?.id ?? ''
    await client.query('update suggestions set decided_at = null where id = $1', [suggestion])
    await client.query(
      `insert into suggestion_runs (suggestion_id, team_id, run_id, run_number, run_title, run_ended_at, comment)
       select $1, team_id, id, run_number, title, completed_at, 'The run failed: ' || (error ->> 'message')
       from runs where agent_id = $2 and status = 'failed'`,
      [suggestion, agent],
    )
    return suggestion
  } finally {
    await client.end()
  }
}
