// Moves cases for the runs and people who hold or take them: many in one statement, each with its timeline entry and its event.
import { part, type Sql } from '../../../base/db.ts'
import { newId } from '../../../base/ids.ts'
import { insertEvents } from '../../../kit/event.ts'
import { caseEventData } from './caseEventData.ts'
import { mayMove, setByType, type MoveType } from './caseLifecycle.ts'

/** Who moves a case. A run moves what it holds; a person what they hold, or what nobody does. */
export type Mover = { run_id: string; agent_id: string } | { user_id: string }

export interface CaseMove {
  case_id: string
  team_id: string
  by: Mover
  type: MoveType
  reason?: string | null
  result?: unknown
  postponed_to?: Date
  /** The member who gets a case that is assigned. */
  assignee_id?: string
  /** The member from whom the case is taken: the move is made only while they hold it. */
  holder_id?: string
  /** The agent that gets a case that is handed over. */
  for_agent_id?: string
}

const setOfMove = setByType()

/** The moves that are also events of the team. The timeline has all moves. */
const eventNames: Partial<Record<MoveType, string>> = {
  claimed: 'queue.case.claimed',
  assigned: 'queue.case.claimed',
  completed: 'queue.case.completed',
  failed: 'queue.case.completed',
}

interface Moved {
  /** Its position in the list of moves. */
  n: number
  case_id: string
  queue_id: string
}

/** Returns the moves that were made. One is missing if somebody else holds the case, or if it has ended. */
export async function moveCases(sql: Sql, moves: CaseMove[]): Promise<Moved[]> {
  const rows = moves.map((move, n) => ({
    n,
    case_id: move.case_id,
    team_id: move.team_id,
    run_id: 'run_id' in move.by ? move.by.run_id : null,
    agent_id: 'run_id' in move.by ? move.by.agent_id : null,
    user_id: 'user_id' in move.by ? move.by.user_id : null,
    type: move.type,
    reason: move.reason ?? null,
    result: move.result ?? null,
    postponed_to: move.postponed_to ?? null,
    assignee_id: move.assignee_id ?? null,
    holder_id: move.holder_id ?? null,
    for_agent_id: move.for_agent_id ?? null,
    event: eventNames[move.type] ?? null,
    event_id: newId(),
    timeline_id: newId(),
  }))
  return sql<Moved>`
    with wanted as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as w (
        n int, case_id uuid, team_id uuid, run_id uuid, agent_id uuid, user_id uuid, type text, reason text, result jsonb,
        postponed_to timestamptz, assignee_id uuid, holder_id uuid, for_agent_id uuid, event text, event_id uuid, timeline_id uuid)
    ),
    moved as (
      update cases c set ${setOfMove}
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
