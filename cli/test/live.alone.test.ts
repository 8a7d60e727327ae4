// The live view of a run in a real pseudo-terminal: its tree, its cost, its waits, and what a screen of 24 lines shows of it.
import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import { startFakeAnthropic } from '../../server/test/fakes/anthropic.ts'
import type { FakeProvider } from '../../server/test/fakes/fakeProvider.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { assertWithin } from '../../server/test/kit/quietMachine.ts'
import { openService, type TestedService } from './service.ts'
import { noTerminal } from './terminal.ts'

const model = { models: { agent: { model: 'anthropic:claude-sonnet-4-5' } } }
/** $3 and $15 for a million tokens. */
const turn = { usage: { input: 1000, output: 100 } }
const turnUsd = 0.0045

const id = /[0-9a-f]{8}-[0-9a-f-]{27}/g
const idsIn = (text: string): string[] => text.match(id) ?? []
const withoutFigures = (text: string): string =>
  text
    .replaceAll(id, 'ID')
    .replaceAll(/ +\d+(\.\d)?s\b/g, ' TIME')
    .replaceAll(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, '*')
    .replaceAll(/ \d+ m?s ago/g, ' TIME ago')

const step = (index: number) => `\`\`\`memory path=note-${index}.md\nx\n\`\`\`\n`

describe('a run in a terminal', { skip: noTerminal }, () => {
  let service: TestedService
  let provider: FakeProvider
  before(async () => {
    provider = await startFakeAnthropic()
    service = await openService({ ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: 'sk-ant-canary-1234567890' })
  })
  after(async () => {
    await service.close()
    await provider.close()
  })

  proves(
    'cli.live',
    'sub-runs stand below the call that started them, and the cost is that of the service',
    async () => {
      const checks = await service.agent('Checks', 'Check it.', { ...model, plugins: ['human'] })
      const limits = { max_cost_usd: 0.5 }
      await service.agent('Leads', 'Lead.', { ...model, plugins: ['agents'], subAgents: [checks], limits })
      const { promise: isSeen, resolve: see } = Promise.withResolvers<void>()
      provider.answer(
        {
          text: 'I let it check.',
          calls: [{ name: 'agents_run', arguments: { agent: 'Checks', message: 'Main street' } }],
          ...turn,
        },
        { calls: [{ name: 'human_ask', arguments: { title: 'Is it right?' } }], ...turn },
        { text: 'It is.', ...turn },
        { text: ['All ', 'is well.'], hold: isSeen, ...turn },
      )
      const terminal = service.terminal(['run', 'Leads', '--wait', '--input', 'Begin'])
      await terminal.shows('Answer (Esc: later):')
      terminal.type('yes\r')
      // the events of the sub-run come by themselves, and nobody waits long for them when the run has ended
      await terminal.shows(/└ ✓ model {2}It is\. /)
      // on a busy machine a line between them says what the run waits for
      await terminal.shows(/ model .*\n(?: {2,}.*\n)*.*\$0\.0045 of \$0\.50 · sub-runs \$0\.0090/)
      see()
      assert.equal(await terminal.exited, 0)
      const text = terminal.screen.text()
      assert.equal(
        withoutFigures(text),
        [
          'Run ID',
          '✓ model  I let it check. TIME',
          '',
          'Is it right?',
          '  question of run ID, asked TIME ago',
          'Answer (Esc: later): yes',
          '✓ agents_run  Checks  Main street TIME',
          '  ├ ✓ model TIME',
          '  ├ ✓ human_ask  Is it right? TIME',
          '  └ ✓ model  It is. TIME',
          '✓ model  All is well. TIME',
          '✓ completed TIME · 3 steps · 2,200 tokens · $0.0090 of $0.50 · sub-runs $0.0090',
          'All is well.',
        ].join('\n'),
      )
      assert.deepEqual(terminal.screen.unknown, [])
      const [lead = '', check = ''] = idsIn(text)
      for (const one of [lead, check]) {
        const { run } = await service.sdk.runs.get(one)
        assert.deepEqual([run.usage.cost_usd, run.usage.input_tokens], [turnUsd * 2, 2000])
      }
    },
  )

  proves('cli.live', 'many steps fold into one line, and Ctrl-C leaves the run running', async () => {
    await service.agent(
      'Many',
      `${Array.from({ length: 40 }, (_, index) => step(index)).join('')}\`\`\`wait\n1h\n\`\`\`\n`,
    )
    const terminal = service.terminal(['run', 'Many', '--wait'])
    await terminal.shows(/It postponed itself .* in\s+59\s+min/s)
    const lines = withoutFigures(terminal.screen.text()).split('\n')
    assert.ok(lines.length < 24, lines.join('\n'))
    assert.deepEqual(lines.slice(0, 3), ['Run ID', '… 23 steps before', '✓ memory_write  note-23.md  x TIME'])
    assert.match(
      lines.slice(19).join('\n'),
      /^\* schedule_wait {2}.* TIME\n {2}It postponed .*\n(?: {2}.*\n)? TIME · 41 steps$/,
    )
    const drawnBefore = terminal.bytes().length
    await terminal.shows(/ (?:[3-9]\.\d|\d{2})s\n/)
    const drawn = terminal.bytes().slice(drawnBefore)
    // only what changes is drawn: all of the lines have more than a thousand letters
    const perFrame = drawn.length / drawn.split(/A\r/).length
    assert.ok(perFrame < 400, `${perFrame} bytes for a frame`)
    const pressedAt = Date.now()
    terminal.type('\u0003')
    assert.equal(await terminal.exited, 130)
    assertWithin('the end', Date.now() - pressedAt, 5000)
    const text = terminal.screen.text()
    const [runId = ''] = idsIn(text)
    assert.ok(text.endsWith(`\nThe run ${runId} continues.\n  Follow it with: runyard runs tail ${runId}`), text)
    assert.ok(terminal.bytes().includes('\u001b[?25h'), 'the cursor is there again')
    assert.equal((await service.sdk.runs.get(runId)).status, 'waiting')
  })

  proves('cli.forms', 'a form is filled in field by field, and what does not fit is asked for again', async () => {
    const form = {
      type: 'object',
      required: ['payee', 'amount', 'currency', 'tags'],
      properties: {
        payee: { type: 'string', title: 'Payee', description: 'As the invoice names them.' },
        amount: { type: 'integer', maximum: 500 },
        currency: { enum: ['EUR', 'USD', 'GBP'], default: 'USD' },
        tags: { type: 'array', minItems: 1, items: { enum: ['travel', 'food', 'office'] } },
        note: { type: 'string', default: 'none' },
        cc: { type: 'array', items: { type: 'string' } },
        urgent: { type: 'boolean' },
      },
      // only the service can say that this does not hold
      if: { properties: { currency: { const: 'GBP' } } },
      // oxlint-disable-next-line unicorn/no-thenable -- it is a JSON Schema
      then: { properties: { amount: { maximum: 100 } } },
    }
    await service.agent(
      'Form',
      `\`\`\`ask id=f\nPay what?\n${JSON.stringify(form)}\n\`\`\`\n\`\`\`output\n{{ answers.f }}\n\`\`\`\n`,
    )
    const terminal = service.terminal(['run', 'Form', '--wait'])
    const fill = async (shown: string | RegExp, keys: string) => {
      await terminal.shows(shown)
      terminal.type(keys)
    }
    await fill(/1\/7 Payee\n {4}As the .*\n {2}❯/, '\rMiller\r')
    await fill('2/7 amount (a whole number)', 'many\r600\r400\r')
    await fill(/3\/7 currency\n {2}1. EUR\n❯ 2. USD\n {2}3. GBP\n {2}↑↓/, '\u001b[B\r')
    await fill('4/7 tags\n❯ ○ 1. travel', '\r')
    await fill('tags must not have fewer than 1 items.\n❯ ○ 1. travel', ' 3\r')
    await fill('5/7 cc (optional, text, or several with commas', 'a, b\r')
    await fill('6/7 note (optional)\n  ❯ [none]', '\r')
    await fill('7/7 urgent (optional)\n❯ 1. yes\n  2. no\n  3. no answer', '2\r')
    // GBP is limited to 100: what was given is kept, and only the currency changes
    await fill(/values\.amount .*100\.\n1\/7 Payee\n.*\n {2}❯ \[Miller\]$/, '\r\r')
    await fill(/\[400\]\n3\/7 currency\n {2}1. EUR\n {2}2. USD\n❯ 3. GBP\n {2}↑↓.*$/, '1\r\r\r\r\r')
    assert.equal(await terminal.exited, 0)
    const text = terminal.screen.text()
    for (const reason of ['Payee is needed.', 'amount must be a whole number.', 'amount must be <= 500.'])
      assert.ok(text.includes(reason), text)
    assert.deepEqual(terminal.screen.unknown, [])
    const { output } = (await service.sdk.runs.get(idsIn(text)[0] ?? '')).run
    assert.deepEqual(output, {
      payee: 'Miller',
      amount: 400,
      currency: 'EUR',
      tags: ['travel', 'office'],
      cc: ['a', 'b'],
      note: 'none',
      urgent: false,
    })
  })

  proves('cli.forms', 'in the inbox, questions are answered by choosing with keys', async () => {
    const several = '```ask id=w multi=true\nWhere does it go?\n- Home: to the address\n- Shop\n- Back\n```\n'
    const one = '```ask id=o\nHow?\n- Fast\n- Slow: but cheap\n```\n'
    const agent_id = await service.agent(
      'Choice',
      `${several}${one}\`\`\`output\n{{ answers.w }} {{ answers.o }}\n\`\`\`\n`,
    )
    const { id: runId } = await service.sdk.runs.startAndWait({ agent_id })
    const terminal = service.terminal(['inbox', '--watch'])
    await terminal.shows(/❯ question {2}Where does it go\?.*\n\nWhere does it go\?\n {4}1\. Home: to the address\n/)
    terminal.type('\r')
    await terminal.shows('❯ ○ 1. Home: to the address')
    terminal.type('\r')
    await terminal.shows('Choose at least one with Space.')
    terminal.type('2\u001b[B \r')
    await terminal.shows(/❯ Shop, Back\n(?:.*\n)*❯ question {2}How\?/)
    terminal.type('\r')
    await terminal.shows('❯ 1. Fast\n  2. Slow: but cheap')
    terminal.type('\u001b[A\r')
    await terminal.shows(/❯ Slow\n/)
    assert.equal((await service.sdk.runs.wait(runId)).output, '{"Where does it go?":["Shop","Back"]} {"How?":"Slow"}')
    await terminal.shows('Nothing waits for a person. q quits.')
    terminal.type('q')
    assert.equal(await terminal.exited, 0)
    assert.deepEqual(terminal.screen.unknown, [])
  })
})
