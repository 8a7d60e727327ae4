// A recording: a copy of what a replay needs of one ended run. It stays when the log of its run is erased, and goes when the run is deleted.
import { one, part, type Part, type Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import type { SeenFile } from '../../drivers/model/model.ts'
import { engineOf } from '../../engine/engine.ts'
import type { Limits } from '../../engine/builds/buildConfig.ts'
import { raiseLimitAction } from '../../engine/requests/humanRequests.ts'
import { wholeMessage, wholeText } from '../../engine/ledger/largeTexts.ts'
import type { Context } from '../../kit/context.ts'
import { resource } from '../../kit/resources.ts'
import { Id, named, oneOf, Time, Type, type Static } from '../../kit/schema.ts'
import type { runSources } from '../../kit/states.ts'

/** How large one recording may be: a replay holds it in memory. */
const recordingBytesMax = 4 * 1024 ** 2
export const recordingsMax = 1000
export const setBytesMax = 128 * 1024 ** 2
/** When one request has read this much of logs, it reads no more, also where none of them could be recorded. */
export const readBytesMax = 64 * 1024 ** 2

/**
 * What may still be read for one request, or for one draft. It bounds logs by their size as stored, which is known before they are read. A
 * log that was stored compressed may become larger than what is left; then it is the last one that is read.
 */
export interface ReadBudget {
  readonly bytesMax: number
  bytesLeft: number
}

export const newBudget = (bytesMax = readBytesMax): ReadBudget => ({ bytesMax, bytesLeft: bytesMax })

/** One call of a recorded run, with what it was answered. */
export interface RecordedCall {
  step: number
  turn: number
  tool: string
  arguments: unknown
  result: unknown
  error: string | null
  files: SeenFile[] | null
  /** Who wanted a person to approve it: the build, or the guardrails of the team, which ask whatever the build says; null: nobody did. */
  asked_by: 'build' | 'guardrails' | null
}

/** What a person said when the run asked for more at one of its limits. */
export interface RecordedMore {
  limit: keyof Limits
  from: number | string
  to: number | string
  is_approved: boolean
  /** The reason that the run failed with; null where it was approved. */
  error: string | null
}

/** One message of the log as the checks of runs read it, without results: both sides have the same ones. */
export interface RecordedMessage {
  id: string
  turn: number
  role: string
  text: string | null
  call: { id: string; name: string; arguments: unknown } | null
  result: { tool_call_id: string; error: string | null } | null
}

/** What a person said, and after which turn. */
export interface RecordedWords {
  text: string
  turn: number
  restarts: boolean
}

export interface RecordingContent {
  run: {
    id: string
    run_number: number
    title: string
    agent_id: string
    agent_name: string
    source: (typeof runSources)[number]
    message: unknown
    created_at: string
    user_id: string | null
    case_id: string | null
    depth: number
  }
  end: { status: 'completed' | 'failed'; output: unknown; error: { code: string; message: string } | null }
  usage: { steps: number; input_tokens: number; output_tokens: number; cost_usd: string }
  /** From its beginning to its end, and how much of that models took. */
  duration_ms: number
  model_ms: number
  calls: RecordedCall[]
  more: RecordedMore[]
  said: RecordedWords[]
  messages: RecordedMessage[]
}

export const Recording = named(
  'Recording',
  Type.Object({
    id: Id,
    replay_set_id: Id,
    run_id: Id,
    run_number: Type.Integer(),
    run_title: Type.String(),
    run_status: oneOf(['completed', 'failed']),
    run_ended_at: Time,
    calls: Type.Integer({ minimum: 0, description: 'How many calls the run made.' }),
    size_bytes: Type.Integer({ minimum: 0 }),
    created_at: Time,
  }),
)
export type Recording = Static<typeof Recording>

export const recordingColumns = part`
  c.id, c.set_id as replay_set_id, c.run_id, c.run_number, c.run_title, c.run_status, c.run_ended_at, c.calls, c.size_bytes, c.created_at`

/** SQL for the content, over `runs r` and `agents a`. */
const content: Part = part`jsonb_build_object(
  'run', jsonb_build_object('id', r.id, 'run_number', r.run_number, 'title', r.title, 'agent_id', r.agent_id, 'agent_name', a.name,
    'source', r.source, 'message', ${wholeMessage}, 'created_at', r.created_at, 'user_id', r.user_id, 'case_id', r.case_id, 'depth', r.depth),
  'end', jsonb_build_object('status', r.status, 'output', r.output, 'error', r.error),
  'usage', jsonb_build_object('steps', r.steps, 'input_tokens', r.input_tokens, 'output_tokens', r.output_tokens,
    'cost_usd', trim_scale(r.cost_usd)::text),
  'duration_ms', (extract(epoch from r.completed_at - r.started_at) * 1000)::bigint,
  'model_ms', (select coalesce(sum(extract(epoch from completed_at - started_at) * 1000), 0)::bigint from run_steps
    where run_id = r.id and kind = 'model' and completed_at is not null),
  'calls', (select coalesce(jsonb_agg(jsonb_build_object('step', s.seq, 'turn', s.turn, 'tool', s.tool, 'arguments', s.arguments,
      'result', s.result, 'error', s.error, 'files', shown.files -> (r.id || ':' || s.seq),
      'asked_by', (select case when exists (select from guardrail_stops g where g.run_id = r.id and g.step = s.seq and g.way = 'asks')
          then 'guardrails' else 'build' end
        from human_requests h where h.run_id = r.id and h.step = s.seq and h.type = 'approval' and s.kind <> 'human' limit 1)
    ) order by s.seq), '[]')
    from run_steps s, (select jsonb_object_agg(m.tool_result ->> 'tool_call_id', m.opaque -> 'files') as files from run_messages m
      where m.run_id = r.id and m.type = 'tool_result' and m.opaque -> 'files' is not null) shown
    where s.run_id = r.id and s.kind <> 'model' and s.state in ('done', 'failed') and s.tool <> ${raiseLimitAction}),
  'more', (select coalesce(jsonb_agg(jsonb_build_object('limit', s.arguments -> 'limit', 'from', s.arguments -> 'from',
      'to', coalesce(s.result -> 'to', s.arguments -> 'to'), 'is_approved', s.state = 'done', 'error', s.error) order by s.seq), '[]')
    from run_steps s where s.run_id = r.id and s.kind = 'human' and s.state in ('done', 'failed') and s.tool = ${raiseLimitAction}),
  'said', (select coalesce(jsonb_agg(jsonb_build_object('text', ${wholeText(part`m`)}, 'turn', m.turn, 'restarts', m.restarts)
      order by m.seq), '[]') from run_messages m where m.run_id = r.id and m.role = 'user'),
  'messages', (select coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'turn', m.turn, 'role', m.role,
      'text', case when m.role = 'assistant' then left(m.text_content, 20000) end, 'call', m.tool_call,
      'result', case when m.tool_result is not null then jsonb_build_object('tool_call_id', m.tool_result -> 'tool_call_id',
        'error', m.tool_result -> 'error') end) order by m.seq), '[]')
    from run_messages m where m.run_id = r.id and m.role in ('assistant', 'tool')))`

/** SQL for about how many bytes are read for the content of `runs r`: sizes as they are stored, for which no large value is read. */
const storedBytes: Part = part`(
  coalesce(pg_column_size(r.message), 0) + coalesce(pg_column_size(r.output), 0)
  + (select coalesce(sum(coalesce(octet_length(m.text_content), 0) + coalesce(pg_column_size(m.tool_call), 0)
      + coalesce(pg_column_size(m.tool_result), 0) + coalesce(pg_column_size(m.opaque), 0) + coalesce(b.size_bytes, 0)), 0)
    from run_messages m left join blobs b on b.sha256 = m.text_blob and m.role = 'user' where m.run_id = r.id)
  + (select coalesce(sum(coalesce(pg_column_size(s.arguments), 0) + coalesce(pg_column_size(s.result), 0)), 0)
    from run_steps s where s.run_id = r.id and s.kind <> 'model'))::float8`

export interface WantedRecording {
  context: Context
  teamId: string
  setId: string
  agentId: string
  runId: string
}

/**
 * Says why a run cannot be in a set; undefined: it is in it now, or was already. The set is locked before runs, and a run that is deleted locks its
 * sets last: so a run that somebody deletes right now is passed over, and nobody waits in a circle.
 * A log is read if its size as stored is within the budget. What it then takes from the budget is that size, or what it became if that is more.
 */
export async function record(sql: Sql, wanted: WantedRecording, budget: ReadBudget): Promise<string | undefined> {
  const { context, teamId, setId, agentId, runId } = wanted
  const [run] = await sql<{ status: string; is_erased: boolean; has_begun: boolean; is_held: boolean; bytes: number }>`
    select r.status, r.log_erased_at is not null as is_erased, r.started_at is not null as has_begun,
      exists (select from replay_recordings c where c.set_id = ${setId} and c.run_id = r.id) as is_held,
      ${storedBytes} as bytes
    from runs r where r.id = ${runId} and r.team_id = ${teamId} and r.agent_id = ${agentId} for key share of r skip locked`
  if (!run) return 'The agent has no run with this id.'
  if (run.is_held) return undefined
  const refusal = refusalOf(run)
  if (refusal) return refusal
  if (run.bytes > budget.bytesLeft) return leftOut(budget)
  // nobody knows how large it becomes before it is made: what does not fit is made and not stored
  const room = await engineOf(context).storage.room(sql, teamId)
  const fits = Math.min(recordingBytesMax, room?.left() ?? recordingBytesMax)
  const { size_bytes: size, is_made } = await one(sql<{ size_bytes: number; is_made: boolean }>`
    with built as materialized (
      select r.*, one.content, octet_length(one.content::text) as size_bytes
      from runs r join agents a on a.id = r.agent_id, lateral (select ${content} as content offset 0) one
      where r.id = ${runId} and r.team_id = ${teamId}),
    made as (
      insert into replay_recordings (id, team_id, set_id, run_id, run_number, run_title, run_status, run_ended_at, calls, content, size_bytes)
      select ${newId()}::uuid, team_id, ${setId}::uuid, id, run_number, title, status, completed_at, jsonb_array_length(content -> 'calls'),
        content, size_bytes
      from built where size_bytes <= ${fits}::bigint
      on conflict (set_id, run_id) do nothing returning id)
    select size_bytes, exists (select from made) as is_made from built`)
  budget.bytesLeft -= Math.max(run.bytes, size)
  if (size > recordingBytesMax) return tooLarge
  const full = room?.take(size)
  return is_made ? undefined : full
}

const leftOut = ({ bytesMax }: ReadBudget): string =>
  `About ${bytesMax / 1024 ** 2} MiB of logs are read in one request, and the log of this run did not fit any more. Record it with another addRecordings.`

const tooLarge = `The log of this run is larger than ${recordingBytesMax / 1024 ** 2} MiB, so it cannot be replayed.`

function refusalOf(run: { status: string; is_erased: boolean; has_begun: boolean; bytes: number }): string | undefined {
  if (run.is_erased) return 'The log of this run was erased after its time, so there is nothing to replay.'
  if (run.status === 'stopped')
    return 'This run was stopped: its record has no end that a replay could be compared with.'
  if (run.status !== 'completed' && run.status !== 'failed') return 'This run has not ended.'
  if (!run.has_begun) return 'This run never began.'
  // what is stored compressed is larger than that in memory
  return run.bytes > 4 * recordingBytesMax ? tooLarge : undefined
}

export const recordingResource = resource(
  'recording',
  (sql, id, teamId) => sql<Recording>`
    select ${recordingColumns} from replay_recordings c where c.id = ${id} and c.team_id = ${teamId}`,
)

declare module '../../kit/resources.ts' {
  interface Resources {
    recording: Recording
  }
}
