// The rows of a run's log as a bundle shows them: one line of JSON each, made by the database, the same bytes whenever it is asked.
import { part, type Part } from '../../base/db.ts'
import { wholeText } from '../../engine/ledger/largeTexts.ts'

/** What was committed together, as one row `b` of event_batches. */
export const eventLine = part`concat('{"id":"', b.id, '","last":', b.last, ',"at":', (extract(epoch from b.created_at) * 1000)::bigint,
    ',"kinds":"', b.kinds, '","events":', b.entries, '}')`

/** A step `s` of run_steps. */
export const stepLine = part`json_build_object('seq', s.seq, 'turn', s.turn, 'kind', s.kind, 'tool', s.tool, 'state', s.state, 'attempt', s.attempt,
    'started_at', iso(s.started_at), 'completed_at', iso(s.completed_at), 'arguments', s.arguments, 'result', s.result, 'error', s.error,
    'said', s.said, 'moments', s.moments, 'arrived', s.arrived, 'input_tokens', s.input_tokens, 'output_tokens', s.output_tokens,
    'cost_usd', trim_scale(s.cost_usd), 'unsettled', s.unsettled)::text`

/** A message `m` of run_messages. */
export const messageLine = part`json_build_object('seq', m.seq, 'id', m.id, 'turn', m.turn, 'type', m.type, 'role', m.role,
    'timestamp', iso(m."timestamp"), 'text_content', ${wholeText(part`m`)}, 'tool_call', m.tool_call, 'tool_result', m.tool_result)::text`

/** SHA-256 of a line. */
export const digestOf = (line: Part): Part => part`sha256(convert_to(${line}, 'UTF8'))`

/** Whether an event of the row `b` may be about a message that is cut there. A text of a person that says so is asked about in vain. */
export const mayBeCut = part`(b.entries::text like '%"truncated":true%' or b.entries::text like '%"truncated": true%')`

/** The numbers of the messages that are cut in the events of the row `b`. */
export const cutMessages = part`
    select (e.data #>> '{message,seq}')::int as seq from json_array_elements(b.entries) as e (data)
    where e.data #>> '{message,truncated}' = 'true'`
