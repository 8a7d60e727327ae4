// Wakes the runs that wait because of guardrails which have changed: their calls are judged again.
import type { Sql } from '../../base/db.ts'
import { job } from '../../kit/job.ts'
import { Id, Type } from '../../kit/schema.ts'
import { wakeRuns } from '../admission/wake.ts'

const runsAtOnce = 200

export const wakeHeldRuns = job({
  name: 'wakeHeldRuns',
  input: Type.Object({ team_id: Id }),
  safeToRepeat: 'a run that is woken without need waits again',
  async handler({ input, context, signal }) {
    for (let after: string | undefined = firstId; after !== undefined;) {
      signal.throwIfAborted()
      after = await context.db.transaction((sql) => wakeSome(sql, input.team_id, after!))
    }
  },
})

const firstId = '00000000-0000-0000-0000-000000000000'

/** Answers with the last one, behind which there may be more. */
async function wakeSome(sql: Sql, teamId: string, after: string): Promise<string | undefined> {
  const held = await sql<{ id: string; waits: boolean }>`
    select s.run_id as id, coalesce(r.status = 'waiting', false) and exists (
      select from run_steps t where t.run_id = s.run_id and t.state = 'waiting' and t.result #>> '{waiting_on,detail,reason}' = 'guardrail') as waits
    from (
      select distinct run_id from guardrail_stops
      where team_id = ${teamId} and way = 'waits' and until > now() and run_id > ${after} order by run_id limit ${runsAtOnce}) s
    left join runs r on r.id = s.run_id and r.team_id = ${teamId} order by s.run_id`
  await wakeRuns(
    sql,
    held.filter(({ waits }) => waits).map(({ id }) => id),
  )
  return held.length < runsAtOnce ? undefined : held.at(-1)?.id
}
