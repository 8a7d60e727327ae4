// The built-in model: a procedure runs block by block, the same way every time and after every takeover.
import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import type { Conversation, Entry, RunFacts, Turn, WantedCall } from '../model.ts'
import { runbook } from './runbook.ts'
import { proves } from '../../../../test/kit/proves.ts'

const facts: RunFacts = {
  message: { name: "O'Hara", amount: 12, file: 'notes/a.md' },
  case: { id: 'c1', title: 'Refund' },
  run: {
    id: 'r1',
    number: 7,
    title: null,
    agent_id: 'a1',
    agent_name: 'Agent',
    source: 'api',
    created_at: '2026-01-01T00:00:00.000Z',
  },
}
const block = (info: string, body = ''): string => `\`\`\`${info}\n${body}\n\`\`\`\n`

function open(procedure: string): Conversation {
  return runbook.open({
    model: 'builtin:runbook',
    procedure,
    tools: [],
    facts,
    output_schema: null,
    output_tokens_max: null,
  })
}
const next = (talk: Conversation): Promise<Turn> =>
  talk.next({ signal: new AbortController().signal, onText: () => undefined })

type Answer = { result?: unknown; error?: string }

/** Runs a procedure with these answers to its calls, one after the other; `null` is the answer to all further ones. */
async function play(procedure: string, answers: Answer[] = []): Promise<{ calls: WantedCall[]; last: Turn }> {
  const talk = open(procedure)
  talk.add({ kind: 'user', text: '{}', restarts: false })
  const calls: WantedCall[] = []
  for (;;) {
    const turn = await next(talk)
    if (turn.ending.kind !== 'calls') return { calls, last: turn }
    assert.equal(turn.calls.length, 1)
    const [call] = turn.calls as [WantedCall]
    const { result = null, error = null } = answers[calls.length] ?? {}
    calls.push(call)
    const id = `r1:${calls.length}`
    talk.add({ kind: 'assistant', text: turn.text, calls: [{ ...call, id }], opaque: turn.opaque })
    talk.add({ kind: 'result', call_id: id, name: call.name, result, error })
  }
}

async function callOf(procedure: string, answers: Answer[] = []): Promise<Omit<WantedCall, 'id'>> {
  const { name, arguments: given } = (await play(procedure, answers)).calls.at(-1)!
  return { name, arguments: given }
}

proves('runbook.calls', 'every kind of block becomes the call of its tool', async () => {
  const cases: [string, string, unknown][] = [
    [
      block('bash timeout=1m30s', 'echo {{ message.name }}'),
      'sandbox_exec',
      { language: 'bash', code: `echo 'O'\\''Hara'`, timeout_s: 90 },
    ],
    [block('python', 'x = {{ message.missing }}'), 'sandbox_exec', { language: 'python', code: 'x = None' }],
    [block('js', 'f({{ message.amount }})'), 'sandbox_exec', { language: 'js', code: 'f(12)' }],
    [
      block('file path=out/{{message.amount}}.txt', '{{ message.name }}\n\\{{'),
      'sandbox_write_file',
      { path: 'out/12.txt', content: "O'Hara\n{{" },
    ],
    [
      block('file path=a.json', '{"n": {{ message.name }}}'),
      'sandbox_write_file',
      { path: 'a.json', content: `{"n": "O'Hara"}` },
    ],
    [block('memory path=notes.md', 'Run {{ run.number }}'), 'memory_write', { path: 'notes.md', content: 'Run 7' }],
    [
      block(
        'http connection=crm',
        'POST https://a.example/{{ message.name }}?q={{ case.id }}\nX-A: {{ message.amount }}\n\n{"n": "{{ message.name }}"}',
      ),
      'http_request',
      {
        method: 'POST',
        url: "https://a.example/O'Hara?q=c1",
        headers: { 'X-A': '12', 'Content-Type': 'application/json' },
        body: `{"n": "O'Hara"}`,
        connection: 'crm',
      },
    ],
    [block('http', '\nGET https://a.example'), 'http_request', { method: 'GET', url: 'https://a.example' }],
    [
      block(
        'http',
        'POST https://a.example/\nContent-Type: application/x-www-form-urlencoded\n\nname={{ message.name }}&b={{ "a&b" }}',
      ),
      'http_request',
      {
        method: 'POST',
        url: 'https://a.example/',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: "name=O'Hara&b=a%26b",
      },
    ],
    [
      block(
        'browser',
        'open https://a.example/{{ message.amount }}\n\ntype Name {{ message.amount }} = {{ message.name }} = x\nclick Save\nread\nscreenshot',
      ),
      'browser_do',
      { lines: ['open https://a.example/12', "type Name 12 = O'Hara = x", 'click Save', 'read', 'screenshot'] },
    ],
    [
      block('approve timeout=2h on_timeout=reject', '\nPay {{ message.amount }}?\n\nTo {{ message.name }}.\n'),
      'human_approve',
      { title: 'Pay 12?', description: "To O'Hara.", expires_in_s: 7200, on_timeout: 'reject' },
    ],
    [
      block(
        'ask header=Region multi=true',
        'Which regions?\n\nFor {{ message.name }}.\n- EU: stays in Europe\n- {{ message.name }}',
      ),
      'human_ask',
      {
        title: 'Which regions?',
        description: "For O'Hara.",
        questions: [
          {
            question: 'Which regions?',
            header: 'Region',
            options: [{ label: 'EU', description: 'stays in Europe' }, { label: "O'Hara" }],
            multi_select: true,
          },
        ],
      },
    ],
    [block('ask', 'Why?'), 'human_ask', { title: 'Why?', questions: [{ question: 'Why?' }] }],
    [
      block('ask', 'Details\nPlease.\n{"type": "object", "properties": {"a": {"const": {{ message.amount }}}}}'),
      'human_ask',
      { title: 'Details', description: 'Please.', form_schema: { type: 'object', properties: { a: { const: 12 } } } },
    ],
    [block('wait', '1h30m'), 'schedule_wait', { seconds: 5400 }],
    [block('wait', '2026-07-18T09:30:00+02:00'), 'schedule_wait', { until: '2026-07-18T07:30:00.000Z' }],
    [block('wait', '{{ message.amount }}d'), 'schedule_wait', { seconds: 12 * 86_400 }],
    [block('case', 'complete'), 'case_complete', {}],
    [block('case complete', '{"paid": {{ message.amount }}}'), 'case_complete', { result: { paid: 12 } }],
    [block('case', 'fail\nNo {{ message.name }}'), 'case_fail', { reason: "No O'Hara" }],
    [block('case', 'postpone 1d\nlater'), 'case_postpone', { seconds: 86_400, reason: 'later' }],
    [block('case postpone {{ message.amount }}h'), 'case_postpone', { seconds: 43_200 }],
    [
      block('case', 'create queue=refunds\nRefund {{ case.id }}\n{"n": {{ message.name }}}'),
      'case_create',
      { queue: 'refunds', title: 'Refund c1', data: `{"n": "O'Hara"}` },
    ],
    [
      block('case create queue=refunds title="New one"', 'text'),
      'case_create',
      { queue: 'refunds', title: 'New one', data: 'text' },
    ],
    [
      block('agent name="Mail clerk"', 'Write to {{ message.name }}'),
      'agents_run',
      { agent: 'Mail clerk', message: "Write to O'Hara" },
    ],
    [block('agent name=Clerk', '{{ message }}'), 'agents_run', { agent: 'Clerk', message: facts.message }],
    [
      block('tool name=crm.find', '{"name": {{ message.name }}, "all": true}'),
      'crm.find',
      { name: "O'Hara", all: true },
    ],
    [block('tool name=ping'), 'ping', {}],
  ]
  for (const [procedure, name, given] of cases)
    assert.deepEqual(await callOf(procedure), { name, arguments: given }, procedure)
})

proves('runbook.calls', 'a step reads what came before it, and a false condition skips it', async () => {
  const procedure =
    block('tool id=find name=find') +
    block('bash id=never if="steps.find.output.count > 5"', 'ls') +
    block(
      'tool name=next if="not steps.never.ok and steps.never.skipped"',
      '{"first": {{ steps.find.output.items[0] }}, "ok": {{ steps.find.ok }}}',
    ) +
    block('output', '{"items": {{ steps.find.output.items }}, "said": "{{ steps.find.output.items | join("+") }}"}')
  const { calls, last } = await play(procedure, [{ result: { count: 2, items: ['a', 'b'] } }])
  assert.deepEqual(calls, [
    { id: 'find', name: 'find', arguments: {} },
    { id: 'step_3', name: 'next', arguments: { first: 'a', ok: true } },
  ])
  assert.deepEqual(last.ending, { kind: 'done', output: { items: ['a', 'b'], said: 'a+b' } })
})

proves('runbook.calls', 'answers are found by question and by step', async () => {
  const procedure =
    block('ask id=where', 'Which region?\n- EU\n- US') +
    block('ask id=form', 'Details\n{"type": "object"}') +
    block(
      'output',
      '{{ answers["Which region?"] }} {{ answers.where["Which region?"] }} {{ answers.form.size }} {{ answers.size }}',
    )
  const { last } = await play(procedure, [
    { result: { answers: { 'Which region?': 'EU' }, values: null } },
    { result: { answers: null, values: { size: 3 } } },
  ])
  assert.deepEqual(last.ending, { kind: 'done', output: 'EU EU 3 3' })
})

proves(
  'runbook.memory',
  'a memory file is read by a call of its own, once, and again after memory changed',
  async () => {
    const procedure =
      block(
        `tool id=a name=t if="memory['notes/a.md']"`,
        '{"a": {{ memory[message.file] }}, "b": {{ memory["b.md"] }}}',
      ) +
      block('tool name=t', '{"a": {{ memory["notes/a.md"] }}}') +
      block('memory path=notes/a.md', 'new') +
      block('tool name=t', '{"a": {{ memory["notes/a.md"] }}}')
    const { calls } = await play(procedure, [
      { result: { path: 'notes/a.md', content: 'old', generation: 1 } },
      { error: 'there is no memory file b.md' },
      {},
      {},
      { result: { generation: 2 } },
      { result: { content: 'new' } },
    ])
    assert.deepEqual(
      calls.map(({ id, name, arguments: given }) => [id, name, given]),
      [
        ['a.memory1', 'memory_read', { path: 'notes/a.md' }],
        ['a.memory2', 'memory_read', { path: 'b.md' }],
        ['a', 't', { a: 'old', b: null }],
        ['step_2', 't', { a: 'old' }],
        ['step_3', 'memory_write', { path: 'notes/a.md', content: 'new' }],
        ['step_4.memory1', 'memory_read', { path: 'notes/a.md' }],
        ['step_4', 't', { a: 'new' }],
      ],
    )
  },
)

const failed = ({ ending }: Turn): string =>
  ending.kind === 'failed' ? `${ending.code}: ${ending.message}` : ending.kind

proves('runbook.errors', 'a failed call is made again as often as retry says, then on_error decides', async () => {
  const fails = [{ error: 'no answer' }, { error: 'no answer' }, { error: 'still none' }]
  const failing = await play(`Text\n${block('tool id=t name=t retry=2')}`, fails)
  assert.deepEqual(
    failing.calls.map(({ id }) => id),
    ['t', 't.2', 't.3'],
  )
  assert.equal(failed(failing.last), 'step_failed: Step t (line 2) failed: still none')
  const helped = await play(block('tool id=t name=t retry=2') + block('output', '{{ steps.t.output }}'), [
    { error: 'no' },
    { result: 'yes' },
  ])
  assert.deepEqual(helped.last.ending, { kind: 'done', output: 'yes' })
  const going = await play(
    block('tool id=t name=t on_error=continue') + block('output', '{{ steps.t.ok }} {{ steps.t.error }}'),
    fails,
  )
  assert.deepEqual(going.last.ending, { kind: 'done', output: 'false no answer' })
})

const choose = (answer: string): Answer => ({ result: { answers: { 'What should happen now?': answer } } })

proves('runbook.errors', 'on_error=ask lets a person retry, continue or stop', async () => {
  const procedure = block('tool id=t name=t on_error=ask') + block('output', '{{ steps.t.error }}')
  const retried = await play(procedure, [{ error: 'no' }, choose('Retry'), { error: 'no again' }, choose('Continue')])
  assert.deepEqual(
    retried.calls.map(({ id, name }) => `${id} ${name}`),
    ['t t', 't.choice1 human_ask', 't.2 t', 't.choice2 human_ask'],
  )
  assert.deepEqual(retried.last.ending, { kind: 'done', output: 'no again' })
  const asked = retried.calls[1]!.arguments as { title: string; questions: { options: { label: string }[] }[] }
  assert.equal(asked.title, 'Step t failed: no')
  assert.deepEqual(
    asked.questions[0]!.options.map(({ label }) => label),
    ['Retry', 'Continue', 'Stop'],
  )
  for (const answer of [choose('Stop'), choose('Whatever'), { error: 'Nobody answered in time.' }]) {
    assert.equal(
      failed((await play(procedure, [{ error: 'no' }, answer])).last),
      'step_failed: Step t (line 1) failed: no',
    )
  }
})

proves(
  'runbook.errors',
  'a program that exits with another code than 0 has failed, and its output can still be read',
  async () => {
    const result = { exit_code: 2, stdout: 'half', stderr: 'disk full\n' }
    assert.equal(
      failed((await play(block('bash id=b', 'ls'), [{ result }])).last),
      'step_failed: Step b (line 1) failed: exit code 2: disk full',
    )
    const procedure = block('bash id=b on_error=continue', 'ls') + block('output', '{{ steps.b.output.stdout }}')
    assert.deepEqual((await play(procedure, [{ result }])).last.ending, { kind: 'done', output: 'half' })
  },
)

proves('runbook.errors', 'a value that cannot be written fails its step, without a call', async () => {
  const cases: [string, RegExp][] = [
    [
      block('http', 'GET https://a.example/{{ message.missing }}'),
      /^step_failed: Step step_1 \(line 1\) failed: A value in the path of the URL is empty/,
    ],
    [block('http', 'GET https://a.example/\nA: {{ "a\\nb" }}'), /line break/],
    [block('bash', 'echo {{ "a\\u0000" }}'), /NUL/],
    [block('wait', '{{ message.name }}'), /"O'Hara" is neither a duration nor a time/],
    [block('approve', '{{ "" }}'), /The title is empty/],
    [block('bash if="message.name > 3"', 'ls'), /have no order/],
    [block('output', '{{ message.name | number }}'), /is not a number/],
  ]
  for (const [procedure, sentence] of cases) {
    const { calls, last } = await play(procedure)
    assert.deepEqual(calls, [])
    assert.match(failed(last), sentence, procedure)
  }
  const going = block('bash on_error=continue id=b', 'echo {{ "a\\u0000" }}') + block('output', '{{ steps.b.error }}')
  assert.match(String(((await play(going)).last.ending as { output: unknown }).output), /NUL/)
})

proves('runbook.approval', 'a rejected approval ends the run, unless the block says to continue', async () => {
  const no = { result: { approved: false, comment: 'too much' } }
  assert.equal(
    failed((await play(block('approve id=pay retry=3', 'Pay?'), [no])).last),
    'rejected: Step pay (line 1) was rejected: too much',
  )
  assert.equal(
    failed((await play(block('approve id=pay on_error=ask', 'Pay?'), [no])).last),
    'rejected: Step pay (line 1) was rejected: too much',
  )
  const procedure =
    block('approve id=pay on_error=continue', 'Pay?') +
    block('output', '{{ steps.pay.output.approved }} {{ steps.pay.ok }}')
  assert.deepEqual((await play(procedure, [no])).last.ending, { kind: 'done', output: 'false false' })
  const yes = { result: { approved: true } }
  assert.deepEqual((await play(procedure, [yes])).last.ending, { kind: 'done', output: 'true true' })
  const unanswered = { result: { approved: false, comment: null, timed_out: true } }
  assert.equal(
    (await play(block('approve timeout=1h on_timeout=continue', 'Pay?'), [unanswered])).last.ending.kind,
    'done',
  )
  assert.equal(
    failed((await play(block('approve timeout=1h on_timeout=reject', 'Pay?'), [unanswered])).last),
    'rejected: Step step_1 (line 1) was rejected',
  )
})

proves(
  'runbook.endings',
  'a procedure ends with its output, with a count of its steps, or with what is missing',
  async () => {
    const outputs: [string, unknown, string][] = [
      ['Hello {{ message.name }}', "Hello O'Hara", "Hello O'Hara"],
      ['{{ message.amount }}', 12, '12'],
      ['[{{ message.amount }}]', [12], '[12]'],
    ]
    for (const [body, output, text] of outputs) {
      const { last } = await play(block('output', body))
      assert.deepEqual([last.ending, last.text], [{ kind: 'done', output }, text])
    }
    const counted = await play(block('wait', '1s') + block('wait if="false"', '1s') + block('wait', '2s'))
    assert.deepEqual(
      [counted.last.ending, counted.last.text],
      [{ kind: 'done', output: null }, '2 steps ran, 1 skipped.'],
    )
    const choosing =
      block('output if="message.amount > 100"', 'much') +
      block('output if="message.amount > 10"', 'some') +
      block('output', 'little')
    assert.deepEqual((await play(choosing)).last.ending, { kind: 'done', output: 'some' })
    assert.match(
      failed((await play('Just do what is right.')).last),
      /^model_required: .*models\.agent\.model.*RUNYARD_MODEL/,
    )
    assert.match(
      failed((await play(block('bash', 'echo "{{ message }}"'))).last),
      /^invalid_procedure: .*line 2: A value cannot stand in double quotes/,
    )
    assert.deepEqual((await play(block('output', 'x'))).last.usage, { input_tokens: 0, output_tokens: 0 })
  },
)

proves('runbook.endings', 'only a message that restarts an ended run begins it again with that message', async () => {
  const talk = open(
    block('tool name=t id=t', '{"m": {{ message.m }}}') + block('output', '{{ message.m }} {{ steps.t.output }}'),
  )
  const say = (text: string, restarts: boolean): void => talk.add({ kind: 'user', text, restarts })
  say('{"m": 1}', false)
  talk.add({ kind: 'result', call_id: 'r1:1', name: 't', result: 'first', error: null })
  say('hurry up', false)
  talk.add({ kind: 'system', text: 'half of the steps are used' })
  assert.deepEqual((await next(talk)).ending, { kind: 'done', output: 'null first' })
  say('{"m": 2}', true)
  assert.deepEqual((await next(talk)).calls, [{ id: 't', name: 't', arguments: { m: 2 } }])
  talk.add({ kind: 'result', call_id: 'r1:2', name: 't', result: 'second', error: null })
  assert.deepEqual((await next(talk)).ending, { kind: 'done', output: '2 second' })
  say('plain words', true)
  assert.deepEqual((await next(talk)).calls[0]!.arguments, { m: null })
})

proves(
  'runbook.rebuild',
  'a result of another tool than was called ends the run instead of being taken for it',
  async () => {
    const talk = open(block('tool name=t'))
    talk.add({ kind: 'result', call_id: 'r1:1', name: 'other', result: null, error: null })
    assert.match(failed(await next(talk)), /^log_mismatch: .*a result of other where the procedure calls t/)
  },
)

proves('runbook.rebuild', 'an aborted turn is not made', async () => {
  await assert.rejects(
    open(block('output', 'x')).next({ signal: AbortSignal.abort(new Error('stopped')), onText: () => undefined }),
    /stopped/,
  )
})

proves('runbook.constantCost', 'ten thousand steps are run and rebuilt', async () => {
  const procedure = Array.from({ length: 10_000 }, (_, index) => block(`tool name=t id=s${index}`)).join('')
  const [talk, rebuilt] = [open(procedure), open(procedure)]
  for (let step = 0; step < 10_000; step += 1) {
    assert.equal((await next(talk)).calls[0]!.id, `s${step}`)
    const entry: Entry = { kind: 'result', call_id: `r1:${step}`, name: 't', result: step, error: null }
    talk.add(entry)
    rebuilt.add(entry)
  }
  assert.equal((await next(talk)).text, '10000 steps ran.')
  assert.deepEqual(await next(rebuilt), await next(talk))
})

const conditions = [
  '',
  '',
  '',
  ' if="steps.s0.ok"',
  ' if="not steps.s0.ok"',
  ` if="memory['m']"`,
  ' if="message.amount > steps.s0.output"',
  ' if="false"',
]
const tails = [
  '',
  '',
  ' on_error=continue',
  ' on_error=continue',
  ' on_error=ask',
  ' retry=1',
  ' retry=2 on_error=ask',
  ' retry=1 on_error=continue',
]
const bodies: [string, string][] = [
  ['tool name=t', '{"a": {{ steps.s0.output }}, "m": {{ memory[message.file] }}}'],
  ['tool name=t', '{"a": {{ answers }}}'],
  ['bash', 'echo {{ steps.s0.output }}'],
  ['approve', 'Go?'],
  ['ask', 'Which?\n- A'],
  ['memory path=m', 'x'],
  ['http', 'GET https://a.example/{{ steps.s0.output }}'],
  ['wait', '{{ steps.s0.output }}s'],
]
const procedures = fc
  .array(fc.tuple(fc.constantFrom(...conditions), fc.constantFrom(...tails), fc.constantFrom(...bodies)), {
    minLength: 1,
    maxLength: 7,
  })
  .map((steps) => {
    const written = steps.map(([condition, tail, [kind, body]], index) =>
      block(`${kind} id=s${index + 1}${condition}${tail}`, body),
    )
    return (
      block('tool name=t id=s0 on_error=continue') + written.join('') + block('output if="steps.s0.ok"', '{{ steps }}')
    )
  })
const results = [3, null, 'x', { exit_code: 1 }, { content: 'c' }, { approved: false }, { approved: true }]
const chosen = ['Retry', 'Continue', 'Stop', 'A'].map((answer) => ({ answers: { 'Which?': answer } }))
const answers = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom<unknown>(...results, ...chosen).map((result): Answer => ({ result })) },
  { weight: 1, arbitrary: fc.constant<Answer>({ error: 'no' }) },
)
const hello: Entry = { kind: 'user', text: 'hello', restarts: false }
const careful: Entry = { kind: 'system', text: 'careful' }
const interludes = fc.constantFrom<Entry | undefined>(undefined, undefined, undefined, hello, careful)

proves(
  'runbook.rebuild',
  'a talk rebuilt from the log continues exactly like the one that was lost, wherever it is cut',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        procedures,
        fc.array(fc.tuple(answers, interludes), { minLength: 25, maxLength: 25 }),
        async (procedure, moves) => {
          const log: Entry[] = [{ kind: 'user', text: 'go', restarts: false }]
          const live = open(procedure)
          live.add(log[0]!)
          for (const [index, [{ result = null, error = null }, interlude]] of moves.entries()) {
            const turn = await next(live)
            const rebuilt = open(procedure)
            for (const entry of log) rebuilt.add(entry)
            assert.deepEqual(await next(rebuilt), turn)
            const added: Entry[] = [{ kind: 'user', text: '{"amount": 5, "file": "f"}', restarts: true }]
            if (turn.ending.kind === 'calls') {
              const [{ name, arguments: given }] = turn.calls as [WantedCall]
              const id = `r1:${index}`
              added[0] = { kind: 'assistant', text: null, calls: [{ id, name, arguments: given }], opaque: null }
              added.push({ kind: 'result', call_id: id, name, result, error })
            }
            if (interlude) added.push(interlude)
            for (const entry of added) live.add(entry)
            log.push(...added)
          }
        },
      ),
      { numRuns: 150 },
    )
  },
)
