// What is special about Anthropic: signed thinking, cache marks, strict ids, its own way to a schema.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeKey, logged, next, result, startTalk, user } from '../../../../test/fakes/talk.ts'
import { ModelRefused, ModelTrouble } from '../model.ts'
import { proves } from '../../../../test/kit/proves.ts'

const { fake, open } = await startTalk('anthropic')
const last = () => fake.requests.at(-1)!

proves(
  'model.thinking',
  'thinking is collected, and goes back with its signature before the call that it led to',
  async () => {
    const talk = open()
    talk.add(user('Who is c-7?'))
    fake.answer(
      {
        thinking: { text: 'I need the register.', proof: 'signed-1' },
        text: 'One moment.',
        calls: [{ name: 'lookup', arguments: { id: 'c-7' }, id: 'toolu_a' }],
      },
      { text: 'Ada.' },
    )
    const turn = await next(talk)
    assert.equal(turn.thinking, 'I need the register.')
    talk.add(logged(turn))
    talk.add(result(1, { name: 'Ada' }))
    await next(talk)
    assert.deepEqual(last().body.messages, [
      { role: 'user', content: [{ type: 'text', text: 'Who is c-7?' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'I need the register.', signature: 'signed-1' },
          { type: 'text', text: 'One moment.' },
          { type: 'tool_use', id: 'toolu_a', name: 'lookup', input: { id: 'c-7' } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_a',
            content: '{"name":"Ada"}',
            cache_control: { type: 'ephemeral' },
          },
        ],
      },
    ])
  },
)

proves('model.appendOnly', 'each request begins with all of the one before it', async () => {
  const talk = open()
  talk.add(user('Who is c-7?'))
  const before = fake.requests.length
  for (let turn = 1; turn <= 3; turn++) {
    fake.answer({
      thinking: { text: '', proof: `signed-${turn}` },
      calls: [{ name: 'lookup', arguments: { id: `c-${turn}` }, id: `toolu_${turn}` }],
    })
    talk.add(logged(await next(talk), turn))
    if (turn === 2) talk.add(user('Please hurry.'))
    talk.add(result(turn, { name: 'Ada' }))
  }
  fake.answer({ text: 'Ada.' })
  await next(talk)
  const requests = fake.requests.slice(before).map(({ body }) => ({ ...body, messages: withoutMarks(body.messages) }))
  assert.deepEqual(
    requests.map(({ messages }) => messages.length),
    [1, 3, 5, 7],
  )
  for (const [index, { system, tools, messages }] of requests.entries()) {
    const earlier = requests[Math.max(0, index - 1)]!
    assert.deepEqual(messages.slice(0, earlier.messages.length), earlier.messages)
    assert.deepEqual({ system, tools }, { system: earlier.system, tools: earlier.tools })
  }
})

proves('model.refusedReasoning', 'a run whose old thinking is refused continues without it', async () => {
  const talk = open()
  talk.add(user('Who is c-7?'))
  fake.answer(
    { thinking: { text: 'Hm.', proof: 'of-another-account' }, calls: [{ name: 'lookup', arguments: { id: 'c-7' } }] },
    {
      status: 400,
      error: {
        type: 'invalid_request_error',
        message:
          'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.',
      },
    },
    { text: 'Ada.' },
  )
  talk.add(logged(await next(talk)))
  talk.add(result(1, { name: 'Ada' }))
  assert.deepEqual((await next(talk)).ending, { kind: 'done', output: 'Ada.' })
  assert.doesNotMatch(JSON.stringify(last().body), /thinking|of-another-account/)
  assert.match(JSON.stringify(last().body), /tool_use/)
})

proves('model.callIds', 'ids of the ledger are made fit where the provider’s own are not known', async () => {
  const talk = open()
  talk.add(user('Who is c-7?'))
  talk.add({ ...logged({ ...emptyTurn, calls: [{ id: 'x', name: 'lookup', arguments: { id: 'c-7' } }] }) })
  talk.add(result(1, 'Ada'))
  fake.answer({ text: 'Ada.' })
  await next(talk)
  const { messages } = last().body
  assert.equal(messages[1].content[0].id, '0198c0de-0000-7000-8000-000000000001_1')
  assert.equal(messages[2].content[0].tool_use_id, messages[1].content[0].id)
})

test('the key goes into its header, the address gets its usual path, and the prefix is marked for the cache', async () => {
  const talk = open({ output_tokens_max: 700 })
  talk.add(user('Who is c-7?'))
  fake.answer({ text: 'Ada.' })
  await next(talk)
  const { path, headers, body } = last()
  assert.equal(path, '/v1/messages')
  assert.equal(headers['x-api-key'], fakeKey)
  assert.equal(body.max_tokens, 700)
  assert.equal(body.stream, true)
  assert.deepEqual(body.system[0].cache_control, { type: 'ephemeral' })
  assert.equal(body.output_config, undefined)
  assert.equal(body.tool_choice, undefined)
})

proves(
  'model.outputSchema',
  'a schema that the model can enforce is enforced beside the tools, and any other is only described',
  async () => {
    const plain = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
    const map = { type: 'object', additionalProperties: { type: 'string' } }
    for (const { output_schema, model, isHeld } of [
      { output_schema: plain, model: 'anthropic:claude-sonnet-4-5', isHeld: true },
      { output_schema: map, model: 'anthropic:claude-sonnet-4-5', isHeld: false },
      { output_schema: plain, model: 'anthropic:claude-3-haiku-20240307', isHeld: false },
    ]) {
      const talk = open({ output_schema, model })
      talk.add(user('Who is c-7?'))
      fake.answer({ text: '{"name":"Ada"}' })
      assert.deepEqual((await next(talk)).ending, { kind: 'done', output: { name: 'Ada' } })
      const { body } = last()
      assert.equal(body.output_config?.format.type === 'json_schema', isHeld, model)
      assert.notEqual(body.tool_choice?.type, 'any')
      assert.deepEqual(
        body.tools.map((tool: { name: string }) => tool.name),
        ['lookup'],
      )
    }
  },
)

proves(
  'model.trouble',
  'an overload reported inside a stream that began well is trouble, and a request too large is refused',
  async () => {
    const talk = open()
    talk.add(user('Who is c-7?'))
    fake.answer({ text: ['A'], instead: { type: 'overloaded_error', message: 'Overloaded' } })
    await assert.rejects(next(talk), (error) => error instanceof ModelTrouble && /529: Overloaded/.test(error.message))
    fake.answer({ status: 413, error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } })
    await assert.rejects(next(talk), (error) => error instanceof ModelRefused && error.code === 'model_refused_request')
  },
)

const emptyTurn = {
  text: null,
  thinking: null,
  ending: { kind: 'calls' as const },
  usage: { input_tokens: 0, output_tokens: 0 },
  opaque: null,
}

/** The mark for the cache moves with the end of the conversation. */
const withoutMarks = (messages: unknown): { length: number; slice: (from: number, to: number) => unknown } =>
  JSON.parse(JSON.stringify(messages, (name, value: unknown) => (name === 'cache_control' ? undefined : value)))
