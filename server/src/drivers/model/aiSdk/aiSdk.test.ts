// What every provider's models promise, held against each of the four over its own protocol.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callsIn } from '../../../../test/fakes/callsIn.ts'
import { fakeKey, fakeNames, logged, next, result, startTalk, user } from '../../../../test/fakes/talk.ts'
import { ModelRefused, ModelTrouble } from '../model.ts'
import { createPrices } from '../prices.ts'
import { proves } from '../../../../test/kit/proves.ts'

for (const name of fakeNames) {
  describe(name, async () => {
    const { fake, model, open } = await startTalk(name)

    function conversation(setup?: Parameters<typeof open>[0]) {
      const opened = open(setup)
      opened.add(user('Who is c-7?'))
      return opened
    }

    proves('model.streams', 'text arrives while it is made', async () => {
      const { promise: hold, resolve: release } = Promise.withResolvers<void>()
      fake.answer({ text: ['Ada ', 'Lovelace', '.'], hold })
      const deltas: string[] = []
      const turn = await conversation().next({
        signal: new AbortController().signal,
        onText(delta) {
          deltas.push(delta)
          // The rest is sent only now: without streaming this would never end.
          release()
        },
      })
      assert.deepEqual(deltas, ['Ada ', 'Lovelace', '.'])
      assert.equal(turn.text, 'Ada Lovelace.')
      assert.deepEqual(turn.ending, { kind: 'done', output: 'Ada Lovelace.' })
      assert.deepEqual(turn.calls, [])
    })

    proves('model.usage', 'tokens are counted, those of the cache apart, and cost what the table says', async () => {
      fake.answer({ text: 'Ada', usage: { input: 1200, output: 34, cached: 200 } })
      const { usage } = await next(conversation())
      assert.deepEqual(usage, { input_tokens: 1200, output_tokens: 34, cache_read_tokens: 200 })
      const cost = createPrices(undefined).costOf(model, usage)
      const expected = {
        anthropic: '0.00357', // 1000 × 3 + 200 × 0.3 + 34 × 15, by the million
        openai: '0.001615', // 1000 × 1.25 + 200 × 0.125 + 34 × 10
        google: '0.000391', // 1000 × 0.3 + 200 × 0.03 + 34 × 2.5
        'openai-compatible': '0',
      }
      assert.equal(cost, expected[name])
    })

    proves(
      'model.calls',
      'calls made together come back together, and their results go to the right ones',
      async () => {
        const talk = conversation()
        fake.answer(
          {
            text: 'I look both up.',
            calls: [
              { name: 'lookup', arguments: { id: 'c-7' }, id: 'own-1' },
              { name: 'lookup', arguments: { id: 'c-8' }, id: 'own-2' },
            ],
          },
          { text: 'Ada and Grace.' },
        )
        const turn = await next(talk)
        assert.deepEqual(turn.ending, { kind: 'calls' })
        assert.equal(turn.text, 'I look both up.')
        assert.deepEqual(
          turn.calls.map((call) => [call.name, call.arguments]),
          [
            ['lookup', { id: 'c-7' }],
            ['lookup', { id: 'c-8' }],
          ],
        )
        talk.add(logged(turn))
        // They end in any order.
        talk.add(result(2, { name: 'Grace' }))
        talk.add(result(1, { name: 'Ada' }))
        const done = await next(talk)
        assert.deepEqual(done.ending, { kind: 'done', output: 'Ada and Grace.' })
        assert.deepEqual(callsIn[name](fake.requests.at(-1)!.body), {
          calls: { 'own-1': 'c-7', 'own-2': 'c-8' },
          results: { 'own-2': 'Grace', 'own-1': 'Ada' },
        })
      },
    )

    proves('model.unknownTool', 'a call of a tool that does not exist is passed on', async () => {
      fake.answer({ calls: [{ name: 'launch_rocket', arguments: { to: 'moon' } }] })
      const turn = await next(conversation())
      assert.deepEqual(
        turn.calls.map((call) => [call.name, call.arguments]),
        [['launch_rocket', { to: 'moon' }]],
      )
    })

    proves('model.malformedArguments', 'arguments that are not JSON do not end the run', async () => {
      const talk = conversation()
      fake.answer({ calls: [{ name: 'lookup', arguments: '{"id": "c-7' }] })
      if (name === 'google') {
        // Google sends values, and ends its answer when its model failed to make one: that is asked again.
        await assert.rejects(next(talk), ModelTrouble)
        return
      }
      const turn = await next(talk)
      assert.equal(turn.calls[0]?.arguments, '{"id": "c-7')
      talk.add(logged(turn))
      talk.add(result(1, null, 'The arguments are no JSON.'))
      fake.answer({ calls: [{ name: 'lookup', arguments: { id: 'c-7' } }] })
      assert.deepEqual((await next(talk)).calls[0]?.arguments, { id: 'c-7' })
      assert.match(JSON.stringify(fake.requests.at(-1)!.body), /invalid_arguments.*The arguments are no JSON/s)
    })

    proves(
      'model.trouble',
      '429, 408, 409 and 5xx are worth another attempt, at the time the provider wishes',
      async () => {
        const inAMinute = new Date(Math.ceil(Date.now() / 1000) * 1000 + 60_000).toUTCString()
        const cases = [
          { status: 429, headers: { 'retry-after': '7' }, waits: (ms?: number) => ms === 7000 },
          {
            status: 529,
            headers: { 'retry-after-ms': '1500', 'retry-after': '7' },
            waits: (ms?: number) => ms === 1500,
          },
          { status: 503, headers: { 'retry-after': inAMinute }, waits: (ms = 0) => ms > 30_000 && ms <= 61_000 },
          { status: 500, waits: (ms?: number) => ms === undefined },
          { status: 408, waits: (ms?: number) => ms === undefined },
          { status: 409, waits: (ms?: number) => ms === undefined },
        ]
        for (const { status, headers = {}, waits } of cases) {
          fake.answer({ status, headers, error: { message: 'Slow down a little.' } })
          await assert.rejects(next(conversation()), (error) => {
            assert.ok(error instanceof ModelTrouble)
            assert.match(error.message, new RegExp(`${status}: Slow down a little`))
            assert.ok(waits(error.retryAfterMs), `${status} waits ${error.retryAfterMs}`)
            return true
          })
        }
      },
    )

    proves(
      'model.brokenStream',
      'a stream that breaks, ends too early or tells an error is worth another attempt',
      async () => {
        for (const instead of ['break', 'end', { message: 'Overloaded', type: 'overloaded_error' }] as const) {
          fake.answer({ text: ['Ada ', 'Love'], instead })
          await assert.rejects(next(conversation()), ModelTrouble, JSON.stringify(instead))
        }
      },
    )

    proves('model.trouble', 'a server that is not there is worth another attempt', async () => {
      const gone = await startTalk(name)
      await gone.fake.close()
      await assert.rejects(next(gone.open()), (error) => {
        assert.ok(error instanceof ModelTrouble)
        assert.match(error.message, /could not be reached/)
        return true
      })
    })

    proves(
      'model.refusedRequest',
      'what the provider will never answer ends the run with its words, and never with the key',
      async () => {
        const cases = [
          { status: 400, code: 'model_refused_request' },
          { status: 401, code: 'model_auth' },
          { status: 403, code: 'model_auth' },
          { status: 404, code: 'model_refused_request' },
          { status: 422, code: 'model_refused_request' },
        ]
        for (const { status, code } of cases) {
          fake.answer({ status, error: { message: `No: ${fakeKey} cannot do this.` } })
          await assert.rejects(next(conversation()), (error) => {
            assert.ok(error instanceof ModelRefused)
            assert.equal(error.code, code)
            assert.match(error.message, /No: \[key\] cannot do this\./)
            assert.ok(!JSON.stringify(allOf(error)).includes(fakeKey))
            return true
          })
        }
      },
    )

    proves('model.refusal', 'a refusal and a cut-off answer fail the run and say what to do', async () => {
      fake.answer({ text: 'I cannot help with that', finish: 'refusal' }, { text: 'Once upon a', finish: 'length' })
      const refused = await next(conversation())
      assert.equal(refused.ending.kind === 'failed' && refused.ending.code, 'model_refused')
      assert.match(
        refused.ending.kind === 'failed' ? refused.ending.message : '',
        /I cannot help with that.*another model/,
      )
      const cut = await next(conversation())
      assert.equal(cut.ending.kind === 'failed' && cut.ending.code, 'output_truncated')
      assert.equal(cut.text, 'Once upon a')
    })

    proves('model.emptyAnswer', 'an answer with neither text nor calls is worth another attempt', async () => {
      fake.answer({})
      await assert.rejects(next(conversation()), (error) => {
        assert.ok(error instanceof ModelTrouble)
        assert.match(error.message, /neither text nor a call|broke off/)
        return true
      })
    })

    proves('model.abort', 'a stopped call rejects with the reason and takes its request down', async () => {
      const reason = new Error('the run was stopped')
      const answering = new AbortController()
      fake.answer({ text: ['Ada ', 'Love'], instead: 'silence' })
      const half = conversation().next({ signal: answering.signal, onText: () => answering.abort(reason) })
      await assert.rejects(half, (error) => error === reason)
      await fake.requests.at(-1)!.torn

      const waiting = new AbortController()
      fake.answer(() => {
        setImmediate(() => waiting.abort(reason))
        return { isDeaf: true }
      })
      await assert.rejects(
        conversation().next({ signal: waiting.signal, onText: () => {} }),
        (error) => error === reason,
      )
      await fake.requests.at(-1)!.torn

      const asked = fake.requests.length
      await assert.rejects(
        conversation().next({ signal: waiting.signal, onText: () => {} }),
        (error) => error === reason,
      )
      assert.equal(fake.requests.length, asked)
    })

    test('a listener that fails is not counted as trouble of the provider', async () => {
      fake.answer({ text: ['Ada ', 'Love'], instead: 'silence' })
      const mistake = new TypeError('our own')
      const turn = conversation().next({
        signal: new AbortController().signal,
        onText() {
          throw mistake
        },
      })
      await assert.rejects(turn, (error) => error === mistake)
      await fake.requests.at(-1)!.torn
    })

    proves('model.outputSchema', 'an output schema is sent, and the answer is read as JSON', async () => {
      const output_schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
      fake.answer({ text: '```json\n{"name": "Ada"}\n```' }, { text: 'Her name is Ada.' })
      assert.deepEqual((await next(conversation({ output_schema }))).ending, { kind: 'done', output: { name: 'Ada' } })
      assert.match(JSON.stringify(fake.requests.at(-1)!.body), /fits this JSON Schema/)
      // What is no JSON is the engine's to refuse.
      const plain = await next(conversation({ output_schema }))
      assert.deepEqual(plain.ending, { kind: 'done', output: 'Her name is Ada.' })
    })

    proves(
      'model.appendOnly',
      'a message that came while the model answered stands after that answer, in a rebuilt conversation too',
      async () => {
        const talk = conversation()
        fake.answer(
          { calls: [{ name: 'lookup', arguments: { id: 'c-7' }, id: 'own-1' }] },
          { text: 'Ada.' },
          { text: 'Ada.' },
        )
        const turn = logged(await next(talk))
        for (const entry of [turn, user('And quickly!'), result(1, { name: 'Ada' })]) talk.add(entry)
        await next(talk)
        const live = fake.requests.at(-1)!.body
        // The log numbers what was committed first.
        const rebuilt = conversation()
        for (const entry of [user('And quickly!'), turn, result(1, { name: 'Ada' })]) rebuilt.add(entry)
        await next(rebuilt)
        assert.deepEqual(fake.requests.at(-1)!.body, live)
        const text = JSON.stringify(live)
        assert.ok(
          text.indexOf('Who is c-7?') < text.indexOf('own-1') && text.indexOf('own-1') < text.indexOf('And quickly!'),
        )
      },
    )
  })
}

/** Everything that a log could show of an error. */
function allOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  return { own: Object.entries(error), message: error.message, stack: error.stack, cause: allOf(error.cause) }
}
