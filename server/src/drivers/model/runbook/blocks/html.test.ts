// The html block: its template is checked with the procedure, and it hands over the results of the steps that it reads.
import assert from 'node:assert/strict'
import { proves } from '../../../../../test/kit/proves.ts'
import { parseRunbook } from '../parse.ts'
import { newScope } from '../scope.ts'
import { missingTools, prepare } from '../steps.ts'

const run = {
  id: 'r',
  number: 1,
  title: null,
  agent_id: 'a',
  agent_name: 'A',
  source: 'api',
  created_at: '2026-01-01T00:00:00.000Z',
}
const fetchStep = '```tool id=fetch name=operations_runs\n{}\n```\n'

proves('runbook.html', 'an html block becomes a call with its template and the steps that it reads', () => {
  const html = '<h1>Runs</h1>\n<p each="row in data.fetch.rows">{{ row.n }} \\{{</p>'
  const { blocks, problems } = parseRunbook(
    `${fetchStep}${fetchStep.replace('fetch', 'other')}\`\`\`html id=page if="steps.fetch.ok"\n${html}\n\`\`\``,
  )
  assert.deepEqual(problems, [])
  const page = blocks[2]!
  assert.deepEqual(
    [page.kind, page.reads, missingTools([page])],
    ['html', ['fetch'], [{ tool: 'artifact_show', line: 7 }]],
  )
  const scope = newScope({ message: null, case: null, run })
  const view = { output: { rows: [{ n: '<b>' }] }, error: null, ok: true, skipped: false }
  scope.steps.set('fetch', view)
  scope.steps.set('other', view)
  assert.deepEqual(prepare(page, scope), {
    kind: 'call',
    name: 'artifact_show',
    arguments: { html, steps: { fetch: view } },
  })
})

const told = (procedure: string): string[] =>
  parseRunbook(procedure).problems.map(({ line, message }) => `${line}: ${message}`)

proves('runbook.html', 'what is wrong with a template is reported with its line in the procedure', () => {
  assert.deepEqual(told('```html\n<p>x</p>\n\n<script>x</script>\n```').length, 1)
  assert.match(
    told('Text\n\n```html\n<p>x</p>\n\n<script>x</script>\n```')[0]!,
    /^6: <script> cannot be part of a page/,
  )
  assert.deepEqual(
    told(
      '```html\n<p>x</p>\n<p if="data.later.ok">{{ data.nobody.x }}</p>\n<p>{{ data.nobody.x }}</p>\n```\n```output id=later\nx\n```',
    ),
    [
      '3: The step "later" (line 6) does not come before this one, so it has no result here.',
      '3: There is no step "nobody". Give a block this id, or correct the name.',
    ],
  )
  assert.match(told('```html\n\n```')[0]!, /^1: This html block is empty/)
  assert.match(told('```html retry=2\n<p>x</p>\n```')[0]!, /^1: A html block has no retry=/)
})
