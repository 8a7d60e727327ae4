// Requests whose time is over, one by one: each ends in its stated outcome, with its event, and wakes its run.
import type { Sql } from '../../base/db.ts'
import { wakeRuns } from '../admission/wake.ts'
import { logForRun } from '../ledger/logForRun.ts'
import { requestColumns, type HumanRequest } from './humanRequests.ts'

interface Due {
  id: string
}

/** The first of this team. It waits for the slots of the team. */
export async function expireRequest(sql: Sql, teamId: string): Promise<HumanRequest | undefined> {
  const due = await sql<Due>`
    select h.id from human_requests h join runs r on r.id = h.run_id
    where h.status = 'pending' and h.expires_at <= now() and h.team_id = ${teamId} order by h.expires_at limit 1 for update of r skip locked`
  return expire(sql, due)
}

/** The first of all, without those of teams whose slots others have locked. */
export async function expireRequestUnlocked(sql: Sql): Promise<HumanRequest | undefined> {
  const due = await sql<Due>`
    select h.id from human_requests h join runs r on r.id = h.run_id join admission a on a.team_id = r.team_id
    where h.status = 'pending' and h.expires_at <= now() order by h.expires_at limit 1 for update of a, r skip locked`
  return expire(sql, due)
}

async function expire(sql: Sql, [due]: Due[]): Promise<HumanRequest | undefined> {
  if (!due) return undefined
  const [expired] = await sql<HumanRequest>`
    update human_requests set status = 'expired', responded_at = now(),
      response = case on_timeout when 'approve' then '{"approved": true}'::jsonb when 'reject' then '{"approved": false}'::jsonb end
    where id = ${due.id} and status = 'pending'
    returning ${requestColumns}`
  if (!expired) return undefined
  await logForRun(sql, expired.run_id, [{ event: 'human_request.responded', data: { human_request: expired } }])
  await wakeRuns(sql, [expired.run_id])
  return expired
}

/** The teams of the first requests whose time is over, in no order. */
export const teamsWithExpired = (sql: Sql, max: number) => sql<{ team_id: string }>`
  select team_id from (
    select team_id from human_requests where status = 'pending' and expires_at <= now() order by expires_at limit ${max}
  ) due group by team_id order by random()`
