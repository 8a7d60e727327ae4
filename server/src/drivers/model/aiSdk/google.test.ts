// What is special about Google: thought signatures, instructions apart from the contents, its own place for a wait.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeKey, logged, next, result, seenFile, startTalk, user } from '../../../../test/fakes/talk.ts'
import { ModelRefused, ModelTrouble } from '../model.ts'
import { proves } from '../../../../test/kit/proves.ts'

const { fake, open } = await startTalk('google')
const last = () => fake.requests.at(-1)!

proves('model.thinking', 'a thought signature goes back on the call that carried it', async () => {
  const talk = open({ model: 'google:gemini-3-flash-preview' })
  talk.add(user('Who is c-7?'))
  fake.answer(
    {
      thinking: { text: 'I need the register.', proof: 'signed-1' },
      calls: [
        { name: 'lookup', arguments: { id: 'c-7' }, id: 'own-1' },
        { name: 'lookup', arguments: { id: 'c-8' }, id: 'own-2' },
      ],
    },
    { text: 'Ada and nobody.' },
  )
  const turn = await next(talk)
  assert.equal(turn.thinking, 'I need the register.')
  talk.add(logged(turn))
  talk.add(result(1, 'Ada'))
  talk.add(result(2, null, 'There is no customer c-8.'))
  talk.add({ kind: 'system', text: 'Two steps are left.' })
  await next(talk)
  const { contents } = last().body
  assert.deepEqual(contents[1], {
    role: 'model',
    parts: [
      { text: 'I need the register.', thought: true },
      { functionCall: { id: 'own-1', name: 'lookup', args: { id: 'c-7' } }, thoughtSignature: 'signed-1' },
      { functionCall: { id: 'own-2', name: 'lookup', args: { id: 'c-8' } } },
    ],
  })
  const [ada, nobody] = contents[2].parts
  assert.deepEqual(ada.functionResponse, { id: 'own-1', name: 'lookup', response: { name: 'lookup', content: 'Ada' } })
  assert.equal(nobody.functionResponse.response.error, 'There is no customer c-8.')
  assert.deepEqual(contents[3], { role: 'user', parts: [{ text: 'Note from the service: Two steps are left.' }] })
})

test('the key goes into its header and never into the address', async () => {
  const talk = open()
  talk.add(user('Who is c-7?'))
  fake.answer({ text: 'Ada.' })
  await next(talk)
  const { path, headers, body } = last()
  assert.equal(path, '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse')
  assert.equal(headers['x-goog-api-key'], fakeKey)
  assert.match(body.systemInstruction.parts[0].text, /You are Clerk/)
})

proves('model.outputSchema', 'a schema is held only where it does not shut the tools out', async () => {
  const output_schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
  for (const { model, tools, isHeld } of [
    { model: 'google:gemini-2.5-flash', tools: undefined, isHeld: false },
    { model: 'google:gemini-2.5-flash', tools: [], isHeld: true },
    { model: 'google:gemini-3-flash-preview', tools: undefined, isHeld: true },
  ]) {
    const talk = open({ model, output_schema, ...(tools ? { tools } : {}) })
    talk.add(user('Who is c-7?'))
    fake.answer({ text: '{"name":"Ada"}' })
    assert.deepEqual((await next(talk)).ending, { kind: 'done', output: { name: 'Ada' } })
    const { body } = last()
    assert.equal(body.generationConfig.responseMimeType === 'application/json', isHeld, model)
    assert.notEqual(body.toolConfig?.functionCallingConfig?.mode, 'ANY')
  }
})

proves('model.trouble', 'its wish to wait stands in the body, and a bad key is answered with 400', async () => {
  const talk = open()
  talk.add(user('Who is c-7?'))
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' }]
  fake.answer({
    status: 429,
    errorBody: { error: { code: 429, message: 'Quota exceeded.', status: 'RESOURCE_EXHAUSTED', details } },
  })
  await assert.rejects(next(talk), (error) => error instanceof ModelTrouble && error.retryAfterMs === 34_500)
  fake.answer({ status: 400, error: { message: 'API key not valid.', type: 'API_KEY_INVALID' } })
  await assert.rejects(next(talk), (error) => {
    assert.ok(error instanceof ModelRefused)
    assert.equal(error.code, 'model_auth')
    assert.match(error.message, /API key not valid\. Check GOOGLE_GENERATIVE_AI_API_KEY/)
    return true
  })
})

proves('model.sight', 'from Gemini 3 on a picture is a part of the result of its function', async () => {
  const talk = open({ model: 'google:gemini-3-flash-preview' })
  talk.add(user('Look.'))
  fake.answer({ calls: [{ name: 'lookup', arguments: {}, id: 'own-1' }] }, { text: 'Seen.' })
  talk.add(logged(await next(talk)))
  talk.add(result(1, { path: 'a.png' }, null, [seenFile('a.png', 'one')]))
  await next(talk, [], new Map([['one', Buffer.from('bytes')]]))
  const [{ functionResponse }] = last().body.contents.at(-1).parts
  assert.deepEqual(functionResponse.parts, [{ inlineData: { mimeType: 'image/png', data: 'Ynl0ZXM=' } }])
  assert.equal(functionResponse.response.content, '{"path":"a.png"}')
})
