// What is special about servers that speak chat completions: few agree on more than the main thing.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { readConfig } from '../../../base/config.ts'
import { fakeKey, logged, lookup, next, result, startTalk, user } from '../../../../test/fakes/talk.ts'
import { ModelRefused, ModelTrouble } from '../model.ts'
import { createModels } from '../models.ts'
import { proves } from '../../../../test/kit/proves.ts'

const { fake, open } = await startTalk('openai-compatible')
const last = () => fake.requests.at(-1)!

proves('model.thinking', 'texts are plain strings, and reasoning goes back to the server that gave it', async () => {
  const talk = open()
  talk.add(user('Who is c-7?'))
  talk.add(user('Please hurry.'))
  fake.answer(
    {
      thinking: { text: 'I need the register.', proof: '' },
      calls: [{ name: 'lookup', arguments: { id: 'c-7' }, id: 'abc123XYZ' }],
    },
    { text: 'Ada.' },
  )
  const turn = await next(talk)
  assert.equal(turn.thinking, 'I need the register.')
  talk.add(logged(turn))
  talk.add(result(1, { name: 'Ada' }))
  await next(talk)
  const [instructions, ...messages] = last().body.messages
  assert.equal(instructions.role, 'system')
  assert.deepEqual(messages, [
    { role: 'user', content: 'Who is c-7?\n\nPlease hurry.' },
    {
      role: 'assistant',
      content: null,
      reasoning_content: 'I need the register.',
      tool_calls: [{ id: 'abc123XYZ', type: 'function', function: { name: 'lookup', arguments: '{"id":"c-7"}' } }],
    },
    { role: 'tool', tool_call_id: 'abc123XYZ', content: '{"name":"Ada"}' },
  ])
})

test('an id that the server gives to every first call is made unique', async () => {
  const talk = open()
  talk.add(user('Who is c-7?'))
  for (let turn = 1; turn <= 2; turn++) {
    fake.answer({ calls: [{ name: 'lookup', arguments: { id: `c-${turn}` }, id: 'call_0' }] })
    talk.add(logged(await next(talk), turn))
    talk.add(result(turn, `name ${turn}`))
  }
  fake.answer({ text: 'Ada.' })
  await next(talk)
  const results = last().body.messages.filter(({ role }: { role: string }) => role === 'tool')
  assert.deepEqual(
    results.map(({ tool_call_id, content }: Record<string, string>) => [tool_call_id, content]),
    [
      ['call_0', 'name 1'],
      ['0198c0de-0000-7000-8000-000000000001_2', 'name 2'],
    ],
  )
})

test('a server without a key gets no key, and its usage is asked for', async () => {
  const models = createModels(readConfig({ OPENAI_COMPATIBLE_URL: `${fake.url}/v1/` }))
  after(() => models.close())
  const found = models.find('openai-compatible:qwen3:8b')
  assert.ok('model' in found)
  const talk = found.model.open({ ...setup, model: 'openai-compatible:qwen3:8b' })
  talk.add(user('Who is c-7?'))
  fake.answer({ text: 'Ada.' })
  await next(talk)
  const { path, headers, body } = last()
  assert.equal(path, '/v1/chat/completions')
  assert.equal(headers.authorization, undefined)
  assert.equal(body.model, 'qwen3:8b')
  assert.deepEqual(body.stream_options, { include_usage: true })
  assert.equal(body.response_format, undefined)
})

proves('model.idleStream', 'a stream on which nothing comes any more is given up', async () => {
  const slow = await startTalk('openai-compatible', { idleMs: 50 })
  slow.fake.answer({ text: ['Ada ', 'Love'], instead: 'silence' })
  await assert.rejects(next(slow.open()), (error) => {
    assert.ok(error instanceof ModelTrouble)
    assert.match(error.message, /sent nothing for too long/)
    return true
  })
  await slow.fake.requests[0]!.torn
})

proves(
  'model.refusedRequest',
  'words are found wherever a server puts them, and a redirect is not followed',
  async () => {
    const talk = open()
    talk.add(user('Who is c-7?'))
    for (const { status, errorBody, says } of [
      {
        status: 404,
        errorBody: { error: "model 'local' not found" },
        says: /404: model 'local' not found\. Check the name/,
      },
      {
        status: 400,
        errorBody: { object: 'error', message: 'Context too long', code: 400 },
        says: /400: Context too long/,
      },
      { status: 422, errorBody: { detail: 'tools are not supported' }, says: /422: tools are not supported/ },
      { status: 400, errorBody: [{ error: { message: 'in a list' } }], says: /400: in a list/ },
      { status: 400, errorBody: { error: `${'x'.repeat(590)} ${fakeKey}` }, says: /400: x{590} \[key\]\.$/ },
      { status: 400, errorBody: { oops: true }, says: /400: \{"oops":true\}/ },
    ]) {
      fake.answer({ status, errorBody })
      await assert.rejects(next(talk), (error) => {
        assert.ok(error instanceof ModelRefused)
        assert.match(error.message, says)
        return true
      })
    }
    const before = fake.requests.length
    fake.answer({ status: 307, headers: { location: `${fake.url}/elsewhere` } })
    await assert.rejects(next(talk), (error) => error instanceof ModelRefused && /redirects/.test(error.message))
    assert.equal(fake.requests.length, before + 1)
  },
)

const setup = {
  procedure: 'Say who it is.',
  tools: [lookup],
  facts: {
    message: null,
    case: null,
    run: { id: 'r', number: 1, title: null, agent_id: 'a', agent_name: 'Clerk', source: 'api', created_at: 'now' },
  },
  output_schema: null,
  output_tokens_max: null,
}
