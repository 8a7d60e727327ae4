// Every change of a case's state: guarded by who holds it, with its place in the timeline and its event, many in one statement.
import { part, type Sql } from '../../../base/db.ts'
import { newId } from '../../../base/ids.ts'
import { insertEvents } from '../../../kit/event.ts'
import type { DisplayStatus } from './case.ts'
import { caseEventData } from './caseEventData.ts'

/** Who moves a case. A run moves what it holds; a person what they hold, or what nobody does. */
export type Mover = { run_id: string; agent_id: string } | { user_id: string }

export type MoveType = 'claimed' | 'completed' | 'failed' | 'postponed' | 'released' | 'handed_over'

export interface Move {
  case_id: string
  team_id: string
  by: Mover
  type: MoveType
  reason?: string | null
  result?: unknown
  postponed_to?: Date
  /** To whom it is handed over. */
  for_agent_id?: string
}

const becomes: Record<MoveType, DisplayStatus> = {
  claimed: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  postponed: 'postponed',
  released: 'pending',
  handed_over: 'pending',
}

/** Only these are events of the team; the timeline has all. */
const told: Partial<Record<MoveType, string>> = {
  claimed: 'queue.case.claimed',
  completed: 'queue.case.completed',
  failed: 'queue.case.completed',
}

interface Moved {
  /** Its place in the list of moves. */
  n: number
  case_id: string
  queue_id: string
}

/** Those that could be made: where one is missing, another holds the case, or it has ended. */
export async function moveCases(sql: Sql, moves: Move[]): Promise<Moved[]> {
  const rows = moves.map((move, n) => ({
    n,
    case_id: move.case_id,
    team_id: move.team_id,
    run_id: 'run_id' in move.by ? move.by.run_id : null,
    agent_id: 'run_id' in move.by ? move.by.agent_id : null,
    user_id: 'user_id' in move.by ? move.by.user_id : null,
    type: move.type,
    becomes: becomes[move.type],
    reason: move.reason ?? null,
    result: move.result ?? null,
    postponed_to: move.postponed_to ?? null,
    for_agent_id: move.for_agent_id ?? null,
    event: told[move.type] ?? null,
    event_id: newId(),
    timeline_id: newId(),
  }))
  return sql<Moved>`
    with wanted as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as w (
        n int, case_id uuid, team_id uuid, run_id uuid, agent_id uuid, user_id uuid, type text, becomes text, reason text, result jsonb,
        postponed_to timestamptz, for_agent_id uuid, event text, event_id uuid, timeline_id uuid)
    ),
    moved as (
      update cases c set
        display_status = w.becomes,
        claimed_at = case when w.becomes = 'in_progress' then now() end,
        claimed_by_user_id = case when w.becomes = 'in_progress' then w.user_id end,
        claimed_by_run_id = case when w.becomes = 'in_progress' then w.run_id end,
        claimed_by_agent_id = case when w.becomes = 'in_progress' then w.agent_id end,
        pending_human_request_id = null,
        for_agent_id = case when w.type = 'handed_over' then w.for_agent_id when w.becomes = 'in_progress' then c.for_agent_id end,
        postponed_to = w.postponed_to,
        completed_at = case when w.becomes in ('completed', 'failed') then now() end,
        attempts = c.attempts + (w.becomes = 'in_progress')::int,
        result = case when w.becomes = 'completed' then w.result else c.result end,
        reason = case when w.becomes in ('failed', 'postponed') then w.reason when w.becomes = 'completed' then null else c.reason end,
        updated_at = now()
      from wanted w
      where c.id = any(${moves.map(({ case_id }) => case_id)}::uuid[]) and c.id = w.case_id and c.team_id = w.team_id and ${mayMove}
      returning w.n, c as shown
    ),
    timeline as (
      insert into case_events (id, team_id, case_id, type, run_id, user_id, reason)
      select w.timeline_id, w.team_id, w.case_id, w.type, w.run_id, w.user_id, w.reason from moved m join wanted w on w.n = m.n
    ),
    event as (${insertEvents(part`
      select w.event_id, w.team_id, w.event, ${eventOfMove}
      from moved m join wanted w on w.n = m.n where w.event is not null`)}
    )
    select m.n, (m.shown).id as case_id, (m.shown).queue_id as queue_id from moved m`
}

const eventOfMove = caseEventData({
  eventId: part`w.event_id`,
  shown: part`m.shown`,
  runId: part`w.run_id`,
  agentId: part`w.agent_id`,
  event: part`w.event`,
})

/** Of a wanted move `w` of `cases c`. What has ended moves no more; a claim needs a case that nobody holds. */
const mayMove = part`
  case
    when w.type = 'claimed' then c.claimed_at is null and c.display_status in ('pending', 'postponed')
    when w.run_id is not null then c.claimed_by_run_id = w.run_id
    when w.type = 'released' then c.claimed_by_user_id = w.user_id
    else c.display_status not in ('completed', 'failed') and c.claimed_by_run_id is null
      and (c.claimed_at is null or c.claimed_by_user_id = w.user_id)
  end`
