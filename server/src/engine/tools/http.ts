// The HTTP tool: one call to a public address through the outbound guard, with the call's id as its Idempotency-Key.
import type { OutboundAnswer } from '../../base/outbound/fetch.ts'
import type { ToolSet } from '../../kit/feature.ts'
import { oneOf, Type } from '../../kit/schema.ts'
import { outsideTool, type Outcome } from '../../kit/tool.ts'

const answerBytesMax = 1024 * 1024
/** What an error sentence shows of an answer. */
const errorBodyMax = 2000
const timeoutMs = 60_000

/** RFC 9110 §9.2.2: repeating these has the effect of one. A POST that was cut off only a person can judge. */
const idempotentMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])

const httpRequest = outsideTool({
  name: 'http_request',
  description: 'Call a public HTTP address. Redirects are answered, not followed.',
  input: Type.Object({
    method: Type.Optional(oneOf(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])),
    url: Type.String({ minLength: 1, maxLength: 8000 }),
    headers: Type.Optional(Type.Record(Type.String({ maxLength: 200 }), Type.String({ maxLength: 8000 }))),
    body: Type.Optional(Type.String({ maxLength: 1024 * 1024 })),
  }),
  onDoubt: ({ method = 'GET' }) => (idempotentMethods.has(method) ? 'retry' : 'ask'),
  timeoutMs,
  async execute({ id, input: { method = 'GET', url, headers, body } }, { context, signal }) {
    const answer = await context.outbound.request({
      method,
      url,
      headers: { 'accept-encoding': 'identity', ...lowerCased(headers ?? {}), 'idempotency-key': id },
      body: body ?? null,
      signal,
      timeoutMs,
      answerBytesMax,
    })
    return outcomeOf(answer)
  },
})

const lowerCased = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

function outcomeOf({ status, headers, body, truncated }: OutboundAnswer): Outcome {
  const type = String(headers['content-type'] ?? '')
  const text = isText(type) ? body.toString() : undefined
  if (status >= 400) {
    const shown = text?.slice(0, errorBodyMax).toWellFormed()
    return { error: `The server answered ${status}.${shown ? ` It said: ${shown}` : ''}` }
  }
  return {
    result: {
      status,
      content_type: type || null,
      ...(headers['location'] !== undefined && { location: headers['location'] }),
      ...(text === undefined ? { body_base64: body.toString('base64') } : { body: parsed(type, text) }),
      ...(truncated && { truncated }),
    },
  }
}

const isText = (type: string): boolean =>
  type === '' || /^(text\/|application\/(.*\+)?(json|xml|javascript|x-www-form-urlencoded))/.test(type)

function parsed(type: string, text: string): unknown {
  if (!/\bjson\b|\+json/.test(type)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text // says JSON and is none: the model reads it as it came
  }
}

export const httpSet: ToolSet = {
  name: 'http',
  title: 'HTTP',
  description: 'Call public HTTP addresses through the outbound guard.',
  provider: null,
  tools: [httpRequest],
}
