// The HTTP side of the kit: operations become routes, and every failure is answered in the same shape.
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { ReadableStream as NodeStream } from 'node:stream/web'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { errorBody, Fault } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import { createConnections, type Connections } from './connections.ts'
import type { Context } from './context.ts'
import { openStreamsOf } from './openStreams.ts'
import type { Operation } from './operation.ts'
import type { Pipeline } from './pipeline/pipeline.ts'
import { fallbackOf } from './registry.ts'
import { faultOf, replyOfFault, type Reply } from './reply.ts'
import { jsonType, sendInPieces } from './sendInPieces.ts'
import { report } from './accessLog.ts'
import { restParameterOf } from './resources.ts'
import { etagOf, isFresh } from './servedDocument.ts'
import { addressOf } from './strangers.ts'
import { closeGently, dropUnreadBody, readBytes, readJsonBytes, announcedBytes } from './requestBody.ts'

const saneRequestId = /^[\x21-\x7e]{1,128}$/

/** The application with its routes and its connections. */
interface Http {
  context: Context
  app: FastifyInstance
  routes: RoutePattern[]
  connections: Connections
}

interface RoutePattern {
  method: string
  pattern: RegExp
}

export function createHttp(context: Context): FastifyInstance {
  const routes: RoutePattern[] = []
  const connections = createConnections()
  const app = newApp(routes, connections)
  connections.watch(app.server)
  // RFC 9110 §10.1.1 lets us ignore an expectation that we do not know; Node would answer 417
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  const http: Http = { context, app, routes, connections }
  addHooks(http)
  // bodies are left alone, whatever they are declared as: the pipeline reads them after it knows the caller, with the
  // operation's own cap, and Fastify's answer to a Content-Type it cannot read would come before that
  for (const method of app.supportedMethods) app.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  app.setNotFoundHandler(async (request, reply) => {
    const fault = notFoundOf(routes, request)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const shown = fault.code === 'not_found' && isRead && (await fallbackOf(context)?.answer(context, request, reply))
    return shown || sendFault(reply, fault)
  })
  app.setErrorHandler((error, request, reply) => {
    const fault = faultOf(error)
    if (fault && (fault === error || fault.status < 500)) return sendFault(reply, fault)
    context.log.error({ err: error, request_id: request.id, path: pathOf(request.raw.url) }, 'a route failed')
    return sendFault(reply, fault ?? new Fault('internal_error'))
  })
  return app
}

/** Bodies are checked and answers are written by the pipeline. */
function noSchemas(): never {
  throw new Error('routes have no schemas of Fastify')
}

function newApp(routes: RoutePattern[], connections: Connections): FastifyInstance {
  return fastify({
    logger: false,
    // a request without Host is refused below, in our shape instead of Node's
    http: { requireHostHeader: false },
    exposeHeadRoutes: false,
    // without these Fastify loads its own validator and serialiser, which takes 0.1 s of every start
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    // the longest that any body may take, that of a large upload; ordinary ones have less (requestBody.ts)
    requestTimeout: 6 * 3_600_000,
    // connections.ts closes them, after their answers
    forceCloseConnections: false,
    genReqId: (request) => {
      const given = request.headers['x-request-id']
      return typeof given === 'string' && saneRequestId.test(given) ? given : newId()
    },
    // the default of 100 characters would turn long memory paths into a 404
    routerOptions: { maxParamLength: 16_384 },
    rewriteUrl: (request) => withReadableIds(request.url ?? '/', routes),
    frameworkErrors: (_error, request, reply) => {
      const says = 'The URL has a % that is not followed by two hexadecimal digits of UTF-8.'
      // no hook runs for what the router cannot read
      void sendFault(reply.headers(headersOfAll(request)), new Fault('invalid_request', says))
    },
    clientErrorHandler: (error, socket) => {
      // earlier requests on this connection are answered first, so that nobody takes this refusal for their answer
      const before = connections.lastOwed(socket)
      if (before && socket.writable) before.once('finish', () => refuseOnSocket(error, socket))
      else refuseOnSocket(error, socket)
    },
  })
}

function addHooks({ context, app, routes, connections }: Http): void {
  app.addHook('onRoute', ({ method, url }) => {
    const pattern = new RegExp(`^${url.replace(/:\w+/g, '[^/]+').replace(/\*$/, '.*')}$`)
    for (const one of [method].flat()) routes.push({ method: one, pattern })
  })
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headersOfAll(request))
    connections.begin(reply.raw)
    if (request.raw.httpVersion === '1.1' && request.headers.host === undefined) {
      return done(new Fault('invalid_request', 'The request has no Host header.', { headers: { connection: 'close' } }))
    }
    if (context.lifecycle.draining) reply.header('connection', 'close')
    done()
  })
  app.addHook('onResponse', (request, _reply, done) => {
    dropUnreadBody(request)
    done()
  })
  // an application that closes waits for its connections, and a stream would never give up its own
  app.addHook('preClose', (done) => {
    openStreamsOf(context).endAll()
    connections.close()
    done()
  })
}

function notFoundOf(routes: RoutePattern[], request: FastifyRequest): Fault {
  const path = pathOf(request.raw.url)
  const allowed = routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
  if (allowed.length === 0) {
    return new Fault('not_found', 'There is nothing at this path. /docs lists what the service offers.')
  }
  const allow = [...new Set(allowed)].join(', ')
  const says = `${request.method} is not offered here; this path takes ${allow}.`
  return new Fault('method_not_allowed', says, { headers: { allow } })
}

const headersOfAll = ({ id }: FastifyRequest) => ({ 'x-request-id': id, 'x-content-type-options': 'nosniff' })

/**
 * Broken percent-encoding inside a path that we serve can only be in a parameter. There each percent sign becomes a NUL, which no name
 * holds: the usual stages then refuse it as a name that does not exist. In any other path it stays, and the router refuses it.
 */
function withReadableIds(url: string, routes: { pattern: RegExp }[]): string {
  if (!url.includes('%')) return url
  const path = pathOf(url)
  if (isReadable(path)) return url
  const segments = path.split('/')
  const blank = segments.map((segment) => (isReadable(segment) ? segment : 'x')).join('/')
  if (!routes.some(({ pattern }) => pattern.test(blank))) return url
  const readable = segments.map((segment) => (isReadable(segment) ? segment : segment.replaceAll('%', '%00')))
  return readable.join('/') + url.slice(path.length)
}

function isReadable(encoded: string): boolean {
  try {
    decodeURIComponent(encoded)
    return true
  } catch {
    return false
  }
}

export function mountOperation(app: FastifyInstance, context: Context, pipeline: Pipeline, operation: Operation): void {
  const rest = restParameterOf(operation.path)
  app.route({
    method: operation.method,
    url: rest === undefined ? operation.path : operation.path.replace(/:\w+\*$/, '*'),
    handler: async (request, reply) => {
      const startedAt = performance.now()
      const url = request.raw.url ?? '/'
      const params = request.params as Record<string, string>
      const answer = await pipeline.perform(operation, {
        requestId: request.id,
        authorization: request.headers.authorization,
        ...(mayActByCookie(operation, request) && { page: request.headers }),
        idempotencyKey: idempotencyKeyOf(request),
        address: () => addressOf(context, request.raw),
        url,
        search: url.includes('?') ? url.slice(url.indexOf('?') + 1) : '',
        params: rest === undefined ? params : { ...params, [rest]: params['*'] ?? '' },
        contentType: request.headers['content-type'],
        lastEventId: request.headers['last-event-id']?.toString(),
        ...(operation.protocol && { http: { headers: request.headers, signal: untilGone(reply) } }),
        bodyBytes: announcedBytes(request.headers),
        readBody: (bytesMax) => (operation.takesBytes ? readBytes : readJsonBytes)(request, bytesMax),
      })
      report(context, operation, { requestId: request.id, startedAt }, answer)
      if (answer.stream) return beginStream(context, operation, request, reply, answer, answer.stream)
      reply.code(answer.status).headers(answer.headers).header('cache-control', 'no-store')
      if (answer.flow) return reply.headers(streamHeaders).send(Readable.fromWeb(answer.flow as NodeStream))
      if (answer.file) return sendInPieces(reply, answer.file)
      if (answer.body === null) return reply.send()
      if (operation.isOfVersion && answer.status === 200) {
        const etag = etagOf(answer.body)
        reply.headers({ etag, 'cache-control': 'private, no-cache' })
        if (isFresh(request.headers['if-none-match'], etag)) return reply.code(304).send()
      }
      return sendInPieces(reply, { bytes: answer.body, type: jsonType })
    },
  })
}

/** What speaks a protocol of its own is for programs, which send their credential themselves. */
const mayActByCookie = ({ protocol }: Operation, { headers }: FastifyRequest): boolean =>
  protocol === undefined && headers.authorization === undefined && headers.cookie !== undefined

/** Aborted when the connection closes before the answer was written. */
function untilGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  raw.once('close', () => raw.writableFinished || gone.abort())
  return gone.signal
}

/** A header that is given twice arrives as "a, b", which would look like a third key. It counts as empty, which is out of range. */
function idempotencyKeyOf({ headers, raw }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  const given = raw.rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === 'idempotency-key')
  return given.length > 1 || Array.isArray(key) ? '' : key
}

/** From here on Fastify has nothing to do with the answer. The second log line says how the stream ended. */
function beginStream(
  context: Context,
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  { headers, caller }: Reply,
  stream: NonNullable<Reply['stream']>,
): FastifyReply {
  reply.hijack()
  openStreamsOf(context).open({
    operation: operation.id,
    response: reply.raw,
    // a proxy that buffers answers would delay the events
    headers: { ...reply.getHeaders(), ...headers, ...streamHeaders },
    ...stream,
    onEnd({ by, events, durationMs }) {
      const who = { team_id: caller?.team_id, credential_id: caller?.credential.id }
      const what = { request_id: request.id, operation: operation.id, ended_by: by, events }
      context.log.info({ ...what, ...who, duration_ms: Math.round(durationMs) }, 'stream ended')
    },
  })
  return reply
}

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

const pathOf = (url: string | undefined): string => /^[^?]*/.exec(url ?? '/')?.[0] ?? ''

function sendFault(reply: FastifyReply, fault: Fault): FastifyReply {
  const { status, body, headers } = replyOfFault(fault)
  return reply.code(status).headers(headers).header('content-type', jsonType).send(body)
}

/** What is not HTTP at all never reaches a route: answered on the bare socket in the same shape, then closed. */
function refuseOnSocket(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const fault = new Fault(
    'invalid_request',
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'The request headers are larger than 16 KiB.'
      : 'This is not a valid HTTP request.',
  )
  const body = JSON.stringify(errorBody(fault))
  const head = [
    `HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${newId()}`,
    'connection: close',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  closeGently(socket)
}
