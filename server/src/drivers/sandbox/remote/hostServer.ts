// The HTTP side of a sandbox host: who may ask, what is asked, and how much of it is read.
import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { isRecord } from '../../../base/isRecord.ts'
import type { Log } from '../../../base/log.ts'
import { runyardVersion } from '../../../base/version.ts'
import { outputBytesAllowed, type SandboxDriver } from '../sandbox.ts'
import { lineOf, readFrames } from './frames.ts'
import { Refused, type HostSandboxes, type Ran } from './hostSandboxes.ts'
import {
  aliveEveryMs,
  carriedBytesMax,
  commandBytesMax,
  lineBytesMax,
  protocolHeader,
  protocolVersion,
  silentMs,
  versionHeader,
  type CommandLines,
  type CommandWanted,
  type HostFacts,
  type Opened,
  type Problem,
} from './protocol.ts'

interface HostServerOptions {
  token: string
  tls?: { cert: string; key: string } | undefined
  driver: SandboxDriver
  sandboxes: HostSandboxes
  slots: number
  leaseMs: number
  /** RUNYARD_SANDBOX_HOSTS and RUNYARD_SANDBOX_BYTES of this process. */
  hosts: string[]
  bytesMax: number
  log: Log
  isStopping: () => boolean
}

const statuses: Record<Problem['code'], number> = {
  unauthorized: 401,
  protocol: 409,
  settings: 409,
  full: 503,
  stopping: 503,
  not_found: 404,
  busy: 409,
  invalid: 400,
  failed: 500,
}

/** Longer than a command may ever run. */
const timeoutMsMax = 24 * 3600 * 1000
const lateBodyMs = 1000
/** A worker has a connection for each sandbox and one to renew it; the rest is for those who look, and for strangers. */
const connectionsOf = (slots: number): number => 8 * slots + 64

export function createHostServer(options: HostServerOptions): Server {
  const answer: RequestListener = (request, response) => {
    void serve(options, request, response).catch((error: unknown) => fail(options, request, response, error))
  }
  const { tls, slots } = options
  const server = tls ? createTlsServer(tls, answer) : createServer(answer)
  server.maxConnections = connectionsOf(slots)
  server.headersTimeout = silentMs
  // a workspace may take long: what is read has bounds of its own
  server.requestTimeout = 0
  return server
}

async function serve(options: HostServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { sandboxes, leaseMs, bytesMax, isStopping } = options
  response.setHeader(protocolHeader, protocolVersion)
  response.setHeader(versionHeader, runyardVersion)
  response.setHeader('connection', 'close')
  const asked = `${request.method} ${request.url}`
  if (asked === 'GET /healthz') return json(response, 200, { status: 'ok' })
  if (asked === 'GET /readyz')
    return json(response, isStopping() ? 503 : 200, { status: isStopping() ? 'stopping' : 'ready' })
  requireToken(request, options.token)
  requireProtocol(request)
  if (asked === 'GET /v1/host') return json(response, 200, factsOf(options))
  if (asked === 'POST /v1/sandboxes') {
    const { hosts, has_laid } = await readJson(request, lineBytesMax)
    requireSameHosts(hosts, options.hosts)
    const opened: Opened = { id: await sandboxes.open(has_laid === true), lease_ms: leaseMs }
    return json(response, 201, opened)
  }
  const [, id = '', part] =
    /^\/v1\/sandboxes\/([0-9a-f-]{36})(?:\/(workspace|laid|command|lease))?$/.exec(request.url ?? '') ?? []
  const verb = `${request.method} ${part ?? ''}`
  if (verb === 'DELETE ') await sandboxes.end(id, 'the worker closed it')
  else if (verb === 'PUT workspace' || verb === 'PUT laid') {
    const reader = readFrames(request, 2 * carriedBytesMax(bytesMax))
    await sandboxes.take(id, verb === 'PUT laid' ? 'laid' : 'workspace', reader)
  } else if (verb === 'POST lease') {
    const { is_to_yield } = await readJson(request, lineBytesMax)
    sandboxes.renew(id, is_to_yield === true)
  } else if (verb === 'POST command') {
    const wanted = commandOf(await readJson(request, commandBytesMax))
    return sandboxes.run(id, wanted, (running, ended) => carry(options, id, response, running, ended))
  } else throw new Refused('not_found', 'There is nothing under this path.')
  response.writeHead(204).end()
}

const hash = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Hashes have one length, and so the comparison says nothing about the token's. */
function requireToken(request: IncomingMessage, token: string): void {
  const given = request.headers.authorization ?? ''
  if (timingSafeEqual(hash(given), hash(`Bearer ${token}`))) return
  throw new Refused(
    'unauthorized',
    'The token is not that of this sandbox host. Set RUNYARD_SANDBOX_TOKEN to the same value on both sides.',
  )
}

function requireProtocol(request: IncomingMessage): void {
  const { [protocolHeader]: protocol, [versionHeader]: version } = request.headers
  if (protocol === protocolVersion) return
  throw new Refused(
    'protocol',
    `This sandbox host (Runyard ${runyardVersion}) speaks protocol ${protocolVersion}, and the worker (Runyard ${String(version)}) protocol ` +
      `${String(protocol)}. Run the same version on both.`,
  )
}

const spelled = (hosts: unknown[]): string => hosts.map(String).toSorted().join(',')

function requireSameHosts(given: unknown, own: string[]): void {
  if (Array.isArray(given) && spelled(given) === spelled(own)) return
  throw new Refused(
    'settings',
    'Commands may reach other hosts here than the worker says. Set RUNYARD_SANDBOX_HOSTS to the same list on both sides.',
  )
}

function factsOf({ driver, slots, sandboxes }: HostServerOptions): HostFacts {
  const { name, strength } = driver
  return { version: runyardVersion, protocol: protocolVersion, driver: name, strength, slots, free: sandboxes.free() }
}

async function readJson(request: IncomingMessage, bytesMax: number): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  let bytes = 0
  const timer = setTimeout(() => request.destroy(new Error('the body of a request took too long')), silentMs)
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > bytesMax) throw new Refused('invalid', `The body has more than ${bytesMax} bytes.`)
      chunks.push(chunk)
    }
  } finally {
    clearTimeout(timer)
  }
  const value = parsed(Buffer.concat(chunks).toString())
  if (!isRecord(value)) throw new Refused('invalid', 'The body is not a JSON object.')
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // the caller refuses what is not an object
    return undefined
  }
}

const isCount = (value: unknown, most: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most

function commandOf({ language, code, env, timeoutMs, outputBytesMax }: Record<string, unknown>): CommandWanted {
  const isLanguage = language === 'bash' || language === 'python' || language === 'js'
  const variables = isRecord(env) ? Object.entries(env) : []
  const areTexts = variables.every((pair): pair is [string, string] => typeof pair[1] === 'string')
  if (!isLanguage || typeof code !== 'string' || !areTexts) throw new Refused('invalid', 'This is not a command.')
  if (!isCount(timeoutMs, timeoutMsMax) || !isCount(outputBytesMax, outputBytesAllowed))
    throw new Refused('invalid', 'The time or the output of the command is out of bounds.')
  return { language, code, env: Object.fromEntries(variables), timeoutMs, outputBytesMax }
}

/** A connection that breaks before the end ends the sandbox: whoever asked is gone, or believes that the command died. */
async function carry(
  { sandboxes, log }: HostServerOptions,
  id: string,
  response: ServerResponse,
  running: Promise<Ran>,
  ended: AbortSignal,
): Promise<void> {
  response.once('close', () => {
    if (response.writableFinished || ended.aborted) return
    sandboxes
      .end(id, 'the connection of its command broke')
      .catch((error: unknown) => log.error({ err: error, sandbox: id }, 'a sandbox could not be ended'))
  })
  ended.addEventListener('abort', () => response.destroy(), { once: true })
  // a worker that takes nothing is gone
  response.setTimeout(6 * silentMs, () => response.destroy())
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  // not swallowed: `linesOf` waits for it
  running.catch(() => undefined)
  await pipeline(Readable.from(linesOf(running, ended), { objectMode: false }), response)
}

async function* linesOf(running: Promise<Ran>, ended: AbortSignal): AsyncGenerator<Buffer> {
  const settled = running.then(
    (ran) => ({ ran }),
    (error: unknown) => ({ error }),
  )
  for (;;) {
    yield lineOf({ alive: true } satisfies Partial<CommandLines>)
    const outcome = await Promise.race([settled, pause(aliveEveryMs, undefined, { ref: false })])
    if (!outcome) continue
    if ('ran' in outcome) return yield* resultOf(outcome.ran)
    // then the stream ends without a result: the command did not come to its end
    ended.throwIfAborted()
    const { error } = outcome
    const failed = (error instanceof Error ? error.message : String(error)).slice(0, 1000)
    return yield lineOf({ failed } satisfies Partial<CommandLines>)
  }
}

async function* resultOf({ executed, seen, changes }: Ran): AsyncGenerator<Buffer> {
  const { stdout, stderr, ...rest } = executed
  const [out, err] = [Buffer.from(stdout), Buffer.from(stderr)]
  const counts = { stdout_bytes: out.length, stderr_bytes: err.length }
  yield lineOf({
    executed: { ...rest, ...counts, unkept: seen.unkept, is_whole: seen.isWhole },
  } satisfies Partial<CommandLines>)
  if (out.length > 0) yield out
  if (err.length > 0) yield err
  yield* changes
}

function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(value)}\n`)
}

function fail({ log }: HostServerOptions, request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    log.info({ err: error }, 'a request broke')
    response.destroy()
    return
  }
  const isRefused = error instanceof Refused
  if (!isRefused) log.warn({ err: error, url: request.url }, 'a request failed')
  const message = error instanceof Error ? error.message : String(error)
  const problem: Problem = { code: isRefused ? error.code : 'failed', message }
  json(response, statuses[problem.code], problem)
  // a body that is still coming must not hide the answer from its sender; what is left after a moment is not read
  request.resume()
  setTimeout(() => request.destroy(), lateBodyMs).unref()
}
