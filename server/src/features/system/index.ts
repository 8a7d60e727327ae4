// The installation as those who run it see it: processes, waiting work, sizes, settings.
import { feature } from '../../kit/feature.ts'
import { getSystem } from './getSystem.ts'
import { installationMetricsOf } from './installationMetrics.ts'
import { recordSizes } from './recordSizes.job.ts'

export const system = feature({
  name: 'system',
  about: 'The whole installation: processes, waiting work, sizes and settings. For admins of the team that runs it.',
  operations: [getSystem],
  jobs: [recordSizes],
  // where there is a /metrics there are routes
  routes: (_app, context) => installationMetricsOf(context),
})
