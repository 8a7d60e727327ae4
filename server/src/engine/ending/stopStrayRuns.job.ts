// Stops runs of an agent that were started while it was being deleted: such a start saw the agent, and the deletion did not see its run.
import { job } from '../../kit/job.ts'
import { Id, Type } from '../../kit/schema.ts'
import { stopRunsOfAgent } from './stopRunsAndLog.ts'

/** How long after the deletion: a start that was under way has committed or given up, because no lock is waited for longer than 2 s. */
export const strayAfterMs = 10_000

export const stopStrayRuns = job({
  name: 'stopStrayRuns',
  input: Type.Object({ team_id: Id, agent_id: Id }),
  safeToRepeat: 'a run that was stopped is not active the second time',
  async handler({ input, context }) {
    await context.db.transaction(async (sql) => {
      const [deleted] = await sql`
        select id from agents where id = ${input.agent_id} and team_id = ${input.team_id} and deleted_at is not null`
      if (!deleted) return
      await stopRunsOfAgent(context, sql, { teamId: input.team_id, agentId: input.agent_id })
    })
  },
})
