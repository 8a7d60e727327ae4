// buildApp: the HTTP application with every feature mounted; main and the tests use the same one.
import type { FastifyInstance } from 'fastify'
import type { Context } from './kit/context.ts'
import { createCredentials } from './kit/credential.ts'
import { createHttp, mountOperation } from './kit/http.ts'
import { createPipeline } from './kit/pipeline/pipeline.ts'
import { createRefusals } from './kit/refusals.ts'
import { registryOf } from './kit/registry.ts'

/** How often counts that are gathered in memory are written: last uses of credentials, and refusals that get no row of their own. */
const countsEveryMs = 10_000

export function buildApp(context: Context): FastifyInstance {
  const app = createHttp(context)
  const credentials = createCredentials(context.db.sql)
  const refusals = createRefusals(context.db.sql)
  const pipeline = createPipeline(context, credentials, refusals)
  for (const operation of registryOf(context).operations) mountOperation(app, context, pipeline, operation)
  for (const feature of registryOf(context).features) feature.routes?.(app, context)

  const writeCounts = async () => {
    await credentials
      .flush()
      .catch((error: unknown) => context.log.warn({ err: error }, 'last-used times were not written'))
    await refusals
      .flush()
      .catch((error: unknown) => context.log.warn({ err: error }, 'counts of refused requests were not written'))
  }
  const timer = setInterval(() => void writeCounts(), countsEveryMs)
  timer.unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    await writeCounts()
  })
  return app
}
