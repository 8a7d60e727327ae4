// The fifteen kinds of events and what each one carries: the closed set behind streams, webhooks and reports.
import { newId } from '../base/ids.ts'
import { announcing, part, type Part, type Sql } from '../base/db.ts'
import { truncatedField } from './pageBytes.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static, type TProperties, type TSchema } from './schema.ts'
import type { Scope } from './scopes.ts'
import {
  caseStatuses,
  endedCaseStatuses,
  onTimeouts,
  priorities,
  requestStatuses,
  requestTypes,
  runSources,
} from './states.ts'

export const Usage = named(
  'Usage',
  Type.Object({
    steps: Type.Integer(),
    input_tokens: Type.Integer(),
    output_tokens: Type.Integer(),
    cost_usd: Type.Number(),
  }),
)

export const WaitingOn = named(
  'WaitingOn',
  Type.Object({
    kind: oneOf(['human', 'time', 'connection', 'sub_run', 'capacity']),
    since: Time,
    detail: Type.Unknown(),
  }),
)

export const Message = named(
  'Message',
  Type.Object({
    id: Id,
    run_id: Id,
    seq: Type.Integer(),
    type: oneOf(['text', 'thinking', 'tool_call', 'tool_result', 'system']),
    role: oneOf(['user', 'assistant', 'tool', 'system']),
    timestamp: Time,
    text_content: nullable(Type.String()),
    tool_call: nullable(Type.Object({ id: Type.String(), name: Type.String(), arguments: Type.Unknown() })),
    tool_result: nullable(
      Type.Object({
        tool_call_id: Type.String(),
        result: Type.Unknown(),
        error: nullable(Type.String()),
        duration_ms: Type.Integer(),
      }),
    ),
    truncated: truncatedField,
  }),
)

export const HumanRequest = named(
  'HumanRequest',
  Type.Object({
    id: Id,
    run_id: Id,
    step: Type.Optional(
      Type.Integer({ minimum: 1, description: 'The step of the run that asks. Old events do not have it.' }),
    ),
    type: oneOf(requestTypes),
    title: Type.String(),
    description: nullable(Type.String()),
    questions: Type.Unknown(),
    form_schema: Type.Unknown(),
    action: nullable(Type.Object({ tool: Type.String(), arguments: Type.Unknown(), hash: Type.String() })),
    status: oneOf(requestStatuses),
    response: Type.Unknown(),
    responded_by: nullable(Id),
    responded_at: nullable(Time),
    expires_at: nullable(Time),
    on_timeout: oneOf(onTimeouts),
    assignee_user_id: nullable(Id),
    approvals_needed: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'How many people must approve. More than 1 only where the guardrails of the team want it.',
      }),
    ),
    approvals: Type.Optional(
      Type.Array(Type.Object({ user_id: Id, at: Time }), {
        description: 'Who has approved so far, where more than one must. A rejection by anybody closes the request.',
      }),
    ),
    created_at: Time,
    truncated: truncatedField,
  }),
)

export const Label = named(
  'Label',
  Type.Object({
    id: Id,
    key: Type.String(),
    value: Type.String(),
    color_hue: Type.Integer({ minimum: 0, maximum: 360 }),
  }),
)

export const Case = named(
  'Case',
  Type.Object({
    id: Id,
    queue_id: Id,
    title: Type.String(),
    data: Type.String(),
    status: oneOf(['pending', ...endedCaseStatuses]),
    display_status: oneOf(caseStatuses),
    priority: oneOf(priorities),
    labels: Type.Array(Label),
    claimed_at: nullable(Time),
    claimed_by_run_id: nullable(Id),
    claimed_by_user_id: nullable(Id),
    completed_at: nullable(Time),
    postponed_to: nullable(Time),
    attempts: Type.Integer(),
    result: Type.Unknown(),
    reason: nullable(Type.String()),
    pending_human_request_id: nullable(Id),
    created_by_user_id: nullable(Id),
    created_at: Time,
    updated_at: Time,
    truncated: truncatedField,
  }),
)

const ofRun = { run_id: Id, agent_id: Id, case_id: Type.Optional(Id), sequence: Type.Integer({ minimum: 1 }) }
const ofCase = { queue_id: Id, case_id: Id, case: Case, run_id: Type.Optional(Id), agent_id: Type.Optional(Id) }

const kind = <P extends TProperties>(scope: Scope, sentWhen: string, data: P) => ({
  scope,
  sentWhen,
  data: Type.Object(data),
})

/**
 * The fields of each event; `event_id` and `team_id` are added to all of them. Each kind is for callers who may also read its noun
 * through an operation, and has the scope of that operation.
 */
const kinds = {
  'run.started': kind('runs:read', 'A run goes from pending to running for the first time.', {
    ...ofRun,
    status: Type.Literal('running'),
    source: oneOf(runSources),
    build_id: Id,
    title: nullable(Type.String()),
  }),
  'run.paused': kind('runs:read', 'A run begins to wait for a person, a time, a connection or a sub-run.', {
    ...ofRun,
    status: Type.Literal('waiting'),
    waiting_on: WaitingOn,
  }),
  'run.completed': kind('runs:read', 'A run is completed, or was stopped.', {
    ...ofRun,
    status: oneOf(['completed', 'stopped']),
    output: Type.Unknown(),
    duration_ms: nullable(Type.Integer()),
    usage: Usage,
  }),
  'run.failed': kind('runs:read', 'A run has failed.', {
    ...ofRun,
    status: Type.Literal('failed'),
    error: Type.Object({ code: Type.String(), message: Type.String(), step: nullable(Type.Integer()) }),
    duration_ms: nullable(Type.Integer()),
    usage: Usage,
  }),
  'run.message.created': kind('runs:read', 'A message is added to a run.', { ...ofRun, message: Message }),
  'run.tool_call.completed': kind('runs:read', 'A tool call has its result.', {
    ...ofRun,
    tool_call_id: Type.String(),
    name: Type.String(),
    ok: Type.Boolean(),
    error: nullable(Type.String()),
    duration_ms: Type.Integer(),
    step: Type.Integer(),
  }),
  'run.file.created': kind('files:read', 'A run made or changed a file.', {
    ...ofRun,
    path: Type.String(),
    size_bytes: Type.Integer(),
    sha256: Type.String(),
    content_type: Type.String(),
  }),
  'human_request.created': kind('runs:read', 'A run asks a person.', { ...ofRun, human_request: HumanRequest }),
  'human_request.responded': kind('runs:read', 'A human request is answered, or times out into its default.', {
    ...ofRun,
    human_request: HumanRequest,
  }),
  'queue.case.created': kind('queues:read', 'A case is added to a queue.', ofCase),
  'queue.case.claimed': kind('queues:read', 'A case is taken by a run or a person.', ofCase),
  'queue.case.completed': kind('queues:read', 'A case is completed or failed.', {
    ...ofCase,
    status: oneOf(endedCaseStatuses),
  }),
  'assignment.build.published': kind('agents:read', 'A build becomes the live one of its agent.', {
    agent_id: Id,
    build_id: Id,
    revision_number: Type.Integer(),
    previous_build_id: nullable(Id),
  }),
  'connection.updated': kind(
    'connections:read',
    'A connection is made, changed, authorised again, shared or deleted.',
    {
      connection_id: Id,
      provider: Type.String(),
      status: oneOf(['active', 'action_required', 'disabled']),
      change: oneOf(['created', 'updated', 'reauthorized', 'shared', 'deleted']),
    },
  ),
  'connection.action_required': kind(
    'connections:read',
    'A connection needs a person: its grant is gone or its refresh was refused.',
    {
      connection_id: Id,
      provider: Type.String(),
      reason: Type.String(),
      waiting_run_ids: Type.Array(Id),
    },
  ),
}

export type EventName = keyof typeof kinds
/** The data an emitter gives; the kit adds the ids of event and team. */
export type EventData<E extends EventName> = Static<(typeof kinds)[E]['data']>
export const eventNames = Object.keys(kinds) as EventName[]

export const scopeOfEvent = (name: EventName): Scope => kinds[name].scope

/** Kinds of events that a caller with these scopes does not get. */
export const withheldEvents = (scopes: ReadonlySet<Scope>): EventName[] =>
  eventNames.filter((name) => !scopes.has(scopeOfEvent(name)))

/** The envelope around an event as a receiver gets it: exactly these four fields. */
export function envelopeOf(name: EventName): { sentWhen: string; schema: TSchema } {
  const { sentWhen, data } = kinds[name]
  const whole = Type.Object({ event_id: Id, team_id: Id, ...(data.properties as TProperties) })
  const fields = { id: Id, event: Type.Literal(name), created_at: Time, data: whole }
  return { sentWhen, schema: Type.Object(fields, { additionalProperties: false }) }
}

/** Writes an event that belongs to no run, in the transaction of the change that it reports. */
export async function emitEvent<E extends EventName>(
  sql: Sql,
  teamId: string,
  name: E,
  data: EventData<E>,
): Promise<string> {
  const id = newId()
  const whole = { event_id: id, team_id: teamId, ...data }
  await sql`${insertEvents(part`select ${id}::uuid, ${teamId}::uuid, ${name}::text, ${JSON.stringify(whole)}::text`)}`
  return id
}

/**
 * The new value of `event_xid` of `runs r`, set by every statement that raises its event_seq. A transaction may be older than the one
 * that wrote the run's last event, and yet come after it: its events then stand behind that one's (eventPositions.ts).
 */
export const raisedEventXid = part`greatest(r.event_xid, (select event_xid()))`

/**
 * Writes events of runs inside a larger statement: those of one run are one row (decision 0053). `rows` gives id, team_id, run_id, agent_id,
 * case_id, sequence, xid, event and data (JSON of some fields, as text or not); the ids of the others follow from the smallest. Sequence and
 * xid come from the run's row, raised by the same statement, so that the order of numbers is the order of commits.
 */
export const insertRunEvents = (rows: Part): Part => part`${announcing}
  insert into event_batches (id, team_id, run_id, agent_id, case_id, last, xid, kinds, entries)
  select event_batch_id(min(e.id::text)::uuid), e.team_id, e.run_id, e.agent_id, e.case_id, max(e.sequence), max(e.xid),
    string_agg(event_kind(e.event), '' order by e.sequence),
    concat('[', string_agg(e.data::text, ',' order by e.sequence), ']')::json
  from (${rows}) e group by e.team_id, e.run_id, e.agent_id, e.case_id`

/**
 * The same for rows that are batches already: id, team_id, run_id, agent_id, case_id, last (their last sequence), xid, kinds (a letter for
 * each event) and entries (a JSON array of their data, as text).
 */
export const insertBatches = (rows: Part): Part => part`${announcing}
  insert into event_batches (id, team_id, run_id, agent_id, case_id, last, xid, kinds, entries)
  select b.id, b.team_id, b.run_id, b.agent_id, b.case_id, b.last, b.xid, b.kinds, b.entries::json from (${rows}) b`

/** The id of a new batch: the last four digits are for the places of its events. */
export const batchId = (): string => `${newId().slice(0, 32)}0000`

/** The letter of each kind of event, as the SQL function event_kind has it. */
export const letterOf = {
  'run.started': 's',
  'run.paused': 'p',
  'run.completed': 'c',
  'run.failed': 'f',
  'run.message.created': 'm',
  'run.tool_call.completed': 't',
  'run.file.created': 'w',
  'human_request.created': 'h',
  'human_request.responded': 'r',
  'queue.case.created': 'a',
  'queue.case.claimed': 'k',
  'queue.case.completed': 'l',
  'assignment.build.published': 'b',
  'connection.updated': 'u',
  'connection.action_required': 'o',
} as const satisfies Record<EventName, string>

/** Writes events of no run inside a larger statement. `rows` gives id, team_id, event and the whole data, with the ids of both, in this order. */
export const insertEvents = (rows: Part): Part => part`${announcing}
  insert into event_batches (id, team_id, kinds, entries)
  select e.id, e.team_id, event_kind(e.event), concat('[', e.data::text, ']')::json from (${rows}) e (id, team_id, event, data)`

/** Rows `b` of event_batches with their events `e` (place, id, sequence, event), whose data is not read. */
export const placesOf = (batches: Part): Part =>
  part`${batches} b cross join lateral event_places(b.id, b.last, b.kinds) e`

/** The same with their data. All of a batch is read, and read once: a batch may be large. */
export const rowsOf = (batches: Part): Part =>
  part`${batches} b cross join lateral event_rows(b.id, b.last, b.kinds, b.entries) e`

/** The data of the event `e` of `rowsOf`, as everybody gets it, as text. */
export const eventText = part`event_text(e.id, b.team_id, b.run_id, b.agent_id, b.case_id, e.sequence, e.data)`

/**
 * The rows of event_batches whose ids the query `ids` gives, for `rowsOf`. Each is looked up by itself, in the one partition where it can be:
 * a plan that joins all of them may read them whole, since nothing is known of how ids are spread over all partitions.
 */
export const batchesWith = (ids: Part): Part => part`(${ids}) one (id)
    cross join lateral (select * from event_batches where id = one.id offset 0)`

/** The events whose ids the query `ids` gives: their id, and their data as text. */
export const eventsWith = (ids: Part): Part => part`
  select e.id, ${eventText} as data
  from ${rowsOf(
    batchesWith(
      part`select distinct x.id from (${ids}) d (id) cross join lateral (values (d.id), (event_batch_id(d.id))) x (id)`,
    ),
  )}
  where e.id in (${ids})`

/** Erases events of runs that are gone, at most `max` rows of them; answers with how many. */
export async function eraseEventsOf(sql: Sql, runIds: string[], max: number): Promise<number> {
  const gone = await sql`
    delete from event_batches where id = any(array(
      select id from event_batches where run_id = any(${runIds}::uuid[]) limit ${max} for update))
    returning 1`
  return gone.length
}
