// The contract of every driver over the wire: what a provider's documentation shows is read the same way from each of them.
import assert from 'node:assert/strict'
import { describe } from 'node:test'
import {
  readRecorded,
  recordedProtocols,
  type Recording,
  type RecordedProtocol,
} from '../../../../test/fakes/recorded.ts'
import { logged, next, result, seenFile, startTalk, user } from '../../../../test/fakes/talk.ts'
import { proves } from '../../../../test/kit/proves.ts'
import { ContextExceeded, ModelRefused, ModelTrouble, type TroubleKind, type Turn } from '../model.ts'

const usage = { text: [25, 15], calls: [472, 89], policy: [25, 3], length: [25, 10], thinking: [25, 15] } as const

function assertUsed(turn: Turn, kind: keyof typeof usage): void {
  const { input_tokens, output_tokens } = turn.usage
  assert.deepEqual([input_tokens, output_tokens], usage[kind])
}

const troubles: Record<string, TroubleKind> = {
  overloaded: 'overloaded',
  rate_limited: 'overloaded',
  server_error: 'down',
}
const refusals: Record<string, string> = {
  auth: 'model_auth',
  bad_request: 'model_refused_request',
  too_long: 'model_refused_request',
}

/** Cuts are made at these shares of the bytes; the last byte but one is part of the last event. */
const cuts = [0, 0.13, 0.37, 0.5, 0.71, 0.93]

/** Marks for the cache may stand beside what the documentation shows. */
function assertSent(body: unknown, part: string): void {
  const sent = JSON.stringify(body, (name, value: unknown) => (name === 'cache_control' ? undefined : value))
  assert.ok(sent.includes(part), sent)
}

for (const [protocol, driver] of Object.entries(recordedProtocols) as [RecordedProtocol, never][]) {
  describe(protocol, async () => {
    const { fake, open } = await startTalk(driver)
    const { sources, recordings, parts } = readRecorded(protocol)
    const of = (kind: string): Recording[] => {
      const found = recordings.filter((recording) => recording.kind === kind)
      assert.ok(found.length > 0, `${protocol} has a recording of ${kind}`)
      return found
    }

    const partOf = (name: string): string => {
      const part = parts.get(name)
      assert.ok(part, `${protocol} shows the part ${name}`)
      return part
    }

    function conversation() {
      const opened = open()
      opened.add(user('Who is c-7?'))
      return opened
    }

    const play = ({ answer }: Recording, cutAt?: number) =>
      fake.answer({ recorded: answer, ...(cutAt !== undefined && { cutAt }) })

    async function failureOf(recording: Recording, cutAt?: number): Promise<unknown> {
      play(recording, cutAt)
      return next(conversation()).then(
        (turn) => assert.fail(`${recording.name} was taken as an answer: ${JSON.stringify(turn)}`),
        (error: unknown) => error,
      )
    }

    proves('model.wire', 'a recording names the documentation it was made from', () => {
      assert.ok(sources.length >= 4)
    })

    proves('model.wire', 'text, thinking, calls and their tokens are read', async () => {
      for (const kind of ['text', ...(protocol === 'openai-chat' ? [] : ['thinking'])] as const) {
        play(of(kind)[0]!)
        const deltas: string[] = []
        const turn = await next(conversation(), deltas)
        assert.deepEqual(turn.ending, { kind: 'done', output: 'Ada Lovelace.' })
        assert.equal(deltas.join(''), 'Ada Lovelace.')
        assert.equal(turn.thinking, kind === 'thinking' ? 'The register knows c-7.' : null)
        assertUsed(turn, kind as 'text')
      }
      const talk = conversation()
      play(of('calls')[0]!)
      const turn = await next(talk)
      assert.equal(turn.text, 'I look both up.')
      const wanted = turn.calls.map(({ name, arguments: given }) => [name, given])
      assert.deepEqual(wanted, [
        ['lookup', { id: 'c-7' }],
        ['lookup', { id: 'c-8' }],
      ])
      assertUsed(turn, 'calls')
      for (const entry of [logged(turn), result(1, 'Ada'), result(2, 'Grace')]) talk.add(entry)
      play(of('text')[0]!)
      assert.equal((await next(talk)).ending.kind, 'done')
    })

    proves('model.wire', 'tokens of the provider’s cache are counted apart', async () => {
      play(of('cached')[0]!)
      const { usage: used } = await next(conversation())
      const written = protocol === 'anthropic' ? { cache_write_tokens: 248 } : {}
      assert.deepEqual(used, { input_tokens: 2098, output_tokens: 503, cache_read_tokens: 1800, ...written })
    })

    proves('model.wire', 'an answer that was cut at its limit of tokens is recognised', async () => {
      play(of('length')[0]!)
      const turn = await next(conversation())
      assert.equal(turn.ending.kind === 'failed' && turn.ending.code, 'output_truncated')
      assertUsed(turn, 'length')
    })

    proves('model.wire', 'a refusal by policy is one, in whatever form it comes', async () => {
      for (const recording of of('policy')) {
        play(recording)
        const told = await next(conversation()).then(
          (turn) => {
            assert.equal(turn.usage.input_tokens, 25)
            return turn.ending.kind === 'failed' ? turn.ending.code : turn.ending.kind
          },
          (error: unknown) => (error instanceof ModelRefused ? error.code : error),
        )
        assert.equal(told, 'model_refused', recording.name)
      }
    })

    proves('model.wire', 'trouble that may pass says of which kind it is, and when to come back', async () => {
      for (const [kind, wanted] of Object.entries(troubles)) {
        for (const recording of recordings.filter((one) => one.kind === kind)) {
          const error = await failureOf(recording)
          assert.ok(error instanceof ModelTrouble, `${recording.name}: ${String(error)}`)
          if (recording.name === kind) assert.equal(error.kind, wanted, recording.name)
          assert.equal(error.retryAfterMs, kind === 'rate_limited' ? 7000 : undefined)
        }
        assert.ok(of(kind))
      }
    })

    proves('model.wire', 'what will never be answered says why: the key, the request, its length', async () => {
      for (const [kind, code] of Object.entries(refusals)) {
        for (const recording of of(kind)) {
          const error = await failureOf(recording)
          assert.ok(error instanceof ModelRefused, `${recording.name}: ${String(error)}`)
          assert.equal(error.code, code, recording.name)
          assert.equal(error instanceof ContextExceeded, kind === 'too_long', recording.name)
        }
      }
      for (const recording of of('no_credit')) {
        const error = await failureOf(recording)
        const code = error instanceof ModelRefused ? error.code : (error as ModelTrouble).kind
        assert.match(code, /^(?:model_auth|overloaded)$/, recording.name)
      }
    })

    proves('model.wire', 'a stream that is cut at any byte is trouble, never half an answer', async () => {
      for (const recording of [of('text')[0]!, of('calls')[0]!]) {
        const whole = Buffer.byteLength(recording.answer.body)
        for (const share of cuts) {
          const error = await failureOf(recording, Math.floor(whole * share))
          assert.ok(error instanceof ModelTrouble, `${recording.name} at ${share}: ${String(error)}`)
          assert.match(error.kind, /^(?:broken|down)$/)
        }
      }
    })

    proves(
      'model.sight',
      'a picture and a PDF go out beside the results that they came with, as documented',
      async () => {
        const talk = conversation()
        play(of('calls')[0]!)
        talk.add(logged(await next(talk)))
        talk.add(result(1, { path: 'a.png' }, null, [seenFile('/workspace/a.png', 'one')]))
        const pdf = { media_type: 'application/pdf', width: null, height: null, pages: 2 } as const
        talk.add(result(2, 'Grace', null, [seenFile('/workspace/out/Größe 2.pdf', 'two', pdf)]))
        play(of('text')[0]!)
        const stored = new Map(['one', 'two'].map((name) => [name, Buffer.from(`bytes of ${name}`)]))
        await next(talk, [], stored)
        for (const [kind, name] of [
          ['picture', 'one'],
          ['pdf', 'two'],
        ] as const) {
          const bytes = stored.get(name)!.toString('base64')
          assertSent(fake.requests.at(-1)!.body, partOf(kind).replace('BYTES', bytes))
          assertSent(fake.requests.at(-1)!.body, partOf(`${kind} of_result`).replace('BYTES', bytes))
        }
      },
    )

    proves('model.sight', 'a file that is gone is replaced by words, and one of a failed call follows it', async () => {
      const talk = conversation()
      play(of('calls')[0]!)
      talk.add(logged(await next(talk)))
      talk.add(result(1, { path: 'a.png' }, null, [seenFile('/workspace/a.png', 'gone')]))
      talk.add(result(2, null, 'The button is covered.', [seenFile('a picture of page 1', 'one')]))
      play(of('text')[0]!)
      await next(talk, [], new Map([['one', Buffer.from('bytes of one')]]))
      const { body } = fake.requests.at(-1)!
      assertSent(body, '(/workspace/a.png is not stored any more.)')
      assertSent(body, partOf('picture').replace('BYTES', Buffer.from('bytes of one').toString('base64')))
      assertSent(body, 'The picture that lookup gave:')
    })
  })
}
