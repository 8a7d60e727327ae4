// Reads calls and their results out of a request, in each provider's own shape.
import type { FakeName } from './talk.ts'

/* oxlint-disable typescript/no-explicit-any -- the providers' own shapes, spelled out */
interface Pairs {
  calls: Record<string, string>
  results: Record<string, string>
}

const of = (entries: [string, string][]): Record<string, string> => Object.fromEntries(entries)

/** Reads the calls and results out of a request: id → the customer asked for, id → the name found. */
export const callsIn: Record<FakeName, (body: any) => Pairs> = {
  anthropic: ({ messages }) => ({
    calls: of(messages[1].content.slice(1).map((block: any) => [block.id, block.input.id])),
    results: of(messages[2].content.map((block: any) => [block.tool_use_id, JSON.parse(block.content).name])),
  }),
  openai: ({ input }) => ({
    calls: of(
      input.flatMap((item: any) =>
        item.type === 'function_call' ? [[item.call_id, JSON.parse(item.arguments).id]] : [],
      ),
    ),
    results: of(
      input.flatMap((item: any) =>
        item.type === 'function_call_output' ? [[item.call_id, JSON.parse(item.output).name]] : [],
      ),
    ),
  }),
  google: ({ contents }) => ({
    calls: of(contents[1].parts.slice(1).map(({ functionCall }: any) => [functionCall.id, functionCall.args.id])),
    results: of(
      contents[2].parts.map(({ functionResponse }: any) => [
        functionResponse.id,
        nameIn(functionResponse.response.content),
      ]),
    ),
  }),
  'openai-compatible': ({ messages }) => ({
    calls: of(messages[2].tool_calls.map((call: any) => [call.id, JSON.parse(call.function.arguments).id])),
    results: of(messages.slice(3).map((message: any) => [message.tool_call_id, JSON.parse(message.content).name])),
  }),
}

const nameIn = (content: any): string => (typeof content === 'string' ? JSON.parse(content) : content).name
