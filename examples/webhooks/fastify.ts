// Receives webhooks with Fastify: the parser of JSON is replaced by one that leaves the body as it came.
import fastify, { type FastifyInstance } from 'fastify'
import { Runyard, SignatureError, type RunyardEvent } from '@runyard/sdk'

export function webhookApp(secret: string, onEvent: (event: RunyardEvent) => Promise<void> | void): FastifyInstance {
  const app = fastify()
  // inside a plugin, so that other routes get their JSON parsed
  void app.register(async (hooks) => {
    hooks.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    hooks.post<{ Body: string }>('/webhook', async (request, reply) => {
      try {
        await onEvent(await Runyard.webhooks.unwrap(request.body, request.headers, secret))
        return await reply.code(204).send()
      } catch (error) {
        if (!(error instanceof SignatureError)) throw error
        return reply.code(400).send(error.message)
      }
    })
  })
  return app
}
