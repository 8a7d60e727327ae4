// A fake of OpenAI's chat completions, as Ollama, vLLM, llama.cpp and gateways speak them: chunks, then [DONE].
import { argumentsOf, deltasOf, startFake, type FakeAnswer, type FakeEvent, type FakeProvider } from './fakeProvider.ts'

const envelope = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_790_000_000, model: 'local' }

const chunk = (delta: Record<string, unknown>, finish_reason: string | null = null): FakeEvent => ({
  data: { ...envelope, choices: [{ index: 0, delta, finish_reason }] },
})

function deltas(answer: FakeAnswer): FakeEvent[] {
  const made = [chunk({ role: 'assistant', content: '' })]
  if (answer.thinking) made.push(chunk({ reasoning_content: answer.thinking.text }))
  for (const [index, content] of deltasOf(answer).entries())
    made.push({ ...chunk({ content }), isFirstText: index === 0 })
  for (const [index, call] of (answer.calls ?? []).entries()) {
    const text = argumentsOf(call)
    const half = Math.ceil(text.length / 2)
    const id = call.id ?? `call_${index}`
    made.push(
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name: call.name, arguments: '' } }] }),
      chunk({ tool_calls: [{ index, function: { arguments: text.slice(0, half) } }] }),
      chunk({ tool_calls: [{ index, function: { arguments: text.slice(half) } }] }),
    )
  }
  return made
}

function finishReason({ finish, calls = [] }: FakeAnswer): string {
  if (finish === 'length') return 'length'
  if (finish === 'refusal') return 'content_filter'
  return calls.length > 0 ? 'tool_calls' : 'stop'
}

export function startFakeOpenaiCompatible(): Promise<FakeProvider> {
  return startFake({
    body: (answer) => deltas(answer),
    ending(answer) {
      const { input = 10, output = 5, cached = 0 } = answer.usage ?? {}
      const usage = {
        prompt_tokens: input,
        completion_tokens: output,
        total_tokens: input + output,
        ...(cached > 0 ? { prompt_tokens_details: { cached_tokens: cached } } : {}),
      }
      return [chunk({}, finishReason(answer)), { data: { ...envelope, choices: [], usage } }, { data: '[DONE]' }]
    },
    streamError: ({ message, type }) => ({ data: { error: { message, type, code: null } } }),
    errorBody: (_status, { message, type = 'server_error' }) => ({ error: { message, type, param: null, code: null } }),
  })
}
