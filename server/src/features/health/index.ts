// Is the process alive, may it get requests, and what does it measure: /healthz, /readyz, /metrics.
import { feature } from '../../kit/feature.ts'
import { mountMetrics } from './metricsRoute.ts'
import { mountReadiness } from './readiness.ts'

export const health = feature({
  name: 'health',
  routes(app, context) {
    app.get('/healthz', async () => ({ status: 'alive' }))
    mountReadiness(app, context)
    mountMetrics(app, context)
  },
})
