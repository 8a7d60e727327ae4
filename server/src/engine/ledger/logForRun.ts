// Events of a run from anyone who does not hold it: numbered under the run's row lock, so that the order of numbers is the order of commits.
import { part, type Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { storableJson } from '../../base/storable.ts'
import { insertRunEvents, type EventName } from '../../kit/event.ts'

interface RunEvent {
  event: EventName
  data: object
}

export async function logForRun(sql: Sql, runId: string, events: RunEvent[]): Promise<void> {
  const rows = events.map((event, index) => ({ id: newId(), place: index + 1, ...event }))
  await sql`
    with run as (
      update runs set event_seq = event_seq + ${rows.length} where id = ${runId}
      returning id, team_id, agent_id, case_id, event_seq - ${rows.length} as base
    )
    ${insertRunEvents(part`
      select n.id, r.team_id, r.id as run_id, r.agent_id, r.case_id, r.base + n.place as sequence, n.event, n.data
      from json_to_recordset(${storableJson(rows)}::json) as n (id uuid, place int, event text, data jsonb), run r`)}`
}
