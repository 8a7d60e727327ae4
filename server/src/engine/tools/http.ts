// The HTTP tool: one call to a public address through the outbound guard, with the call's id as its Idempotency-Key.
import { isUtf8 } from 'node:buffer'
import { parseBounded } from '../../base/boundedJson.ts'
import type { OutboundAnswer } from '../../base/outbound/fetch.ts'
import { type ToolSet } from '../../kit/feature.ts'
import { oneOf, Type } from '../../kit/schema.ts'
import { hostOf, outsideTool, type Leaving, type Outcome, type Outside, type ToolCall } from '../../kit/tool.ts'
import { connectionUseOf } from '../../kit/registry.ts'

const answerBytesMax = 1024 * 1024
/** How many characters of an answer an error message shows. */
const errorBodyMax = 2000
const timeoutMs = 60_000

/** Headers with which a caller says who it is. */
const ofCredential = /^(authorization|proxy-authorization|cookie)$/i

/** RFC 9110 §9.2.2: repeating these methods has the same effect as one call. Only a person can judge a POST that was cut off. */
const idempotentMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])

const httpRequest = outsideTool({
  name: 'http_request',
  description: 'Call a public HTTP URL. A redirect is returned, not followed.',
  input: Type.Object({
    method: Type.Optional(oneOf(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])),
    url: Type.String({ minLength: 1, maxLength: 8000 }),
    headers: Type.Optional(Type.Record(Type.String({ maxLength: 200 }), Type.String({ maxLength: 8000 }))),
    body: Type.Optional(Type.String({ maxLength: 1024 * 1024 })),
    connection: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Name or id of a connection of this agent: the call is made with its credential, to its own hosts only.',
      }),
    ),
  }),
  onDoubt: ({ method = 'GET' }) => (idempotentMethods.has(method) ? 'retry' : 'ask'),
  timeoutMs,
  takesSecrets: ['headers', 'body'],
  leaves: requestLeaves,
  execute: performRequest,
  boundTo: async ({ run, input: { connection } }, { sql, context }) => {
    const use = connectionUseOf(context)
    return use && connection !== undefined ? use.boundTo({ sql, run, connection }) : {}
  },
  hasCome: async ({ run }, { waitingOn, sql, context }) =>
    (await connectionUseOf(context)?.hasCome({ sql, run, waitingOn })) ?? true,
})

/** RFC 9110 §9.2.1: these methods only read. */
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

export function requestLeaves({ method = 'GET', url, connection }: Request['input']): Leaving {
  const host = hostOf(url)
  return {
    isEffect: !safeMethods.has(method),
    hosts: host === null ? [] : [host],
    ...(connection !== undefined && { connection }),
  }
}

type Request = ToolCall<{
  method?: string
  url: string
  headers?: Record<string, string>
  body?: string
  connection?: string
}>

/** With a connection the credential is added when the request leaves, and is removed from everything that comes back. */
export async function performRequest(call: Request, { context, signal, bound }: Outside): Promise<Outcome> {
  const { method = 'GET', url, headers = {}, body, connection } = call.input
  const send = (ofConnection: Record<string, string>) =>
    context.outbound.request({
      method,
      url,
      headers: {
        'accept-encoding': 'identity',
        ...lowerCased(headers),
        'idempotency-key': call.id,
        ...lowerCased(ofConnection),
      },
      body: body ?? null,
      signal,
      timeoutMs,
      answerBytesMax,
    })
  if (connection === undefined) return outcomeOf(await send({}))
  const use = connectionUseOf(context)
  if (!use) return { error: 'This server keeps no connections.' }
  const own = Object.keys(headers).find((name) => ofCredential.test(name))
  if (own) return { error: `Leave the header ${own} out: the connection adds its own credential.` }
  const { answer, scrub } = await use.call({
    context,
    run: call.run,
    connection,
    url,
    send: (credential) => send({ 'accept-encoding': 'identity', ...credential }),
    isRefused: ({ status }) => status === 401,
    isInvalidToken: ({ headers: of }) => /\berror\s*=\s*"?invalid_token\b/i.test(String(of['www-authenticate'] ?? '')),
    bound,
  })
  // a compressed answer was not asked for, and could hide the credential from the scrubber
  if ((answer.headers['content-encoding'] ?? 'identity') !== 'identity') {
    return { error: 'The server answered in an encoding that was not asked for, so its answer cannot be read.' }
  }
  return outcomeOf(answer, scrub)
}

const lowerCased = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** `scrub` cuts a connection's secrets out of everything that the model will read. */
function outcomeOf(answer: OutboundAnswer, scrub = (text: string) => text): Outcome {
  const { status, headers, truncated } = answer
  const body = Buffer.from(scrub(answer.body.toString('latin1')), 'latin1')
  const type = scrub(String(headers['content-type'] ?? ''))
  const text = isText(type, body) ? body.toString() : undefined
  if (status >= 400) {
    const shown = text?.slice(0, errorBodyMax).toWellFormed()
    return { error: `The server answered ${status}.${shown ? ` It said: ${shown}` : ''}` }
  }
  return {
    result: {
      status,
      content_type: type || null,
      ...(headers['location'] !== undefined && { location: scrub(String(headers['location'])) }),
      ...(text === undefined ? { body_base64: body.toString('base64') } : { body: parsed(type, text) }),
      ...(truncated && { truncated }),
    },
  }
}

/** An answer without a type is read as text only if it is text: anything else would lose its bytes. */
const isText = (type: string, body: Buffer): boolean =>
  type === ''
    ? isUtf8(body) && !body.includes(0)
    : /^(text\/|application\/(.*\+)?(json|xml|javascript|x-www-form-urlencoded))/.test(type)

function parsed(type: string, text: string): unknown {
  if (!/\bjson\b|\+json/.test(type)) return text
  try {
    return parseBounded(text)
  } catch {
    return text // it claims to be JSON and is not: the model reads it unchanged
  }
}

export const httpSet: ToolSet = {
  name: 'http',
  title: 'HTTP',
  description: 'Call public HTTP URLs through the outbound guard.',
  provider: null,
  tools: [httpRequest],
}
