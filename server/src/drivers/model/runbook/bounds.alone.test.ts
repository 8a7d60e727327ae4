// The bounds of expressions and templates: their length, work and memory are counted while they are evaluated.
import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { anyMessage, anyTemplate, templateAttacks } from '../../../../test/fuzz/hostileTemplates.ts'
import type { Turn } from '../model.ts'
import { runbook } from './runbook.ts'
import { proves } from '../../../../test/kit/proves.ts'

const run = { id: 'r', number: 1, title: null, agent_id: 'a', agent_name: 'A', source: 'api', created_at: '2026-01-01' }

async function firstTurn(procedure: string, message: unknown): Promise<Turn> {
  const facts = { message, case: null, run } as Parameters<typeof runbook.open>[0]['facts']
  const conversation = runbook.open({
    model: 'builtin:runbook',
    procedure,
    tools: [],
    facts,
    output_schema: null,
    output_tokens_max: null,
  })
  return conversation.next({ signal: new AbortController().signal, onText: () => undefined })
}

const fenced = (word: string, body: string) => `\`\`\`${word}\n${body}\n\`\`\`\n`

proves(
  'bounds.templates',
  'templates that would fill the memory or take for ever fail the run with a sentence about their step',
  async () => {
    for (const { name, procedure, message } of templateAttacks) {
      assert.ok(procedure.length < 256 * 1024, name)
      const before = process.memoryUsage()
      const { ending } = await firstTurn(procedure, message)
      const grown = process.memoryUsage().rss - before.rss
      assert.ok(ending.kind === 'failed', `${name}: ${ending.kind}`)
      assert.match(
        ending.message,
        /^Step \S+ \(line \d+\) (?:failed: The .*longer than|failed: The filter \w+ gives|takes too long)/,
        name,
      )
      assert.ok(['step_failed', 'limit_reached'].includes(ending.code), name)
      assert.ok(grown < 400 * 1024 ** 2, `${name}: ${Math.round(grown / 1024 ** 2)} MiB`)
    }
  },
)

proves('bounds.templates', 'a text that is almost a number is refused at once, however long it is', async () => {
  const { ending } = await firstTurn(fenced('output', '{{ message | number }}'), `${'1'.repeat(1_000_000)}x`)
  assert.ok(ending.kind === 'failed' && /cannot read it/.test(ending.message), JSON.stringify(ending).slice(0, 200))
})

proves('bounds.templates', 'no template takes more than its turn, whatever it says', async () => {
  const endings = { done: 0, failed: 0, calls: 0 }
  await fc.assert(
    fc.asyncProperty(anyTemplate, anyMessage, async (template, message) => {
      const { ending } = await firstTurn(fenced('output', template), message)
      endings[ending.kind] += 1
      if (ending.kind === 'done') assert.ok(JSON.stringify(ending.output).length < 9_000_000)
    }),
    { numRuns: 150, seed: 20_261_116 },
  )
  assert.ok(endings.done > 20 && endings.failed > 20, JSON.stringify(endings))
})

proves('bounds.templates', 'an ordinary procedure over a megabyte is worked out', async () => {
  const text = 'one line of the report\n'.repeat(40_000)
  const output = '{"lines": {{ message | lines | length }}, "first": {{ message | lines | first | upper }}}'
  const { ending } = await firstTurn(fenced('output if="message contains \'report\'"', output), text)
  assert.ok(ending.kind === 'done')
  assert.deepEqual(ending.output, { lines: 40_000, first: 'ONE LINE OF THE REPORT' })
})

proves(
  'runbook.jsonValue',
  'where a JSON value stands, the filter json gives the value and not a text inside a string',
  async () => {
    const body =
      '{"n": {{ message.n | json }}, "all": [{{ message | json }}], "text": "as text: {{ message.list | json }}"}'
    const { ending } = await firstTurn(fenced('output', body), { n: 5, list: [1, 2] })
    assert.ok(ending.kind === 'done')
    assert.deepEqual(ending.output, { n: 5, all: [{ n: 5, list: [1, 2] }], text: 'as text: [1,2]' })
    const written = await firstTurn(fenced('file path=a.json', '{"n": {{ message.n | json }}}'), { n: 5 })
    assert.deepEqual(written.calls[0]?.arguments, { path: 'a.json', content: '{"n": 5}' })
    const http = fenced(
      'http',
      'POST https://example.com/\n\n{"n": {{ message.n | json }}, "twice": {{ message.n | json | json }}}',
    )
    const called = await firstTurn(http, { n: 5 })
    const sent = called.calls[0]!.arguments as { body: string }
    assert.equal(sent.body, '{"n": 5, "twice": "5"}')
    const alone = await firstTurn(fenced('output', '{{ message | json }}'), { n: 5 })
    assert.ok(alone.ending.kind === 'done')
    assert.equal(alone.ending.output, '{"n":5}')
  },
)
