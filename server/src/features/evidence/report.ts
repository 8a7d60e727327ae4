// The page of a bundle that people read: what happened in each run, in order, without scripts and without us.
import type { Sql } from '../../base/db.ts'
import { escapeAttribute as escapeHtml } from '../../base/page/writeHtml.ts'
import { eventsOfBatch, type BatchRow } from '../../kit/eventsOfBatch.ts'

/** How much of a text the page shows; the rows of the bundle have all of it. */
const shownLength = 4000
const rowsAtOnce = 20

const style = `
body { font: 15px/1.5 system-ui, sans-serif; color: #1b1f24; background: #fff; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1, h2, h3 { line-height: 1.2 } h2 { margin-top: 3rem; border-top: 1px solid #d0d7de; padding-top: 1.5rem }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0 }
th { font-weight: 600; color: #57606a } tr + tr td { border-top: 1px solid #eaeef2 }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .2rem 0; font: 13px/1.45 ui-monospace, monospace }
.time { color: #57606a; white-space: nowrap; font-variant-numeric: tabular-nums } .bar { background: #54aeff; height: .6rem; min-width: 2px; border-radius: 2px }
.track { width: 12rem } .failed { color: #a40e26 } .note { color: #57606a }
@media (prefers-color-scheme: dark) { body { background: #0d1117; color: #e6edf3 } tr + tr td, h2 { border-color: #30363d } th, .time, .note { color: #8d96a0 }
.failed { color: #ff8182 } }`

interface RunHead {
  id: string
  run_number: number
  agent_name: string | null
  title: string
  status: string
  source: string
  started_by: string | null
  created_at: Date
  started_at: Date | null
  completed_at: Date | null
  cost_usd: string
  log_erased_at: Date | null
}

interface StepRow {
  seq: number
  kind: string
  tool: string | null
  state: string
  attempt: number
  error: string | null
  started_at: Date
  completed_at: Date | null
}

interface Reported {
  /** What the bundle is for, such as `Run 12`. */
  about: string
  runIds: string[]
  madeAt: Date
  /** Whether the page says which member started a run. */
  isWithMembers: boolean
}

export async function* report(sql: Sql, { about, runIds, madeAt, isWithMembers }: Reported): AsyncGenerator<Buffer> {
  yield html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>Evidence: ${about}</title>
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <meta name="viewport" content="width=device-width" />
        <style>
          ${raw(style)}
        </style>
      </head>
      <body>
        <h1>Evidence: ${about}</h1>
        <p>
          Made by Runyard on ${madeAt.toISOString()}. This page is for reading; the rows beside it are what is signed.
          <code>runyard evidence verify</code> checks them.
        </p>
     `
  for (const id of runIds) yield* ofRun(sql, id, isWithMembers)
  yield html`</body></html> `
}

async function* ofRun(sql: Sql, id: string, isWithMembers: boolean): AsyncGenerator<Buffer> {
  const [run] = await sql<RunHead>`
    select r.id, r.run_number, a.name as agent_name, r.title, r.status, r.source, u.email as started_by, r.created_at, r.started_at, r.completed_at,
      trim_scale(r.cost_usd)::text as cost_usd, r.log_erased_at
    from runs r left join agents a on a.id = r.agent_id left join members u on u.id = r.user_id and ${isWithMembers} where r.id = ${id}`
  if (!run) return
  yield html`<h2>Run ${run.run_number}${run.agent_name === null ? '' : ` of ${run.agent_name}`}</h2>
    <table>
      ${facts({
        Run: run.id,
        Title: run.title,
        Status: run.status,
        'Started by': run.started_by ?? run.source,
        Created: run.created_at.toISOString(),
        Started: run.started_at?.toISOString() ?? '',
        Ended: run.completed_at?.toISOString() ?? 'not yet',
        Cost: `${run.cost_usd} USD`,
      })}
    </table> `
  if (run.log_erased_at) {
    yield html`<p class="note">
      The log was erased on ${run.log_erased_at.toISOString()}. Its links in the seals are what is left of it.
    </p> `
    return
  }
  yield* stepTable(sql, run)
  yield* timeline(sql, run.id)
}

const facts = (values: Record<string, string>): Raw =>
  raw(
    Object.entries(values)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `<tr><th>${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`)
      .join(''),
  )

async function* stepTable(sql: Sql, run: RunHead): AsyncGenerator<Buffer> {
  const from = run.created_at.getTime()
  const whole = Math.max((run.completed_at ?? new Date()).getTime() - from, 1)
  yield html`<h3>Steps</h3>
    <table>
      <tr>
        <th>#</th>
        <th>Step</th>
        <th>State</th>
        <th>Attempts</th>
        <th>Took</th>
        <th></th>
      </tr>
     `
  let page: StepRow[] = []
  do {
    page = await sql<StepRow>`
      select seq, kind, tool, state, attempt, left(error, 500) as error, started_at, completed_at from run_steps
      where run_id = ${run.id} and seq > ${page.at(-1)?.seq ?? 0} order by seq limit ${rowsAtOnce}`
    for (const { seq, kind, tool, state, attempt, error, started_at, completed_at } of page) {
      const took = completed_at && completed_at.getTime() - started_at.getTime()
      const place = (ms: number) => `${Math.min(100, Math.max(0, (100 * ms) / whole)).toFixed(2)}%`
      yield html`<tr>
        <td>${seq}</td>
        <td>${tool ?? kind}${error === null ? '' : raw(`<pre class="failed">${escapeHtml(error)}</pre>`)}</td>
        <td>${state}</td>
        <td>${attempt}</td>
        <td class="time">${took === null ? '' : `${took} ms`}</td>
        <td class="track">
          <div
            class="bar"
            style="${`margin-left:${place(started_at.getTime() - from)};width:${place(took ?? 0)}`}"
          ></div>
        </td>
      </tr> `
    }
  } while (page.length === rowsAtOnce)
  yield html`</table>\n`
}

async function* timeline(sql: Sql, runId: string): AsyncGenerator<Buffer> {
  yield html`<h3>What happened</h3>
    <table> `
  let page: (BatchRow & { last: number })[] = []
  do {
    page = await sql<BatchRow & { last: number }>`
      select id, team_id, run_id, agent_id, case_id, last::int as last, kinds, entries::text as entries, created_at from event_batches
      where run_id = ${runId} and last > ${page.at(-1)?.last ?? 0} order by last limit ${rowsAtOnce}`
    for (const batch of page) {
      for (const { event, text } of eventsOfBatch(batch, 0)) {
        const told = toldBy((JSON.parse(text) as { data: Told }).data)
        yield html`<tr>
          <td class="time">${batch.created_at.toISOString()}</td>
          <td>${event}</td>
          <td><pre>${told}</pre></td>
        </tr> `
      }
    }
  } while (page.length === rowsAtOnce)
  yield html`</table>\n`
}

interface Told {
  message?: { role: string; text_content: string | null; tool_call: unknown; tool_result: unknown }
  human_request?: { title: string; status: string; action: unknown; response: unknown; responded_by: string | null }
  [field: string]: unknown
}

/** What is known of each event and said above already. */
const known = new Set(['event_id', 'team_id', 'run_id', 'agent_id', 'case_id', 'sequence'])

function toldBy(data: Told): string {
  const { message, human_request: request } = data
  const told = message
    ? `${message.role}: ${message.text_content ?? JSON.stringify(message.tool_call ?? message.tool_result, null, 1)}`
    : JSON.stringify(request ?? Object.fromEntries(Object.entries(data).filter(([name]) => !known.has(name))), null, 1)
  return told.length > shownLength ? `${told.slice(0, shownLength)} … (cut here; the rows have all of it)` : told
}

class Raw {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const raw = (text: string): Raw => new Raw(text)

/** Everything is escaped but what was made here. */
const html = (texts: TemplateStringsArray, ...values: (string | number | Raw)[]): Buffer =>
  Buffer.from(
    texts.reduce((all, text, index) => {
      const value = values[index - 1]!
      return all + (value instanceof Raw ? value.text : escapeHtml(String(value))) + text
    }),
  )
