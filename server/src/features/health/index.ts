// Is the process alive, may it get requests, and what does it measure: /healthz, /readyz, /metrics.
import { feature } from '../../kit/feature.ts'
import { mountMetrics } from './metricsRoute.ts'

export const health = feature({
  name: 'health',
  routes(app, context) {
    const { db, lifecycle } = context
    app.get('/healthz', async () => ({ status: 'alive' }))
    app.get('/readyz', async (_request, reply) => {
      const problems = [...(lifecycle.draining ? ['the process is stopping'] : []), ...db.watch.problems()]
      if (problems.length === 0) return { status: 'ready' }
      return reply.code(503).send({ status: 'not ready', problems })
    })
    mountMetrics(app, context)
  },
})
