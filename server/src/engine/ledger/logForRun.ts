// Events of a run from anyone who does not hold it: numbered under the run's row lock, so that the order of numbers is the order of commits.
import { part, type Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { storableJson } from '../../base/storable.ts'
import { insertRunEvents, raisedEventXid, type EventName } from '../../kit/event.ts'

interface RunEvent {
  event: EventName
  data: object
}

export async function logForRun(sql: Sql, runId: string, events: RunEvent[]): Promise<void> {
  const rows = events.map((event, index) => ({ id: newId(), place: index + 1, ...event }))
  await sql`
    with run as (
      update runs r set event_seq = r.event_seq + ${rows.length}, event_xid = ${raisedEventXid} where r.id = ${runId}
      returning r.id, r.team_id, r.agent_id, r.case_id, r.event_xid as xid, r.event_seq - ${rows.length} as base
    )
    ${insertRunEvents(part`
      select n.id, r.team_id, r.id as run_id, r.agent_id, r.case_id, r.base + n.place as sequence, r.xid, n.event, n.data
      from json_to_recordset(${storableJson(rows)}::json) as n (id uuid, place int, event text, data jsonb), run r`)}`
}
