// One sandbox host as a worker asks it: a connection for each request, no redirects, and bounds on everything that it answers.
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isRecord } from '../../../base/isRecord.ts'
import { runyardVersion } from '../../../base/version.ts'
import { lineBytesMax, protocolHeader, protocolVersion, silentMs, versionHeader, type HostFacts } from './protocol.ts'

/** It answered with something else than what was asked for: nothing was done. */
export class HostRefused extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** It did not answer, or not in time. `isNobody`: the machine refuses connections, so that no process of the host lives there. */
export class HostAway extends Error {
  readonly isNobody: boolean
  constructor(message: string, cause: unknown) {
    super(message, { cause })
    this.isNobody = isRecord(cause) && cause['code'] === 'ECONNREFUSED'
  }
}

interface Question {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  json?: object
  /** Sent as it comes, instead of JSON. */
  stream?: AsyncGenerator<Buffer>
  /** How long it may take until the answer begins. */
  withinMs: number
  signal?: AbortSignal | undefined
}

export interface HostClient {
  url: string
  /** Resolves when a 2xx answer begins; whoever asked reads it. */
  ask(question: Question): Promise<IncomingMessage>
  /** Resolves with the whole answer, which is small. */
  askJson(question: Question): Promise<Record<string, unknown>>
}

export function createHostClient(url: string, token: string): HostClient {
  async function ask(question: Question): Promise<IncomingMessage> {
    const { path, stream, json, signal, withinMs } = question
    signal?.throwIfAborted()
    const response = await sent(new URL(path, url), { ...question, body: stream ?? jsonBody(json) }, token, withinMs)
    try {
      requireProtocol(url, response)
      const { statusCode = 0 } = response
      if (statusCode >= 200 && statusCode < 300) return response
      throw new HostRefused(statusCode, await refusalOf(url, response))
    } catch (error) {
      response.destroy()
      throw error
    }
  }
  return {
    url,
    ask,
    async askJson(question) {
      return readSmall(await ask(question))
    },
  }
}

const text = (value: unknown): string => String(value).slice(0, 200)

/** What a host says of itself, for people. */
export async function factsOfHost(url: string, token: string): Promise<HostFacts> {
  const said = await createHostClient(url, token).askJson({ method: 'GET', path: '/v1/host', withinMs: silentMs })
  const { version, protocol, driver, strength, slots, free } = said as Partial<Record<keyof HostFacts, unknown>>
  return {
    version: text(version),
    protocol: text(protocol),
    driver: text(driver),
    strength: text(strength),
    slots: Number(slots),
    free: Number(free),
  }
}

async function* jsonBody(json: object | undefined): AsyncGenerator<Buffer> {
  if (json) yield Buffer.from(JSON.stringify(json))
}

async function sent(
  url: URL,
  { method, body, signal }: Omit<Question, 'stream'> & { body: AsyncGenerator<Buffer> },
  token: string,
  withinMs: number,
): Promise<IncomingMessage> {
  const options: RequestOptions = {
    method,
    // a connection of its own: one that was used before may break for reasons that say nothing about this request
    agent: false,
    headers: {
      authorization: `Bearer ${token}`,
      [protocolHeader]: protocolVersion,
      [versionHeader]: runyardVersion,
      connection: 'close',
    },
    ...(signal && { signal }),
  }
  const request = url.protocol === 'https:' ? httpsRequest(url, options) : httpRequest(url, options)
  let early: IncomingMessage | undefined
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', (response) => resolve((early = response)))
    // a late error has nobody to tell: whoever reads the answer sees it there
    request.on('error', reject)
  })
  const timer = setTimeout(() => request.destroy(new Error(`no answer within ${withinMs} ms`)), withinMs)
  request.on('drain', () => timer.refresh())
  try {
    const [response] = await Promise.all([answered, pipeline(Readable.from(body, { objectMode: false }), request)])
    return response
  } catch (error) {
    // an answer that came before the body was taken says why
    if (early) return early
    request.destroy()
    signal?.throwIfAborted()
    throw new HostAway(
      `${url.origin} does not answer: ${error instanceof Error ? error.message : String(error)}`,
      error,
    )
  } finally {
    clearTimeout(timer)
  }
}

function requireProtocol(url: string, response: IncomingMessage): void {
  const { [protocolHeader]: protocol, [versionHeader]: version } = response.headers
  if (protocol === protocolVersion) return
  const what =
    protocol === undefined
      ? 'is not a sandbox host'
      : `(Runyard ${String(version)}) speaks protocol ${String(protocol)}`
  throw new HostRefused(
    response.statusCode ?? 0,
    `${url} ${what}; this worker (Runyard ${runyardVersion}) speaks protocol ${protocolVersion}. Run the same version on both.`,
  )
}

async function refusalOf(url: string, response: IncomingMessage): Promise<string> {
  const said = await readSmall(response).catch(() => ({ message: undefined }))
  const { message } = said as { message?: unknown }
  return typeof message === 'string' ? message.slice(0, 1000) : `${url} answered with ${String(response.statusCode)}.`
}

async function readSmall(response: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  let bytes = 0
  const timer = setTimeout(() => response.destroy(new Error('the answer is too slow')), silentMs)
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > lineBytesMax)
        throw new HostRefused(response.statusCode ?? 0, 'The sandbox host answers with too much.')
      chunks.push(chunk)
    }
    const value: unknown = bytes === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString())
    if (isRecord(value)) return value
    throw new HostRefused(response.statusCode ?? 0, 'The sandbox host answers with something else than a JSON object.')
  } catch (error) {
    if (error instanceof HostRefused) throw error
    if (error instanceof SyntaxError)
      throw new HostRefused(response.statusCode ?? 0, 'The sandbox host answers with something else than JSON.')
    throw new HostAway('the answer of a sandbox host broke', error)
  } finally {
    clearTimeout(timer)
    response.destroy()
  }
}
