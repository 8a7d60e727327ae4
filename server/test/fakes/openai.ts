// A fake of OpenAI's Responses API: server-sent events, output item by output item.
import { argumentsOf, deltasOf, startFake, type FakeAnswer, type FakeEvent, type FakeProvider } from './fakeProvider.ts'

const named = (data: { type: string } & Record<string, unknown>): FakeEvent => ({ event: data.type, data })

const responseOf = (status: string, more: Record<string, unknown> = {}) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1_790_000_000,
  model: 'gpt-5',
  status,
  output: [],
  ...more,
})

function item(output_index: number, opened: Record<string, unknown>, between: FakeEvent[], closed = {}): FakeEvent[] {
  return [
    named({ type: 'response.output_item.added', output_index, item: { ...opened, status: 'in_progress' } }),
    ...between,
    named({ type: 'response.output_item.done', output_index, item: { ...opened, status: 'completed', ...closed } }),
  ]
}

function reasoning(output_index: number, { text, proof }: NonNullable<FakeAnswer['thinking']>): FakeEvent[] {
  const at = { item_id: 'rs_1', output_index, summary_index: 0 }
  const opened = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'not-yet' }
  const between = [
    named({ type: 'response.reasoning_summary_part.added', ...at, part: { type: 'summary_text', text: '' } }),
    named({ type: 'response.reasoning_summary_text.delta', ...at, delta: text }),
    named({ type: 'response.reasoning_summary_text.done', ...at, text }),
    named({ type: 'response.reasoning_summary_part.done', ...at, part: { type: 'summary_text', text } }),
  ]
  return item(output_index, opened, text === '' ? [] : between, {
    encrypted_content: proof,
    summary: text === '' ? [] : [{ type: 'summary_text', text }],
  })
}

function message(output_index: number, deltas: string[], isRefusal: boolean): FakeEvent[] {
  const at = { item_id: 'msg_1', output_index, content_index: 0 }
  const whole = deltas.join('')
  const kind = isRefusal ? 'refusal' : 'output_text'
  const part = (text: string) => (isRefusal ? { type: kind, refusal: text } : { type: kind, text, annotations: [] })
  return item(
    output_index,
    { id: 'msg_1', type: 'message', role: 'assistant', content: [] },
    [
      named({ type: 'response.content_part.added', ...at, part: part('') }),
      ...deltas.map((delta, index) => ({
        ...named({ type: `response.${kind}.delta`, ...at, delta, logprobs: [] }),
        isFirstText: index === 0,
      })),
      named({ type: `response.${kind}.done`, ...at, [isRefusal ? 'refusal' : 'text']: whole, logprobs: [] }),
      named({ type: 'response.content_part.done', ...at, part: part(whole) }),
    ],
    { content: [part(whole)] },
  )
}

function calls(from: number, { calls: wanted = [] }: FakeAnswer): FakeEvent[] {
  return wanted.flatMap((call, at) => {
    const output_index = from + at
    const id = `fc_${output_index}`
    const text = argumentsOf(call)
    const opened = {
      id,
      type: 'function_call',
      call_id: call.id ?? `call_${output_index}`,
      name: call.name,
      arguments: '',
    }
    return item(
      output_index,
      opened,
      [
        named({ type: 'response.function_call_arguments.delta', item_id: id, output_index, delta: text }),
        named({ type: 'response.function_call_arguments.done', item_id: id, output_index, arguments: text }),
      ],
      { arguments: text },
    )
  })
}

export function startFakeOpenai(): Promise<FakeProvider> {
  return startFake({
    body(answer) {
      const events = [
        named({ type: 'response.created', response: responseOf('in_progress') }),
        named({ type: 'response.in_progress', response: responseOf('in_progress') }),
      ]
      let index = 0
      if (answer.thinking) events.push(...reasoning(index++, answer.thinking))
      const deltas = deltasOf(answer)
      if (deltas.length > 0) events.push(...message(index++, deltas, answer.finish === 'refusal'))
      events.push(...calls(index, answer))
      return numbered(events)
    },
    ending(answer) {
      const { input = 10, output = 5, cached = 0 } = answer.usage ?? {}
      const usage = {
        input_tokens: input,
        input_tokens_details: { cached_tokens: cached },
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: input + output,
      }
      if (answer.finish === 'length') {
        const response = responseOf('incomplete', { usage, incomplete_details: { reason: 'max_output_tokens' } })
        return numbered([named({ type: 'response.incomplete', response })])
      }
      return numbered([
        named({ type: 'response.completed', response: responseOf('completed', { usage, incomplete_details: null }) }),
      ])
    },
    streamError: ({ message: text, type }) =>
      named({ type: 'error', sequence_number: 99, error: { type, code: type, message: text, param: null } }),
    errorBody: (_status, { message: text, type = 'server_error' }) => ({
      error: { message: text, type, param: null, code: null },
    }),
  })
}

const numbered = (events: FakeEvent[]): FakeEvent[] =>
  events.map((event, sequence_number) => ({ ...event, data: { ...(event.data as object), sequence_number } }))
