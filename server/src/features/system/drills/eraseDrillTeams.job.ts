// Erases the scratch teams of drills that ended without doing so themselves.
import { job } from '../../../kit/job.ts'
import { drillsToErase } from './drillRows.ts'
import { eraseScratchTeam } from './eraseScratchTeam.ts'

export const eraseDrillTeams = job({
  name: 'eraseDrillTeams',
  safeToRepeat: 'what is erased is not found a second time',
  async handler({ context, sql, signal }) {
    for (const { id, team_id } of await drillsToErase(sql)) {
      signal.throwIfAborted()
      const { left } = await eraseScratchTeam(context, id, team_id)
      if (left > 0) throw new Error(`${left} rows of the scratch team of a drill are still there; will retry`)
    }
  },
})
