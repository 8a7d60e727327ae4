// What an event says about a case: SQL that builds it from the case's row, for the statement that changed it.
import { part, type Part } from '../../../base/db.ts'

interface CaseEvent {
  eventId: Part
  /** The row of the case, as one value. */
  shown: Part
  runId: Part
  agentId: Part
  event: Part
}

/** The labels are those that the statement sees. If the statement itself adds labels, only the next statement sees them. */
export const caseEventData = ({ eventId, shown, runId, agentId, event }: CaseEvent): Part => part`
  case_event_data(${eventId}, ${shown}, (
    select json_agg(json_build_object('id', l.id, 'key', l.key, 'value', l.value, 'color_hue', l.color_hue) order by l.key, l.value, l.id)
    from case_labels cl join labels l on l.id = cl.label_id where cl.case_id = (${shown}).id
  ), ${runId}, ${agentId}, ${event})`
