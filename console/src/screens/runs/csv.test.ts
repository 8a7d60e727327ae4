// CSV of runs: quoting, formulas, and every run once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ListRunsInput, Run } from '@runyard/sdk'
import { csvCell, csvHead, csvLine, csvOf } from './csv.ts'
import { walkPage, walkSize, type WalkPlace } from '../../parts/walkPages.ts'

test('a cell is quoted where it must be, and what could be a formula becomes text', () => {
  assert.deepEqual([null, undefined, 1.5, -3, true, 'plain', 'a,b', 'say "hi"', 'two\nlines', ' edge '].map(csvCell), [
    '',
    '',
    '1.5',
    '-3',
    'true',
    'plain',
    '"a,b"',
    '"say ""hi"""',
    '"two\nlines"',
    '" edge "',
  ])
  for (const start of ['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r', '\n']) {
    const cell = csvCell(`${start}HYPERLINK("http://x","y")`)
    assert.ok(cell.startsWith(`"'${start}`), cell)
  }
  assert.equal(csvLine(['=1+1', 'a']), "'=1+1,a\r\n")
})

const runAt = (n: number, created_at: string): Run => ({
  id: `run-${n}`,
  team_id: 'team',
  agent_id: 'agent',
  agent_name: 'Agent',
  build_id: 'build',
  run_number: n,
  metadata: {},
  limits: { max_steps: 200, max_duration_s: 3600, max_cost_usd: null, max_tokens: null },
  callback_url: null,
  title: `=cmd|'/c calc'!A${n}`,
  status: 'completed',
  source: 'api',
  user_id: null,
  sandbox_id: null,
  browser_session_id: null,
  parent_run_id: null,
  parent_step: null,
  retry_of_run_id: null,
  retried_from_step: null,
  case_id: null,
  case_queue_id: null,
  case_title: null,
  message: { order: 1 },
  output: 'Done, at last',
  error: null,
  waiting_on: null,
  postponed_to: null,
  usage: { steps: 2, input_tokens: 0, output_tokens: 0, cost_usd: 0.25 },
  eval_summary: null,
  created_at,
  started_at: created_at,
  completed_at: new Date(Date.parse(created_at) + 1500).toISOString(),
  updated_at: created_at,
})

test('each run has as many cells as the head, and its title is no formula', () => {
  const line = csvOf(runAt(1, '2026-11-17T01:00:00.000Z'))
  assert.ok(line.includes(`,'=cmd|'/c calc'!A1,completed,`), line)
  assert.ok(line.includes('"{""order"":1}","Done, at last"'), line)
  const cells = line.replaceAll(/"(?:[^"]|"")*"/g, 'x').split(',')
  assert.equal(cells.length, csvHead().split(',').length)
})

const same = '2026-11-17T01:00:00.000Z'
const manyRuns = () =>
  Array.from({ length: 5 * walkSize + 7 }, (_, n) =>
    runAt(n, n < 130 ? '2026-11-17T02:00:00.000Z' : n < 400 ? same : new Date(Date.parse(same) - n).toISOString()),
  )

async function walk(runs: Run[], onPage: (given: Run[]) => void): Promise<number> {
  const ask = ({ until, limit = 0, offset = 0 }: ListRunsInput) => {
    const fitting = runs.filter(({ created_at }) => until === undefined || created_at < until)
    return Promise.resolve({ data: fitting.slice(offset, offset + limit), total: fitting.length })
  }
  let place: WalkPlace | undefined
  for (let pages = 1; ; pages += 1) {
    const page = await walkPage({}, place, ask)
    onPage(page.rows)
    if (!page.next) return pages
    place = page.next
  }
}

test('a walk gives every run once, also where more than a page was made in one moment', async () => {
  const all = manyRuns()
  const given: string[] = []
  const pages = await walk(all, (runs) => given.push(...runs.map(({ id }) => id)))
  assert.deepEqual(
    given,
    all.map(({ id }) => id),
  )
  assert.ok(pages <= 14, `${pages} pages`)
})

test('a walk misses none, although those that it gave are gone by the next page', async () => {
  const all = manyRuns()
  const given: string[] = []
  await walk(all, (runs) => {
    for (const run of runs) {
      given.push(run.id)
      // every tenth cannot be deleted
      if (run.run_number % 10 !== 0) all.splice(all.indexOf(run), 1)
    }
  })
  assert.equal(new Set(given).size, 5 * walkSize + 7)
  assert.equal(given.length, 5 * walkSize + 7)
})
