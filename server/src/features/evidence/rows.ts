// The rows of a run's log, and the seals over them, as a bundle shows them: one line of JSON each, made by the database, the same bytes
// whenever it is asked.
import { part, type Part } from '../../base/db.ts'
import { wholeText } from '../../engine/ledger/largeTexts.ts'

/** What was committed together, as one row `b` of event_batches. */
export const eventLine = part`concat('{"id":"', b.id, '","last":', b.last, ',"at":', (extract(epoch from b.created_at) * 1000)::bigint,
    ',"kinds":"', b.kinds, '","events":', b.entries, '}')`

const orNull = (value: Part): Part => part`coalesce(${value}::text, 'null')`
const textOrNull = (value: Part): Part => part`coalesce(to_json(${value})::text, 'null')`
/** For what needs no escapes: an id, a time, hex digits. */
const quotedOrNull = (value: Part): Part => part`coalesce('"' || ${value}::text || '"', 'null')`

/** What few steps have. Each value costs time, also where it is null, so the others have all of it at once. */
const rareOfStep = part`case when s.error is null and s.said is null and s.moments is null and s.arrived is null and s.input_tokens is null
      and s.output_tokens is null and s.cost_usd is null and s.unsettled = 0
    then ', "error" : null, "said" : null, "moments" : null, "arrived" : null, "input_tokens" : null, "output_tokens" : null, "cost_usd" : null, "unsettled" : 0}'
    else ', "error" : ' || ${textOrNull(part`s.error`)} || ', "said" : ' || ${textOrNull(part`s.said`)} || ', "moments" : ' || ${orNull(part`s.moments`)} ||
      ', "arrived" : ' || ${orNull(part`s.arrived`)} || ', "input_tokens" : ' || ${orNull(part`s.input_tokens`)} ||
      ', "output_tokens" : ' || ${orNull(part`s.output_tokens`)} || ', "cost_usd" : ' || ${orNull(part`trim_scale(s.cost_usd)`)} ||
      ', "unsettled" : ' || s.unsettled || '}' end`

/** A step `s` of run_steps. The same bytes as of json_build_object, which asks for the type of each value anew and takes twice as long. */
export const stepLine = part`('{"seq" : ' || s.seq || ', "turn" : ' || s.turn || ', "kind" : "' || s.kind || '", "tool" : ' || ${textOrNull(part`s.tool`)} ||
    ', "state" : "' || s.state || '", "attempt" : ' || s.attempt || ', "started_at" : "' || iso(s.started_at) || '", "completed_at" : ' ||
    ${quotedOrNull(part`iso(s.completed_at)`)} || ', "arguments" : ' || ${orNull(part`s.arguments`)} || ', "result" : ' || ${orNull(part`s.result`)} ||
    ${rareOfStep})`

/** A message `m` of run_messages. */
export const messageLine = part`json_build_object('seq', m.seq, 'id', m.id, 'turn', m.turn, 'type', m.type, 'role', m.role,
    'timestamp', iso(m."timestamp"), 'text_content', ${wholeText(part`m`)}, 'tool_call', m.tool_call, 'tool_result', m.tool_result)::text`

/**
 * The text of a seal `n`, a row of run_seals with the head of the seal before it (`before`, null for the first) and with what never changes of
 * its run. The order of its fields is part of the format (docs/guides/evidence.md).
 */
export const sealText = part`('{"format":"runyard-seal-1","team_id":"' || n.team_id || '","run_id":"' || n.run_id || '","agent_id":"' || n.agent_id ||
    '","build_id":"' || n.build_id || '","config_sha256":"' || encode(n.config_hash, 'hex') || '","source":"' || n.source ||
    '","user_id":' || ${quotedOrNull(part`n.user_id`)} || ',"case_id":' || ${quotedOrNull(part`n.case_id`)} ||
    ',"parent_run_id":' || ${quotedOrNull(part`n.parent_run_id`)} || ',"created_at":"' || iso(n.created_at) || '","number":' || n.number ||
    ',"events":{"last":' || n.events_last || ',"rows":' || n.events_rows || ',"link":"' || encode(n.events_link, 'hex') ||
    '"},"steps":{"rows":' || n.steps_rows || ',"link":"' || encode(n.steps_link, 'hex') ||
    '"},"messages":{"rows":' || n.messages_rows || ',"link":"' || encode(n.messages_link, 'hex') ||
    '"},"before":' || ${quotedOrNull(part`encode(n.before, 'hex')`)} || '}')`

/** SHA-256 of a line. */
export const digestOf = (line: Part): Part => part`sha256(convert_to(${line}, 'UTF8'))`

/**
 * Whether a line of events may be about a message that is cut there: 16 KiB are left of such a one. A result that says so of itself is asked
 * about in vain. The word is searched without a pattern: that finds it without a look at every letter.
 */
export const mayBeCut = (line: Part): Part =>
  part`(octet_length(${line}) > 8192 and position('"truncated"' in ${line}) > 0)`

/** The numbers of the messages that are cut in the events of the row `b`. */
export const cutMessages = part`
    select (e.data #>> '{message,seq}')::int as seq from json_array_elements(b.entries) as e (data)
    where e.data #>> '{message,truncated}' = 'true'`
