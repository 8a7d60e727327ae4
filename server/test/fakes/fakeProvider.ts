// A model provider for tests: a real HTTP server on loopback that gives prepared answers in its provider's own protocol.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface FakeCall {
  name: string
  /** A string is sent as it stands, also when it is no JSON. */
  arguments: unknown
  id?: string
}

/** What the provider does with one request. Parts come in this order: thinking, text, calls. */
export interface FakeAnswer {
  /** Anything but 200 is an error; `error` is its text, in the provider's shape. */
  status?: number
  headers?: Record<string, string>
  error?: { message: string; type?: string }
  /** An error's body as it stands, for servers that have a shape of their own. */
  errorBody?: unknown
  /** With the provider's own proof of it (signature, encrypted content, thought signature). */
  thinking?: { text: string; proof: string }
  /** Several are sent as deltas, one by one. */
  text?: string | string[]
  calls?: FakeCall[]
  /** `window`: the context of the model is full, which Anthropic alone tells apart. */
  finish?: 'length' | 'refusal' | 'window'
  usage?: { input: number; output: number; cached?: number }
  /** Nothing after the first delta of the text is sent before this resolves. */
  hold?: Promise<void>
  /** In place of the ending events: the socket breaks, the stream ends cleanly, goes silent, or tells an error. */
  instead?: 'break' | 'end' | 'silence' | { message: string; type: string }
  /** Sent as it stands in place of everything else (recorded.ts); the socket breaks after `cutAt` bytes of its body. */
  recorded?: { status: number; headers: Record<string, string>; body: string }
  cutAt?: number
  /** The socket breaks after this share of all bytes of the answer. */
  cutAtShare?: number
  /** Not a single byte comes. */
  isDeaf?: boolean
  /** The connection is left open after everything was sent. */
  staysOpen?: boolean
}

export interface FakeRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  // oxlint-disable-next-line typescript/no-explicit-any -- each provider has its own shape, which the test spells out
  body: any
  /** Resolves when the client takes the connection down before the answer is whole. */
  torn: Promise<void>
}

export interface FakeProvider {
  /** Without the path of the API. */
  url: string
  requests: FakeRequest[]
  /** The answer to those who ask which models there are: how a key is tried without paying for it. */
  listsModels: FakeAnswer
  /** For the next request that has none yet, in order; a function sees the request first. */
  answer: (...answers: (FakeAnswer | ((request: FakeRequest) => FakeAnswer))[]) => void
  /** Drops the answers that nobody asked for. */
  forget: () => void
  close: () => Promise<void>
}

/** One event of a stream: `data:`, with `event:` before it where the protocol names them. */
export interface FakeEvent {
  event?: string
  data: unknown
  /** Marks the first delta of the text, after which `hold` holds. */
  isFirstText?: boolean
}

export interface Protocol {
  /** Everything up to the end of the last part. */
  body: (answer: FakeAnswer, request: FakeRequest) => FakeEvent[]
  /** What makes the answer whole. */
  ending: (answer: FakeAnswer) => FakeEvent[]
  streamError: (error: { message: string; type: string }) => FakeEvent
  errorBody: (status: number, error: { message: string; type?: string }) => unknown
}

export async function startFake(protocol: Protocol): Promise<FakeProvider> {
  const requests: FakeRequest[] = []
  const answers: Parameters<FakeProvider['answer']> = []

  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const request: FakeRequest = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: incoming.headers,
        body: chunks.length === 0 ? null : JSON.parse(Buffer.concat(chunks).toString()),
        torn: new Promise((resolve) => {
          response.on('close', () => {
            if (!response.writableEnded) resolve()
          })
        }),
      }
      requests.push(request)
      if (request.method === 'GET') {
        void give(protocol, response, request, fake.listsModels)
        return
      }
      const next = answers.shift() ?? { status: 500, error: { message: 'The fake has no answer left.' } }
      void give(protocol, response, request, typeof next === 'function' ? next(request) : next)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const fake: FakeProvider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    listsModels: { recorded: { status: 200, headers: { 'content-type': 'application/json' }, body: '{}' } },
    answer: (...more) => void answers.push(...more),
    forget: () => void answers.splice(0),
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return fake
}

async function give(protocol: Protocol, response: ServerResponse, request: FakeRequest, answer: FakeAnswer) {
  const { status = 200, headers = {}, error = { message: 'No reason given.' }, hold, instead } = answer
  if (answer.isDeaf) return
  if (answer.recorded) {
    sendRecorded(response, answer.recorded, answer.cutAt)
    return
  }
  if (status !== 200) {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(answer.errorBody ?? protocol.errorBody(status, error)))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers })
  if (answer.cutAtShare !== undefined) {
    const whole = [...protocol.body(answer, request), ...protocol.ending(answer)].map(textOf).join('')
    await hold
    cutAfter(response, whole, Math.floor(Buffer.byteLength(whole) * answer.cutAtShare))
    return
  }
  const send = (event: FakeEvent) => response.write(textOf(event))
  for (const event of protocol.body(answer, request)) {
    send(event)
    if (event.isFirstText) await hold
  }
  if (instead === 'silence') return
  if (instead === 'break') {
    // What was written is flushed first, so that the client has read it when the connection breaks.
    response.write(': \n\n', () => response.destroy())
    return
  }
  if (typeof instead === 'object') send(protocol.streamError(instead))
  else if (instead !== 'end') for (const event of protocol.ending(answer)) send(event)
  if (!answer.staysOpen) response.end()
}

function sendRecorded(
  response: ServerResponse,
  { status, headers, body }: NonNullable<FakeAnswer['recorded']>,
  cutAt: number | undefined,
): void {
  response.writeHead(status, headers)
  if (cutAt === undefined) response.end(body)
  else cutAfter(response, body, cutAt)
}

/** What was written is flushed first, so that the client has read it when the connection breaks. */
function cutAfter(response: ServerResponse, body: string, bytes: number): void {
  response.write(Buffer.from(body).subarray(0, bytes), () => response.destroy())
}

function textOf({ event, data }: FakeEvent): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`
}

export const deltasOf = ({ text = [] }: FakeAnswer): string[] => (typeof text === 'string' ? [text] : text)

export const argumentsOf = (call: FakeCall): string =>
  typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments)
