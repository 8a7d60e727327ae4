// GET /metrics: the measurements of the process, collected at most once a second, for everybody or for callers with the token.
import type { FastifyInstance } from 'fastify'
import { Fault } from '../../base/errors.ts'
import { hashToken, sameBytes } from '../../base/secrets.ts'
import type { Context } from '../../kit/context.ts'
import { bearerToken } from '../../kit/credential.ts'
import { addressOf, countStranger } from '../../kit/strangers.ts'

/** Collecting the text takes 16 ms (measured), and anybody can ask for it. */
const freshMs = 1000

export function mountMetrics(app: FastifyInstance, context: Context): void {
  const { config, metrics, db, clock } = context
  let taken: { at: number; text: Promise<string> } | undefined

  function textNow(): Promise<string> {
    const now = clock.now().getTime()
    if (taken && now - taken.at >= 0 && now - taken.at < freshMs) return taken.text
    metrics.databasePresent.set(db.watch.isPresent() ? 1 : 0)
    const { roundTripMs } = db.watch.server()
    if (roundTripMs === null) metrics.databaseRoundTrip.remove()
    else metrics.databaseRoundTrip.set(roundTripMs / 1000)
    const text = metrics.registry.metrics()
    taken = { at: now, text }
    // a failure is not cached
    text.catch(() => (taken = undefined))
    return text
  }

  app.get('/metrics', async (request, reply) => {
    const token = bearerToken(request.headers.authorization)
    if (config.metricsToken !== undefined && !(token && isSame(token, config.metricsToken))) {
      await countStranger(context, addressOf(context, request.raw))
      const says = 'Send the value of RUNYARD_METRICS_TOKEN as "Authorization: Bearer <token>".'
      throw new Fault('unauthorized', says, { headers: { 'www-authenticate': 'Bearer realm="metrics"' } })
    }
    return reply.header('content-type', metrics.registry.contentType).send(await textNow())
  })
}

const isSame = (given: string, wanted: string): boolean => sameBytes(hashToken(given), hashToken(wanted))
