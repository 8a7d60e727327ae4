// buildApp: the HTTP application with every feature mounted; main and the tests use the same one.
import type { FastifyInstance } from 'fastify'
import type { Context } from './kit/context.ts'
import { createCredentials } from './kit/credential.ts'
import { createHttp, mountOperation } from './kit/http.ts'
import { createPipeline } from './kit/pipeline.ts'

const lastUsedEveryMs = 10_000

export function buildApp(context: Context): FastifyInstance {
  const app = createHttp(context)
  const credentials = createCredentials(context.db.sql)
  const pipeline = createPipeline(context, credentials)
  for (const operation of context.registry.operations) mountOperation(app, context, pipeline, operation)
  for (const feature of context.registry.features) feature.routes?.(app, context)

  const writeLastUsed = () =>
    credentials.flush().catch((error: unknown) => context.log.warn({ err: error }, 'last-used times were not written'))
  const timer = setInterval(() => void writeLastUsed(), lastUsedEveryMs)
  timer.unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    await writeLastUsed()
  })
  return app
}
