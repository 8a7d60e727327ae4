// Creates runs, whoever starts them: row, first message, events and, if one is free, the slot of the run, in one statement.
import { empty, part, type Part, type Sql } from '../../base/db.ts'
import { batchId, insertBatches, letterOf } from '../../kit/event.ts'
import type { RunSource } from '../../kit/states.ts'
import type { Limits } from '../builds/buildConfig.ts'
import type { ClaimedRun } from '../admission/claim.ts'
import { messageInEvent, messageRow, messageText } from '../ledger/change.ts'
import { messageColumns, type LargeText } from '../ledger/largeTexts.ts'
import { insertAsNew } from '../ledger/lifecycle.ts'
import { lockedTeams } from '../admission/knownSlots.ts'
import type { FreeSeats } from '../admission/seat.ts'
import { isServed } from '../admission/workerPools.ts'
import { isPausedFor } from './pauses.ts'

/** The run that a starter wants. */
export interface RunWanted {
  teamId: string
  agentId: string
  /** The build it runs, which must be one of the agent's. */
  buildId: string
  source: RunSource
  userId: string | null
  /** The members who caused the run and on whose behalf it acts. It may not do what they may not do. */
  actsFor: string[]
  /** What the caller sent, unchanged: text, an object, or null. */
  message: unknown
  title: string
  metadata: Record<string, unknown>
  limits: Limits
  callbackUrl: string | null
  sandboxId: string | null
  parentRunId: string | null
  /** The step of that run which starts this one. */
  parentStep?: number
  retryOfRunId: string | null
  /** For a retry: the step from which it was asked to begin. */
  retriedFromStep?: number | undefined
  depth: number
  case: { id: string; queueId: string; title: string } | null
  /** The build limits how many of its runs are active at once: then the waitlist decides, not the start. */
  isCapped: boolean
  /** What the starter knew of agent and build: if they have changed, no run is created. */
  seen?: { agentAt: Date; buildAt: Date; isLive: boolean }
}

/** A run that is about to be written: its ids, number and time are known before, so the answer to its start is too. */
export interface NewRun extends RunWanted {
  /** Its message, if that is stored apart: then its bytes count as stored. */
  large: LargeText | null
  id: string
  runNumber: number
  createdAt: Date
}

/** A run that the process which created it claimed at once: known without reading it. */
export const claimedAtStart = (run: NewRun, configHash: string | null): ClaimedRun => ({
  id: run.id,
  team_id: run.teamId,
  agent_id: run.agentId,
  build_id: run.buildId,
  user_id: run.userId,
  case_id: run.case?.id ?? null,
  case_title: run.case?.title ?? null,
  parent_run_id: run.parentRunId,
  depth: run.depth,
  run_number: run.runNumber,
  source: run.source,
  title: run.title,
  message: run.message ?? null,
  limits: run.limits,
  created_at: run.createdAt,
  // by our clock: if it is behind, a wait that is over lasts until the next claim
  claimed_at: new Date(),
  epoch: 1,
  wake_seq: 0,
  config_hash: configHash,
  message_seq: messageText(run.message) === undefined ? 0 : 1,
  steps: 0,
  input_tokens: 0,
  output_tokens: 0,
  cost_usd: '0',
  active_ms: 0,
  deaths: 0,
  failures: 0,
})

export interface Created {
  id: string
  /** It holds a slot of its team. */
  is_admitted: boolean
  /** It is also held by the process that created it, and running. */
  is_claimed: boolean
  /** For a run of a draft, the hash of the config that it keeps. */
  config_hash: string | null
}

interface Placed extends Created {
  /** Its team has slots that nobody took: runs before it in the line may have a cap. */
  has_free: boolean
}

/** The runs beyond their team's share of the seats: they get a slot of the team and wait for a worker. */
function beyondShare({ perTeam }: FreeSeats, runs: NewRun[]): string[] {
  if (!perTeam || perTeam.size === 0) return []
  const left = new Map(perTeam)
  return runs
    .toSorted((a, b) => a.runNumber - b.runNumber)
    .flatMap(({ id, teamId, isCapped }) => {
      const share = left.get(teamId)
      if (isCapped || share === undefined) return []
      left.set(teamId, share - 1)
      return share > 0 ? [] : [id]
    })
}

/** Returns the runs that were created: a run whose agent or build is gone, or whose agent is paused, is not among them. */
export async function createRuns(sql: Sql, runs: NewRun[], seats: FreeSeats | undefined): Promise<Placed[]> {
  return sql<Placed>`
    with ${wantedRuns(runs.map((run) => runRow(run)))},
    start as (select * from possible),
    ${insertedRuns(seats, runs)}
    select s.id, s.is_admitted, s.is_claimed, s.config_hash, coalesce(g.free, 0) > 0 as has_free
    from seated s left join grant_ g on g.team_id = s.team_id`
}

/** A run as the statement takes it. `extra` are columns of a caller that adds CTEs of its own. What is null is left out: half of the fields are. */
export function runRow(run: NewRun, extra: object = {}): object {
  const text = messageText(run.message)
  const message = text === undefined ? undefined : messageRow(0, { type: 'text', role: 'user', text_content: text })
  return withoutNulls({
    id: run.id,
    team_id: run.teamId,
    agent_id: run.agentId,
    build_id: run.buildId,
    run_number: run.runNumber,
    created_at: run.createdAt,
    source: run.source,
    user_id: run.userId,
    acts_for: run.actsFor,
    // the column is JSON: a text is a JSON string there
    ...messageColumns(run.message, text, run.large),
    title: run.title,
    metadata: run.metadata,
    limits: run.limits,
    callback_url: run.callbackUrl,
    sandbox_id: run.sandboxId,
    parent_run_id: run.parentRunId,
    retry_of_run_id: run.retryOfRunId,
    parent_step: run.parentStep,
    retried_from_step: run.retriedFromStep,
    depth: run.depth,
    case_id: run.case?.id ?? null,
    case_queue_id: run.case?.queueId ?? null,
    case_title: run.case?.title ?? null,
    is_capped: run.isCapped,
    agent_seen: run.seen?.agentAt ?? null,
    build_seen: run.seen?.buildAt ?? null,
    wants_live: run.seen?.isLive ?? false,
    message_id: message?.id ?? null,
    message_text: message?.text_content ?? null,
    message_shown: message ? { ...messageInEvent(run.id, message), seq: 1 } : null,
    message_at: message?.timestamp ?? null,
    event_batch_id: batchId(),
    ...extra,
  })
}

function withoutNulls(row: Record<string, unknown>): object {
  for (const name in row) if (row[name] === null) row[name] = undefined
  return row
}

/** A start without a person also acts on behalf of the build's writer: nobody looked at the build before the run began. */
const followed = part`
  case when w.source in ('schedule', 'case_trigger', 'trigger', 'agent', 'artifact') and b.config_by is not null and b.config_by <> all(w.acts_for)
    then w.acts_for || b.config_by else w.acts_for end`

const hashOfConfig = part`encode(sha256(convert_to(b.config::text, 'UTF8')), 'hex')`

/**
 * `wanted`, the rows as they were given, and `possible`, those whose agent and build are there. Hidden agents have the runs of artifacts
 * and no others: the lists and counts of runs rely on it.
 */
export const wantedRuns = (rows: object[], extraColumns: Part = part``): Part => part`
  wanted as materialized (
    select * from json_to_recordset(${JSON.stringify(rows)}::json) as w (
      id uuid, team_id uuid, agent_id uuid, build_id uuid, run_number bigint, created_at timestamptz, source text, user_id uuid,
      acts_for uuid[], message jsonb, message_blob text, message_is_text boolean, title text, metadata jsonb, limits jsonb, callback_url text, sandbox_id uuid, parent_run_id uuid,
      parent_step int, retry_of_run_id uuid, retried_from_step int, depth smallint, case_id uuid, case_queue_id uuid, case_title text, is_capped boolean,
      agent_seen timestamptz, build_seen timestamptz, wants_live boolean,
      message_id uuid, message_text text, message_shown json, message_at timestamptz, event_batch_id uuid
      ${extraColumns})
  ),
  possible as materialized (
    select w.*, ${followed} as follows, case when b.status = 'draft' then ${hashOfConfig} end as config_hash, b.worker_pool
    from wanted w
    join agents a on a.id = w.agent_id and a.team_id = w.team_id and a.deleted_at is null
      and a.is_hidden = (w.source = 'artifact')
      and (w.agent_seen is null or a.updated_at = w.agent_seen)
    join builds b on b.id = w.build_id and b.agent_id = w.agent_id
      and (w.build_seen is null or b.updated_at = w.build_seen) and (b.status = 'live' or not w.wants_live) and not ${isPausedFor}
  )`

/** How many of a team's starts get a slot: none while others wait for one. */
const fitting = part`case when a.in_line = 0 then least(s.open, greatest(a.places - a.held + back.places, 0)) else 0 end`

/** The configs that runs of drafts keep. The statement that reads a config also reads its hash, so the two cannot differ. */
const pinnedConfigs = part`
  pinned as (
    insert into pinned_configs (team_id, hash, config)
    select distinct on (s.team_id, s.config_hash) s.team_id, s.config_hash, b.config
    from seated s join builds b on b.id = s.build_id where s.config_hash is not null order by s.team_id, s.config_hash
    on conflict (team_id, hash) do update set used_at = now()
  ),`

/** Whether one of the builds may be a draft. For a live build, the statement itself makes sure that it is live. */
const mayBeOfDraft = (runs: NewRun[]): boolean => runs.some(({ seen }) => !seen?.isLive)

/** Whether this process takes the run. The SQL differs only when a team is at its share, so that the usual statement stays one. */
function maySit(seats: FreeSeats | undefined, runs: NewRun[]): Part {
  const beyond = seats ? beyondShare(seats, runs) : []
  const isOurs = part`is_admitted and ${isServed(seats?.pools)}`
  return beyond.length === 0 ? part`(${isOurs})` : part`(${isOurs} and id <> all(${beyond}::uuid[]))`
}

/** Writes every row of `start`; `seated` then says which got a slot, and which of those this process holds. */
export const insertedRuns = (seats: FreeSeats | undefined, runs: NewRun[]): Part =>
  insertedRunsWhere(seats, maySit(seats, runs), mayBeOfDraft(runs))

const insertedRunsWhere = (seats: FreeSeats | undefined, sits: Part, isOfDrafts: boolean): Part => part`
  ${lockedTeams(part`select team_id from start`)},
  grant_ as (
    update admission a set granted = ${fitting}, held = a.held - back.places + ${fitting}, in_line = a.in_line + s.total - ${fitting}
    from (
      select team_id, count(*)::int as total, (count(*) filter (where not is_capped))::int as open from start group by team_id
    ) s join back on back.team_id = s.team_id
    where a.team_id = s.team_id
    returning a.team_id, a.granted, a.places - a.held as free, a.in_line
  ),
  placed as (
    select s.*, coalesce(not s.is_capped
      and row_number() over (partition by s.team_id, s.is_capped order by s.run_number) <= g.granted, false) as is_admitted
    from start s left join grant_ g on g.team_id = s.team_id
  ),
  seated as materialized (
    select *, ${sits} and sum(${sits}::int) over (order by run_number) <= ${seats?.count ?? 0}::int as is_claimed from placed
  ),
  ${isOfDrafts ? pinnedConfigs : empty}
  run as (
    insert into runs (id, team_id, agent_id, build_id, run_number, created_at, updated_at, source, user_id, acts_for, config_hash, message, message_blob, message_is_text, title, metadata,
      limits, callback_url, sandbox_id, parent_run_id, parent_step, retry_of_run_id, retried_from_step, depth, case_id, case_queue_id, case_title, worker_pool, ${insertAsNew.columns}, message_seq, event_seq, event_xid)
    select id, team_id, agent_id, build_id, run_number, created_at, created_at, source, user_id, follows, config_hash, message, decode(message_blob, 'hex'), message_is_text, title, metadata,
      limits, callback_url, sandbox_id, parent_run_id, parent_step, retry_of_run_id, retried_from_step, depth, case_id, case_queue_id, case_title, worker_pool,
      ${insertAsNew.values(seats?.workerId ?? null)},
      (message_id is not null)::int, (message_id is not null)::int + is_claimed::int, (select event_xid())
    from seated
    -- JSON that could not be read again is refused now
    where message_is_text is not false or message_text::jsonb is not null
  ),
  message as (
    insert into run_messages (run_id, seq, id, turn, type, role, text_content, "timestamp")
    select id, 1, message_id, 0, 'text', 'user', message_text, message_at from seated where message_id is not null order by message_blob
  ),
  event as (${insertBatches(part`
    select event_batch_id as id, team_id, id as run_id, agent_id, case_id, (message_id is not null)::int + is_claimed::int as last,
      (select event_xid()) as xid,
      concat(case when message_id is not null then ${letterOf['run.message.created']}::text end,
        case when is_claimed then ${letterOf['run.started']}::text end) as kinds,
      concat('[', concat_ws(',', case when message_id is not null then concat('{"message":', message_shown, '}') end,
        case when is_claimed then json_build_object('status', 'running', 'source', source, 'build_id', build_id, 'title', title)::text end), ']') as entries
    from seated where message_id is not null or is_claimed`)}
  )`
