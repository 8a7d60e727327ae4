// A fake of Google's generateContent, streamed: each event is a response that holds some more parts.
import { deltasOf, startFake, type FakeAnswer, type FakeEvent, type FakeProvider } from './fakeProvider.ts'

const chunk = (parts: Record<string, unknown>[], more: Record<string, unknown> = {}): FakeEvent => ({
  data: {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
    modelVersion: 'gemini',
    responseId: 'response_1',
  },
})

function partsOf(answer: FakeAnswer): FakeEvent[] {
  const { thinking, calls = [] } = answer
  const made: FakeEvent[] = []
  if (thinking && thinking.text !== '') made.push(chunk([{ text: thinking.text, thought: true }]))
  for (const [index, text] of deltasOf(answer).entries()) made.push({ ...chunk([{ text }]), isFirstText: index === 0 })
  // Arguments are values here, never text: what cannot be read ends the answer as MALFORMED_FUNCTION_CALL instead.
  const readable = calls.filter((call) => typeof call.arguments !== 'string')
  if (readable.length > 0) {
    made.push(
      chunk(
        readable.map((call, index) => ({
          functionCall: { name: call.name, args: call.arguments, ...(call.id === undefined ? {} : { id: call.id }) },
          // Of calls made together only the first is signed.
          ...(thinking && index === 0 ? { thoughtSignature: thinking.proof } : {}),
        })),
      ),
    )
  }
  return made
}

function finishReason({ finish, calls = [] }: FakeAnswer): string {
  if (finish === 'length') return 'MAX_TOKENS'
  if (finish === 'refusal') return 'SAFETY'
  return calls.some((call) => typeof call.arguments === 'string') ? 'MALFORMED_FUNCTION_CALL' : 'STOP'
}

const statusWord: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
}

export function startFakeGoogle(): Promise<FakeProvider> {
  return startFake({
    body: (answer) => partsOf(answer),
    ending(answer) {
      const { input = 10, output = 5, cached = 0 } = answer.usage ?? {}
      const { data } = chunk([], { finishReason: finishReason(answer) })
      const usageMetadata = {
        promptTokenCount: input,
        candidatesTokenCount: output,
        totalTokenCount: input + output,
        ...(cached > 0 ? { cachedContentTokenCount: cached } : {}),
      }
      return [{ data: { ...(data as object), usageMetadata } }]
    },
    streamError: ({ message }) => ({ data: { error: { code: 503, message, status: 'UNAVAILABLE' } } }),
    errorBody: (status, { message, type }) => ({
      error: {
        code: status,
        message,
        status: statusWord[status] ?? 'INTERNAL',
        ...(type === undefined
          ? {}
          : { details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: type }] }),
      },
    }),
  })
}
