// The console: what people see of the service in a browser, at / and at every path that nothing else serves.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Fault } from '../../base/errors.ts'
import type { Context } from '../../kit/context.ts'
import { feature } from '../../kit/feature.ts'
import { runningPart } from '../../kit/runningPart.ts'
import { sendInPieces } from '../../kit/sendInPieces.ts'
import { encodingFor, isFresh } from '../../kit/servedDocument.ts'
import { readConsole, type BuiltConsole, type ConsoleFile } from './builtConsole.ts'
import { notBuilt, notBuiltPolicy } from './notBuilt.ts'
import { consoleHeaders } from './policy.ts'

/** Read once. While there is no build, the next request looks again. */
const builtOf = runningPart('built console', ({ config }) => {
  let reading: Promise<BuiltConsole | undefined> | undefined
  return async () => {
    reading ??= readConsole(config.consoleDir)
    try {
      const built = await reading
      if (!built) reading = undefined
      return built
    } catch (error) {
      reading = undefined
      throw error
    }
  }
})

/** Below these are only URLs of the service. A mistyped one gets the JSON of a 404, also in a browser. */
const servedBelow = /^\/(v2|auth|oauth|\.well-known|mcp|docs|files|images|assets)(\/|$)/

/** Their names change with what is in them. */
const forEver = {
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
}
/** A new build is seen at the next load. */
const askedEachTime = { 'cache-control': 'no-cache' }

export const webConsole = feature({
  name: 'console',
  routes(app, context) {
    const method = ['GET', 'HEAD']
    app.route({ method, url: '/', handler: (request, reply) => sendIndex(context, request, reply) })
    app.route<{ Params: { '*': string } }>({
      method,
      url: '/assets/*',
      async handler(request, reply) {
        const built = await builtOf(context)()
        const file = built?.files.get(`/assets/${request.params['*']}`)
        if (!file) throw new Fault('not_found', 'The console has no such file. Reload the page: it may be newer.')
        return sendFile(request, reply.headers(forEver), file)
      },
    })
    // read while the process starts, so that the first who opens it does not wait
    app.addHook('onListen', (done) => {
      builtOf(context)().catch((error: unknown) => context.log.error({ err: error }, 'the console cannot be read'))
      done()
    })
  },
  fallback: {
    isThere: async (context) => (await builtOf(context)()) !== undefined,
    async answer(context, request, reply) {
      const path = /^[^?]*/.exec(request.raw.url ?? '/')?.[0] ?? '/'
      const file = (await builtOf(context)())?.files.get(path)
      if (file) return sendFile(request, reply.headers(askedEachTime), file)
      if (servedBelow.test(path) || !acceptsHtml(request.headers.accept)) return undefined
      return sendIndex(context, request, reply.header('vary', 'accept'))
    },
  },
})

async function sendIndex(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const built = await builtOf(context)()
  if (built) {
    reply.headers({ ...askedEachTime, ...consoleHeaders(context.baseUrl()) })
    return sendFile(request, reply, built.index)
  }
  reply.headers({ 'content-security-policy': notBuiltPolicy, 'cache-control': 'no-store' })
  return reply.code(503).type('text/html; charset=utf-8').send(notBuilt)
}

function sendFile(request: FastifyRequest, reply: FastifyReply, { type, etag, bytes, encoded }: ConsoleFile) {
  const vary = [reply.getHeader('vary'), 'accept-encoding'].filter(Boolean).join(', ')
  reply.headers({ etag, vary })
  if (isFresh(request.headers['if-none-match'], etag)) return reply.code(304).send()
  const encoding = encodingFor(request.headers['accept-encoding'])
  const body = encoding && encoded[encoding]
  if (body) reply.header('content-encoding', encoding)
  const sent = body ?? bytes
  if (request.method === 'HEAD') return reply.type(type).header('content-length', sent.length).send()
  return sendInPieces(reply, { bytes: sent, type })
}

/** Browsers name it when they open a URL. Programs that accept anything want the usual 404. */
function acceptsHtml(accept: string | undefined): boolean {
  return (accept ?? '').split(',').some((one) => {
    const [name = '', ...parameters] = one.toLowerCase().split(';')
    return name.trim() === 'text/html' && !parameters.some((parameter) => /^\s*q=0(\.0*)?\s*$/.test(parameter))
  })
}
