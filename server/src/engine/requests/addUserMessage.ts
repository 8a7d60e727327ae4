// A person's message to a run in any state: the model gets it at its next turn, and an ended run is started again.
import { one, part, type Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { insertRunEvents, raisedEventXid } from '../../kit/event.ts'
import { withMember } from '../ledger/actsFor.ts'
import { messageInEvent, messageRow, shownMessage } from '../ledger/change.ts'
import { toPendingAgain, type Status } from '../ledger/lifecycle.ts'
import { isCapped, serveLines } from '../admission/admission.ts'
import { lockedTeams } from '../admission/knownSlots.ts'

interface Posted {
  /** The message in the form that listRunMessages answers. */
  message: Record<string, unknown>
  status: Status
}

const fits = part`(not was.is_capped and a.in_line = 0 and a.held - back.places < a.places)`

/**
 * One transaction: the message with its number, its event, and the raised wake number that its holder sees. Posting a message does not end
 * a wait. An ended run goes back to `pending`, keeps its numbers, usage and limits, and waits for a slot like a new run; if it finds
 * none, the line is asked at once. It then acts only for the writer of the message; a run that has not ended acts for the writer too.
 */
export async function addUserMessage(
  sql: Sql,
  run: { id: string; team_id: string },
  { text, memberId }: { text: string; memberId: string },
): Promise<Posted> {
  const row = messageRow(0, { type: 'text', role: 'user', text_content: text })
  const eventId = newId()
  const posted = await one(sql<{ seq: number; status: Status; is_admitted: boolean; may_start: boolean }>`
    with was as materialized (
      select id, team_id, ${toPendingAgain.where} as had_ended, ${toPendingAgain.where} and ${isCapped} as is_capped
      from runs where id = ${run.id} and team_id = ${run.team_id} for update
    ),
    ${lockedTeams(part`select team_id from was where had_ended`)},
    grant_ as (
      update admission a set granted = (${fits})::int, held = a.held - back.places + (${fits})::int, in_line = a.in_line + (not ${fits})::int
      from back, was where a.team_id = back.team_id
      returning a.granted, a.places - a.held as free
    ),
    r as (
      update runs r set message_seq = r.message_seq + 1, event_seq = r.event_seq + 1, event_xid = ${raisedEventXid}, wake_seq = r.wake_seq + 1, updated_at = now(),
        acts_for = ${withMember(part`r.acts_for`, memberId)},
        ${toPendingAgain.set(part`was.had_ended`, part`coalesce((select granted from grant_), 0) = 1`)}
      from was where r.id = was.id
      returning r.*, was.had_ended
    ),
    message as (
      insert into run_messages (run_id, seq, id, turn, type, role, text_content, restarts, "timestamp")
      select id, message_seq, ${row.id}, coalesce((select turn from run_messages m where m.run_id = r.id order by seq desc limit 1), 0),
        'text', 'user', ${text}, had_ended, ${row.timestamp} from r
    ),
    event as (${insertRunEvents(part`
      select ${eventId}::uuid as id, team_id, id as run_id, agent_id, case_id, event_seq as sequence, event_xid as xid, 'run.message.created' as event,
        jsonb_build_object('message',
          ${JSON.stringify(messageInEvent(run.id, row))}::jsonb || jsonb_build_object('seq', message_seq)) as data
      from r`)}
    )
    select message_seq as seq, status, had_ended and admitted_at is not null as is_admitted,
      had_ended and admitted_at is null and coalesce((select free from grant_), 0) > 0 as may_start from r`)
  await serveLines(sql, posted.may_start ? [run.team_id] : [], posted.is_admitted)
  return {
    message: { ...shownMessage(row), run_id: run.id, seq: posted.seq },
    status: posted.status,
  }
}
