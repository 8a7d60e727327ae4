// One request to an S3-compatible store: signed, with limits on its time, and with its failures told apart.
import { hash } from 'node:crypto'
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { NoSuchObject, type HashedBytes, StoreAway, StoreRefused } from '../objectStore.ts'
import { canonicalQuery, encoded, signedHeaders, type Credentials } from './sign.ts'

export interface S3Server {
  /** Without a slash at its end. */
  endpoint: string
  credentials: Credentials
  /** Called after each request: with the reason if the store did not answer. */
  onAnswer?: (problem: string | undefined, refusal?: string) => void
}

export interface Asked {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  bucket: string
  /** Undefined: the bucket itself. */
  key?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: HashedBytes
}

/** A store that says nothing for so long is away: also the longest time between two pieces of an answer. */
const silenceMs = 20_000
const emptyHash = hash('sha256', '', 'hex')
/** What is read of an answer that is no object. */
const answerBytesMax = 1024 * 1024

/** Requests go one after the other over connections that stay open. The names of hosts are the operator's, so the guard of URLs is not asked. */
const agents = {
  'http:': new HttpAgent({ keepAlive: true, maxSockets: 256, timeout: 60_000 }),
  'https:': new HttpsAgent({ keepAlive: true, maxSockets: 256, timeout: 60_000 }),
}

/** Path style: every store takes it, and it needs no names in DNS. */
export function addressOf(endpoint: string, { bucket, key, query = {} }: Pick<Asked, 'bucket' | 'key' | 'query'>): URL {
  const path = [bucket, ...(key === undefined ? [] : key.split('/'))].map(encoded).join('/')
  const text = canonicalQuery(Object.entries(query))
  return new URL(`${endpoint}/${path}${text === '' ? '' : `?${text}`}`)
}

/** The answer, whose body is still to be read. Everything but 2xx is thrown. */
export async function open(server: S3Server, asked: Asked): Promise<IncomingMessage> {
  try {
    const answer = await exchange(server, asked)
    const status = answer.statusCode ?? 0
    if (status >= 200 && status < 300) {
      server.onAnswer?.(undefined)
      return answer
    }
    const text = await textOf(answer)
    throw failureOf(asked, status, text)
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(String(error))
    const isAnswer = failure instanceof StoreRefused || failure instanceof NoSuchObject
    const away = isAnswer || failure instanceof StoreAway ? failure : awayFrom(server, failure)
    // a HEAD is also refused if there is no such object and the key may not list the bucket
    const isRefusal = failure instanceof StoreRefused && asked.method !== 'HEAD'
    server.onAnswer?.(isAnswer ? undefined : away.message, isRefusal ? failure.message : undefined)
    throw away
  }
}

/** The answer with its text. */
export async function ask(
  server: S3Server,
  asked: Asked,
): Promise<{ text: string; headers: IncomingMessage['headers'] }> {
  const answer = await open(server, asked)
  try {
    return { text: await textOf(answer), headers: answer.headers }
  } catch (error) {
    throw awayFrom(server, error as Error)
  }
}

export const awayFrom = ({ endpoint }: S3Server, cause: Error): StoreAway =>
  new StoreAway(`the object store at ${endpoint} does not answer (${wordsOf(cause)})`, { cause })

/** A host with several addresses fails with one error for each. */
function wordsOf(error: Error): string {
  if (error instanceof AggregateError) return error.errors.map((one: Error) => one.message).join('; ')
  return error.message
}

function exchange({ endpoint, credentials }: S3Server, asked: Asked): Promise<IncomingMessage> {
  const url = addressOf(endpoint, asked)
  const { method, body, headers = {} } = asked
  const payload = body?.sha256 ?? emptyHash
  const signed = signedHeaders({ method, url, headers, payload }, credentials, new Date())
  const isTls = url.protocol === 'https:'
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const sent = (isTls ? httpsRequest : httpRequest)(url, {
    method,
    agent: agents[isTls ? 'https:' : 'http:'],
    headers: { ...signed, ...(method !== 'GET' && method !== 'HEAD' && { 'content-length': body?.bytes.length ?? 0 }) },
    timeout: silenceMs,
  })
  sent.once('timeout', () => sent.destroy(new Error(`nothing was heard for ${silenceMs / 1000} s`)))
  sent.once('response', resolve)
  sent.on('error', reject)
  sent.end(body?.bytes)
  return promise
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of answer as AsyncIterable<Buffer>) {
    bytes += piece.length
    if (bytes > answerBytesMax) throw new Error('the answer of the object store is too long')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

/** Codes of S3 for what passes by itself, whatever the status is. */
const passing = new Set(['SlowDown', 'RequestTimeout', 'InternalError', 'ServiceUnavailable', 'OperationAborted'])

export function failureOf({ method, bucket, key }: Asked, status: number, text: string): Error {
  const code = /<Code>([^<]{1,100})<\/Code>/.exec(text)?.[1] ?? ''
  const says = /<Message>([^<]{1,300})<\/Message>/.exec(text)?.[1] ?? ''
  const told = `${method} of ${key === undefined ? `the bucket ${bucket}` : `${bucket}/${key}`}: ${[status, code, says].filter(Boolean).join(' ')}`
  if (status >= 500 || status === 429 || status === 408 || passing.has(code)) {
    return new StoreAway(`the object store failed (${told})`)
  }
  if (status === 404 && code !== 'NoSuchBucket' && key !== undefined) return new NoSuchObject(told)
  return new StoreRefused(`the object store refused (${told})`)
}
