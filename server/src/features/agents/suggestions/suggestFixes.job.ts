// Looks for checks that fail again and again, and brings the suggestions about them forward.
import { isConnectionTrouble } from '../../../base/db.ts'
import type { Context } from '../../../kit/context.ts'
import { job } from '../../../kit/job.ts'
import { advanceSuggestion, dueSuggestions, type DueSuggestion } from './advanceSuggestion.ts'
import { clearSuggestion } from './decide.ts'
import { failingChecks } from './failingChecks.ts'
import { makeSuggestion } from './makeSuggestion.ts'

/** How many agents are looked at in one statement, and how many suggestions are brought forward in a minute. */
const agentsMax = 200
const suggestionsMax = 200

export const suggestFixes = job({
  name: 'suggestFixes',
  cron: '* * * * *',
  safeToRepeat: 'each step is one transaction that holds the agent’s row and looks again at what is there',
  async handler({ context, signal }) {
    const { sql } = context.db
    for (const due of await dueSuggestions(sql, suggestionsMax)) {
      signal.throwIfAborted()
      await outlive(context, due, () => advanceSuggestion(context, due))
    }
    for (const due of await toClear(context)) {
      signal.throwIfAborted()
      await outlive(context, due, () => clear(context, due))
    }
    const [now] = await sql<{ at: string }>`select clock_timestamp()::text as at`
    for (let looked = agentsMax; looked === agentsMax;) {
      signal.throwIfAborted()
      looked = await look(context, now!.at)
    }
  },
})

/** Looks at the agents that were looked at longest ago, before `at`; answers with how many there were. */
async function look(context: Context, at: string): Promise<number> {
  const { sql } = context.db
  const agents = await sql<{ agent_id: string }>`
    update suggestion_settings set checked_at = clock_timestamp() where agent_id in (
      select agent_id from suggestion_settings where checked_at < ${at}::timestamptz order by checked_at limit ${agentsMax} for update skip locked)
    returning agent_id`
  const failing = await failingChecks(
    sql,
    agents.map(({ agent_id }) => agent_id),
  )
  for (const check of failing) await outlive(context, check, () => makeSuggestion(context, check))
  return agents.length
}

const toClear = ({ db }: Context): Promise<DueSuggestion[]> => db.sql<DueSuggestion>`
  update suggestions set checked_at = clock_timestamp() where id in (
    select id from suggestions where state in ('accepted', 'rejected', 'stale', 'failed') and not is_cleared
    order by checked_at limit ${suggestionsMax} for no key update skip locked)
  returning id, agent_id, team_id`

const clear = (context: Context, { id, team_id: teamId, agent_id }: DueSuggestion) =>
  context.db.transaction(async (sql) => {
    // the agent first, as everybody locks them; one that is deleted is cleared as well
    await sql`select id from agents where id = ${agent_id} and team_id = ${teamId} for no key update`
    await clearSuggestion(context, sql, { id, teamId })
  })

/** What goes wrong with one is logged, and its turn comes again after all others. Without a database the whole job is repeated. */
async function outlive(context: Context, what: object, step: () => Promise<void>): Promise<void> {
  try {
    await step()
  } catch (error) {
    if (isConnectionTrouble(error)) throw error
    context.log.error({ err: error, ...what }, 'a suggestion could not be brought forward')
  }
}
