// What becomes of an agent's active runs when the agent is deleted: they are stopped with it.
import { stopRunsOfAgent } from '../../engine/ending/stopRunsAndLog.ts'
import { stopStrayRuns, strayAfterMs } from '../../engine/ending/stopStrayRuns.job.ts'
import type { Hooks } from '../../kit/feature.ts'
import { enqueueOn } from '../../kit/job.ts'

export const stopDeletedAgent: NonNullable<Hooks['agentDeleted']> = async ({ sql, context, teamId, agentId }) => {
  await stopRunsOfAgent(context, sql, { teamId, agentId })
  const runAt = new Date(Date.now() + strayAfterMs)
  await enqueueOn(sql)(stopStrayRuns, { team_id: teamId, agent_id: agentId }, { runAt })
}
