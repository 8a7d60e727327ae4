// Starting a run with an Idempotency-Key, as an operation that the crowd on one key can be sent to.
import type { Keyed } from './idempotency.ts'
import type { Yard } from './yard.ts'

/** The run's title tells the round apart; runs are counted in the table, where nothing is hidden. */
export const keyedStart = (yard: Yard, agentId: string): Keyed => ({
  path: ({ teamId }) => `/v2/teams/${teamId}/runs`,
  body: (title) => ({ agent_id: agentId, title }),
  async count(_service, title) {
    return (await yard.sql`select id from runs where title = ${title}`).length
  },
})
