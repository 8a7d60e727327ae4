// A fake of Anthropic's Messages API: server-sent events, block by block.
import { argumentsOf, deltasOf, startFake, type FakeAnswer, type FakeEvent, type FakeProvider } from './fakeProvider.ts'

const named = (data: { type: string } & Record<string, unknown>): FakeEvent => ({ event: data.type, data })

const stopReason = ({ finish, calls = [] }: FakeAnswer): string => {
  if (finish === 'length') return 'max_tokens'
  if (finish === 'window') return 'model_context_window_exceeded'
  if (finish === 'refusal') return 'refusal'
  return calls.length > 0 ? 'tool_use' : 'end_turn'
}

function block(index: number, start: Record<string, unknown>, deltas: FakeEvent[]): FakeEvent[] {
  return [
    named({ type: 'content_block_start', index, content_block: start }),
    ...deltas,
    named({ type: 'content_block_stop', index }),
  ]
}

const delta = (index: number, given: Record<string, unknown>): FakeEvent =>
  named({ type: 'content_block_delta', index, delta: given })

function blocks(answer: FakeAnswer): FakeEvent[] {
  const { thinking, calls = [] } = answer
  const made: FakeEvent[] = []
  let index = 0
  if (thinking) {
    made.push(
      ...block(index, { type: 'thinking', thinking: '', signature: '' }, [
        delta(index, { type: 'thinking_delta', thinking: thinking.text }),
        delta(index, { type: 'signature_delta', signature: thinking.proof }),
      ]),
    )
    index++
  }
  const texts = deltasOf(answer)
  if (texts.length > 0) {
    const pieces = texts.map((text, at) => ({ ...delta(index, { type: 'text_delta', text }), isFirstText: at === 0 }))
    made.push(...block(index, { type: 'text', text: '' }, pieces))
    index++
  }
  for (const call of calls) {
    const text = argumentsOf(call)
    const id = call.id ?? `toolu_${index}`
    const half = Math.ceil(text.length / 2)
    const pieces = ['', text.slice(0, half), text.slice(half)]
    made.push(
      ...block(
        index,
        { type: 'tool_use', id, name: call.name, input: {} },
        pieces.map((partial_json) => delta(index, { type: 'input_json_delta', partial_json })),
      ),
    )
    index++
  }
  return made
}

export function startFakeAnthropic(): Promise<FakeProvider> {
  return startFake({
    body(answer, { body }) {
      const { input = 10, cached = 0 } = answer.usage ?? {}
      const usage = { input_tokens: input - cached, cache_read_input_tokens: cached, cache_creation_input_tokens: 0 }
      const message = {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: body.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...usage, output_tokens: 1 },
      }
      return [named({ type: 'message_start', message }), named({ type: 'ping' }), ...blocks(answer)]
    },
    ending: (answer) => [
      named({
        type: 'message_delta',
        delta: { stop_reason: stopReason(answer), stop_sequence: null },
        usage: { output_tokens: answer.usage?.output ?? 5 },
      }),
      named({ type: 'message_stop' }),
    ],
    streamError: ({ message, type }) => named({ type: 'error', error: { type, message } }),
    errorBody: (_status, { message, type = 'api_error' }) => ({
      type: 'error',
      error: { type, message },
      request_id: 'req_1',
    }),
  })
}
