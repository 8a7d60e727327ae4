// Sends a drafted request to the service, inside the process or over a socket, and brings back what came of it.
import { Agent, request as httpRequest, type OutgoingHttpHeaders } from 'node:http'
import { after } from 'node:test'
import { textOrBeginning, type TestApp } from '../kit/testApp.ts'

/** A request in its parts, so that a case can change one of them and leave the others good. */
export interface Draft {
  method: string
  /** With `{name}` for each parameter. */
  path: string
  /** The parameters as they stand in the address: percent-encoded, or not. */
  ids: Record<string, string>
  /** As it stands after the `?`. */
  query: string
  headers: Record<string, string | string[]>
  /** The body as a value… */
  json?: Record<string, unknown>
  /** …or as it is sent. */
  raw?: string | Buffer
}

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

/** A text that is no UTF-8 does not get past this. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A file that does not say that it is UTF-8 is read byte by byte. */
const textIn = (bytes: Buffer, type: string | undefined): string =>
  type === undefined || type.includes('charset=utf-8') ? utf8.decode(bytes) : bytes.toString('latin1')

/** `place`: the how-manyth request of its operation this is. */
export type Send = (draft: Draft, place: number) => Promise<Answer>

export const urlOf = ({ path, ids, query }: Draft): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name]!) + (query && `?${query}`)

export const payloadOf = ({ json, raw }: Draft): string | Buffer | undefined =>
  raw ?? (json === undefined ? undefined : JSON.stringify(json))

/** Every fourth request goes over the socket, and all of those whose address or headers `inject` would tidy up. */
export function createSend(service: TestApp, baseUrl: string): Send {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  after(() => agent.destroy())
  return (draft, place) => {
    const isTidy = /^(?!.*(?:%2e|\.\.|\/\/|\/\.))[\w/.~%?=&:+-]*$/i.test(urlOf(draft)) && hasPlainHeaders(draft)
    return isTidy && place % 4 !== 0 ? inject(service, draft) : overSocket(agent, baseUrl, draft)
  }
}

const hasPlainHeaders = ({ method, headers }: Draft): boolean =>
  method !== 'HEAD' &&
  Object.values(headers).every((value) => typeof value === 'string' && /^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(value))

function headersOf(draft: Draft): OutgoingHttpHeaders {
  const payload = payloadOf(draft)
  if (payload === undefined) return draft.headers
  return { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload), ...draft.headers }
}

async function inject(service: TestApp, draft: Draft): Promise<Answer> {
  const payload = payloadOf(draft)
  const isStream = draft.path.endsWith('/events')
  const response = await service.app.inject({
    method: draft.method as 'GET',
    url: urlOf(draft),
    headers: headersOf(draft),
    ...(payload !== undefined && { payload }),
    payloadAsStream: isStream,
  })
  const type = response.headers['content-type']?.toString()
  const text = isStream ? await textOrBeginning(response) : textIn(response.rawPayload, type)
  return { status: response.statusCode, headers: response.headers as Answer['headers'], text }
}

function overSocket(agent: Agent, baseUrl: string, draft: Draft): Promise<Answer> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve, reject) => {
    const settings = { agent, hostname, port, method: draft.method, path: urlOf(draft), headers: headersOf(draft) }
    const request = httpRequest(settings, (response) => {
      const { statusCode: status = 0, headers } = response
      const chunks: Buffer[] = []
      // a stream of events has no end to wait for
      if (headers['content-type']?.startsWith('text/event-stream')) {
        response.destroy()
        return resolve({ status, headers, text: '' })
      }
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status, headers, text: textIn(Buffer.concat(chunks), headers['content-type']) }),
      )
    })
    request.on('error', reject)
    request.end(payloadOf(draft))
  })
}
