// What is special about OpenAI: the Responses API without storage, reasoning items, remarks on the way.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeKey, logged, next, result, startTalk, user } from '../../../../test/fakes/talk.ts'
import { ModelTrouble } from '../model.ts'
import { proves } from '../../../../test/kit/proves.ts'

const { fake, open } = await startTalk('openai')
const last = () => fake.requests.at(-1)!

proves('model.thinking', 'reasoning items go back encrypted, before the calls that they led to', async () => {
  const talk = open()
  talk.add(user('Who is c-7?'))
  fake.answer(
    {
      thinking: { text: 'I need the register.', proof: 'sealed-1' },
      calls: [
        { name: 'lookup', arguments: { id: 'c-7' }, id: 'call_a' },
        { name: 'lookup', arguments: { id: 'c-8' }, id: 'call_b' },
      ],
    },
    { text: 'Ada and nobody.' },
  )
  const turn = await next(talk)
  assert.equal(turn.thinking, 'I need the register.')
  talk.add(logged(turn))
  talk.add(result(1, { name: 'Ada' }))
  talk.add(result(2, null, 'There is no customer c-8.'))
  await next(talk)
  const [instructions, ...items] = last().body.input
  assert.equal(instructions.role, 'developer')
  assert.deepEqual(items, [
    { role: 'user', content: [{ type: 'input_text', text: 'Who is c-7?' }] },
    {
      type: 'reasoning',
      id: 'rs_1',
      encrypted_content: 'sealed-1',
      summary: [{ type: 'summary_text', text: 'I need the register.' }],
    },
    { type: 'function_call', call_id: 'call_a', name: 'lookup', arguments: '{"id":"c-7"}' },
    { type: 'function_call', call_id: 'call_b', name: 'lookup', arguments: '{"id":"c-8"}' },
    { type: 'function_call_output', call_id: 'call_a', output: '{"name":"Ada"}' },
    { type: 'function_call_output', call_id: 'call_b', output: '{"error":"There is no customer c-8."}' },
  ])
})

test('reasoning without a summary goes back too, and shows no thinking', async () => {
  const talk = open()
  talk.add(user('Who is c-7?'))
  fake.answer(
    { thinking: { text: '', proof: 'sealed-2' }, calls: [{ name: 'lookup', arguments: {} }] },
    { text: 'Ada.' },
  )
  const turn = await next(talk)
  assert.equal(turn.thinking, null)
  talk.add(logged(turn))
  talk.add(result(1, 'Ada'))
  await next(talk)
  const reasoning = last().body.input.find((item: { type?: string }) => item.type === 'reasoning')
  assert.deepEqual(reasoning, { type: 'reasoning', id: 'rs_1', encrypted_content: 'sealed-2', summary: [] })
})

test('nothing is stored at the provider, and optional arguments stay optional', async () => {
  const talk = open({ output_tokens_max: 700 })
  talk.add(user('Who is c-7?'))
  fake.answer({ text: 'Ada.' })
  await next(talk)
  const { path, headers, body } = last()
  assert.equal(path, '/v1/responses')
  assert.equal(headers.authorization, `Bearer ${fakeKey}`)
  assert.equal(body.store, false)
  assert.deepEqual(body.include, ['reasoning.encrypted_content'])
  assert.equal(body.max_output_tokens, 700)
  assert.equal(body.tools[0].strict, false)
  assert.equal(body.text, undefined)
})

proves('model.outputSchema', 'a schema is held by the provider beside the tools', async () => {
  const output_schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
  const talk = open({ output_schema })
  talk.add(user('Who is c-7?'))
  fake.answer({ text: '{"name":"Ada"}' })
  await next(talk)
  assert.deepEqual(last().body.text, {
    format: { type: 'json_schema', strict: false, name: 'output', schema: output_schema },
  })
  assert.equal(last().body.tools.length, 1)
})

proves(
  'model.trouble',
  'an error sent before the first output is read like a status, and its connection is not kept',
  async () => {
    const talk = open()
    talk.add(user('Who is c-7?'))
    fake.answer({ instead: { type: 'rate_limit_exceeded', message: 'Rate limit reached.' }, staysOpen: true })
    await assert.rejects(next(talk), (error) => error instanceof ModelTrouble && /429: Rate limit/.test(error.message))
    await last().torn
  },
)
