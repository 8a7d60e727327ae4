// The installation as those who run it see it: processes, waiting work, sizes, settings, and drills that show what it survives.
import { feature } from '../../kit/feature.ts'
import { eraseDrillTeams } from './drills/eraseDrillTeams.job.ts'
import { listDrills } from './drills/listDrills.ts'
import { startDrill } from './drills/startDrill.ts'
import { stopDrill } from './drills/stopDrill.ts'
import { stopDrills, watchDrills } from './drills/takeDrill.ts'
import { getSystem } from './getSystem.ts'
import { installationMetricsOf } from './installationMetrics.ts'
import { recordSizes } from './recordSizes.job.ts'

export const system = feature({
  name: 'system',
  about:
    'The whole installation: processes, waiting work, sizes, settings and drills. For admins of the team that runs it.',
  operations: [getSystem, listDrills, startDrill, stopDrill],
  jobs: [recordSizes, eraseDrillTeams],
  tick: watchDrills,
  close: stopDrills,
  // where there is a /metrics there are routes
  routes: (_app, context) => installationMetricsOf(context),
})
