// Written by `npm run openapi` from the declarations of the operations. Do not edit.

/** The codes of refusals, by their HTTP status. */
export interface ErrorCodes {
  400: 'invalid_request' | 'invalid_idempotency_key' | 'payload_too_large' | 'url_not_allowed'
  401: 'unauthorized'
  403: 'forbidden' | 'insufficient_scope' | 'entitlement_exceeded'
  404: 'not_found'
  405: 'method_not_allowed'
  409: 'conflict' | 'provider_not_configured' | 'public_url_missing' | 'sandbox_busy' | 'agent_paused' | 'gate_not_met' | 'idempotency_key_in_use' | 'idempotency_key_reused' | 'already_live' | 'builder_run_active' | 'builder_run_not_waiting' | 'stale_review' | 'human_request_closed' | 'guardrail_reached' | 'rubric_limit' | 'case_trigger_exists' | 'duplicate_name' | 'artifact_busy' | 'already_attached'
  429: 'rate_limited'
  500: 'internal_error'
}

export type ErrorCode = ErrorCodes[keyof ErrorCodes]

/** Every kind of event by its name, as webhooks and streams carry it. */
export interface EventsByName {
  'run.started': RunStartedEvent
  'run.paused': RunPausedEvent
  'run.completed': RunCompletedEvent
  'run.failed': RunFailedEvent
  'run.message.created': RunMessageCreatedEvent
  'run.tool_call.completed': RunToolCallCompletedEvent
  'run.file.created': RunFileCreatedEvent
  'human_request.created': HumanRequestCreatedEvent
  'human_request.responded': HumanRequestRespondedEvent
  'queue.case.created': QueueCaseCreatedEvent
  'queue.case.claimed': QueueCaseClaimedEvent
  'queue.case.completed': QueueCaseCompletedEvent
  'assignment.build.published': AssignmentBuildPublishedEvent
  'connection.updated': ConnectionUpdatedEvent
  'connection.action_required': ConnectionActionRequiredEvent
}

export type EventName = keyof EventsByName
/** One event; `event` says which. */
export type RunyardEvent = EventsByName[EventName]

/** A run goes from pending to running for the first time. */
export interface RunStartedEvent {
  id: string
  event: "run.started"
  created_at: string
  data: {
    event_id: string
    team_id: string
    run_id: string
    agent_id: string
    case_id?: string
    sequence: number
    status: "running"
    source: "api" | "schedule" | "case_trigger" | "trigger" | "mcp" | "console" | "agent" | "retry" | "artifact"
    build_id: string
    title: string | null
  }
}

/** A run begins to wait for a person, a time, a connection or a sub-run. */
export interface RunPausedEvent {
  id: string
  event: "run.paused"
  created_at: string
  data: {
    event_id: string
    team_id: string
    run_id: string
    agent_id: string
    case_id?: string
    sequence: number
    status: "waiting"
    waiting_on: WaitingOn
  }
}

/** A run is completed, or was stopped. */
export interface RunCompletedEvent {
  id: string
  event: "run.completed"
  created_at: string
  data: {
    event_id: string
    team_id: string
    run_id: string
    agent_id: string
    case_id?: string
    sequence: number
    status: "completed" | "stopped"
    output: unknown
    duration_ms: number | null
    usage: Usage
  }
}

/** A run has failed. */
export interface RunFailedEvent {
  id: string
  event: "run.failed"
  created_at: string
  data: {
    event_id: string
    team_id: string
    run_id: string
    agent_id: string
    case_id?: string
    sequence: number
    status: "failed"
    error: {
      code: string
      message: string
      step: number | null
    }
    duration_ms: number | null
    usage: Usage
  }
}

/** A message is added to a run. */
export interface RunMessageCreatedEvent {
  id: string
  event: "run.message.created"
  created_at: string
  data: {
    event_id: string
    team_id: string
    run_id: string
    agent_id: string
    case_id?: string
    sequence: number
    message: Message
  }
}

/** A tool call has its result. */
export interface RunToolCallCompletedEvent {
  id: string
  event: "run.tool_call.completed"
  created_at: string
  data: {
    event_id: string
    team_id: string
    run_id: string
    agent_id: string
    case_id?: string
    sequence: number
    tool_call_id: string
    name: string
    ok: boolean
    error: string | null
    duration_ms: number
    step: number
  }
}

/** A run made or changed a file. */
export interface RunFileCreatedEvent {
  id: string
  event: "run.file.created"
  created_at: string
  data: {
    event_id: string
    team_id: string
    run_id: string
    agent_id: string
    case_id?: string
    sequence: number
    path: string
    size_bytes: number
    sha256: string
    content_type: string
  }
}

/** A run asks a person. */
export interface HumanRequestCreatedEvent {
  id: string
  event: "human_request.created"
  created_at: string
  data: {
    event_id: string
    team_id: string
    run_id: string
    agent_id: string
    case_id?: string
    sequence: number
    human_request: HumanRequest
  }
}

/** A human request is answered, or times out into its default. */
export interface HumanRequestRespondedEvent {
  id: string
  event: "human_request.responded"
  created_at: string
  data: {
    event_id: string
    team_id: string
    run_id: string
    agent_id: string
    case_id?: string
    sequence: number
    human_request: HumanRequest
  }
}

/** A case is added to a queue. */
export interface QueueCaseCreatedEvent {
  id: string
  event: "queue.case.created"
  created_at: string
  data: {
    event_id: string
    team_id: string
    queue_id: string
    case_id: string
    case: Case
    run_id?: string
    agent_id?: string
  }
}

/** A case is taken by a run or a person. */
export interface QueueCaseClaimedEvent {
  id: string
  event: "queue.case.claimed"
  created_at: string
  data: {
    event_id: string
    team_id: string
    queue_id: string
    case_id: string
    case: Case
    run_id?: string
    agent_id?: string
  }
}

/** A case is completed or failed. */
export interface QueueCaseCompletedEvent {
  id: string
  event: "queue.case.completed"
  created_at: string
  data: {
    event_id: string
    team_id: string
    queue_id: string
    case_id: string
    case: Case
    run_id?: string
    agent_id?: string
    status: "completed" | "failed"
  }
}

/** A build becomes the live one of its agent. */
export interface AssignmentBuildPublishedEvent {
  id: string
  event: "assignment.build.published"
  created_at: string
  data: {
    event_id: string
    team_id: string
    agent_id: string
    build_id: string
    revision_number: number
    previous_build_id: string | null
  }
}

/** A connection is made, changed, authorised again, shared or deleted. */
export interface ConnectionUpdatedEvent {
  id: string
  event: "connection.updated"
  created_at: string
  data: {
    event_id: string
    team_id: string
    connection_id: string
    provider: string
    status: "active" | "action_required" | "disabled"
    change: "created" | "updated" | "reauthorized" | "shared" | "deleted"
  }
}

/** A connection needs a person: its grant is gone or its refresh was refused. */
export interface ConnectionActionRequiredEvent {
  id: string
  event: "connection.action_required"
  created_at: string
  data: {
    event_id: string
    team_id: string
    connection_id: string
    provider: string
    reason: string
    waiting_run_ids: string[]
  }
}

export interface Team {
  id: string
  name: string
  created_at: string
  plan: string
  members_count: number
  agents_count: number
}

export interface Profile {
  id: string
  name: string
  email: string | null
  role: "admin" | "operator" | "viewer"
  team_id: string
  scopes: ("team:read" | "agents:read" | "agents:write" | "runs:read" | "runs:write" | "approvals:write" | "queues:read" | "queues:write" | "files:read" | "sandboxes:write" | "artifacts:read" | "artifacts:write" | "connections:read" | "connections:write" | "evals:read" | "evals:write" | "billing:read" | "webhooks:manage" | "mcp:call" | "keys:manage" | "system:read" | "secrets:write" | "system:write" | "*")[]
}

export interface Preferences {
  /** Whether they have taken the tour of the console, or did not want it. */
  tour: "new" | "done" | "skipped"
}

export interface Member {
  id: string
  team_id: string
  name: string
  email: string | null
  role: "admin" | "operator" | "viewer"
  created_at: string
  updated_at: string
}

export interface ApiKey {
  id: string
  team_id: string
  user_id: string
  name: string
  /** The beginning of the key, to tell keys apart. */
  hint: string
  scopes: ("team:read" | "agents:read" | "agents:write" | "runs:read" | "runs:write" | "approvals:write" | "queues:read" | "queues:write" | "files:read" | "sandboxes:write" | "artifacts:read" | "artifacts:write" | "connections:read" | "connections:write" | "evals:read" | "evals:write" | "billing:read" | "webhooks:manage" | "mcp:call" | "keys:manage" | "system:read" | "secrets:write" | "system:write" | "*")[]
  expires_at: string | null
  last_used_at: string | null
  created_at: string
}

export interface OauthClient {
  id: string
  team_id: string
  user_id: string
  name: string
  scopes: ("team:read" | "agents:read" | "agents:write" | "runs:read" | "runs:write" | "approvals:write" | "queues:read" | "queues:write" | "files:read" | "sandboxes:write" | "artifacts:read" | "artifacts:write" | "connections:read" | "connections:write" | "evals:read" | "evals:write" | "billing:read" | "webhooks:manage" | "mcp:call" | "keys:manage" | "system:read" | "secrets:write" | "system:write" | "*")[]
  expires_at: string | null
  last_used_at: string | null
  created_at: string
}

export interface MemberSession {
  id: string
  team_id: string
  user_id: string
  /** How the member signed in. */
  came_by: "link" | "api_key" | "oidc" | "invitation"
  /** What the browser called itself when it signed in. */
  user_agent: string
  /** The IP address from which it signed in. */
  address: string
  created_at: string
  last_used_at: string
  expires_at: string
  /** Whether this request acts with it. */
  is_current: boolean
}

export interface AuditEntry {
  id: string
  team_id: string
  created_at: string
  user_id: string | null
  for_user_id: string | null
  credential_type: "api_key" | "oauth_client" | "session" | "command_line" | "run" | "service"
  credential_id: string | null
  operation: string
  target_type: string | null
  target_id: string | null
  request_id: string
  outcome: "done" | "refused"
  status: number
  error: string | null
}

export interface ListedAgent {
  id: string
  team_id: string
  name: string
  description: string | null
  live_build_id: string | null
  memory_enabled: boolean
  created_at: string
  updated_at: string
  created_by: string | null
  last_run_at: string | null
  runs_count: number
  paused_at: string | null
  paused_reason: string | null
  paused_by: string | null
  paused_by_incident_id: string | null
  latest_build: Build
  /** As listAgentSchedules gives them. */
  schedules?: Record<string, unknown>[]
}

export type AgentFigures = {
  agent_id: string
  live_build: {
    build_id: string
    revision_number: number
    revision_name: string | null
  }
  last_run: {
    run_id: string
    status: "pending" | "running" | "waiting" | "completed" | "failed" | "stopped"
    created_at: string
    completed_at: string | null
  } | null
  /** Runs by the day of their creation (UTC): the last 7 days, oldest first. */
  days: {
    day: string
    completed: number
    failed: number
    stopped: number
    /** Not ended yet. */
    active: number
  }[]
  median_cost_usd: number | null
  median_duration_ms: number | null
  next_start_at: string | null
  /** Whether the newest build is a draft that differs from the live one. */
  has_new_draft: boolean
}

export interface BuildConfig {
  version: "v2"
  /** Known keys: `input` (the operating procedure: Markdown, or a list of `{role, content}` whose content is text or a list of text parts, `{type: "text" | "input_text" | "output_text", text}`), `models.agent` (`{model}` with `provider:model`, `builtin:runbook`, or a plain name such as `claude-…`, `gpt-…` or `gemini-…`; or a list of up to five of them, asked in their order), `plugins`, `connections`, `subAgents`, `limits` (`max_steps`, `max_duration_s`, `max_cost_usd`, `max_tokens`, `max_concurrent_runs`, `on_limit`: `fail` or `ask`), `approvals` (by tool name: `never`, `always` or `{when}`), `calls` (by tool name: `alone` or `together` with the other calls of its turn), `worker_pool` (which workers take its runs), `output_schema`, `options`. Others are kept as they are. */
  data: Record<string, unknown>
  [name: string]: unknown
}

export interface Agent {
  id: string
  team_id: string
  name: string
  description: string | null
  live_build_id: string | null
  memory_enabled: boolean
  created_at: string
  updated_at: string
  created_by: string | null
  last_run_at: string | null
  runs_count: number
  paused_at: string | null
  paused_reason: string | null
  paused_by: string | null
  paused_by_incident_id: string | null
}

export interface Build {
  id: string
  agent_id: string
  name: string
  /** From 1 on, without gaps, for each agent. */
  revision_number: number
  revision_name: string | null
  revision_description: string | null
  status: "draft" | "live" | "historic"
  config: BuildConfig
  parent_build_id: string | null
  created_by: string | null
  created_at: string
  updated_at: string
  published_at: string | null
  builder_run_id: string | null
  /** Long texts of this record are cut. A page of a list holds 4 MiB at most: rows that do not fit have only the first 1,000 characters of their long texts. The first row of a page is always whole, and so is a record that is read by its id. Events cut texts over 16 KiB. */
  truncated?: boolean
}

export interface ProcedureInputs {
  /** A JSON Schema (2020-12) of the message: a property for each field that the steps read, such as `message.order.id`. `required` has those that some step needs; one without a type can be anything. */
  schema: Record<string, unknown>
  /** The steps read no field, so any text will do as the message. */
  text_is_enough: boolean
  /** The steps read more fields than the schema has. */
  is_cut: boolean
}

export interface BuildDiff {
  /** A unified diff; empty when nothing changed. */
  procedure: string
  config: {
    /** A JSON pointer. */
    path: string
    kind: "added" | "removed" | "changed"
    before: unknown
    after: unknown
  }[]
}

export type PromotionPreview = {
  refusal: {
    code: "already_live" | "builder_run_active" | "gate_not_met" | "invalid_request"
    message: string
  } | null
  gate: {
    min_score: number
    last_runs: number
    score: number | null
    /** How many runs the score is of. */
    evaluated_runs: number
    is_open: boolean
  } | null
  replay_gate: {
    replay_set_id: string
    min_match: number
    max_cost_usd: string | null
    replay_id: string | null
    match: number | null
    cost_usd: string | null
    is_open: boolean
  } | null
  live_build_id: string | null
  diff: BuildDiff
  /** Those that are enabled, and would start runs of this build: the next 20. */
  schedules: {
    schedule_id: string
    frequency: string
    next_run_at: string | null
  }[]
  schedules_total: number
  case_trigger: {
    trigger_id: string
    case_queue_id: string
    case_queue_name: string
  } | null
  /** What was accepted with this build to start runs, is still paused, and would be switched on. */
  begins: {
    kind: "schedule" | "webhook" | "email" | "event" | "poll" | "case"
    id: string
    title: string
  }[]
}

export type BuilderRun = {
  id: string
  build_id: string
  status: "pending" | "running" | "waiting" | "review" | "completed" | "discarded" | "failed"
  /** Empty: improve what is there. */
  prompt: string
  run_id: string | null
  started_at: string | null
  completed_at: string | null
  checkpoint_config: BuildConfig
  proposed_config: BuildConfig | null
  diff: string | null
  /** What the proposal changes beside the procedure. */
  config_diff: {
    /** A JSON pointer. */
    path: string
    kind: "added" | "removed" | "changed"
    before: unknown
    after: unknown
  }[]
  proposed_triggers: ProposedTrigger[] | null
  pending_user_questions: {
    questions: BuilderQuestion[]
  } | null
  error: {
    code: string
    message: string
  } | null
  progress: {
    at: string
    text: string
  }[]
  usage: {
    input_tokens: number
    output_tokens: number
    cost_usd: number
  }
  created_at: string
}

export interface ProcedureProblem {
  /** From 1. */
  line: number
  column: number
  /** Not included. */
  end_column: number
  /** A build with an error cannot be saved. */
  severity: "error" | "warning"
  message: string
  fix: ProcedureFix | null
}

export interface ProcedureStep {
  /** What later steps call it. */
  id: string
  line: number
  kind: "agent" | "approve" | "ask" | "bash" | "browser" | "case" | "file" | "html" | "http" | "js" | "memory" | "output" | "python" | "tool" | "wait"
  tool: string | null
  is_conditional: boolean
  on_error: "fail" | "continue" | "ask"
  retry: number
  /** The ids of the steps whose results it uses. */
  reads: string[]
  after_crash: "kept" | "repeated" | "asks" | null
}

export interface ProcedureBlock {
  name: "agent" | "approve" | "ask" | "bash" | "browser" | "case" | "file" | "html" | "http" | "js" | "memory" | "output" | "python" | "tool" | "wait"
  /** What it is or does, in a sentence. */
  says: string
  /** What can follow the name of the block, as `name=value`. */
  options: ProcedureOption[]
  /** The words with which a line of it begins, each as it is written. */
  verbs: ProcedureWord[]
  /** What values in its text begin with, where that differs from `roots`. `if=` always takes `roots`. */
  own_roots: ProcedureRoot[]
}

export interface ProcedureFilter {
  name: string
  /** What it is or does, in a sentence. */
  says: string
  /** It takes a value in parentheses: `default("none")`. */
  takes_value: boolean
}

export interface ProcedureRoot {
  name: string
  /** What it is or does, in a sentence. */
  says: string
  /** The keys after it that are known before a run. */
  fields: ProcedureWord[]
  /** The key after it is the id of an earlier step, written out. */
  names_step: boolean
}

export interface ProcedureWord {
  name: string
  /** What it is or does, in a sentence. */
  says: string
}

export interface ListedSuggestion {
  id: string
  agent_id: string
  /** The check, as evaluations name it. */
  flag: string
  label: string
  /** `drafting`: the builder works, or asks. `replaying`: the draft is replayed. `open`: a person decides. `stale`: another build became live before anybody decided. `failed`: there is no draft, and `reason` says why. */
  state: "drafting" | "replaying" | "open" | "accepted" | "rejected" | "stale" | "failed"
  /** In how many of `of_runs` runs the check failed. */
  failed_runs: number
  /** How many of the last runs of the live build were looked at. */
  of_runs: number
  /** The live build whose runs failed. */
  base_build_id: string
  /** The draft that would take its place. */
  draft_build_id: string
  draft_revision_number: number
  builder_run_id: string
  replay_id: string | null
  replay_problem: string | null
  reason: string | null
  decided_by: string | null
  decided_at: string | null
  created_at: string
  updated_at: string
}

export interface Suggestion {
  id: string
  agent_id: string
  /** The check, as evaluations name it. */
  flag: string
  label: string
  /** `drafting`: the builder works, or asks. `replaying`: the draft is replayed. `open`: a person decides. `stale`: another build became live before anybody decided. `failed`: there is no draft, and `reason` says why. */
  state: "drafting" | "replaying" | "open" | "accepted" | "rejected" | "stale" | "failed"
  /** In how many of `of_runs` runs the check failed. */
  failed_runs: number
  /** How many of the last runs of the live build were looked at. */
  of_runs: number
  /** The live build whose runs failed. */
  base_build_id: string
  /** The draft that would take its place. */
  draft_build_id: string
  draft_revision_number: number
  builder_run_id: string
  replay_id: string | null
  replay_problem: string | null
  reason: string | null
  decided_by: string | null
  decided_at: string | null
  created_at: string
  updated_at: string
  /** The runs behind it, newest first. Those that were deleted are not among them. */
  runs: SuggestionRun[]
  diff: BuildDiff
  /** Somebody changed the draft after its replay began. Then it cannot be accepted, but promoted like any draft. */
  is_changed: boolean
  replay: SuggestionVerdict | null
  /** What the builder asks. resumeBuilderRun answers; the suggestion waits until then. */
  questions: BuilderQuestion[]
}

export interface SuggestionSettings {
  is_on: boolean
  /** In how many of the last `of_runs` evaluated runs of the live build the same check must fail. */
  failures: number
  of_runs: number
  /** How many of the last runs the draft is replayed against, in addition to those behind the suggestion. */
  replay_runs: number
  max_replay_cost_usd: string | null
  held_back: string | null
  updated_by: string | null
  updated_at: string | null
}

export interface Schedule {
  id: string
  schedule_id: string
  agent_id: string
  user_id: string
  /** Paused when false. Due times of the pause are not made up for. */
  enabled: boolean
  frequency: "every_5_minutes" | "every_15_minutes" | "hourly" | "daily" | "workday" | "weekly" | "monthly" | "custom"
  time: string | null
  day: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday" | null
  day_of_month: number | null
  cron: string | null
  /** An IANA name; `UTC` if absent. */
  timezone: string
  message: string | null
  /** When false it fires once and is then disabled. */
  recurring: boolean
  /** While the run before is still active, a due time is skipped (`skip`), held back until that one has ended, one at most (`queue`), or fired all the same (`allow`). */
  overlap: "skip" | "queue" | "allow"
  /** What becomes of due times that were missed by more than a minute: nothing (`none`), one run for the latest (`last`), or one for each of the latest 100 (`all`): at once with overlap `allow`, else one after another. */
  catch_up: "none" | "last" | "all"
  next_run_at: string | null
  last_run_at: string | null
  last_run_id: string | null
  auto_disabled_at: string | null
  auto_disabled_reason: string | null
  last_skipped_at: string | null
  last_skipped_reason: string | null
  created_at: string
  updated_at: string
  /** Long texts of this record are cut. A page of a list holds 4 MiB at most: rows that do not fit have only the first 1,000 characters of their long texts. The first row of a page is always whole, and so is a record that is read by its id. Events cut texts over 16 KiB. */
  truncated?: boolean
}

export type Trigger = {
  id: string
  agent_id: string
  user_id: string
  kind: "webhook" | "event" | "poll" | "email"
  name: string | null
  /** Paused when false: nothing is taken, and what waits is dropped. It can be replayed. */
  enabled: boolean
  filter: string | null
  message: string | null
  dedupe_key: string | null
  concurrency: number | null
  webhook: {
    url: string | null
    /** How a sender proves itself: by the signature of GitHub, Stripe, Slack or Standard Webhooks, or by a secret in a header. A request without a valid proof gets a 401 and is not stored. With `none`, whoever knows the URL may send. */
    verifier: "none" | "github" | "stripe" | "slack" | "standard_webhooks" | "secret"
    header: string | null
    has_secret: boolean
  } | null
  event: {
    /** The event of this team that starts runs. */
    event: "run.started" | "run.paused" | "run.completed" | "run.failed" | "run.message.created" | "run.tool_call.completed" | "run.file.created" | "human_request.created" | "human_request.responded" | "queue.case.created" | "queue.case.claimed" | "queue.case.completed" | "assignment.build.published" | "connection.updated" | "connection.action_required"
    agent_id: string | null
  } | null
  poll: {
    connection_id: string
    /** The tool of it that lists the items. */
    tool: string
    /** The arguments of each call, at most 16 KiB. */
    arguments: Record<string, unknown>
    items: string | null
    /** The time between two calls. */
    every_minutes: number
    /** Whether what the first call finds starts runs too. Otherwise only what is new after it does. */
    start_existing: boolean
    next_poll_at: string | null
    last_polled_at: string | null
    last_problem: string | null
  } | null
  email: {
    address: string | null
  } | null
  last_delivery_at: string | null
  created_at: string
  updated_at: string
  /** Long texts of this record are cut. A page of a list holds 4 MiB at most: rows that do not fit have only the first 1,000 characters of their long texts. The first row of a page is always whole, and so is a record that is read by its id. Events cut texts over 16 KiB. */
  truncated?: boolean
}

export interface TriggerDelivery {
  id: string
  trigger_id: string
  agent_id: string
  /** `waiting` for its turn; `started` a run; `filtered` out; `repeated`: its key had started a run before; `dropped`: the trigger was paused, the delivery would close a loop, too many of an event waited, or the team may store no more; `failed`. `reason` says why. */
  status: "waiting" | "started" | "filtered" | "repeated" | "dropped" | "failed"
  key: string | null
  run_id: string | null
  reason: string | null
  replay_of: string | null
  size_bytes: number
  received_at: string
  settled_at: string | null
}

export interface TriggerDeliveryWithContent {
  id: string
  trigger_id: string
  agent_id: string
  /** `waiting` for its turn; `started` a run; `filtered` out; `repeated`: its key had started a run before; `dropped`: the trigger was paused, the delivery would close a loop, too many of an event waited, or the team may store no more; `failed`. `reason` says why. */
  status: "waiting" | "started" | "filtered" | "repeated" | "dropped" | "failed"
  key: string | null
  run_id: string | null
  reason: string | null
  replay_of: string | null
  size_bytes: number
  received_at: string
  settled_at: string | null
  content: Record<string, unknown> | null
}

export interface ListedMemoryFile {
  /** The last part of the path. */
  name: string
  path: string
  size_bytes: number
  /** Raised by one with every change of the file. */
  generation: number
  /** Who wrote it last. */
  source_type: "run" | "user"
  source_run_id: string | null
  updated_at: string
}

export interface MemoryFile {
  path: string
  content: string
  /** Raised by one with every change of the file. */
  generation: number
  /** Who wrote it last. */
  source_type: "run" | "user"
  source_run_id: string | null
  updated_at: string
}

export interface Sandbox {
  sandbox_id: string
  /** `busy` while a run that is running, or a command, holds it: then it takes no files and no other command. */
  status: "ready" | "busy"
  expires_at: string | null
  run_id: string | null
  /** Files, links and empty folders that it holds. */
  files_total: number
  /** Bytes of its files, with the earlier contents of changed ones. Its limit also counts 1 KiB and its path for each earlier state of a path. */
  kept_bytes: number
  created_at: string
}

export interface WorkspaceEntry {
  name: string
  path: string
  type: "file" | "dir"
  /** Of a folder: of all that is below it. */
  size_bytes: number
  modified_at: string
}

export interface Screenshot {
  id: string
  session_id: string
  page_id: string
  /** 1, 2, 3 … in the run. */
  seq: number
  /** The step of the run’s ledger that the action is part of. */
  step: number
  /** What was done, without what was typed. */
  action: string
  url: string
  title: string
  taken_at: string
  /** Since the start of the run. */
  offset_ms: number
  width: number
  height: number
  /** A JPEG. Signed: it needs no other credential, and expires after one to two hours. */
  image_url: string
  /** A JPEG. Signed: it needs no other credential, and expires after one to two hours. */
  thumbnail_url: string
}

export interface BrowserPage {
  id: string
  url: string
  title: string
  /** The one that actions are done on. */
  active: boolean
  opened_at: string
  closed_at: string | null
  last_screenshot_url: string | null
}

export interface Run {
  id: string
  team_id: string
  agent_id: string
  agent_name: string
  build_id: string
  /** Unique and roughly rising; gaps are allowed. */
  run_number: number
  metadata: Record<string, unknown>
  limits: RunLimits
  callback_url: string | null
  title: string
  status: "pending" | "running" | "waiting" | "completed" | "failed" | "stopped"
  source: "api" | "schedule" | "case_trigger" | "trigger" | "mcp" | "console" | "agent" | "retry" | "artifact"
  user_id: string | null
  sandbox_id: string | null
  browser_session_id: string | null
  parent_run_id: string | null
  parent_step: number | null
  retry_of_run_id: string | null
  retried_from_step: number | null
  case_id: string | null
  case_queue_id: string | null
  case_title: string | null
  /** The trigger’s payload as it was given: text, an object, or null. */
  message: unknown
  /** Null until the run is completed. */
  output: unknown
  error: RunError | null
  waiting_on: WaitingOn | null
  postponed_to: string | null
  usage: Usage
  /** Of the latest evaluation; null before there is one. */
  eval_summary: unknown
  created_at: string
  started_at: string | null
  completed_at: string | null
  updated_at: string
  /** Long texts of this record are cut. A page of a list holds 4 MiB at most: rows that do not fit have only the first 1,000 characters of their long texts. The first row of a page is always whole, and so is a record that is read by its id. Events cut texts over 16 KiB. */
  truncated?: boolean
}

export type ListedRunDetails = {
  run_id: string
  /** The `revision_number` of its build. */
  build_number: number
  step: {
    seq: number
    kind: "model" | "tool" | "human" | "wait" | "sub_run"
    name: string | null
    started_at: string
  } | null
  human_request: {
    id: string
    type: "approval" | "question" | "form" | "login"
    title: string
    expires_at: string | null
  } | null
  line: {
    places_held: number
    places_total: number
    agent_places_held: number
    agent_places_total: number | null
  } | null
  stopped_by: {
    reason: "member" | "parent_run" | "agent_deleted"
    name: string | null
  } | null
}

export interface RunBucket {
  start: string
  completed: number
  failed: number
  stopped: number
  pending: number
  running: number
  /** With those that wait for a person. */
  waiting: number
  /** Those of `waiting` that wait for a person. */
  needs_attention: number
  cost_usd: number | null
}

export interface RunCounts {
  completed: number
  failed: number
  stopped: number
  pending: number
  running: number
  /** With those that wait for a person. */
  waiting: number
  /** Those of `waiting` that wait for a person. */
  needs_attention: number
  cost_usd: number | null
}

export type HumanRequest = {
  id: string
  run_id: string
  /** The step of the run that asks. Old events do not have it. */
  step?: number
  type: "approval" | "question" | "form" | "login"
  title: string
  description: string | null
  questions: unknown
  form_schema: unknown
  action: {
    tool: string
    arguments: unknown
    hash: string
  } | null
  status: "pending" | "responded" | "cancelled" | "expired"
  response: unknown
  responded_by: string | null
  responded_at: string | null
  expires_at: string | null
  on_timeout: "fail" | "approve" | "reject" | "continue"
  assignee_user_id: string | null
  /** How many people must approve. More than 1 only where the guardrails of the team want it. */
  approvals_needed?: number
  /** Who has approved so far, where more than one must. A rejection by anybody closes the request. */
  approvals?: {
    user_id: string
    at: string
  }[]
  created_at: string
  /** Long texts of this record are cut. A page of a list holds 4 MiB at most: rows that do not fit have only the first 1,000 characters of their long texts. The first row of a page is always whole, and so is a record that is read by its id. Events cut texts over 16 KiB. */
  truncated?: boolean
}

export interface AgentOfRun {
  id: string
  team_id: string
  name: string
  description: string | null
  live_build_id: string | null
  memory_enabled: boolean
  created_at: string
  updated_at: string
  created_by: string | null
  last_run_at: string | null
  runs_count: number
  paused_at: string | null
  paused_reason: string | null
  paused_by: string | null
  paused_by_incident_id: string | null
}

export interface BuildOfRun {
  id: string
  agent_id: string
  name: string
  revision_number: number
  revision_name: string | null
  revision_description: string | null
  status: "draft" | "live" | "historic"
  config: Record<string, unknown>
  parent_build_id: string | null
  created_by: string | null
  created_at: string
  updated_at: string
  published_at: string | null
}

export interface SubRun {
  id: string
  status: "pending" | "running" | "waiting" | "completed" | "failed" | "stopped"
  title: string
  agent: {
    id: string
    name: string
  }
  created_at: string
  completed_at: string | null
}

export interface Callback {
  url: string
  events: ("run.started" | "run.paused" | "run.completed" | "run.failed" | "human_request.created" | "human_request.responded")[]
}

export type RunFacts = {
  since: string | null
  until: string | null
  ended_by: string | null
  waiting_on: {
    kind: string
    detail: unknown
  } | null
  human_request: {
    id: string
    type: "approval" | "question" | "form" | "login"
    title: string
    assignee_user_id: string | null
    assignee_name: string | null
    expires_at: string | null
    on_timeout: "fail" | "approve" | "reject" | "continue"
    /** How many people must approve; more than 1 where the guardrails of the team want it. */
    approvals_needed: number
    /** How many have so far, where more than one must. */
    approvals: number
  } | null
  guardrail: {
    rule: "always_ask" | "two_person" | "allowed_hosts" | "allowed_connections" | "quiet_hours" | "outside_calls_per_day" | "runs_per_day" | "cost_usd_per_day"
    version: number
  } | null
  sub_run: {
    id: string
    status: "pending" | "running" | "waiting" | "completed" | "failed" | "stopped"
    title: string
    agent_name: string
  } | null
  line: {
    /** Its position on the team’s waitlist; 1 is next. */
    position: number
    places_held: number
    places_total: number
    agent_places_held: number
    agent_places_total: number | null
  } | null
  workers: number | null
  worker: {
    id: string
    host: string | null
    pid: number | null
    since: string | null
  } | null
  step: {
    seq: number
    kind: "model" | "tool" | "human" | "wait" | "sub_run"
    name: string | null
    attempt: number
    started_at: string
    last_error: string | null
  } | null
  stopped_by: {
    reason: "member" | "parent_run" | "agent_deleted"
    name: string | null
  } | null
  error: RunError | null
}

export interface Report {
  run_id: string
  agent_id: string
  build_id: string
  status: "pending" | "running" | "waiting" | "completed" | "failed" | "stopped"
  started_at: string | null
  completed_at: string | null
  duration_ms: number | null
  active_ms: number
  waiting_ms: number | null
  steps: ReportStep[]
  /** Of more than 1,000 steps the last 1,000 are in `steps`. */
  steps_total: number
  totals: {
    model_calls: number
    tool_calls: number
    tool_errors: number
    retries: number
    human_requests: number
    files: number
    screenshots: number
    input_tokens: number
    output_tokens: number
    cost_usd: number
  }
  outcome: {
    summary: string
    failure_class: string | null
  }
}

export type RunStep = {
  seq: number
  /** The turn of the model that it belongs to. */
  turn: number
  kind: "model" | "tool" | "human" | "wait" | "sub_run"
  name: string | null
  /** What to call it in a list. */
  title: string
  detail: string | null
  /** `running` and `waiting` only while the run has not ended. */
  status: "done" | "failed" | "cut_off" | "in_doubt" | "running" | "waiting"
  waits_for: "human" | "time" | "connection" | "sub_run" | null
  attempts: number
  started_at: string
  completed_at: string | null
  duration_ms: number | null
  waited_ms: number | null
  tokens: {
    input: number
    output: number
  } | null
  cost_usd: number | null
  room: "drop" | "shorten" | "fold" | null
  sub_run_id: string | null
  human_request_id: string | null
  screenshots: number
  error: string | null
  /** It comes with its result from the run that this one retries. */
  is_copied: boolean
}

export interface RunAxis {
  status: "pending" | "running" | "waiting" | "completed" | "failed" | "stopped"
  created_at: string
  started_at: string | null
  completed_at: string | null
  active_ms: number
  /** The time of the server, up to which open bars are drawn. */
  now: string
  /** The waits of the steps of this page, for folding them. */
  waits: StepWait[]
  /** Each time that a process lost the run while it worked on it; of more than 200 the newest. */
  cuts: RunCut[]
}

export type WholeRunStep = {
  seq: number
  /** The turn of the model that it belongs to. */
  turn: number
  kind: "model" | "tool" | "human" | "wait" | "sub_run"
  name: string | null
  /** What to call it in a list. */
  title: string
  detail: string | null
  /** `running` and `waiting` only while the run has not ended. */
  status: "done" | "failed" | "cut_off" | "in_doubt" | "running" | "waiting"
  waits_for: "human" | "time" | "connection" | "sub_run" | null
  attempts: number
  started_at: string
  completed_at: string | null
  duration_ms: number | null
  waited_ms: number | null
  tokens: {
    input: number
    output: number
  } | null
  cost_usd: number | null
  room: "drop" | "shorten" | "fold" | null
  sub_run_id: string | null
  human_request_id: string | null
  screenshots: number
  error: string | null
  /** It comes with its result from the run that this one retries. */
  is_copied: boolean
  key: string | null
  /** As the agent gave them; null for a turn of a model, and once the log is erased. For a step that made room: what it folded, shortened or left out. */
  arguments: unknown
  /** Over 64 KiB: its beginning and the file that has all of it. */
  result: unknown
  /** Pictures and PDF files that came with its result; a model that takes them sees them. */
  shown_files: ShownFile[]
  /** What is set aside for a call of a model that is under way. */
  reserved_usd: number
  /** Attempts of a model that may have been answered and paid for although nobody has the answer. */
  unsettled: number
  worker: StepWorker | null
  waits: StepWait[]
  /** What happened to it, in order, as far as it was written down. */
  moments: StepMoment[]
  after_crash: "never_again" | "made_again" | "checked_first" | "asks" | "waits" | null
  /** What a retry from here would do. */
  retry: StepRetry
}

export interface RunEvent {
  id: string
  /** Its number in the run, and its id in the run’s stream. */
  sequence: number
  event: "run.started" | "run.paused" | "run.completed" | "run.failed" | "run.message.created" | "run.tool_call.completed" | "run.file.created" | "human_request.created" | "human_request.responded" | "queue.case.created" | "queue.case.claimed" | "queue.case.completed" | "assignment.build.published" | "connection.updated" | "connection.action_required"
  created_at: string
  /** As webhooks and streams carry it. */
  data: unknown
  deliveries: DeliveryCounts
  /** Long texts of this record are cut. A page of a list holds 4 MiB at most: rows that do not fit have only the first 1,000 characters of their long texts. The first row of a page is always whole, and so is a record that is read by its id. Events cut texts over 16 KiB. */
  truncated?: boolean
}

export type Message = {
  id: string
  run_id: string
  seq: number
  type: "text" | "thinking" | "tool_call" | "tool_result" | "system"
  role: "user" | "assistant" | "tool" | "system"
  timestamp: string
  text_content: string | null
  tool_call: {
    id: string
    name: string
    arguments: unknown
  } | null
  tool_result: {
    tool_call_id: string
    result: unknown
    error: string | null
    duration_ms: number
  } | null
  /** Long texts of this record are cut. A page of a list holds 4 MiB at most: rows that do not fit have only the first 1,000 characters of their long texts. The first row of a page is always whole, and so is a record that is read by its id. Events cut texts over 16 KiB. */
  truncated?: boolean
}

export interface TeamEvent {
  id: string
  run_id: string | null
  event: "run.started" | "run.paused" | "run.completed" | "run.failed" | "run.message.created" | "run.tool_call.completed" | "run.file.created" | "human_request.created" | "human_request.responded" | "queue.case.created" | "queue.case.claimed" | "queue.case.completed" | "assignment.build.published" | "connection.updated" | "connection.action_required"
  created_at: string
  /** As webhooks and streams carry it. */
  data: unknown
  deliveries: DeliveryCounts
  /** Long texts of this record are cut. A page of a list holds 4 MiB at most: rows that do not fit have only the first 1,000 characters of their long texts. The first row of a page is always whole, and so is a record that is read by its id. Events cut texts over 16 KiB. */
  truncated?: boolean
}

export type InboxRequest = {
  id: string
  run_id: string
  /** The step of the run that asks. Old events do not have it. */
  step?: number
  type: "approval" | "question" | "form" | "login"
  title: string
  description: string | null
  questions: unknown
  form_schema: unknown
  action: {
    tool: string
    arguments: unknown
    hash: string
  } | null
  status: "pending" | "responded" | "cancelled" | "expired"
  response: unknown
  responded_by: string | null
  responded_at: string | null
  expires_at: string | null
  on_timeout: "fail" | "approve" | "reject" | "continue"
  assignee_user_id: string | null
  /** How many people must approve. More than 1 only where the guardrails of the team want it. */
  approvals_needed?: number
  /** Who has approved so far, where more than one must. A rejection by anybody closes the request. */
  approvals?: {
    user_id: string
    at: string
  }[]
  created_at: string
  /** Long texts of this record are cut. A page of a list holds 4 MiB at most: rows that do not fit have only the first 1,000 characters of their long texts. The first row of a page is always whole, and so is a record that is read by its id. Events cut texts over 16 KiB. */
  truncated?: boolean
  run: RunOfRequest
  /** While it is pending: what each answer leads to, in words. Empty when it is closed. */
  consequences: Consequence[]
}

export interface Queue {
  id: string
  team_id: string
  name: string
  description: string | null
  concurrency: number | null
  counts: {
    pending: number
    in_progress: number
    needs_input: number
    postponed: number
    completed: number
    failed: number
  }
  created_at: string
  updated_at: string
}

export interface QueueFacts {
  /** Cases that could be dispatched now: pending, or postponed until now. */
  waiting: number
  in_progress: number
  needs_input: number
  /** How many cases may be in progress at once. */
  at_once: number
  /** Of the whole team, by all its runs. */
  slots_held: number
  slots_total: number
  agents: {
    id: string
    name: string
    trigger_id: string
    /** `free`: it can be given another case now. `paused`: its case trigger is; `agent_paused`: itself. */
    state: "free" | "full" | "paused" | "agent_paused" | "no_live_build"
    concurrency: number | null
    in_progress: number
  }[]
  /** Of those in progress. */
  held_by_members: number
  /** Runs of cases in progress that wait themselves, by what for. Those that ask a person are `needs_input`. */
  waits: {
    kind: string
    connection_id: string | null
    connection_name: string | null
    rule: "always_ask" | "two_person" | "allowed_hosts" | "allowed_connections" | "quiet_hours" | "outside_calls_per_day" | "runs_per_day" | "cost_usd_per_day" | null
    runs: number
  }[]
  limits_reached: ("monthly_runs" | "monthly_cost_usd")[]
  /** Rules of the team’s guardrails by which no more runs start today. */
  guardrails_reached: {
    rule: "runs_per_day" | "cost_usd_per_day"
    version: number
    /** When the next day begins. */
    until: string
  }[]
}

export interface Case {
  id: string
  queue_id: string
  title: string
  data: string
  status: "pending" | "completed" | "failed"
  display_status: "pending" | "in_progress" | "needs_input" | "postponed" | "completed" | "failed"
  priority: "none" | "medium" | "high"
  labels: Label[]
  claimed_at: string | null
  claimed_by_run_id: string | null
  claimed_by_user_id: string | null
  completed_at: string | null
  postponed_to: string | null
  attempts: number
  result: unknown
  reason: string | null
  pending_human_request_id: string | null
  created_by_user_id: string | null
  created_at: string
  updated_at: string
  /** Long texts of this record are cut. A page of a list holds 4 MiB at most: rows that do not fit have only the first 1,000 characters of their long texts. The first row of a page is always whole, and so is a record that is read by its id. Events cut texts over 16 KiB. */
  truncated?: boolean
}

export interface Label {
  id: string
  key: string
  value: string
  color_hue: number
}

export interface CaseEvent {
  id: string
  type: string
  run_id: string | null
  user_id: string | null
  reason: string | null
  created_at: string
}

export interface BulkAction {
  id: string
  queue_id: string
  user_id: string | null
  kind: "delete" | "reprocess" | "update_status" | "update_priority"
  status: "running" | "completed" | "failed" | "stopped"
  total: number | null
  deleted_count: number
  reprocessed_count: number
  updated_count: number
  /** Cases that were as wanted already, or that another member holds. */
  skipped_count: number
  /** The runs that were stopped for it; the first 10,000 of them. */
  stopped_run_ids: string[]
  error: string | null
  created_at: string
  completed_at: string | null
}

export interface CaseTrigger {
  id: string
  agent_id: string
  case_queue_id: string
  case_queue_name: string
  user_id: string | null
  /** While it is false the agent is given no cases. */
  enabled: boolean
  concurrency: number | null
  has_conflict: boolean
  /** Others with an enabled trigger on the same queue. They share its cases. */
  conflicting_agents: {
    id: string
    name: string
  }[]
  created_at: string
  updated_at: string
}

export interface Connection {
  id: string
  team_id: string
  user_id: string | null
  name: string
  type: "native" | "mcp" | "custom_mcp" | "api"
  provider: string
  server_url: string | null
  transport: "http" | "sse" | null
  auth_method: "oauth" | "apikey" | "headers" | "none"
  status: "active" | "action_required" | "disabled"
  scopes: string[] | null
  /** False: only runs that act for its maker alone can use it. */
  shared: boolean
  has_oauth_tokens: boolean
  has_headers: boolean
  tools_count: number | null
  account: string | null
  last_used_at: string | null
  broken_at: string | null
  broken_reason: string | null
  expires_at: string | null
  created_at: string
  updated_at: string
}

export interface ConnectionProvider {
  name: string
  title: string
  /** What an agent can do with it. */
  description: string
  /** This server has an OAuth client for it. */
  is_configured: boolean
  /** What is asked for where the caller names none. */
  scopes: string[]
  /** The settings that an operator needs for it. */
  settings: string
  /** How to make an OAuth client there. */
  docs_url: string
}

export interface ConnectionTool {
  name: string
  /** What agents and procedures call it, unless another connection of the build takes the same name. */
  tool_name: string
  title: string | null
  status: "approved" | "changed" | "new" | "gone"
  /** Of name, description, schema and annotations as listed now; give it to approve just this. */
  hash: string
  description: string | null
  input_schema: Record<string, unknown>
  annotations: Record<string, unknown> | null
  approved_description: string | null
  approved_input_schema: Record<string, unknown> | null
}

export interface Secret {
  id: string
  team_id: string
  user_id: string | null
  name: string
  /** False: only runs that act for its maker alone can use it. */
  shared: boolean
  /** The names of its variables. Values are never shown. */
  env_var_keys: string[]
  last_used_at: string | null
  created_at: string
  updated_at: string
}

export interface Login {
  id: string
  team_id: string
  user_id: string | null
  domain: string
  username: string
  /** False: only runs that act for its maker alone can use it. */
  shared: boolean
  has_password: boolean
  has_otp: boolean
  last_used_at: string | null
  created_at: string
  updated_at: string
}

export interface TeamFile {
  id: string
  team_id: string
  user_id: string | null
  /** Its path in /files of a sandbox. */
  name: string
  size_bytes: number
  sha256: string
  created_at: string
  updated_at: string
}

export interface Skill {
  id: string
  team_id: string
  user_id: string | null
  /** As SKILL.md says; builds use it. */
  name: string
  description: string
  /** Its newest version. Every change makes another. */
  version: number
  created_at: string
  updated_at: string
}

export interface SkillFile {
  path: string
  size_bytes: number
  sha256: string
  is_executable: boolean
}

export interface SkillVersion {
  version: number
  user_id: string | null
  description: string
  /** How many files it has. */
  files: number
  size_bytes: number
  created_at: string
}

export interface ModelKey {
  id: string
  team_id: string
  /** Whose models it pays for. */
  provider: "anthropic" | "openai" | "google" | "openai-compatible"
  /** The end of the key, to tell keys apart. */
  hint: string
  base_url: string | null
  created_by: string | null
  tested_at: string
  problem: string | null
  created_at: string
  updated_at: string
}

export interface ModelSettings {
  allowed_models: string[] | null
  default_model: string | null
  /** The server’s default, which counts where the team has none. */
  server_default: string
  providers: {
    provider: "anthropic" | "openai" | "google" | "openai-compatible"
    /** Whose key its models are asked with; `none`: they cannot be used. */
    key: "team" | "server" | "none"
  }[]
}

export interface GuardrailVersion {
  /** 0: the team never had guardrails. */
  version: number
  rules: GuardrailRules
  comment: string | null
  restores: number | null
  user_id: string | null
  created_at: string | null
}

export type GuardrailDryRun = {
  id: string
  status: "running" | "done" | "failed"
  rules: GuardrailRules
  since: string
  until: string
  report: {
    rows_since: string | null
    /** How many runs were judged. */
    runs: number
    /** How many of their calls were judged. */
    calls: number
    /** Runs whose log is erased: only their number and their cost count. */
    runs_without_log: number
    /** There are more runs than a dry run judges; the later ones are left out. */
    is_cut: boolean
    /** How many runs any rule would have touched. */
    runs_stopped: number
    rules: {
      rule: "always_ask" | "two_person" | "allowed_hosts" | "allowed_connections" | "quiet_hours" | "outside_calls_per_day" | "runs_per_day" | "cost_usd_per_day"
      way: "refused" | "asks" | "waits"
      /** Calls, or starts where the rule bounds starts. */
      calls: number
      runs: number
      /** The first 50 of them. */
      first: {
        run_id: string
        run_number: number
        agent_name: string
        step: number | null
        tool: string | null
        at: string
        says: string
      }[]
    }[]
  } | null
  user_id: string | null
  created_at: string
  completed_at: string | null
}

export interface GuardrailStop {
  run_id: string
  step: number
  /** The tool of the call, or the model that was to be asked. */
  tool: string
  rule: "always_ask" | "two_person" | "allowed_hosts" | "allowed_connections" | "quiet_hours" | "outside_calls_per_day" | "runs_per_day" | "cost_usd_per_day"
  /** What became of the call: it was refused, people were asked, or it waited. */
  way: "refused" | "asks" | "waits"
  version: number
  says: string
  until: string | null
  at: string
}

export interface BillingUsage {
  period_start: string
  period_end: string
  /** Runs that were created in the period, and how those have ended by now. Erased runs stay counted; one that continued after its end is counted once, by how it ended last. */
  runs: {
    total: number
    completed: number
    failed: number
    stopped: number
  }
  /** With milliseconds; counted on the day on which a stretch ended. */
  active_seconds: number
  input_tokens: number
  output_tokens: number
  /** Of runs, builders and judges; by the prices that this server knows. */
  model_cost_usd: number
  /** What sandboxes hold now, or held at the end of a period that is over; earlier contents too. */
  sandbox_bytes: number
  /** Those that their receivers took. */
  webhook_deliveries: number
  /** Days of UTC on which something was used, the earliest first. */
  by_day: {
    day: string
    runs: number
    /** With milliseconds; counted on the day on which a stretch ended. */
    active_seconds: number
    tokens: number
    cost_usd: number
  }[]
  /** The most expensive first. */
  by_agent: {
    agent_id: string
    agent_name: string | null
    /** Whether it is the hidden agent of an artifact. Runs of artifacts are listed with `source=artifact`. */
    is_artifact: boolean
    runs: number
    /** With milliseconds; counted on the day on which a stretch ended. */
    active_seconds: number
    tokens: number
    cost_usd: number
  }[]
  /** The most expensive first. */
  by_model: {
    model: string
    calls: number
    input_tokens: number
    output_tokens: number
    tokens: number
    cost_usd: number
  }[]
  /** By the purpose of the calls, the most expensive first. */
  by_purpose: {
    purpose: "run" | "builder" | "judge" | "replay"
    calls: number
    tokens: number
    cost_usd: number
  }[]
  /** Calls of a model whose answer was lost, because a process died, a run was stopped or a connection broke. The provider may have answered and charge for them, at most this; they are in no other figure. */
  unsettled: {
    calls: number
    cost_usd_max: number
  }
}

export interface Entitlement {
  key: "max_concurrent_runs" | "monthly_runs" | "monthly_cost_usd" | "storage_bytes" | "agents"
  label: string
  /** Whether the team may use it at all: false where the limit is 0. */
  enabled: boolean
  limit: number | null
  used: number | null
  unit: "runs" | "usd" | "bytes" | "agents" | null
}

export interface ModelUsage {
  model: string
  agent_id: string
  agent_name: string | null
  /** Whether it is the hidden agent of an artifact. */
  is_artifact: boolean
  calls: number
  input_tokens: number
  output_tokens: number
  tokens: number
  cost_usd: number
}

export interface Evaluation {
  id: string
  run_id: string
  created_at: string
  /** Made because the run ended, or because somebody asked. */
  source: "run_end" | "request"
  /** `unavailable`: the custom rubrics could not be judged; `summary.final_comment` says why. */
  status: "ready" | "in_progress" | "unavailable"
  output: {
    schema_version: number
    /** Each flag and whether it passed. */
    data: Record<string, boolean | null>
  }
  results: EvalResult[]
  summary: EvalSummary
}

export interface BuildScore {
  build_id: string
  score: number | null
  /** How many runs the score is of: the latest, as many as the promotion gate asks for, or 10 without a gate. */
  evaluated_runs: number
}

export interface EvaluatedRun {
  run_id: string
  run_number: number
  run_title: string
  build_id: string
  run_ended_at: string
  score: number | null
  /** What did not pass. */
  failed: {
    flag: string
    label: string
    severity: "critical" | "medium" | "low"
  }[]
  /** How many members marked the run as good. */
  marked_good: number
  marked_bad: number
  own_mark: "good" | "bad" | null
  /** What members wrote with their marks, the latest 5. listRunMarks has all. */
  mark_notes: {
    member_id: string
    verdict: "good" | "bad"
    note: string
  }[]
}

export interface RunMark {
  run_id: string
  member_id: string
  verdict: "good" | "bad"
  note: string | null
  marked_at: string
}

export interface EvalRubric {
  id: string
  /** Its flag in results is `custom__<slug>`. */
  slug: string
  title: string
  description: string
  severity: "critical" | "medium" | "low"
  sort_order: number
  build_id: string
  created_at: string
  deleted_at: string | null
}

export interface PlatformRubric {
  /** Its flag in results. */
  key: string
  label: string
  description: string
  severity: "critical" | "medium" | "low"
}

export interface PromotionGate {
  /** The least mean share of checks that passed. */
  min_score: number
  /** How many of the latest evaluated runs count. */
  last_runs: number
  updated_by: string | null
  updated_at: string
}

export interface ForcedPromotion {
  id: string
  build_id: string
  reason: string
  score: number | null
  evaluated_runs: number
  /** The least mean share of checks that passed. */
  min_score: number
  /** How many of the latest evaluated runs count. */
  last_runs: number
  forced_by: string | null
  created_at: string
}

export interface ReplaySet {
  id: string
  team_id: string
  agent_id: string
  name: string
  /** How many recorded runs it has. */
  recordings: number
  size_bytes: number
  /** Rises when recordings are added. */
  version: number
  created_by: string | null
  created_at: string
  updated_at: string
}

export interface Recording {
  id: string
  replay_set_id: string
  run_id: string
  run_number: number
  run_title: string
  run_status: "completed" | "failed"
  run_ended_at: string
  /** How many calls the run made. */
  calls: number
  size_bytes: number
  created_at: string
}

export interface Replay {
  id: string
  agent_id: string
  build_id: string
  replay_set_id: string
  /** The version of the set when the replay began. */
  set_version: number
  state: "running" | "completed" | "cancelled"
  max_cost_usd: string | null
  /** Decimal text. */
  cost_usd: string
  /** Model calls that were cut off: they may have been paid for, and were made again. */
  unsettled_calls: number
  /** Decimal text. */
  unsettled_usd: string
  input_tokens: number
  output_tokens: number
  /** How many recorded runs it replays. */
  runs: number
  runs_done: number
  /** The same calls in the same order, the same end and the same output. */
  runs_same: number
  runs_changed: number
  /** Each says why, and counts as a match of 0. */
  runs_not_replayed: number
  match: number | null
  /** Decimal text. */
  recorded_cost_usd: string
  recorded_model_ms: number
  /** How long models took. */
  model_ms: number
  recorded_score: number | null
  score: number | null
  started_by: string | null
  created_at: string
  completed_at: string | null
}

export interface ListedReplayRun {
  id: string
  replay_id: string
  run_id: string
  run_number: number
  run_title: string
  state: "pending" | "done"
  verdict: "same" | "changed" | "not_replayed" | null
  match: number | null
  reason: string | null
  /** How many the report has. */
  findings: number
  unsettled_calls: number
  /** Decimal text. */
  cost_usd: string
  completed_at: string | null
}

export interface ReplayRun {
  id: string
  replay_id: string
  run_id: string
  run_number: number
  run_title: string
  state: "pending" | "done"
  verdict: "same" | "changed" | "not_replayed" | null
  match: number | null
  reason: string | null
  /** How many the report has. */
  findings: number
  unsettled_calls: number
  /** Decimal text. */
  cost_usd: string
  completed_at: string | null
  report: ReplayReport | null
}

export interface ReplayGate {
  replay_set_id: string
  /** The least match of the replay. */
  min_match: number
  max_cost_usd: string | null
  updated_by: string | null
  updated_at: string
}

export interface ForcedPastReplay {
  id: string
  build_id: string
  reason: string
  replay_id: string | null
  match: number | null
  min_match: number
  forced_by: string | null
  created_at: string
}

export interface NextStart {
  schedule_id: string
  agent_id: string
  agent_name: string
  next_run_at: string
}

export interface BrokenConnection {
  connection_id: string
  name: string
  provider: string
  broken_at: string | null
  broken_reason: string | null
}

export interface AgentScore {
  agent_id: string
  agent_name: string
  evaluated: number
  /** Runs in which every check that applies passed. */
  passed: number
  with_issues: number
  pass_rate: number | null
  /** How many checks of this severity did not pass. */
  critical: number
  medium: number
  low: number
}

export type Artifact = {
  id: string
  team_id: string
  created_by_user_id: string
  title: string | null
  kind: "dashboard" | "document"
  /** While a question is open, the artifact is `running`. */
  status: "not_started" | "pending" | "running" | "completed" | "failed" | "interrupted"
  /** Whether there is a page to render. */
  html_code_present: boolean
  visibility: "private" | "team" | "public"
  publish_permission: "view" | "edit"
  public_url: string | null
  thumbnail_url: string | null
  refresh_frequency: "every_15_minutes" | "every_30_minutes" | "hourly" | "every_6_hours" | "daily" | "weekly" | null
  last_refresh_at: string | null
  next_refresh_at: string | null
  refresh_error: string | null
  current_revision_id: string | null
  current_version: number
  pending_question: {
    tool_call_id: string
    questions: {
      question: string
      header?: string
      options?: {
        label: string
        description?: string
      }[]
      multi_select?: boolean
    }[]
    /** Whether the answer decides about a call or a limit: then it takes the scope `approvals:write` too. */
    needs_approver: boolean
  } | null
  created_at: string
  updated_at: string
}

export type ArtifactMessage = {
  id: string
  artifact_id: string
  author_user_id: string | null
  role: "user" | "assistant"
  content: string
  created_at: string
  revision_id: string | null
  selected_element: {
    selector: string
    label: string
    tag_name: string
    text?: string
    outer_html: string
  } | null
  /** Long texts of this record are cut. A page of a list holds 4 MiB at most: rows that do not fit have only the first 1,000 characters of their long texts. The first row of a page is always whole, and so is a record that is read by its id. Events cut texts over 16 KiB. */
  truncated?: boolean
}

export interface AttachedConnection {
  id: string
  connection_id: string
  name: string
  type: string
  provider: string
  status: string
  attached_at: string
}

export interface ArtifactRevision {
  id: string
  artifact_id: string
  version: number
  parent_revision_id: string | null
  restored_from_version: number | null
  thumbnail_url: string | null
  created_at: string
}

export interface SavedView {
  id: string
  team_id: string
  user_id: string
  /** The list that it is a view of. */
  screen: "runs" | "cases" | "human_requests"
  name: string
  /** The query of the list, name by name. At most 8 KiB. */
  filter: Record<string, string>
  /** Whether the whole team sees it. Only its maker can change it. */
  is_shared: boolean
  created_at: string
  updated_at: string
}

export interface SystemProcess {
  id: string
  role: string
  host: string
  pid: number
  started_at: string
  /** Whether it gave this answer. */
  is_answering: boolean
  reported_at: string | null
  report: ProcessReport | null
}

export interface StoredSize {
  what: string
  bytes: number
  /** As PostgreSQL last estimated them. */
  rows: number
  oldest_at: string | null
  bytes_a_day: number | null
  grown_bytes: number | null
  measured_at: string | null
}

export interface ShownSetting {
  name: string
  says: string
  /** What holds where it is not set, in words. */
  unset: string
  is_secret: boolean
  is_set: boolean
  value: string | null
}

export interface Drill {
  id: string
  /** Held: all zeros. Failed: something was not zero. Broken off: it did not come to a result, and `problem` says why. */
  state: "requested" | "running" | "held" | "failed" | "stopped" | "broken_off"
  /** How many runs are started. */
  runs: number
  /** How many workers are killed; the drill starts a new one for each. */
  kills: number
  requested_by: string | null
  requested_at: string
  started_at: string | null
  ended_at: string | null
  stop_asked_at: string | null
  /** Whether nothing of its scratch team is left, if it had one. */
  is_erased: boolean
  progress: DrillProgress | null
  result: DrillResult | null
  problem: string | null
}

export interface Webhook {
  id: string
  team_id: string
  /** A public http or https URL. Each event is sent there by POST. */
  url: string
  /** The events it gets; `*` is all there are and will be. */
  events: ("run.started" | "run.paused" | "run.completed" | "run.failed" | "run.message.created" | "run.tool_call.completed" | "run.file.created" | "human_request.created" | "human_request.responded" | "queue.case.created" | "queue.case.claimed" | "queue.case.completed" | "assignment.build.published" | "connection.updated" | "connection.action_required" | "*")[]
  description: string | null
  /** Nothing is sent while it is false. */
  active: boolean
  created_at: string
  disabled_at: string | null
  disabled_reason: string | null
}

export interface DeliveryWithAttempts {
  id: string
  delivery_id: string
  team_id: string
  subscription_id: string | null
  url: string
  event: "run.started" | "run.paused" | "run.completed" | "run.failed" | "run.message.created" | "run.tool_call.completed" | "run.file.created" | "human_request.created" | "human_request.responded" | "queue.case.created" | "queue.case.claimed" | "queue.case.completed" | "assignment.build.published" | "connection.updated" | "connection.action_required"
  event_id: string
  run_id: string | null
  /** `new`: not tried yet. `retrying`: tried, and due again. `replaying`: asked for again. `dead`: given up, kept and replayable. */
  status: "new" | "retrying" | "replaying" | "delivered" | "dead"
  /** So far, since it was made or last replayed. */
  attempts: number
  next_attempt_at: string | null
  reason: string | null
  created_at: string
  settled_at: string | null
  /** Every attempt, the oldest first. */
  log: DeliveryAttempt[]
}

export interface Delivery {
  id: string
  delivery_id: string
  team_id: string
  subscription_id: string | null
  url: string
  event: "run.started" | "run.paused" | "run.completed" | "run.failed" | "run.message.created" | "run.tool_call.completed" | "run.file.created" | "human_request.created" | "human_request.responded" | "queue.case.created" | "queue.case.claimed" | "queue.case.completed" | "assignment.build.published" | "connection.updated" | "connection.action_required"
  event_id: string
  run_id: string | null
  /** `new`: not tried yet. `retrying`: tried, and due again. `replaying`: asked for again. `dead`: given up, kept and replayable. */
  status: "new" | "retrying" | "replaying" | "delivered" | "dead"
  /** So far, since it was made or last replayed. */
  attempts: number
  next_attempt_at: string | null
  reason: string | null
  created_at: string
  settled_at: string | null
}

export interface DeliveryTarget {
  id: string
  /** A webhook, or the callback URL of runs. */
  kind: "subscription" | "callback"
  url: string
  active: boolean
  disabled_at: string | null
  disabled_reason: string | null
  /** In a row. */
  failures: number
  failing_since: string | null
  paused_until: string | null
  /** Not tried yet. */
  waiting: number
  /** Tried or asked for again, and due. */
  retrying: number
  /** Given up. */
  dead: number
  last_delivered_at: string | null
  median_ms: number | null
  /** How many were delivered, among the newest 5,000 deliveries of the team. */
  delivered: number
  failed: number
}

export interface AlertRule {
  id: string
  team_id: string
  name: string
  /** `failure_rate`: of the runs that began in the window and have completed or failed, the percentage that failed. `waiting_age`: minutes that the oldest open request to a person has waited. `cost`: model cost in USD of the days in the window, in UTC, today included; of an agent without its replays. `queue_age`: minutes that the oldest case of a queue has waited. `delivery_failures`: deliveries that wait for another attempt, or were given up in the window. `schedule_misses`: how often in the window a schedule was due and started nothing. */
  signal: "failure_rate" | "waiting_age" | "cost" | "queue_age" | "delivery_failures" | "schedule_misses"
  /** What it is measured for. `failure_rate`, `waiting_age` and `cost`: `team` or `agent`. `queue_age`: `queue`. `delivery_failures`: `team` or `webhook`. `schedule_misses`: `team`, `agent` or `schedule`. */
  scope: "team" | "agent" | "queue" | "webhook" | "schedule"
  scope_id: string | null
  /** An incident opens when the value is this or more. */
  threshold: number
  /** It closes only below this; four fifths of `threshold` unless given. */
  clear_threshold: number
  window_minutes: number | null
  min_runs: number | null
  /** How long the value must be `threshold` or more before an incident opens. 0 unless given. */
  for_minutes: number
  /** How long it must be below `clear_threshold` before the incident closes. 5 unless given. */
  clear_minutes: number
  remind_hours: number | null
  tells: string[] | null
  /** Whether an incident pauses the agent, which only a person resumes. Only with the scope `agent`. */
  pause_agent: boolean
  /** When false nothing is measured, and its open incident closes. */
  enabled: boolean
  scope_name: string | null
  created_by: string
  /** `pending`: at the threshold or above, but not for `for_minutes` yet. `open`: it has an incident. `closing`: below `clear_threshold`, but not for `clear_minutes` yet. */
  state: "ok" | "pending" | "open" | "closing"
  state_since: string
  measured_value: number | null
  measured_at: string | null
  problem: string | null
  incident_id: string | null
  created_at: string
  updated_at: string
}

export interface AlertBehind {
  kind: "run" | "human_request" | "case" | "delivery" | "schedule"
  id: string
  run_id: string | null
  agent_id: string | null
  at: string
  says: string
}

export interface AlertIncident {
  id: string
  team_id: string
  /** The rule may have been deleted since then. */
  rule_id: string
  rule_name: string
  signal: "failure_rate" | "waiting_age" | "cost" | "queue_age" | "delivery_failures" | "schedule_misses"
  scope: "team" | "agent" | "queue" | "webhook" | "schedule"
  scope_id: string | null
  scope_name: string | null
  threshold: number
  state: "open" | "closed"
  opened_at: string
  last_value: number | null
  peak_value: number
  peak_at: string
  /** The runs, requests, cases, deliveries or schedules behind the highest value, at most 20. Empty without the scope that reads what the signal measures. */
  behind: AlertBehind[]
  paused_agent_id: string | null
  acknowledged_at: string | null
  acknowledged_by: string | null
  note: string | null
  closed_at: string | null
  closed_because: "recovered" | "rule_disabled" | "rule_deleted" | "scope_gone" | null
}

export interface NotificationChoices {
  /** By kind: `at_once`, together once a day (`digest`), or `off`. Requests go to members who may answer them, failing deliveries to admins, alerts to those whom their rule tells. */
  mail: {
    human_requests: "at_once" | "digest" | "off"
    failed_runs: "at_once" | "digest" | "off"
    connections: "at_once" | "digest" | "off"
    deliveries: "at_once" | "digest" | "off"
    alerts: "at_once" | "digest" | "off"
  }
  /** By kind: whether browsers that allow it show a notification. */
  browser: {
    human_requests: boolean
    failed_runs: boolean
    connections: boolean
    deliveries: boolean
    alerts: boolean
  }
  time_zone: string
  digest_time: string
  quiet_from: string | null
  quiet_until: string | null
}

export interface Mailbox {
  email: string | null
  /** Whether mails go there: the member opened a confirmation mail, or signed in with this address at the company’s provider. */
  is_confirmed: boolean
  /** Why mails are sent, or not. */
  state: "ready" | "unconfirmed" | "no_address" | "bad_address" | "no_mail_server"
  from: string | null
}

export interface MemberMail {
  id: string
  purpose: "news" | "test" | "confirmation"
  address: string
  /** `sent`: the mail server took it. `in_doubt`: the connection or the process ended in the moment in which the mail server decided, and it is not sent again. `dropped`: there was nothing to tell any more. */
  state: "waiting" | "sending" | "sent" | "in_doubt" | "failed" | "dropped"
  attempts: number
  problem: string | null
  /** How many things it tells. */
  notices: number
  created_at: string
  settled_at: string | null
}

export interface Plugin {
  name: string
  type: "built_in" | "native"
  title: string
  description: string
  tools: {
    name: string
    description: string
  }[]
  requires_connection: boolean
  provider: string | null
}

export interface McpAnswer {
  jsonrpc: "2.0"
  id: string | number
  result?: Record<string, unknown>
  error?: {
    code: number
    message: string
    data?: unknown
  }
}

export interface WaitingOn {
  kind: "human" | "time" | "connection" | "sub_run" | "capacity"
  since: string
  detail: unknown
}

export interface Usage {
  steps: number
  input_tokens: number
  output_tokens: number
  cost_usd: number
}

export interface ProposedTrigger {
  kind: "schedule" | "webhook" | "email" | "event" | "poll" | "case"
  title: string
  /** The body with which a schedule, a trigger or a case trigger is made. It never has a secret. */
  settings: Record<string, unknown>
}

export interface BuilderQuestion {
  question: string
  header?: string
  /** Answers to choose from; any other text is accepted too. */
  options?: {
    label: string
    description?: string
  }[]
  multi_select?: boolean
}

/** Where a word is nearly another one: what was most likely meant. */
export interface ProcedureFix {
  title: string
  line: number
  column: number
  end_column: number
  /** What to write in place of that part of the line. */
  text: string
}

export interface ProcedureOption {
  name: string
  /** What it is or does, in a sentence. */
  says: string
  /** The values it can have; empty: any. */
  values: string[]
}

export interface SuggestionRun {
  run_id: string
  run_number: number
  run_title: string | null
  run_ended_at: string
  comment: string | null
}

export interface SuggestionVerdict {
  state: "running" | "completed" | "cancelled"
  /** `helps`: the check passes in at least one run behind the suggestion, and `runs_worse` is 0. `mixed`: it passes in at least one, and `runs_worse` is above 0. `no_difference`: it passes in none, and `runs_worse` is 0. `harms`: `runs_worse` is above 0, and it passes in none or nobody can say. `unknown`: `runs_worse` is 0, and nobody can say: no run behind the suggestion was replayed, or only a judge decides the check. */
  says: "helps" | "mixed" | "no_difference" | "harms" | "unknown"
  /** How many recorded runs the draft is replayed against. */
  runs: number
  runs_same: number
  runs_changed: number
  runs_not_replayed: number
  match: number | null
  /** How many of the runs behind the suggestion were replayed. */
  behind_replayed: number
  behind_passed: number | null
  /** In how many runs a check fails that passed when they were recorded. */
  runs_worse: number
  /** What the models of the replay cost, as decimal text. */
  cost_usd: string
}

export interface RunLimits {
  max_steps: number
  /** Of active time: waiting does not count. */
  max_duration_s: number
  max_cost_usd: string | null
  max_tokens: number | null
}

export interface RunError {
  code: string
  message: string
  step: number | null
}

export type ReportStep = {
  seq: number
  kind: "model" | "tool" | "human" | "wait" | "sub_run"
  title: string
  tool: string | null
  /** `running` and `waiting` only while the run has not ended. */
  status: "done" | "failed" | "cut_off" | "in_doubt" | "running" | "waiting"
  attempts: number
  started_at: string
  completed_at: string | null
  duration_ms: number | null
  /** Over 16 KiB: the beginning of its text, with a mark. */
  input: unknown
  /** Over 16 KiB: the beginning of its text, with a mark. */
  output: unknown
  error: string | null
  tokens: {
    input: number
    output: number
  } | null
}

export interface StepWait {
  step: number
  kind: "human" | "time" | "connection" | "sub_run"
  from: string
  until: string | null
  human_request_id: string | null
}

export interface RunCut {
  at: string
  /** `died`: the process died. `left`: it was gone without giving the run back. `gave_back`: it stopped, or could not continue, in the middle of a step. */
  reason: "died" | "left" | "gave_back"
  /** A process. Host and pid are known while it is listed, and from the moment when it lost a run. */
  worker: StepWorker
  /** The steps that were begun and had no outcome. */
  steps: {
    seq: number
    attempt: number
  }[]
}

export interface ShownFile {
  name: string
  media_type: string
  size_bytes: number
  sha256: string
  width: number | null
  height: number | null
  pages: number | null
}

/** A process. Host and pid are known while it is listed, and from the moment when it lost a run. */
export interface StepWorker {
  id: string
  host: string | null
  pid: number | null
}

export interface StepMoment {
  /** `intent`: written before anything was sent. `begun`: a call that waits began to. `attempt`: another attempt began. `trouble`: a model did not answer. `put_off`: it could not be made yet. `cut`: the process lost the run. `in_doubt`: nobody knows whether it happened. `asked`, `answered`: by a person. `arrived`: the outcome of a process that had lost the run. `result`, `failed`, `cut_off`: its end. `refused`: it failed before it began. `copied`: it comes from the run that this one retries. */
  kind: "copied" | "intent" | "begun" | "refused" | "attempt" | "trouble" | "put_off" | "cut" | "in_doubt" | "asked" | "answered" | "arrived" | "result" | "failed" | "cut_off"
  at: string
  /** The moment in a sentence. */
  says: string
  attempt?: number
  /** The Idempotency-Key that every attempt carries: run id and step, with a colon between them. */
  key?: string
  /** A process. Host and pid are known while it is listed, and from the moment when it lost a run. */
  worker?: {
    id: string
    host: string | null
    pid: number | null
  }
  cut_reason?: "died" | "left" | "gave_back"
  human_request?: {
    id: string
    type: "approval" | "question" | "form" | "login"
    title: string
  }
  /** The person who decided. */
  by?: {
    id: string
    name: string | null
  }
  /** What they wrote beside it. */
  comment?: string
  from?: {
    run_id: string
    step: number
  }
}

/** What a retry from here would do. */
export interface StepRetry {
  from_step: number | null
  allowed: boolean
  reason: string | null
  /** The steps from that turn on, of which the new run has no copy; the first 100. A model may choose others this time. */
  repeats: {
    seq: number
    kind: "model" | "tool" | "human" | "wait" | "sub_run"
    tool: string | null
  }[]
  repeats_total: number
  /** What these steps cost, with the runs that they started, as far as it is known. */
  cost_usd: number
}

export interface DeliveryCounts {
  total: number
  delivered: number
  /** Tried without success so far, and due again. */
  retrying: number
  /** Given up. */
  dead: number
}

export interface RunOfRequest {
  id: string
  run_number: number
  title: string
  agent_id: string
  agent_name: string
  build_id: string
  revision_number: number
  case_id: string | null
  case_title: string | null
}

export interface Consequence {
  /** `approve`, `reject`, `answer`, `done`, `cancel` or `no_answer`; for a call in doubt the label of an option. */
  answer: string
  leads_to: string
}

export interface GuardrailRules {
  /** Names of tools. A person must approve each of their calls, whatever the build says. `*` stands for any characters. */
  always_ask: string[]
  /** Names of tools. Two different people must approve each of their calls. */
  two_person: string[]
  allowed_hosts: string[] | null
  allowed_connections: string[] | null
  runs_per_day: number | null
  outside_calls_per_day: number | null
  /** When no call may have an effect outside: such calls wait until the hours are over. Reading does not wait. */
  quiet_hours: {
    days: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[]
    /** The time on these days at which it begins. */
    from: string
    /** When it ends: the next time that the clock shows this, so on the day after if it is not later than `from`. */
    to: string
  }[]
  /** Of the quiet hours. */
  time_zone: string
  cost_usd_per_day: string | null
}

export interface EvalResult {
  flag: string
  label: string
  passed: boolean | null
  severity: "critical" | "medium" | "low"
  comment: string | null
  /** Messages of the run that show it. */
  evidence: string[]
}

export interface EvalSummary {
  passed: number
  /** How many results are not null. */
  total: number
  final_comment: string
  /** How many of each severity did not pass. */
  severity_counts: {
    critical: number
    medium: number
    low: number
  }
}

export interface ReplayReport {
  recorded: ReplaySide
  replayed: ReplaySide
  /** The calls of both in order, the first 300. */
  calls: ReplayCallPair[]
  calls_match: number
  output_match: number
  /** The first 200. */
  findings: ReplayFinding[]
}

export type ProcessReport = {
  /** The version of the process; older ones do not say it. */
  version?: string
  /** How many migrations the process knows. */
  migrations?: number
  memory_bytes: number
  /** Of one core, since the report before. */
  cpu_percent: number
  zone?: string | null
  /** The database as the process sees it; without values while it is away. */
  database?: {
    zone: string | null
    round_trip_ms: number | null
  }
  object_store?: {
    answered_at: string | null
    failed_at: string | null
    failure: string | null
    /** When it was last asked; a refusal is an answer. */
    is_answering: boolean
  } | null
  own_channel?: string | null
  worker_pools?: {
    names?: string[]
    teams: string[]
    except_teams: string[]
  } | null
  loops: LoopReport[]
  lanes: LaneReport[]
  pools: PoolReport[]
}

export interface DrillProgress {
  /** Settling: no more is started or killed, and what is under way ends. */
  phase: "preparing" | "killing" | "settling" | "erasing"
  runs_started: number
  runs_ended: number
  kills: number
  /** Events that have arrived at the receiver. */
  deliveries: number
}

export interface DrillResult {
  /** Whether every count that must be zero is zero. */
  holds: boolean
  /** The same in a sentence. */
  verdict: string
  took_ms: number
  /** Without the sub-run that each of them starts. */
  runs_started: number
  /** Must be 0: runs and sub-runs that did not end as they should. */
  runs_lost: number
  kills: number
  /** Kills that found a call between its intent and its result. */
  kills_between: number
  /** Calls to the counter, as the runs recorded them. */
  calls: number
  /** Came twice, as their rule allows: a GET that was cut off. */
  calls_retried: number
  /** Must be 0: came again after their result was recorded. */
  finished_calls_repeated: number
  /** Must be 0: came more often than their rule allows. */
  calls_doubled: number
  /** Must be 0: have a result and never came. */
  calls_missing: number
  /** Calls that were cut off and may not be repeated: a person was asked what became of them. */
  in_doubt_asked: number
  /** Requests for an approval that were answered. */
  approvals: number
  /** Runs of killed workers that another one took over. */
  takeovers: number
  takeover_p50_ms: number | null
  takeover_p99_ms: number | null
  /** Events that the receiver had to get. It was away for a while. */
  deliveries: number
  /** Must be 0. */
  deliveries_lost: number
  /** Came again with the same bytes, as a delivery may that was cut off. */
  deliveries_repeated: number
  /** Must be 0: came again with other bytes. */
  deliveries_changed: number
  memory_writes: number
  /** Must be 0: writes without a generation of the file. */
  memory_missing: number
  /** Must be 0: runs without exactly one end, gaps in numbers, second results, steps left open. */
  records_broken: number
  /** What is not as it must be, the first fifty. */
  findings: DrillFinding[]
  erased_runs: number
  /** Rows of the scratch team that could not be erased. Must be 0. */
  rows_left: number
}

export interface DeliveryAttempt {
  at: string
  ok: boolean
  status: number | null
  stage: "guard" | "dns" | "connect" | "tls" | "timeout" | "protocol" | "status" | null
  error: string | null
  latency_ms: number
  /** How long each stage took: the name, the connection, TLS, until the status came, and until the last byte that was read. Null: not reached, or not needed because an open connection was used again. */
  timing?: {
    dns_ms: number | null
    connect_ms: number | null
    tls_ms: number | null
    wait_ms: number | null
    answer_ms: number | null
  }
  answer: string | null
}

export type ReplaySide = {
  status: "completed" | "failed"
  /** A long one is cut, as text. */
  output: unknown
  error: {
    code: string
    message: string
  } | null
  calls: number
  turns: number
  input_tokens: number
  output_tokens: number
  /** Decimal text. */
  cost_usd: string
  /** How long models took. */
  model_ms: number
  duration_ms: number | null
  score: number | null
  failed_checks: string[]
}

export type ReplayCallPair = {
  recorded: {
    /** Its number in the run, or in the replay. */
    step: number
    tool: string
    /** Long ones are cut, as text. */
    arguments: unknown
    error: string | null
  } | null
  replayed: {
    /** Its number in the run, or in the replay. */
    step: number
    tool: string
    /** Long ones are cut, as text. */
    arguments: unknown
    error: string | null
  } | null
  is_same: boolean
}

export interface ReplayFinding {
  kind: "unmatched_call" | "repeated_call" | "call_refused" | "call_not_made" | "approval_added" | "approval_removed" | "message_unread" | "status_differs" | "output_differs" | "alike_call" | "file_gone" | "other_model"
  turn: number | null
  tool: string | null
  /** What was found, in a sentence. */
  message: string
}

export interface LoopReport {
  name: string
  turns: number
  failures: number
  last_at: string | null
  /** How much later than planned the last turn began. */
  late_ms: number
  /** How long the last whole turn took. */
  took_ms: number
  under_way_ms: number | null
}

export interface LaneReport {
  name: string
  commits: number
  /** Writes that shared these commits. */
  operations: number
  /** How long a commit took on average. */
  mean_ms: number
  /** Writes that wait for the next commit. */
  waiting: number
}

export interface PoolReport {
  name: string
  size: number
  taken: number
  waiting: number
  per_team: number | null
}

export interface DrillFinding {
  what: string
  /** The call, the run or the event, and what was seen of it. */
  detail: string
}

export interface ListTeamsAnswer {
  teams: Team[]
}

export interface GetTeamAnswer {
  team: Team
  team_id: string
}

export interface GetProfileAnswer {
  profile: Profile
}

export interface GetPreferencesAnswer {
  preferences: Preferences
}

export interface UpdatePreferencesInput {
  /** `new`: the console offers the tour again. */
  tour?: "new" | "done" | "skipped"
}

export interface UpdatePreferencesAnswer {
  preferences: Preferences
}

export interface ListMembersInput {
  /** Words in name and email, in any case; all of them must be there, and each may be a part of a longer word. */
  search?: string
  /** Only members with this role. */
  role?: "admin" | "operator" | "viewer"
  /** How many to give, at most 200. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListMembersAnswer {
  members: Member[]
  total: number
  limit: number
  offset: number
}

export interface CreateMemberInput {
  name: string
  email?: string | null
  /** Bounds the scopes of the member’s credentials. */
  role?: "admin" | "operator" | "viewer"
}

export interface CreateMemberAnswer {
  member: Member
  member_id: string
}

export interface UpdateMemberInput {
  name?: string
  email?: string | null
  /** Bounds the scopes of the member’s credentials. */
  role?: "admin" | "operator" | "viewer"
}

export interface UpdateMemberAnswer {
  member: Member
  member_id: string
}

export interface DeleteMemberAnswer {
  success: true
}

export interface ListApiKeysInput {
  /** How many to give, at most 200. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListApiKeysAnswer {
  api_keys: ApiKey[]
  total: number
  limit: number
  offset: number
}

export interface CreateApiKeyInput {
  name?: string
  scopes?: ("team:read" | "agents:read" | "agents:write" | "runs:read" | "runs:write" | "approvals:write" | "queues:read" | "queues:write" | "files:read" | "sandboxes:write" | "artifacts:read" | "artifacts:write" | "connections:read" | "connections:write" | "evals:read" | "evals:write" | "billing:read" | "webhooks:manage" | "mcp:call" | "keys:manage" | "system:read" | "secrets:write" | "system:write" | "*")[]
  /** The member it belongs to; absent: yours. */
  user_id?: string
  expires_at?: string | null
}

export interface CreateApiKeyAnswer {
  api_key: ApiKey
  key_id: string
  secret: string
}

export interface DeleteApiKeyAnswer {
  success: true
}

export interface ListOauthClientsInput {
  /** How many to give, at most 200. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListOauthClientsAnswer {
  oauth_clients: OauthClient[]
  total: number
  limit: number
  offset: number
}

export interface CreateOauthClientInput {
  name?: string
  scopes?: ("team:read" | "agents:read" | "agents:write" | "runs:read" | "runs:write" | "approvals:write" | "queues:read" | "queues:write" | "files:read" | "sandboxes:write" | "artifacts:read" | "artifacts:write" | "connections:read" | "connections:write" | "evals:read" | "evals:write" | "billing:read" | "webhooks:manage" | "mcp:call" | "keys:manage" | "system:read" | "secrets:write" | "system:write" | "*")[]
}

export interface CreateOauthClientAnswer {
  oauth_client: OauthClient
  client_id: string
  client_secret: string
}

export interface DeleteOauthClientAnswer {
  success: true
}

export interface ListSessionsInput {
  /** How many to give, at most 200. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListSessionsAnswer {
  sessions: MemberSession[]
  total: number
  limit: number
  offset: number
}

export interface DeleteSessionAnswer {
  success: true
}

export interface CreateSignInLinkInput {
  /** Who will be signed in; absent: you. */
  member_id?: string
}

export interface CreateSignInLinkAnswer {
  sign_in_link_id: string
  member_id: string
  url: string
  expires_at: string
}

export interface ListAuditLogInput {
  /** Only this operation id. */
  operation?: string
  /** Only what this member’s credentials did. */
  user_id?: string
  /** Entries from this time on. */
  since?: string
  /** Entries before this time. */
  until?: string
  /** How many to give, at most 200. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListAuditLogAnswer {
  entries: AuditEntry[]
  /** How many there are; a list that goes on for longer is counted to 10000 beyond this page. */
  total: number
  limit: number
  offset: number
}

export interface ListAgentsInput {
  /** Whether each agent comes with its `schedules`. */
  include_schedules?: boolean
  /** How many to give, at most 100. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListAgentsAnswer {
  agents: ListedAgent[]
  total: number
  limit: number
  offset: number
}

export interface SearchAgentsInput {
  /** Words in name and description, in any case; all of them must be there, and each may be a part of a longer word. */
  search?: string
  /** How many to give, at most 100. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface SearchAgentsAnswer {
  agents: ListedAgent[]
  total: number
  limit: number
  offset: number
}

export interface ListAgentFiguresInput {
  /** Only these agents: up to 100 ids, separated by commas. */
  agent_ids?: string
  /** How many to give, at most 100. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListAgentFiguresAnswer {
  agent_figures: AgentFigures[]
  total: number
  limit: number
  offset: number
}

export interface CreateAgentInput {
  name?: string
  description?: string | null
  /** Whether its runs read and write the agent’s memory files. Also accepted as `agentic_memory_enabled`. */
  memory_enabled?: boolean
  /** The operating procedure: short for a config with this `input`. */
  instructions?: string
  /** `provider:model`, beside `instructions` or alone; of plain names (`claude-…`, `gpt-…`, `gemini-…`) the provider may be left out. */
  model?: string
  build?: {
    name?: string
    config: BuildConfig
  }
  source_build_id?: string | null
}

export interface CreateAgentAnswer {
  agent: Agent
  build: Build
  agent_id: string
  build_id: string
}

export interface GetAgentAnswer {
  agent: Agent
  agent_id: string
}

export interface GetAgentInputsInput {
  /** A build of the agent; the live one unless given. */
  build_id?: string
}

export interface GetAgentInputsAnswer {
  inputs: ProcedureInputs
  agent_id: string
  build_id: string
}

export interface UpdateAgentInput {
  name?: string
  description?: string | null
  /** Whether its runs read and write the agent’s memory files. Also accepted as `agentic_memory_enabled`. */
  memory_enabled?: boolean
}

export interface UpdateAgentAnswer {
  agent: Agent
  agent_id: string
}

export interface PauseAgentInput {
  reason?: string | null
}

export interface PauseAgentAnswer {
  agent: Agent
  agent_id: string
}

export interface ResumeAgentAnswer {
  agent: Agent
  agent_id: string
}

export interface DeleteAgentAnswer {
  success: true
}

export interface ListAgentRevisionsInput {
  /** How many to give, at most 100. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListAgentRevisionsAnswer {
  builds: Build[]
  total: number
  limit: number
  offset: number
}

export interface CreateRevisionInput {
  name?: string
  config?: {
    version: "v2"
    /** Known keys: `input` (the operating procedure: Markdown, or a list of `{role, content}` whose content is text or a list of text parts, `{type: "text" | "input_text" | "output_text", text}`), `models.agent` (`{model}` with `provider:model`, `builtin:runbook`, or a plain name such as `claude-…`, `gpt-…` or `gemini-…`; or a list of up to five of them, asked in their order), `plugins`, `connections`, `subAgents`, `limits` (`max_steps`, `max_duration_s`, `max_cost_usd`, `max_tokens`, `max_concurrent_runs`, `on_limit`: `fail` or `ask`), `approvals` (by tool name: `never`, `always` or `{when}`), `calls` (by tool name: `alone` or `together` with the other calls of its turn), `worker_pool` (which workers take its runs), `output_schema`, `options`. Others are kept as they are. */
    data: Record<string, unknown>
    [name: string]: unknown
  }
  source_build_id?: string | null
}

export interface CreateRevisionAnswer {
  build: Build
  build_id: string
}

export interface GetRevisionAnswer {
  build: Build
  build_id: string
}

export interface DiffRevisionsInput {
  /** The id of the build to compare with. */
  against?: string
}

export interface DiffRevisionsAnswer {
  diff: BuildDiff
  build_id: string
  against_build_id: string | null
}

export interface UpdateRevisionInput {
  config?: {
    version: "v2"
    /** Known keys: `input` (the operating procedure: Markdown, or a list of `{role, content}` whose content is text or a list of text parts, `{type: "text" | "input_text" | "output_text", text}`), `models.agent` (`{model}` with `provider:model`, `builtin:runbook`, or a plain name such as `claude-…`, `gpt-…` or `gemini-…`; or a list of up to five of them, asked in their order), `plugins`, `connections`, `subAgents`, `limits` (`max_steps`, `max_duration_s`, `max_cost_usd`, `max_tokens`, `max_concurrent_runs`, `on_limit`: `fail` or `ask`), `approvals` (by tool name: `never`, `always` or `{when}`), `calls` (by tool name: `alone` or `together` with the other calls of its turn), `worker_pool` (which workers take its runs), `output_schema`, `options`. Others are kept as they are. */
    data: Record<string, unknown>
    [name: string]: unknown
  }
  /** Change it only if it still has this `updated_at`, as it was read; otherwise 409 `conflict`. */
  expected_updated_at?: string
  revision_name?: string | null
  revision_description?: string | null
}

export interface UpdateRevisionAnswer {
  build: Build
  build_id: string
}

export interface GetPromotionPreviewAnswer {
  preview: PromotionPreview
  agent_id: string
  build_id: string
}

export interface PromoteRevisionInput {
  revision_name?: string | null
  revision_description?: string | null
  /** Why to promote it although it fails a promotion gate of the agent. Stored. */
  force_reason?: string
}

export interface PromoteRevisionAnswer {
  success: true
  build: Build
  build_id: string
}

export interface GenerateRevisionInput {
  /** What the agent shall do. Absent: improve what is there. */
  prompt?: string
  /** A run of the same agent to learn from. It takes the scope `runs:read` too. */
  run_id?: string
}

export interface GenerateRevisionAnswer {
  builder_run: BuilderRun
  builder_run_id: string
  build_id: string
  status: "pending" | "running" | "waiting" | "review" | "completed" | "discarded" | "failed"
}

export interface GetRevisionBuilderRunAnswer {
  builder_run: BuilderRun
  builder_run_id: string
  build_id: string
  status: "pending" | "running" | "waiting" | "review" | "completed" | "discarded" | "failed"
}

export interface GetBuilderRunStatusAnswer {
  builder_run: BuilderRun
  builder_run_id: string
  build_id: string
  status: "pending" | "running" | "waiting" | "review" | "completed" | "discarded" | "failed"
}

export interface ResumeBuilderRunInput {
  /** By the text of the question: words, or with `multi_select` a list of labels, also as one text with commas between. */
  answers: Record<string, string | string[]>
}

export interface ResumeBuilderRunAnswer {
  builder_run: BuilderRun
  builder_run_id: string
  build_id: string
  status: "pending" | "running" | "waiting" | "review" | "completed" | "discarded" | "failed"
}

export interface CheckProcedureInput {
  /** The procedure: Markdown text. */
  input: string
  config?: {
    version: "v2"
    /** Known keys: `input` (the operating procedure: Markdown, or a list of `{role, content}` whose content is text or a list of text parts, `{type: "text" | "input_text" | "output_text", text}`), `models.agent` (`{model}` with `provider:model`, `builtin:runbook`, or a plain name such as `claude-…`, `gpt-…` or `gemini-…`; or a list of up to five of them, asked in their order), `plugins`, `connections`, `subAgents`, `limits` (`max_steps`, `max_duration_s`, `max_cost_usd`, `max_tokens`, `max_concurrent_runs`, `on_limit`: `fail` or `ask`), `approvals` (by tool name: `never`, `always` or `{when}`), `calls` (by tool name: `alone` or `together` with the other calls of its turn), `worker_pool` (which workers take its runs), `output_schema`, `options`. Others are kept as they are. */
    data: Record<string, unknown>
    [name: string]: unknown
  }
}

export interface CheckProcedureAnswer {
  problems: ProcedureProblem[]
  /** At most 1000. */
  steps: ProcedureStep[]
  steps_total: number
  inputs: ProcedureInputs
  config_problems: {
    path: string
    message: string
  }[]
}

export interface GetProcedureLanguageAnswer {
  blocks: ProcedureBlock[]
  filters: ProcedureFilter[]
  /** What the path of an expression can begin with. */
  roots: ProcedureRoot[]
  /** What follows the id of a step: `steps.fetch.output`. */
  step_fields: ProcedureWord[]
}

export interface AcceptRevisionInput {
  /** Refused when another builder run is the active one. */
  builder_run_id?: string
  /** Its `started_at` as you read it: refused if it has begun again since then. */
  expected_started_at?: string
  /** False: only the config is taken, and no trigger is made. True if absent. */
  make_triggers?: boolean
}

export interface AcceptRevisionAnswer {
  success: true
  build: Build
  build_id: string
  /** What was made to start runs, paused until the draft is promoted. */
  triggers: {
    kind: "schedule" | "webhook" | "email" | "event" | "poll" | "case"
    id: string
    title: string
  }[]
}

export interface DiscardRevisionInput {
  /** Refused when another builder run is the active one. */
  builder_run_id?: string
  /** Its `started_at` as you read it: refused if it has begun again since then. */
  expected_started_at?: string
}

export interface DiscardRevisionAnswer {
  success: true
  build: Build
  build_id: string
}

export interface ListSuggestionsInput {
  /** Only those in this state. */
  state?: "drafting" | "replaying" | "open" | "accepted" | "rejected" | "stale" | "failed"
  /** How many to give, at most 100. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListSuggestionsAnswer {
  suggestions: ListedSuggestion[]
  total: number
  limit: number
  offset: number
}

export interface GetSuggestionAnswer {
  suggestion: Suggestion
  suggestion_id: string
}

export interface AcceptSuggestionInput {
  /** Why to promote it although it fails a promotion gate of the agent. Stored. */
  force_reason?: string
}

export interface AcceptSuggestionAnswer {
  success: true
  build: Build
  build_id: string
  suggestion_id: string
}

export interface RejectSuggestionInput {
  /** Why it is rejected; stored with it. */
  reason: string
}

export interface RejectSuggestionAnswer {
  suggestion: Suggestion
  suggestion_id: string
}

export interface GetSuggestionSettingsAnswer {
  suggestion_settings: SuggestionSettings
  agent_id: string
}

export interface PutSuggestionSettingsInput {
  is_on: boolean
  /** In how many of the last `of_runs` evaluated runs of the live build the same check must fail. */
  failures?: number
  of_runs?: number
  /** How many of the last runs the draft is replayed against, in addition to those behind the suggestion. */
  replay_runs?: number
  max_replay_cost_usd?: string | null
}

export interface PutSuggestionSettingsAnswer {
  suggestion_settings: SuggestionSettings
  agent_id: string
}

export interface ListAgentSchedulesAnswer {
  schedules: Schedule[]
}

export interface CreateScheduleInput {
  frequency: "every_5_minutes" | "every_15_minutes" | "hourly" | "daily" | "workday" | "weekly" | "monthly" | "custom"
  time?: string | null
  day?: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday" | null
  day_of_month?: number | null
  cron?: string | null
  timezone?: string | null
  message?: string | null
  /** Paused when false. Due times of the pause are not made up for. */
  enabled?: boolean
  recurring?: boolean | null
  /** While the run before is still active, a due time is skipped (`skip`), held back until that one has ended, one at most (`queue`), or fired all the same (`allow`). */
  overlap?: "skip" | "queue" | "allow"
  /** What becomes of due times that were missed by more than a minute: nothing (`none`), one run for the latest (`last`), or one for each of the latest 100 (`all`): at once with overlap `allow`, else one after another. */
  catch_up?: "none" | "last" | "all"
}

export type CreateScheduleAnswer = Schedule

export interface UpdateScheduleInput {
  frequency?: "every_5_minutes" | "every_15_minutes" | "hourly" | "daily" | "workday" | "weekly" | "monthly" | "custom"
  time?: string | null
  day?: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday" | null
  day_of_month?: number | null
  cron?: string | null
  timezone?: string | null
  message?: string | null
  /** Paused when false. Due times of the pause are not made up for. */
  enabled?: boolean
  recurring?: boolean | null
  /** While the run before is still active, a due time is skipped (`skip`), held back until that one has ended, one at most (`queue`), or fired all the same (`allow`). */
  overlap?: "skip" | "queue" | "allow"
  /** What becomes of due times that were missed by more than a minute: nothing (`none`), one run for the latest (`last`), or one for each of the latest 100 (`all`): at once with overlap `allow`, else one after another. */
  catch_up?: "none" | "last" | "all"
}

export type UpdateScheduleAnswer = Schedule

export interface DeleteScheduleAnswer {
  success: true
}

export interface GetSchedulePreviewAnswer {
  schedule_id: string
  timezone: string
  next_runs: string[]
}

export interface PreviewScheduleInput {
  frequency: "every_5_minutes" | "every_15_minutes" | "hourly" | "daily" | "workday" | "weekly" | "monthly" | "custom"
  time?: string | null
  day?: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday" | null
  day_of_month?: number | null
  cron?: string | null
  timezone?: string | null
}

export interface PreviewScheduleAnswer {
  timezone: string
  next_runs: string[]
}

export interface ListAgentTriggersAnswer {
  triggers: Trigger[]
}

export type CreateAgentTriggerInput = {
  /** What starts runs. It cannot be changed. */
  kind: "webhook" | "event" | "poll" | "email"
  name?: string | null
  /** Paused when false: nothing is taken, and what waits is dropped. It can be replayed. */
  enabled?: boolean
  filter?: string | null
  message?: string | null
  dedupe_key?: string | null
  concurrency?: number | null
  webhook?: {
    /** How a sender proves itself: by the signature of GitHub, Stripe, Slack or Standard Webhooks, or by a secret in a header. A request without a valid proof gets a 401 and is not stored. With `none`, whoever knows the URL may send. */
    verifier?: "none" | "github" | "stripe" | "slack" | "standard_webhooks" | "secret"
    header?: string | null
    secret?: string | null
  } | null
  event?: {
    /** The event of this team that starts runs. */
    event?: "run.started" | "run.paused" | "run.completed" | "run.failed" | "run.message.created" | "run.tool_call.completed" | "run.file.created" | "human_request.created" | "human_request.responded" | "queue.case.created" | "queue.case.claimed" | "queue.case.completed" | "assignment.build.published" | "connection.updated" | "connection.action_required"
    agent_id?: string | null
  } | null
  poll?: {
    /** An MCP connection of the team. */
    connection_id?: string
    /** The tool of it that lists the items. */
    tool?: string
    /** The arguments of each call, at most 16 KiB. */
    arguments?: Record<string, unknown>
    items?: string | null
    /** The time between two calls. */
    every_minutes?: number
    /** Whether what the first call finds starts runs too. Otherwise only what is new after it does. */
    start_existing?: boolean
  } | null
}

export interface CreateAgentTriggerAnswer {
  trigger: Trigger
  trigger_id: string
}

export interface GetTriggerAnswer {
  trigger: Trigger
  trigger_id: string
}

export type UpdateTriggerInput = {
  name?: string | null
  /** Paused when false: nothing is taken, and what waits is dropped. It can be replayed. */
  enabled?: boolean
  filter?: string | null
  message?: string | null
  dedupe_key?: string | null
  concurrency?: number | null
  webhook?: {
    /** How a sender proves itself: by the signature of GitHub, Stripe, Slack or Standard Webhooks, or by a secret in a header. A request without a valid proof gets a 401 and is not stored. With `none`, whoever knows the URL may send. */
    verifier?: "none" | "github" | "stripe" | "slack" | "standard_webhooks" | "secret"
    header?: string | null
    secret?: string | null
  } | null
  event?: {
    /** The event of this team that starts runs. */
    event?: "run.started" | "run.paused" | "run.completed" | "run.failed" | "run.message.created" | "run.tool_call.completed" | "run.file.created" | "human_request.created" | "human_request.responded" | "queue.case.created" | "queue.case.claimed" | "queue.case.completed" | "assignment.build.published" | "connection.updated" | "connection.action_required"
    agent_id?: string | null
  } | null
  poll?: {
    /** An MCP connection of the team. */
    connection_id?: string
    /** The tool of it that lists the items. */
    tool?: string
    /** The arguments of each call, at most 16 KiB. */
    arguments?: Record<string, unknown>
    items?: string | null
    /** The time between two calls. */
    every_minutes?: number
    /** Whether what the first call finds starts runs too. Otherwise only what is new after it does. */
    start_existing?: boolean
  } | null
}

export interface UpdateTriggerAnswer {
  trigger: Trigger
  trigger_id: string
}

export interface DeleteTriggerAnswer {
  success: true
}

export interface RotateTriggerAddressAnswer {
  trigger: Trigger
  trigger_id: string
}

export interface ListTriggerDeliveriesInput {
  /** Only deliveries in this state. */
  status?: "waiting" | "started" | "filtered" | "repeated" | "dropped" | "failed"
  /** How many to give, at most 200. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListTriggerDeliveriesAnswer {
  deliveries: TriggerDelivery[]
  total: number
  limit: number
  offset: number
}

export interface GetTriggerDeliveryAnswer {
  trigger_delivery: TriggerDeliveryWithContent
  trigger_delivery_id: string
}

export interface ReplayTriggerDeliveryAnswer {
  trigger_delivery: TriggerDeliveryWithContent
  trigger_delivery_id: string
}

export interface ListAgentMemoryFilesAnswer {
  files: ListedMemoryFile[]
}

export type GetAgentMemoryFileAnswer = MemoryFile

export interface PutAgentMemoryFileInput {
  content: string
  /** Write only if the file still has this generation, as it was read; 0: only if there is none. */
  expected_generation?: number
}

export type PutAgentMemoryFileAnswer = MemoryFile

export interface DeleteAgentMemoryFileInput {
  /** Delete only if the file still has this generation, as it was read. */
  expected_generation?: number
}

export interface DeleteAgentMemoryFileAnswer {
  success: true
}

export interface CreateSandboxInput {
  ttl_seconds?: number
}

export interface CreateSandboxAnswer {
  sandbox_id: string
  /** `busy` while a run that is running, or a command, holds it: then it takes no files and no other command. */
  status: "ready" | "busy"
  expires_at: string
}

export interface ListSandboxesInput {
  /** `caller`: made with createSandbox, also if a run has it now. `run`: the own workspaces of runs. */
  made_by?: "caller" | "run"
  /** How many to give, at most 200. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListSandboxesAnswer {
  sandboxes: Sandbox[]
  total: number
  limit: number
  offset: number
}

export interface GetSandboxUsageAnswer {
  /** What all sandboxes of the team hold, as of the last ten seconds. */
  kept_bytes: number
  /** What they may hold together. */
  kept_bytes_max: number
  /** What one sandbox may hold. */
  sandbox_bytes_max: number
  /** Files and empty folders that one sandbox may hold. */
  sandbox_files_max: number
}

export type GetSandboxAnswer = Sandbox

export interface DeleteSandboxAnswer {
  success: true
}

export interface CreateUploadUrlInput {
  /** Where the file will be in the workspace. */
  path: string
}

export interface CreateUploadUrlAnswer {
  upload_url: string
  path: string
  expires_in_seconds: number
}

export interface UploadSandboxFileAnswer {
  path: string
  size_bytes: number
}

export interface ListSandboxFilesInput {
  /** The folder, relative to /workspace or absolute below it; absent: /workspace itself. */
  path?: string
}

export interface ListSandboxFilesAnswer {
  files: WorkspaceEntry[]
  path: string
}

export interface GetSandboxFileContentInput {
  /** The file, relative to /workspace or absolute below it. */
  path: string
}

export interface GetSandboxFileContentAnswer {
  path: string
  content: string | null
  /** `utf-8` where the content is text, else `base64`; also where it is null. */
  encoding: "utf-8" | "base64"
  /** By the ending of the name. */
  content_type: string
  size_bytes: number
  /** Gives the bytes without a credential, for at least an hour. */
  download_url: string
}

export interface DeleteSandboxFileInput {
  /** The file, relative to /workspace or absolute below it. */
  path: string
}

export interface DeleteSandboxFileAnswer {
  success: true
  path: string
}

export interface ExecSandboxInput {
  /** What bash runs. */
  command: string
  timeout_s?: number | null
}

export interface ExecSandboxAnswer {
  exit_code: number
  stdout: string
  stderr: string
  /** More than 512 KiB were printed to stdout or stderr; the rest is lost. */
  truncated: boolean
  duration_ms: number
}

export interface ListRunSandboxFilesInput {
  /** The folder, relative to /workspace or absolute below it; absent: /workspace itself. */
  path?: string
}

export interface ListRunSandboxFilesAnswer {
  files: WorkspaceEntry[]
  path: string
}

export interface ListRunSandboxFilesByRunInput {
  /** The folder, relative to /workspace or absolute below it; absent: /workspace itself. */
  path?: string
}

export interface ListRunSandboxFilesByRunAnswer {
  files: WorkspaceEntry[]
  path: string
}

export interface GetRunSandboxFileContentInput {
  /** The file, relative to /workspace or absolute below it. May be left out where the run has exactly one file; with more of them, or none, that is a 400 that lists them. */
  path?: string
}

export interface GetRunSandboxFileContentAnswer {
  path: string
  content: string | null
  /** `utf-8` where the content is text, else `base64`; also where it is null. */
  encoding: "utf-8" | "base64"
  /** By the ending of the name. */
  content_type: string
  size_bytes: number
  /** Gives the bytes without a credential, for at least an hour. */
  download_url: string
}

export interface GetRunSandboxFileContentByRunInput {
  /** The file, relative to /workspace or absolute below it. May be left out where the run has exactly one file; with more of them, or none, that is a 400 that lists them. */
  path?: string
}

export interface GetRunSandboxFileContentByRunAnswer {
  path: string
  content: string | null
  /** `utf-8` where the content is text, else `base64`; also where it is null. */
  encoding: "utf-8" | "base64"
  /** By the ending of the name. */
  content_type: string
  size_bytes: number
  /** Gives the bytes without a credential, for at least an hour. */
  download_url: string
}

export interface GetRunScreenshotTimelineAnswer {
  run_id: string
  /** From the start of the run to its end, or to now. */
  duration_ms: number
  screenshots: Screenshot[]
}

export interface GetAgentRunScreenshotTimelineAnswer {
  run_id: string
  /** From the start of the run to its end, or to now. */
  duration_ms: number
  screenshots: Screenshot[]
}

export interface ListBrowserSessionPagesAnswer {
  session_id: string
  run_id: string
  status: "open" | "closed"
  pages: BrowserPage[]
}

export type StartRunInput = {
  /** The agent to run. */
  agent_id: string
  message?: string | Record<string, unknown> | null
  build_id?: string | null
  title?: string | null
  limits?: {
    max_steps?: number
    max_duration_s?: number
    max_cost_usd?: number | string
    max_tokens?: number
    [name: string]: unknown
  } | null
  metadata?: Record<string, unknown> | null
  /** Also accepted as `webhook_url`. */
  callback_url?: string | null
  sandbox_id?: string | null
}

export interface StartRunAnswer {
  run: Run
  run_id: string
  status: "pending" | "running" | "waiting" | "completed" | "failed" | "stopped"
}

export interface ListRunsInput {
  /** Only runs of this agent. */
  agent_id?: string
  /** One or more of pending, running, waiting, completed, failed, stopped, needs_attention, separated by commas; `needs_attention` are those that wait for a person. Also accepted: `interrupted` for `stopped`, `not_started` for `pending`, `starting` for `pending`. */
  status?: string | readonly string[]
  /** Runs created from this time on. */
  since?: string
  /** Runs created before this time. */
  until?: string
  /** Only runs that this member started. */
  user_id?: string
  /** Only runs on cases of this queue. */
  case_queue_id?: string
  /** Only runs that were started this way. Runs of artifacts are listed and counted only with `artifact`. */
  source?: "api" | "schedule" | "case_trigger" | "trigger" | "mcp" | "console" | "agent" | "retry" | "artifact"
  /** Words in title, case title and message; all of them must be there. A final asterisk makes the last word a prefix. */
  search?: string
  /** Whether the latest evaluation found issues; runs without an evaluation are in neither list. */
  has_issues?: boolean
  /** Only runs whose latest evaluation found an issue of this severity. */
  issue_severity?: "critical" | "medium" | "low"
  /** Give only the total; `data` is empty. */
  count_only?: boolean
  /** By `completed_at`, a run that has not ended counts as the last to end. */
  sort_by?: "created_at" | "completed_at" | "run_number"
  /** Newest or largest first unless `asc`. */
  sort_order?: "asc" | "desc"
  /** How many to give, at most 100. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListRunsAnswer {
  data: Run[]
  total: number
}

export interface ListRunDetailsInput {
  /** Up to 100 ids of runs, separated by commas. Without them the answer is empty. */
  run_ids?: string
}

export interface ListRunDetailsAnswer {
  run_details: ListedRunDetails[]
}

export interface GetRunCountsInput {
  /** Only runs of this agent. */
  agent_id?: string
  /** One or more of pending, running, waiting, completed, failed, stopped, needs_attention, separated by commas; `needs_attention` are those that wait for a person. Also accepted: `interrupted` for `stopped`, `not_started` for `pending`, `starting` for `pending`. */
  status?: string | readonly string[]
  /** Runs created from this time on. */
  since?: string
  /** Runs created before this time. */
  until?: string
  /** Only runs that this member started. */
  user_id?: string
  /** Only runs on cases of this queue. */
  case_queue_id?: string
  /** Only runs that were started this way. Runs of artifacts are listed and counted only with `artifact`. */
  source?: "api" | "schedule" | "case_trigger" | "trigger" | "mcp" | "console" | "agent" | "retry" | "artifact"
  /** Words in title, case title and message; all of them must be there. A final asterisk makes the last word a prefix. */
  search?: string
  /** Whether the latest evaluation found issues; runs without an evaluation are in neither list. */
  has_issues?: boolean
  /** Only runs whose latest evaluation found an issue of this severity. */
  issue_severity?: "critical" | "medium" | "low"
  /** How long a bucket is. */
  interval?: "minute" | "hour" | "day"
  /** An IANA name: its days are counted. Minutes and hours are those of UTC. `UTC` if absent. */
  time_zone?: string
  /** Whether to add `before`: the same length of time before it. */
  compare?: boolean
}

export interface GetRunCountsAnswer {
  since: string
  until: string
  interval: "minute" | "hour" | "day"
  time_zone: string
  buckets: RunBucket[]
  totals: RunCounts
  before?: {
    completed: number
    failed: number
    stopped: number
    pending: number
    running: number
    /** With those that wait for a person. */
    waiting: number
    /** Those of `waiting` that wait for a person. */
    needs_attention: number
    cost_usd: number | null
  }
}

export interface GetRunAnswer {
  run: Run
  run_id: string
  status: "pending" | "running" | "waiting" | "completed" | "failed" | "stopped"
  pending_human_request: HumanRequest | null
}

export interface GetAgentRunAnswer {
  run: Run
  run_id: string
  status: "pending" | "running" | "waiting" | "completed" | "failed" | "stopped"
  pending_human_request: HumanRequest | null
  agent: AgentOfRun
  build: BuildOfRun
  messages_total: number
  files_total: number
  screenshots_total: number
  human_requests: HumanRequest[]
  sub_runs: SubRun[]
  callback: Callback | null
}

export interface ExplainRunAnswer {
  run_id: string
  status: "pending" | "running" | "waiting" | "completed" | "failed" | "stopped"
  why: string
  facts: RunFacts
}

export interface GetWorkflowExecutionReportAnswer {
  report: Report
  run_id: string
  status: "pending" | "running" | "waiting" | "completed" | "failed" | "stopped"
}

export interface ListRunStepsInput {
  /** How many to give, at most 1000. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListRunStepsAnswer {
  steps: RunStep[]
  total: number
  limit: number
  offset: number
  axis: RunAxis
}

export interface GetRunStepAnswer {
  step: WholeRunStep
  run_id: string
  seq: number
}

export interface ListRunEventsInput {
  /** How many to give, at most 200. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListRunEventsAnswer {
  events: RunEvent[]
  total: number
  limit: number
  offset: number
}

export interface ListRunMessagesInput {
  /** How many to give, at most 500. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListRunMessagesAnswer {
  messages: Message[]
  total: number
  limit: number
  offset: number
}

export interface PostRunMessageInput {
  /** Text, or an object that becomes JSON text; at most 64 KiB. */
  message: string | Record<string, unknown>
}

export interface PostRunMessageAnswer {
  message: Message
  message_id: string
  run_id: string
  status: "pending" | "running" | "waiting" | "completed" | "failed" | "stopped"
}

export interface StopRunAnswer {
  success: true
  run_id: string
  status: "pending" | "running" | "waiting" | "completed" | "failed" | "stopped"
  /** Why nothing was changed; absent otherwise. */
  message?: string
}

export interface RetryRunInput {
  from_step?: number | null
  build_id?: string | null
}

export interface RetryRunAnswer {
  run: Run
  run_id: string
  status: "pending" | "running" | "waiting" | "completed" | "failed" | "stopped"
}

export interface DeleteRunAnswer {
  success: true
}

export interface StreamTeamEventsInput {
  /** Only these kinds, comma-separated; all of them unless given. */
  events?: string | readonly string[]
}

export interface ListTeamEventsInput {
  /** Only events of this kind. */
  event?: "run.started" | "run.paused" | "run.completed" | "run.failed" | "run.message.created" | "run.tool_call.completed" | "run.file.created" | "human_request.created" | "human_request.responded" | "queue.case.created" | "queue.case.claimed" | "queue.case.completed" | "assignment.build.published" | "connection.updated" | "connection.action_required"
  /** Only events of this run. */
  run_id?: string
  /** Events from this time on. */
  since?: string
  /** `next_before` of the page before: continues there. */
  before?: string
  /** How many a page has at most. */
  limit?: number
}

export interface ListTeamEventsAnswer {
  events: TeamEvent[]
  next_before: string | null
  looked_until: string | null
}

export interface ListHumanRequestsInput {
  /** Only requests in this state. */
  status?: "pending" | "responded" | "cancelled" | "expired" | "closed" | "all"
  /** Only what is assigned to this member; `me`: to you; `none`: to nobody. */
  assignee_user_id?: string
  /** Only what runs of this agent ask; of pending requests. */
  agent_id?: string
  /** The order; `age` is by the time of the request. */
  sort?: "age" | "deadline"
  /** How many to give, at most 200. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListHumanRequestsAnswer {
  human_requests: InboxRequest[]
  total: number
  limit: number
  offset: number
}

export interface GetHumanRequestCountsAnswer {
  total: number
  by_type: {
    approval: number
    question: number
    form: number
    login: number
  }
  assigned_to_me: number
  unassigned: number
  oldest_at: string | null
  next_deadline_at: string | null
}

export interface GetHumanRequestAnswer {
  human_request: InboxRequest
  request_id: string
  run_id: string
  status: "pending" | "running" | "waiting" | "completed" | "failed" | "stopped"
}

export interface RespondToHumanRequestInput {
  /** Of an approval: whether the action may happen. */
  approved?: boolean
  /** By the text of the question. Where it has options: the label of one, or with `multi_select` a list of labels, also as one text with commas between. */
  answers?: Record<string, string | string[]>
  /** Of a form: checked against its `form_schema`. */
  values?: Record<string, unknown>
  /** Of a login: true when you have logged in. */
  done?: boolean
  comment?: string | null
  action_hash?: string | null
}

export interface RespondToHumanRequestAnswer {
  human_request: HumanRequest
  request_id: string
  run_id: string
  status: "pending" | "running" | "waiting" | "completed" | "failed" | "stopped"
}

export interface WithdrawApprovalAnswer {
  human_request: HumanRequest
  request_id: string
  run_id: string
  status: "pending" | "running" | "waiting" | "completed" | "failed" | "stopped"
}

export interface AssignHumanRequestInput {
  assignee_user_id: string | null
}

export interface AssignHumanRequestAnswer {
  human_request: HumanRequest
  request_id: string
  run_id: string
  status: "pending" | "running" | "waiting" | "completed" | "failed" | "stopped"
}

export interface CancelHumanRequestAnswer {
  human_request: HumanRequest
  request_id: string
  run_id: string
  status: "pending" | "running" | "waiting" | "completed" | "failed" | "stopped"
}

export interface ListQueuesInput {
  /** Words in name and description, in any case; all of them must be there, and each may be a part of a longer word. */
  search?: string
  /** How many to give, at most 250. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListQueuesAnswer {
  queues: Queue[]
  total: number
  limit: number
  offset: number
}

export interface CreateQueueInput {
  name: string
  description?: string | null
  concurrency?: number | null
}

export interface CreateQueueAnswer {
  queue: Queue
  queue_id: string
}

export interface GetQueueAnswer {
  queue: Queue
  queue_id: string
}

export interface UpdateQueueInput {
  name?: string
  description?: string | null
  concurrency?: number | null
}

export interface UpdateQueueAnswer {
  queue: Queue
  queue_id: string
}

export interface DeleteQueueAnswer {
  success: true
  deleted_case_count: number
  /** The stopped runs, with the runs that they had started. */
  stopped_run_ids: string[]
}

export interface ListQueueAgentsAnswer {
  queue_name: string
  producers: {
    id: string
    name: string
    /** By its runs, of the last 30 days and of the newest 10000 that any run made. */
    cases_made: number
    /** Its live procedure has a block that adds cases to this queue. */
    in_procedure: boolean
  }[]
  consumers: {
    id: string
    name: string
    trigger_id: string
    enabled: boolean
    concurrency: number | null
  }[]
  problems: ("multiple_triggers" | "producer_consumer_mix")[]
}

export interface ExplainQueueAnswer {
  queue_id: string
  /** A case that is added now would be dispatched at once. */
  is_moving: boolean
  /** What keeps cases waiting, the first thing to change first. Empty if nothing does. */
  reasons: {
    code: "no_trigger" | "paused" | "agent_paused" | "no_live_build" | "limit_reached" | "guardrail" | "queue_full" | "agents_full" | "connection" | "no_slots"
    says: string
  }[]
  facts: QueueFacts
}

export interface GetCaseAgesAnswer {
  queue_id: string
  oldest_at: string | null
  ages: {
    from_seconds: number
    until_seconds: number | null
    pending: number
    in_progress: number
    needs_input: number
    postponed: number
  }[]
}

export interface ListCasesInput {
  /** One or more of pending, in_progress, needs_input, postponed, completed, failed, separated by commas. Also accepted: `claimed` for `in_progress`. */
  status?: string | readonly string[]
  /** One or more of none, medium, high, separated by commas. */
  priority?: string | readonly string[]
  /** Words in title and data (of long data, in its first 20,000 characters); all of them must be there. A final asterisk makes the last word a prefix. */
  search?: string
  /** Cases created from this time on. */
  created_at_from?: string
  /** Cases that changed at this time or later. */
  updated_at_from?: string
  /** By `postponed_to`, cases that are not postponed come last, in the order of `created_at`. */
  sort_by?: "created_at" | "updated_at" | "postponed_to"
  /** Newest or latest first unless `asc`. */
  sort_order?: "asc" | "desc"
  /** How many to give, at most 100. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListCasesAnswer {
  cases: Case[]
  total: number
  limit: number
  offset: number
}

export interface SearchCasesInput {
  /** Only cases that match all of these. */
  filters?: {
    /** Also accepted: `claimed` for `in_progress`. Also accepted as one text with commas between the items. */
    status?: ("pending" | "in_progress" | "needs_input" | "postponed" | "completed" | "failed")[]
    /** Also accepted as one text with commas between the items. */
    priority?: ("none" | "medium" | "high")[]
    /** Keys with lists of values: for every given key a case must have one of the values. */
    labels?: Record<string, string[]>
    /** Cases created from this time on. */
    created_at_from?: string
    /** Cases that changed at this time or later. */
    updated_at_from?: string
  }
  /** Words in title and data (of long data, in its first 20,000 characters); all of them must be there. A final asterisk makes the last word a prefix. */
  search?: string
  /** By `postponed_to`, cases that are not postponed come last, in the order of `created_at`. */
  sort_by?: "created_at" | "updated_at" | "postponed_to"
  /** Newest or latest first unless `asc`. */
  sort_order?: "asc" | "desc"
  /** How many to give, at most 100. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface SearchCasesAnswer {
  cases: Case[]
  total: number
  limit: number
  offset: number
}

export interface CreateCasesInput {
  case?: {
    title: string
    /** What the case is about, as text (JSON if you like), at most 256 KiB of UTF-8. */
    data?: string
    /** Cases with a higher priority are dispatched first. */
    priority?: "none" | "medium" | "high"
    /** Made in the queue where they are missing. */
    labels?: {
      /** May be empty or absent. */
      key?: string
      value: string
    }[]
    /** Your own id for the case, unique per queue. If the queue has it already, the existing case is returned unchanged. */
    external_id?: string
  }
  cases?: {
    title: string
    /** What the case is about, as text (JSON if you like), at most 256 KiB of UTF-8. */
    data?: string
    /** Cases with a higher priority are dispatched first. */
    priority?: "none" | "medium" | "high"
    /** Made in the queue where they are missing. */
    labels?: {
      /** May be empty or absent. */
      key?: string
      value: string
    }[]
    /** Your own id for the case, unique per queue. If the queue has it already, the existing case is returned unchanged. */
    external_id?: string
  }[]
}

export interface CreateCasesAnswer {
  added_cases: {
    id: string
    queue_id: string
    title: string
    data: string
    status: "pending" | "completed" | "failed"
    display_status: "pending" | "in_progress" | "needs_input" | "postponed" | "completed" | "failed"
    priority: "none" | "medium" | "high"
    labels: Label[]
    claimed_at: string | null
    claimed_by_run_id: string | null
    claimed_by_user_id: string | null
    completed_at: string | null
    postponed_to: string | null
    attempts: number
    result: unknown
    reason: string | null
    pending_human_request_id: string | null
    created_by_user_id: string | null
    created_at: string
    updated_at: string
    /** Long texts of this record are cut. A page of a list holds 4 MiB at most: rows that do not fit have only the first 1,000 characters of their long texts. The first row of a page is always whole, and so is a record that is read by its id. Events cut texts over 16 KiB. */
    truncated?: boolean
    /** The queue already had a case with this external_id; nothing was changed. */
    existing: boolean
  }[]
}

export interface GetCaseAnswer {
  case: Case
  case_id: string
  events: CaseEvent[]
}

export interface UpdateCaseInput {
  title?: string
  /** What the case is about, as text (JSON if you like), at most 256 KiB of UTF-8. */
  data?: string
  /** Cases with a higher priority are dispatched first. */
  priority?: "none" | "medium" | "high"
}

export interface UpdateCaseAnswer {
  case: Case
  case_id: string
}

export interface DeleteCaseAnswer {
  success: true
  stopped_run_ids: string[]
}

export interface ClearQueueCasesAnswer {
  success: true
  deleted_count: number
  /** The runs that were stopped for it; the first 10,000 of them. */
  stopped_run_ids: string[]
  bulk_action_id: string | null
  /** `running`: the rest is done in the background; getBulkAction shows the progress. */
  status: "running" | "completed"
}

export interface ListCaseRunsAnswer {
  runs: Run[]
}

export interface ListRecentCaseRunMessagesInput {
  /** How many to give, at most 10. */
  limit?: number
}

export interface ListRecentCaseRunMessagesAnswer {
  messages: Message[]
}

export interface ClaimCaseAnswer {
  case: Case
  case_id: string
}

export interface AssignCaseInput {
  assignee_user_id: string | null
  reason?: string | null
}

export interface AssignCaseAnswer {
  case: Case
  case_id: string
}

export interface TakeOverCaseInput {
  /** Who holds the case, as you saw it. */
  held_by_user_id: string
  assignee_user_id?: string | null
  reason?: string | null
}

export interface TakeOverCaseAnswer {
  case: Case
  case_id: string
}

export interface CompleteCaseInput {
  /** The result, as any JSON. */
  result?: unknown
}

export interface CompleteCaseAnswer {
  case: Case
  case_id: string
}

export interface FailCaseInput {
  reason?: string | null
}

export interface FailCaseAnswer {
  case: Case
  case_id: string
}

export interface PostponeCaseInput {
  /** When it is dispatched again. */
  postponed_to?: string
  /** After how many seconds it is dispatched again. */
  seconds?: number
  reason?: string | null
}

export interface PostponeCaseAnswer {
  case: Case
  case_id: string
}

export interface ReleaseCaseInput {
  reason?: string | null
}

export interface ReleaseCaseAnswer {
  case: Case
  case_id: string
}

export interface BulkDeleteCasesInput {
  /** These cases of the queue. */
  case_ids?: string[]
  /** All cases of the queue that match `filters` and `search`; without both, all cases. */
  all_matching?: boolean
  /** Only cases that match all of these. */
  filters?: {
    /** Also accepted: `claimed` for `in_progress`. Also accepted as one text with commas between the items. */
    status?: ("pending" | "in_progress" | "needs_input" | "postponed" | "completed" | "failed")[]
    /** Also accepted as one text with commas between the items. */
    priority?: ("none" | "medium" | "high")[]
    /** Keys with lists of values: for every given key a case must have one of the values. */
    labels?: Record<string, string[]>
    /** Cases created from this time on. */
    created_at_from?: string
    /** Cases that changed at this time or later. */
    updated_at_from?: string
  }
  /** Words in title and data (of long data, in its first 20,000 characters); all of them must be there. A final asterisk makes the last word a prefix. */
  search?: string
}

export interface BulkDeleteCasesAnswer {
  deleted_count: number
  reprocessed_count: number
  updated_count: number
  /** Cases that were as wanted already, or that another member holds. */
  skipped_count: number
  /** The runs that were stopped for it; the first 10,000 of them. */
  stopped_run_ids: string[]
  bulk_action_id: string | null
  /** `running`: the rest is done in the background; getBulkAction shows the progress. */
  status: "running" | "completed"
}

export interface BulkReprocessCasesInput {
  /** These cases of the queue. */
  case_ids?: string[]
  /** All cases of the queue that match `filters` and `search`; without both, all cases. */
  all_matching?: boolean
  /** Only cases that match all of these. */
  filters?: {
    /** Also accepted: `claimed` for `in_progress`. Also accepted as one text with commas between the items. */
    status?: ("pending" | "in_progress" | "needs_input" | "postponed" | "completed" | "failed")[]
    /** Also accepted as one text with commas between the items. */
    priority?: ("none" | "medium" | "high")[]
    /** Keys with lists of values: for every given key a case must have one of the values. */
    labels?: Record<string, string[]>
    /** Cases created from this time on. */
    created_at_from?: string
    /** Cases that changed at this time or later. */
    updated_at_from?: string
  }
  /** Words in title and data (of long data, in its first 20,000 characters); all of them must be there. A final asterisk makes the last word a prefix. */
  search?: string
  agent_id?: string | null
}

export interface BulkReprocessCasesAnswer {
  deleted_count: number
  reprocessed_count: number
  updated_count: number
  /** Cases that were as wanted already, or that another member holds. */
  skipped_count: number
  /** The runs that were stopped for it; the first 10,000 of them. */
  stopped_run_ids: string[]
  bulk_action_id: string | null
  /** `running`: the rest is done in the background; getBulkAction shows the progress. */
  status: "running" | "completed"
}

export interface BulkUpdateCaseStatusInput {
  /** These cases of the queue. */
  case_ids?: string[]
  /** All cases of the queue that match `filters` and `search`; without both, all cases. */
  all_matching?: boolean
  /** Only cases that match all of these. */
  filters?: {
    /** Also accepted: `claimed` for `in_progress`. Also accepted as one text with commas between the items. */
    status?: ("pending" | "in_progress" | "needs_input" | "postponed" | "completed" | "failed")[]
    /** Also accepted as one text with commas between the items. */
    priority?: ("none" | "medium" | "high")[]
    /** Keys with lists of values: for every given key a case must have one of the values. */
    labels?: Record<string, string[]>
    /** Cases created from this time on. */
    created_at_from?: string
    /** Cases that changed at this time or later. */
    updated_at_from?: string
  }
  /** Words in title and data (of long data, in its first 20,000 characters); all of them must be there. A final asterisk makes the last word a prefix. */
  search?: string
  status: "pending" | "completed" | "failed"
}

export interface BulkUpdateCaseStatusAnswer {
  deleted_count: number
  reprocessed_count: number
  updated_count: number
  /** Cases that were as wanted already, or that another member holds. */
  skipped_count: number
  /** The runs that were stopped for it; the first 10,000 of them. */
  stopped_run_ids: string[]
  bulk_action_id: string | null
  /** `running`: the rest is done in the background; getBulkAction shows the progress. */
  status: "running" | "completed"
}

export interface BulkUpdateCasePriorityInput {
  /** These cases of the queue. */
  case_ids?: string[]
  /** All cases of the queue that match `filters` and `search`; without both, all cases. */
  all_matching?: boolean
  /** Only cases that match all of these. */
  filters?: {
    /** Also accepted: `claimed` for `in_progress`. Also accepted as one text with commas between the items. */
    status?: ("pending" | "in_progress" | "needs_input" | "postponed" | "completed" | "failed")[]
    /** Also accepted as one text with commas between the items. */
    priority?: ("none" | "medium" | "high")[]
    /** Keys with lists of values: for every given key a case must have one of the values. */
    labels?: Record<string, string[]>
    /** Cases created from this time on. */
    created_at_from?: string
    /** Cases that changed at this time or later. */
    updated_at_from?: string
  }
  /** Words in title and data (of long data, in its first 20,000 characters); all of them must be there. A final asterisk makes the last word a prefix. */
  search?: string
  priority: "none" | "medium" | "high"
}

export interface BulkUpdateCasePriorityAnswer {
  deleted_count: number
  reprocessed_count: number
  updated_count: number
  /** Cases that were as wanted already, or that another member holds. */
  skipped_count: number
  /** The runs that were stopped for it; the first 10,000 of them. */
  stopped_run_ids: string[]
  bulk_action_id: string | null
  /** `running`: the rest is done in the background; getBulkAction shows the progress. */
  status: "running" | "completed"
}

export interface GetBulkActionAnswer {
  bulk_action: BulkAction
  bulk_action_id: string
}

export interface ListBulkActionsInput {
  /** How many to give, at most 100. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListBulkActionsAnswer {
  bulk_actions: BulkAction[]
  total: number
  limit: number
  offset: number
}

export interface StopBulkActionAnswer {
  bulk_action: BulkAction
  bulk_action_id: string
}

export interface ListLabelsInput {
  /** How many to give, at most 1000. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListLabelsAnswer {
  labels: Label[]
  total: number
  limit: number
  offset: number
}

export interface CreateLabelInput {
  /** May be empty or absent. */
  key?: string
  value: string
  /** The hue; derived from key and value unless given. */
  color_hue?: number
}

export interface CreateLabelAnswer {
  label: Label
  label_id: string
}

export interface UpdateLabelInput {
  /** May be empty or absent. */
  key?: string
  value?: string
  /** The hue; derived from key and value unless given. */
  color_hue?: number
}

export interface UpdateLabelAnswer {
  label: Label
  label_id: string
}

export interface DeleteLabelAnswer {
  success: true
}

export interface ListCaseLabelsAnswer {
  labels: Label[]
}

export interface LinkCaseLabelsInput {
  /** Labels of this queue. */
  label_ids?: string[]
  labels?: {
    /** May be empty or absent. */
    key?: string
    value: string
  }[]
}

export interface LinkCaseLabelsAnswer {
  labels: Label[]
}

export interface UnlinkCaseLabelsInput {
  /** Labels of this queue. */
  label_ids: string[]
}

export interface UnlinkCaseLabelsAnswer {
  labels: Label[]
}

export interface ListAgentCaseTriggersAnswer {
  case_triggers: CaseTrigger[]
}

export interface CreateAgentCaseTriggerInput {
  /** The queue whose cases the agent works on. */
  case_queue_id: string
  /** While it is false the agent is given no cases. */
  enabled: boolean
  concurrency?: number | null
}

export interface CreateAgentCaseTriggerAnswer {
  case_trigger: CaseTrigger
  trigger_id: string
}

export interface PreviewAgentCaseTriggerConflictsInput {
  /** Absent: the queue that the agent’s trigger has now. */
  case_queue_id?: string
}

export interface PreviewAgentCaseTriggerConflictsAnswer {
  has_conflict: boolean
  /** Others with an enabled trigger on the same queue. They share its cases. */
  conflicting_agents: {
    id: string
    name: string
  }[]
}

export interface GetAgentCaseTriggerAnswer {
  case_trigger: CaseTrigger
  trigger_id: string
}

export interface UpdateAgentCaseTriggerInput {
  /** The queue whose cases the agent works on. */
  case_queue_id?: string
  /** While it is false the agent is given no cases. */
  enabled?: boolean
  concurrency?: number | null
}

export interface UpdateAgentCaseTriggerAnswer {
  case_trigger: CaseTrigger
  trigger_id: string
}

export interface DeleteAgentCaseTriggerAnswer {
  success: true
}

export interface ListConnectionsInput {
  /** Only connections of this type. */
  type?: "native" | "mcp" | "custom_mcp" | "api"
  /** Only connections to this provider. */
  provider?: string
  /** Only connections with this status. */
  status?: "active" | "action_required" | "disabled"
  /** Words in name, provider and server_url, in any case; all of them must be there, and each may be a part of a longer word. */
  search?: string
  /** How many to give, at most 100. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListConnectionsAnswer {
  integrations: Connection[]
  total: number
  limit: number
  offset: number
}

export interface CreateConnectionInput {
  /** Its name, unique in the team; agents use it. */
  name: string
  /** An MCP server, unless it is an `api`. */
  type?: "custom_mcp" | "api"
  /** The URL of the MCP server, or the base URL of the API. The credential is sent only to this host. */
  server_url: string
  /** Your own word for the kind of service. Absent: the host. */
  provider?: string
  /** For an MCP server. Absent: first the newer transport is tried, then the older one. */
  transport?: "http" | "sse"
  /** Sent as `Authorization: Bearer …`, or as the header that `api_key_header` names. Never shown again. */
  api_key?: string
  /** The header that carries the key alone. */
  api_key_header?: string
  /** Headers that are sent with every call, beside the key where there is one. Never shown again. Also accepted as two maps, `plaintext` and `secret`, which are both encrypted. */
  headers?: Record<string, string> | {
    plaintext?: Record<string, string>
    secret?: Record<string, string>
  }
  /** False: only runs that act for its maker alone can use it. */
  shared?: boolean
}

export interface CreateConnectionAnswer {
  connection: Connection
  connection_id: string
}

export interface ListConnectionProvidersAnswer {
  providers: ConnectionProvider[]
  redirect_uri: string | null
}

export interface GetConnectionAnswer {
  connection: Connection
  connection_id: string
}

export interface GetConnectionCredentialsAnswer {
  connection_id: string
  auth_method: "oauth" | "apikey" | "headers" | "none"
  /** The headers that are sent with every call, with that of the API key. */
  headers: {
    name: string
    is_set: true
  }[]
  has_oauth_tokens: boolean
  expires_at: string | null
}

export interface UpdateConnectionInput {
  /** Its name, unique in the team; agents use it. */
  name?: string
  /** False: only runs that act for its maker alone can use it. */
  shared?: boolean
  /** Disabled: no run can use it, and runs that waited for it get an error. */
  status?: "active" | "disabled"
  /** The URL of the MCP server, or the base URL of the API. The credential is sent only to this host. */
  server_url?: string
  /** For an MCP server. Absent: first the newer transport is tried, then the older one. */
  transport?: "http" | "sse"
  /** Sent as `Authorization: Bearer …`, or as the header that `api_key_header` names. Never shown again. */
  api_key?: string
  /** The header that carries the key alone. */
  api_key_header?: string
  /** Headers that are sent with every call, beside the key where there is one. Never shown again. Also accepted as two maps, `plaintext` and `secret`, which are both encrypted. */
  headers?: Record<string, string> | {
    plaintext?: Record<string, string>
    secret?: Record<string, string>
  }
}

export interface UpdateConnectionAnswer {
  connection: Connection
  connection_id: string
}

export interface DeleteConnectionAnswer {
  success: true
}

export interface TestConnectionAnswer {
  success: boolean
  /** Why the test failed; absent if it succeeded. */
  error?: string
  /** The number of tools of an MCP server. */
  tools_count?: number
}

export interface ListConnectionDependentsAnswer {
  /** Agents whose live build names it. */
  agents: {
    id: string
    name: string
    build_id: string
  }[]
  agents_total: number
  /** Their enabled schedules, the next first. */
  schedules: {
    id: string
    agent_id: string
    frequency: string
    next_run_at: string | null
  }[]
  schedules_total: number
  /** Cases that a waiting run holds. */
  cases: {
    id: string
    queue_id: string
    title: string
    run_id: string
  }[]
  /** These, and all open cases of the queues that these agents work on. */
  cases_total: number
  /** Runs that wait for it, the longest first. */
  waiting_runs: {
    id: string
    agent_id: string
    title: string
    since: string
  }[]
  waiting_runs_total: number
  /** Artifacts that it is attached to. Private ones of others are only counted. */
  artifacts: {
    id: string
    title: string | null
  }[]
  artifacts_total: number
  /** Enabled triggers that poll a tool of it. */
  triggers: {
    id: string
    agent_id: string
    name: string | null
    tool: string
  }[]
  triggers_total: number
}

export interface ListConnectionToolsAnswer {
  tools: ConnectionTool[]
}

export interface ApproveConnectionToolsInput {
  tools: {
    name: string
    /** As listConnectionTools gives it: what you have read is what you approve. */
    hash: string
  }[]
}

export interface ApproveConnectionToolsAnswer {
  tools: ConnectionTool[]
}

export interface StartNativeOAuthInput {
  /** Where the browser is sent afterwards, with `status`, `connection_id` and `error` added to its query. Its origin must be that of the server’s PUBLIC_URL or one of RUNYARD_RETURN_URLS. Absent: a plain page. */
  return_url?: string
  /** A connection to authorise again: it keeps its id and its name, so agents need no change. It may belong to another account afterwards. Also accepted as `reconnect_instance_id`. */
  reconnect_connection_id?: string
  /** What to ask for, in the provider’s words. Absent: what the table of providers asks for. */
  scopes?: string[]
}

export interface StartNativeOAuthAnswer {
  /** The owner of the account opens this URL in a browser. */
  authorization_url: string
  /** Identifies this authorisation; it can be used once. */
  state: string
  connection_id: string | null
  expires_at: string
}

export interface CheckMcpOAuthInput {
  /** The endpoint of the MCP server. */
  mcp_server_url: string
}

export interface CheckMcpOAuthAnswer {
  supports_oauth: boolean
  /** Whether clients can register themselves (RFC 7591). */
  supports_dcr: boolean
  authorization_endpoint: string | null
  token_endpoint: string | null
  registration_endpoint: string | null
  /** What authorizeMcpOAuth would ask for. */
  scopes: string[]
  resource: string | null
  error: string | null
}

export interface AuthorizeMcpOAuthInput {
  /** The endpoint of the MCP server. */
  mcp_server_url: string
  /** Its name, unique in the team; agents use it. */
  name?: string
  /** Where the browser is sent afterwards, with `status`, `connection_id` and `error` added to its query. Its origin must be that of the server’s PUBLIC_URL or one of RUNYARD_RETURN_URLS. Absent: a plain page. */
  return_url?: string
  /** A connection to authorise again: it keeps its id and its name, so agents need no change. It may belong to another account afterwards. Also accepted as `reconnect_instance_id`. */
  reconnect_connection_id?: string
  /** What to ask for. Absent: what the server says it wants. */
  scopes?: string[]
  /** The id of a client that you made at the authorization server. Absent: Runyard registers itself. */
  client_id?: string
  client_secret?: string
}

export interface AuthorizeMcpOAuthAnswer {
  /** The owner of the account opens this URL in a browser. */
  authorization_url: string
  /** Identifies this authorisation; it can be used once. */
  state: string
  connection_id: string | null
  expires_at: string
}

export interface ProbeMcpServerInput {
  /** The URL of the MCP server, or the base URL of the API. The credential is sent only to this host. */
  server_url: string
  /** For an MCP server. Absent: first the newer transport is tried, then the older one. */
  transport?: "http" | "sse"
  /** Sent as `Authorization: Bearer …`, or as the header that `api_key_header` names. Never shown again. */
  api_key?: string
  /** The header that carries the key alone. */
  api_key_header?: string
  /** Headers that are sent with every call, beside the key where there is one. Never shown again. Also accepted as two maps, `plaintext` and `secret`, which are both encrypted. */
  headers?: Record<string, string> | {
    plaintext?: Record<string, string>
    secret?: Record<string, string>
  }
}

export interface ProbeMcpServerAnswer {
  success: boolean
  transport?: "http" | "sse"
  tools?: {
    name: string
    title: string | null
    description: string | null
    input_schema: Record<string, unknown>
  }[]
  error?: string
}

export interface FinalizeThirdPartyOAuthInput {
  /** The connection’s id at the broker. */
  broker_connection_id: string
  /** The integration’s id at the broker. Absent: the provider of the path. */
  provider_config_key?: string
  /** Its name, unique in the team; agents use it. */
  name?: string
  /** The URL of the MCP server, or the base URL of the API. The credential is sent only to this host. */
  server_url?: string
  /** False: only runs that act for its maker alone can use it. */
  shared?: boolean
}

export interface FinalizeThirdPartyOAuthAnswer {
  connection: Connection
  connection_id: string
}

export interface ListSecretsInput {
  /** Words in name and env_var_keys, in any case; all of them must be there, and each may be a part of a longer word. */
  search?: string
  /** How many to give, at most 100. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListSecretsAnswer {
  secrets: Secret[]
  total: number
  limit: number
  offset: number
}

export interface CreateSecretInput {
  /** Its name, unique in the team; builds and procedures use it. Letters, digits and _. */
  name: string
  /** Variables by their names. Never shown again. A value has at least 6 characters: a shorter one could not be cut out of texts, since it may be any word. */
  values: Record<string, string>
  /** False: only runs that act for its maker alone can use it. */
  shared?: boolean
}

export interface CreateSecretAnswer {
  secret: Secret
  secret_id: string
}

export interface GetSecretAnswer {
  secret: Secret
  secret_id: string
}

export interface UpdateSecretInput {
  /** Its name, unique in the team; builds and procedures use it. Letters, digits and _. */
  name?: string
  /** False: only runs that act for its maker alone can use it. */
  shared?: boolean
  /** Variables to set, by their names; null removes one. The others stay. A value has at least 6 characters. */
  values?: Record<string, string | null>
  /** New names of variables, by their old ones. Their values stay. */
  renamed_keys?: Record<string, string>
}

export interface UpdateSecretAnswer {
  secret: Secret
  secret_id: string
}

export interface DeleteSecretAnswer {
  success: true
  /** Agents whose live build names it, by name; at most 100. */
  agents: {
    id: string
    name: string
    build_id: string
  }[]
  agents_total: number
}

export interface ListSecretDependentsAnswer {
  /** Agents whose live build names it, by name; at most 100. */
  agents: {
    id: string
    name: string
    build_id: string
  }[]
  agents_total: number
}

export interface ListLoginsInput {
  /** Words in domain and username, in any case; all of them must be there, and each may be a part of a longer word. */
  search?: string
  /** How many to give, at most 100. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListLoginsAnswer {
  logins: Login[]
  total: number
  limit: number
  offset: number
}

export interface CreateLoginInput {
  /** The host whose pages it is filled into, and no others; with `:port` where that is not the usual one. `*.example.com`: all hosts below it. */
  domain: string
  username: string
  /** Never shown again. One of fewer than 6 characters is taken too, since the site chose it; the answer says what that means. */
  password: string
  /** The seed of its one-time codes (TOTP): in base32, or as an `otpauth://` URL. Never shown again. */
  otp_secret?: string
  /** False: only runs that act for its maker alone can use it. */
  shared?: boolean
}

export interface CreateLoginAnswer {
  login: Login
  login_id: string
  note: string | null
}

export interface GetLoginAnswer {
  login: Login
  login_id: string
}

export interface UpdateLoginInput {
  /** The host whose pages it is filled into, and no others; with `:port` where that is not the usual one. `*.example.com`: all hosts below it. */
  domain?: string
  username?: string
  /** Never shown again. One of fewer than 6 characters is taken too, since the site chose it; the answer says what that means. */
  password?: string
  otp_secret?: string | null
  /** False: only runs that act for its maker alone can use it. */
  shared?: boolean
}

export interface UpdateLoginAnswer {
  login: Login
  login_id: string
  note: string | null
}

export interface DeleteLoginAnswer {
  success: true
  /** Agents whose live build names it, by name; at most 100. */
  agents: {
    id: string
    name: string
    build_id: string
  }[]
  agents_total: number
}

export interface ListLoginDependentsAnswer {
  /** Agents whose live build names it, by name; at most 100. */
  agents: {
    id: string
    name: string
    build_id: string
  }[]
  agents_total: number
}

export interface ListTeamFilesInput {
  /** Words in name, in any case; all of them must be there, and each may be a part of a longer word. */
  search?: string
  /** How many to give, at most 100. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListTeamFilesAnswer {
  files: TeamFile[]
  total: number
  limit: number
  offset: number
}

export interface CreateTeamFileInput {
  /** Its path in /files of a sandbox, unique in the team. */
  name: string
  /** Text, or bytes in base64. */
  content: string
  /** How the content is given. Absent: as text. */
  encoding?: "utf-8" | "base64"
}

export interface CreateTeamFileAnswer {
  file: TeamFile
  file_id: string
}

export interface CreateTeamFileUploadUrlInput {
  /** Its path in /files of a sandbox, unique in the team. */
  name: string
}

export interface CreateTeamFileUploadUrlAnswer {
  upload_url: string
  name: string
  expires_in_seconds: number
}

export interface GetTeamFileAnswer {
  file: TeamFile
  file_id: string
  content: string | null
  /** `utf-8` where the content is text, else `base64`; also where it is null. */
  encoding: "utf-8" | "base64"
  /** By the ending of the name. */
  content_type: string
  size_bytes: number
  /** Gives the bytes without a credential, for at least an hour. */
  download_url: string
}

export interface UpdateTeamFileInput {
  /** Its path in /files of a sandbox, unique in the team. */
  name?: string
}

export interface UpdateTeamFileAnswer {
  file: TeamFile
  file_id: string
}

export interface DeleteTeamFileAnswer {
  success: true
  /** Agents whose live build names it, by name; at most 100. */
  agents: {
    id: string
    name: string
    build_id: string
  }[]
  agents_total: number
}

export interface ListTeamFileDependentsAnswer {
  /** Agents whose live build names it, by name; at most 100. */
  agents: {
    id: string
    name: string
    build_id: string
  }[]
  agents_total: number
}

export interface ListSkillsInput {
  /** Words in name and description, in any case; all of them must be there, and each may be a part of a longer word. */
  search?: string
  /** How many to give, at most 100. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListSkillsAnswer {
  skills: Skill[]
  total: number
  limit: number
  offset: number
}

export interface CreateSkillInput {
  /** The text of SKILL.md. */
  content: string
}

export interface CreateSkillAnswer {
  skill: Skill
  skill_id: string
}

export interface UploadSkillInput {
  /** The zip archive in base64, up to 10 MiB. */
  archive: string
}

export interface UploadSkillAnswer {
  skill: Skill
  skill_id: string
}

export interface GetSkillInput {
  /** An older version. Absent: the newest. */
  version?: number
}

export interface GetSkillAnswer {
  skill: Skill
  skill_id: string
  files: SkillFile[]
}

export interface ListSkillVersionsInput {
  /** How many to give, at most 50. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListSkillVersionsAnswer {
  versions: SkillVersion[]
  total: number
  limit: number
  offset: number
}

export interface GetSkillFileInput {
  /** An older version. Absent: the newest. */
  version?: number
}

export interface GetSkillFileAnswer {
  path: string
  size_bytes: number
  sha256: string
  is_executable: boolean
  content: string | null
  /** `utf-8` where the content is text, else `base64`. */
  encoding: "utf-8" | "base64"
}

export interface PutSkillFileInput {
  /** Text, or bytes in base64. */
  content: string
  /** How the content is given. Absent: as text. */
  encoding?: "utf-8" | "base64"
  /** Whether commands may run it. */
  is_executable?: boolean
}

export interface PutSkillFileAnswer {
  skill: Skill
  skill_id: string
}

export interface DeleteSkillFileAnswer {
  skill: Skill
  skill_id: string
}

export interface DownloadSkillInput {
  /** An older version. Absent: the newest. */
  version?: number
}

export interface DeleteSkillAnswer {
  success: true
  /** Agents whose live build names it, by name; at most 100. */
  agents: {
    id: string
    name: string
    build_id: string
  }[]
  agents_total: number
}

export interface ListSkillDependentsAnswer {
  /** Agents whose live build names it, by name; at most 100. */
  agents: {
    id: string
    name: string
    build_id: string
  }[]
  agents_total: number
}

export interface ListModelKeysAnswer {
  model_keys: ModelKey[]
}

export interface CreateModelKeyInput {
  /** Whose models it pays for. */
  provider: "anthropic" | "openai" | "google" | "openai-compatible"
  /** The key as the provider gave it. It is sealed at rest and never answered. */
  key: string
  base_url?: string | null
}

export interface CreateModelKeyAnswer {
  model_key: ModelKey
  model_key_id: string
}

export interface UpdateModelKeyInput {
  /** The key as the provider gave it. It is sealed at rest and never answered. */
  key?: string
  base_url?: string | null
}

export interface UpdateModelKeyAnswer {
  model_key: ModelKey
  model_key_id: string
}

export interface DeleteModelKeyAnswer {
  success: true
}

export interface TestModelKeyAnswer {
  success: boolean
  /** Why the test failed; absent if it succeeded. */
  error?: string
}

export interface GetModelSettingsAnswer {
  model_settings: ModelSettings
}

export interface UpdateModelSettingsInput {
  allowed_models?: string[] | null
  default_model?: string | null
}

export interface UpdateModelSettingsAnswer {
  model_settings: ModelSettings
}

export interface GetGuardrailsAnswer {
  guardrails: GuardrailVersion
  today: {
    day: string
    runs: number
    outside_calls: number
    /** What models cost, except in replays, with what is held back for calls under way. */
    cost_usd: string
  }
}

export interface SetGuardrailsInput {
  /** The whole set of rules: a rule that is left out does not apply. */
  rules: {
    /** Names of tools. A person must approve each of their calls, whatever the build says. `*` stands for any characters. */
    always_ask?: string[]
    /** Names of tools. Two different people must approve each of their calls. */
    two_person?: string[]
    allowed_hosts?: string[] | null
    allowed_connections?: string[] | null
    runs_per_day?: number | null
    outside_calls_per_day?: number | null
    /** When no call may have an effect outside: such calls wait until the hours are over. Reading does not wait. */
    quiet_hours?: {
      days: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[]
      /** The time on these days at which it begins. */
      from: string
      /** When it ends: the next time that the clock shows this, so on the day after if it is not later than `from`. */
      to: string
    }[]
    /** Of the quiet hours. */
    time_zone?: string
    cost_usd_per_day?: number | string | null
  }
  /** The version that you changed: refused if another is live. */
  expected_version?: number
  comment?: string | null
}

export interface SetGuardrailsAnswer {
  guardrails: GuardrailVersion
}

export interface ListGuardrailVersionsInput {
  /** How many to give, at most 50. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListGuardrailVersionsAnswer {
  versions: GuardrailVersion[]
  total: number
  limit: number
  offset: number
}

export interface RestoreGuardrailsInput {
  /** One that listGuardrailVersions gives. */
  version: number
  comment?: string | null
}

export interface RestoreGuardrailsAnswer {
  guardrails: GuardrailVersion
}

export interface StartGuardrailDryRunInput {
  /** The whole set of rules: a rule that is left out does not apply. */
  rules: {
    /** Names of tools. A person must approve each of their calls, whatever the build says. `*` stands for any characters. */
    always_ask?: string[]
    /** Names of tools. Two different people must approve each of their calls. */
    two_person?: string[]
    allowed_hosts?: string[] | null
    allowed_connections?: string[] | null
    runs_per_day?: number | null
    outside_calls_per_day?: number | null
    /** When no call may have an effect outside: such calls wait until the hours are over. Reading does not wait. */
    quiet_hours?: {
      days: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[]
      /** The time on these days at which it begins. */
      from: string
      /** When it ends: the next time that the clock shows this, so on the day after if it is not later than `from`. */
      to: string
    }[]
    /** Of the quiet hours. */
    time_zone?: string
    cost_usd_per_day?: number | string | null
  }
}

export interface StartGuardrailDryRunAnswer {
  dry_run: GuardrailDryRun
  dry_run_id: string
}

export interface GetGuardrailDryRunAnswer {
  dry_run: GuardrailDryRun
  dry_run_id: string
}

export interface ListGuardrailStopsInput {
  /** Only stops by this rule. */
  rule?: "always_ask" | "two_person" | "allowed_hosts" | "allowed_connections" | "quiet_hours" | "outside_calls_per_day" | "runs_per_day" | "cost_usd_per_day"
  /** How many to give, at most 200. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListGuardrailStopsAnswer {
  stops: GuardrailStop[]
  /** How many there are; a list that goes on for longer is counted to 10000 beyond this page. */
  total: number
  limit: number
  offset: number
}

export interface GetBillingUsageAnswer {
  usage: BillingUsage
  team_id: string
}

export interface GetBillingEntitlementsAnswer {
  entitlements: Entitlement[]
  plan: string
  team_id: string
}

export interface GetBillingUsageHistoryInput {
  /** The first day; a time counts as its whole day. */
  since?: string
  /** Days before this time, at most 400; a time counts as its whole day. */
  until?: string
}

export interface GetBillingUsageHistoryAnswer {
  usage: BillingUsage
  team_id: string
}

export interface ListModelUsageInput {
  /** The first day; a time counts as its whole day. */
  since?: string
  /** Days before this time, at most 400; a time counts as its whole day. */
  until?: string
}

export interface ListModelUsageAnswer {
  model_usage: ModelUsage[]
  left_out: number
  period_start: string
  period_end: string
  team_id: string
}

export interface GetRunEvaluationAnswer {
  data: Evaluation | null
}

export interface EvaluateRunAnswer {
  evaluation_id: string
  run_id: string
  status: "in_progress"
}

export interface GetEvalScoresInput {
  /** Runs that ended then or later; 30 days ago unless given. */
  since?: string
  /** `custom`: only the team’s own rubrics, of runs that a model judged by them. */
  scope?: "all" | "custom"
  /** Only runs of this build. */
  revision_id?: string
}

export interface GetEvalScoresAnswer {
  total_evaluated: number
  with_issues: number
  flag_distribution: {
    flag: string
    label: string
    count: number
  }[]
  series: {
    /** A day of UTC; days without evaluated runs are left out. */
    day: string
    evaluated: number
    with_issues: number
  }[]
}

export interface ListBuildScoresInput {
  /** How many to give, at most 100. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListBuildScoresAnswer {
  build_scores: BuildScore[]
  total: number
  limit: number
  offset: number
}

export interface ListEvaluatedRunsInput {
  /** Runs that ended then or later; 30 days ago unless given. */
  since?: string
  /** Runs that ended before this time. */
  until?: string
  /** Only runs of this build whose evaluation is `ready`, as its score counts them. */
  build_id?: string
  /** Only runs in which this check did not pass. */
  flag?: string
  /** How many to give, at most 100. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListEvaluatedRunsAnswer {
  evaluated_runs: EvaluatedRun[]
  total: number
  limit: number
  offset: number
}

export interface ListRunMarksAnswer {
  marks: RunMark[]
  run_id: string
}

export interface PutRunMarkInput {
  verdict: "good" | "bad"
  note?: string | null
}

export interface PutRunMarkAnswer {
  mark: RunMark
  run_id: string
}

export interface GetMarkAgreementInput {
  /** Marks from then on; all unless given. */
  since?: string
}

export interface GetMarkAgreementAnswer {
  agreement: number | null
  good_passed: number
  good_with_issues: number
  bad_passed: number
  bad_with_issues: number
  /** Marks of runs without a finished evaluation. */
  not_evaluated: number
  disagreements: {
    run_id: string
    member_id: string
    verdict: "good" | "bad"
    note: string | null
    marked_at: string
    run_number: number
    run_title: string
    /** The flags that did not pass. */
    failed: string[]
  }[]
  agent_id: string
}

export interface GetEvalRubricsInput {
  /** One of the agent’s builds; the live one unless given. */
  build_id?: string
}

export interface GetEvalRubricsAnswer {
  rubrics: EvalRubric[]
  platform_rubrics: PlatformRubric[]
}

export interface CreateEvalRubricInput {
  title: string
  /** What must be true of a run so that it passes; the judge reads this text. */
  description: string
  /** How bad it is when a run does not pass; `medium` unless given. */
  severity?: "critical" | "medium" | "low"
  /** Its position among the others, lowest first. */
  sort_order?: number
  build_id?: string | null
}

export interface CreateEvalRubricAnswer {
  rubric: EvalRubric
  rubric_id: string
}

export interface ReplaceEvalRubricsInput {
  rubrics: {
    title: string
    /** What must be true of a run so that it passes; the judge reads this text. */
    description: string
    /** How bad it is when a run does not pass; `medium` unless given. */
    severity?: "critical" | "medium" | "low"
    /** Its position among the others, lowest first. */
    sort_order?: number
  }[]
  build_id?: string | null
}

export interface ReplaceEvalRubricsAnswer {
  rubrics: EvalRubric[]
  platform_rubrics: PlatformRubric[]
}

export interface UpdateEvalRubricInput {
  title?: string
  /** What must be true of a run so that it passes; the judge reads this text. */
  description?: string
  /** How bad it is when a run does not pass; `medium` unless given. */
  severity?: "critical" | "medium" | "low"
  /** Its position among the others, lowest first. */
  sort_order?: number
}

export interface UpdateEvalRubricAnswer {
  rubric: EvalRubric
  rubric_id: string
}

export interface GetPromotionGateAnswer {
  promotion_gate: PromotionGate | null
  agent_id: string
  /** The latest 20, newest first. */
  forced_promotions: ForcedPromotion[]
}

export interface PutPromotionGateInput {
  min_score: number | null
  /** How many of the latest evaluated runs count. */
  last_runs?: number
}

export interface PutPromotionGateAnswer {
  promotion_gate: PromotionGate | null
  agent_id: string
  /** The latest 20, newest first. */
  forced_promotions: ForcedPromotion[]
}

export interface GetRunEvidenceInput {
  /** With the contents of files, and not only their hashes. */
  contents?: boolean
}

export interface GetCaseEvidenceInput {
  /** With the contents of files, and not only their hashes. */
  contents?: boolean
}

export interface ListReplaySetsInput {
  /** How many to give, at most 100. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListReplaySetsAnswer {
  replay_sets: ReplaySet[]
  total: number
  limit: number
  offset: number
}

export interface CreateReplaySetInput {
  name: string
}

export interface CreateReplaySetAnswer {
  replay_set: ReplaySet
  replay_set_id: string
}

export interface GetReplaySetAnswer {
  replay_set: ReplaySet
  replay_set_id: string
}

export interface UpdateReplaySetInput {
  name: string
}

export interface UpdateReplaySetAnswer {
  replay_set: ReplaySet
  replay_set_id: string
}

export interface DeleteReplaySetAnswer {
  success: true
}

export interface ListRecordingsInput {
  /** How many to give, at most 100. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListRecordingsAnswer {
  recordings: Recording[]
  total: number
  limit: number
  offset: number
}

export interface AddRecordingsInput {
  run_ids?: string[]
  last?: number
  /** With `last`: only runs that ended like this. */
  status?: "completed" | "failed"
  /** With `last`: only runs of this build. */
  build_id?: string
}

export interface AddRecordingsAnswer {
  replay_set: ReplaySet
  added: number
  skipped: {
    run_id: string
    reason: string
  }[]
  replay_set_id: string
}

export interface DeleteRecordingAnswer {
  success: true
}

export interface StartReplayInput {
  /** A build of the agent of the set; the live one unless given. */
  build_id?: string
  /** What its model calls may cost, as decimal text. Checked before each call. */
  max_cost_usd?: string
}

export interface StartReplayAnswer {
  replay: Replay
  replay_id: string
}

export interface ListReplaysInput {
  /** Only replays of this build. */
  build_id?: string
  /** How many to give, at most 100. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListReplaysAnswer {
  replays: Replay[]
  total: number
  limit: number
  offset: number
}

export interface GetReplayAnswer {
  replay: Replay
  replay_id: string
}

export interface CancelReplayAnswer {
  replay: Replay
  replay_id: string
}

export interface ListReplayRunsInput {
  /** Only runs with this verdict. */
  verdict?: "same" | "changed" | "not_replayed"
  /** How many to give, at most 200. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListReplayRunsAnswer {
  replay_runs: ListedReplayRun[]
  total: number
  limit: number
  offset: number
}

export interface GetReplayRunAnswer {
  replay_run: ReplayRun
  replay_run_id: string
}

export interface GetReplayGateAnswer {
  replay_gate: ReplayGate | null
  agent_id: string
  /** The latest 20, newest first. */
  forced_promotions: ForcedPastReplay[]
}

export interface PutReplayGateInput {
  min_match: number | null
  /** A replay set of this agent. Needed unless the gate is removed. */
  replay_set_id?: string
  max_cost_usd?: string | null
}

export interface PutReplayGateAnswer {
  replay_gate: ReplayGate | null
  agent_id: string
  /** The latest 20, newest first. */
  forced_promotions: ForcedPastReplay[]
}

export interface GetOverviewAnswer {
  at: string
  /** Runs that have not ended. */
  active: number
  waiting_for_person: number
  failures: {
    since: string
    /** The most frequent first, at most 50, of the newest 5,000 failures. */
    rows: {
      agent_id: string
      agent_name: string
      code: string
      runs: number
      last_run_id: string
      last_failed_at: string
    }[]
    /** Whether there were more. */
    is_cut: boolean
  }
  /** At most 10. Null: the credential lacks agents:read. */
  next_starts: NextStart[] | null
  /** Those that retry or have dead letters, at most 20. Null: the credential lacks webhooks:manage. */
  delivery_targets: {
    /** The host. */
    target: string
    kind: "subscription" | "callback"
    active: boolean
    waiting: number
    retrying: number
    dead: number
    oldest_waiting_at: string | null
  }[] | null
  /** Those that need a person, at most 20. Null: the credential lacks connections:read. */
  connections: BrokenConnection[] | null
}

export interface ListAgentScoresInput {
  /** Whole hours from then on; 30 days ago unless given. */
  since?: string
}

export interface ListAgentScoresAnswer {
  agent_scores: AgentScore[]
  team_id: string
}

export interface ListArtifactsInput {
  /** `created`: your own. `shared`: those that others share with the team. `team`: all that are shared with the team. */
  scope?: "created" | "shared" | "team"
  /** Words in title, in any case; all of them must be there, and each may be a part of a longer word. */
  search?: string
  /** How many to give, at most 100. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListArtifactsAnswer {
  artifacts: Artifact[]
  total: number
  limit: number
  offset: number
}

export interface CreateArtifactInput {
  message: string
  /** Connections that its steps may use; one that is named twice counts once. */
  connection_ids?: string[]
  kind?: "dashboard" | "document"
  title?: string
  /** A built-in page: operations_today, agent_scorecard, queue_ageing, cost_by_agent_and_model, blank. */
  template?: string
}

export interface CreateArtifactAnswer {
  artifact: Artifact
  artifact_id: string
  /** While a question is open, the artifact is `running`. */
  status: "not_started" | "pending" | "running" | "completed" | "failed" | "interrupted"
  user_message: ArtifactMessage
}

export interface GetArtifactAnswer {
  artifact: Artifact
  artifact_id: string
  /** While a question is open, the artifact is `running`. */
  status: "not_started" | "pending" | "running" | "completed" | "failed" | "interrupted"
  is_creator: boolean
  can_edit: boolean
}

export interface UpdateArtifactInput {
  title?: string
  refresh_frequency?: "every_15_minutes" | "every_30_minutes" | "hourly" | "every_6_hours" | "daily" | "weekly" | null
}

export type UpdateArtifactAnswer = {
  id: string
  team_id: string
  created_by_user_id: string
  title: string | null
  kind: "dashboard" | "document"
  /** While a question is open, the artifact is `running`. */
  status: "not_started" | "pending" | "running" | "completed" | "failed" | "interrupted"
  /** Whether there is a page to render. */
  html_code_present: boolean
  visibility: "private" | "team" | "public"
  publish_permission: "view" | "edit"
  public_url: string | null
  thumbnail_url: string | null
  refresh_frequency: "every_15_minutes" | "every_30_minutes" | "hourly" | "every_6_hours" | "daily" | "weekly" | null
  last_refresh_at: string | null
  next_refresh_at: string | null
  refresh_error: string | null
  current_revision_id: string | null
  current_version: number
  pending_question: {
    tool_call_id: string
    questions: {
      question: string
      header?: string
      options?: {
        label: string
        description?: string
      }[]
      multi_select?: boolean
    }[]
    /** Whether the answer decides about a call or a limit: then it takes the scope `approvals:write` too. */
    needs_approver: boolean
  } | null
  created_at: string
  updated_at: string
  artifact: Artifact
  artifact_id: string
}

export interface DeleteArtifactAnswer {
  success: true
}

export interface RenderArtifactInput {
  /** Light or dark; without it, as the reader’s system says. */
  theme?: "light" | "dark"
}

export interface RenderSelectableArtifactInput {
  /** Light or dark; without it, as the reader’s system says. */
  theme?: "light" | "dark"
}

export type GetArtifactSourceAnswer = {
  source: {
    revision_id: string
    version: number
    /** The steps that fetch the data, as a runbook in Markdown. */
    procedure: string
    /** The template that shows the data. */
    html: string
    data_at: string
  } | null
  artifact_id: string
}

export interface ExportArtifactHtmlInput {
  /** Light or dark; without it, as the reader’s system says. */
  theme?: "light" | "dark"
}

export interface ExportArtifactPdfInput {
  /** Light or dark; without it, as the reader’s system says. */
  theme?: "light" | "dark"
}

export interface ExportArtifactCsvInput {
  /** Light or dark; without it, as the reader’s system says. */
  theme?: "light" | "dark"
}

export interface ExportArtifactXlsxInput {
  /** Light or dark; without it, as the reader’s system says. */
  theme?: "light" | "dark"
}

export interface ExportArtifactMdInput {
  /** Light or dark; without it, as the reader’s system says. */
  theme?: "light" | "dark"
}

export interface PublishArtifactInput {
  visibility: "private" | "team" | "public"
  permission?: "view" | "edit"
}

export type PublishArtifactAnswer = {
  id: string
  team_id: string
  created_by_user_id: string
  title: string | null
  kind: "dashboard" | "document"
  /** While a question is open, the artifact is `running`. */
  status: "not_started" | "pending" | "running" | "completed" | "failed" | "interrupted"
  /** Whether there is a page to render. */
  html_code_present: boolean
  visibility: "private" | "team" | "public"
  publish_permission: "view" | "edit"
  public_url: string | null
  thumbnail_url: string | null
  refresh_frequency: "every_15_minutes" | "every_30_minutes" | "hourly" | "every_6_hours" | "daily" | "weekly" | null
  last_refresh_at: string | null
  next_refresh_at: string | null
  refresh_error: string | null
  current_revision_id: string | null
  current_version: number
  pending_question: {
    tool_call_id: string
    questions: {
      question: string
      header?: string
      options?: {
        label: string
        description?: string
      }[]
      multi_select?: boolean
    }[]
    /** Whether the answer decides about a call or a limit: then it takes the scope `approvals:write` too. */
    needs_approver: boolean
  } | null
  created_at: string
  updated_at: string
  artifact: Artifact
  artifact_id: string
}

export type DuplicateArtifactAnswer = {
  id: string
  team_id: string
  created_by_user_id: string
  title: string | null
  kind: "dashboard" | "document"
  /** While a question is open, the artifact is `running`. */
  status: "not_started" | "pending" | "running" | "completed" | "failed" | "interrupted"
  /** Whether there is a page to render. */
  html_code_present: boolean
  visibility: "private" | "team" | "public"
  publish_permission: "view" | "edit"
  public_url: string | null
  thumbnail_url: string | null
  refresh_frequency: "every_15_minutes" | "every_30_minutes" | "hourly" | "every_6_hours" | "daily" | "weekly" | null
  last_refresh_at: string | null
  next_refresh_at: string | null
  refresh_error: string | null
  current_revision_id: string | null
  current_version: number
  pending_question: {
    tool_call_id: string
    questions: {
      question: string
      header?: string
      options?: {
        label: string
        description?: string
      }[]
      multi_select?: boolean
    }[]
    /** Whether the answer decides about a call or a limit: then it takes the scope `approvals:write` too. */
    needs_approver: boolean
  } | null
  created_at: string
  updated_at: string
  artifact: Artifact
  artifact_id: string
}

export interface ListArtifactMessagesInput {
  /** How many to give, at most 500. */
  limit?: number
  /** Only messages before the one with this id. */
  before?: string
}

export interface ListArtifactMessagesAnswer {
  data: ArtifactMessage[]
  total: number
  /** Whether there are older messages. */
  has_more: boolean
}

export interface SendArtifactMessageInput {
  message: string
  from_revision_id?: string
  /** The part of the page that the message is about. */
  selected_element?: {
    selector: string
    label: string
    tag_name: string
    text?: string
    outer_html: string
  }
}

export interface SendArtifactMessageAnswer {
  user_message: ArtifactMessage
}

export type RefreshArtifactAnswer = {
  id: string
  team_id: string
  created_by_user_id: string
  title: string | null
  kind: "dashboard" | "document"
  /** While a question is open, the artifact is `running`. */
  status: "not_started" | "pending" | "running" | "completed" | "failed" | "interrupted"
  /** Whether there is a page to render. */
  html_code_present: boolean
  visibility: "private" | "team" | "public"
  publish_permission: "view" | "edit"
  public_url: string | null
  thumbnail_url: string | null
  refresh_frequency: "every_15_minutes" | "every_30_minutes" | "hourly" | "every_6_hours" | "daily" | "weekly" | null
  last_refresh_at: string | null
  next_refresh_at: string | null
  refresh_error: string | null
  current_revision_id: string | null
  current_version: number
  pending_question: {
    tool_call_id: string
    questions: {
      question: string
      header?: string
      options?: {
        label: string
        description?: string
      }[]
      multi_select?: boolean
    }[]
    /** Whether the answer decides about a call or a limit: then it takes the scope `approvals:write` too. */
    needs_approver: boolean
  } | null
  created_at: string
  updated_at: string
  artifact: Artifact
  artifact_id: string
}

export interface StopArtifactInput {
  /** What you have seen of the answer so far: it is added to the chat. */
  partial_text?: string
}

export type StopArtifactAnswer = {
  id: string
  team_id: string
  created_by_user_id: string
  title: string | null
  kind: "dashboard" | "document"
  /** While a question is open, the artifact is `running`. */
  status: "not_started" | "pending" | "running" | "completed" | "failed" | "interrupted"
  /** Whether there is a page to render. */
  html_code_present: boolean
  visibility: "private" | "team" | "public"
  publish_permission: "view" | "edit"
  public_url: string | null
  thumbnail_url: string | null
  refresh_frequency: "every_15_minutes" | "every_30_minutes" | "hourly" | "every_6_hours" | "daily" | "weekly" | null
  last_refresh_at: string | null
  next_refresh_at: string | null
  refresh_error: string | null
  current_revision_id: string | null
  current_version: number
  pending_question: {
    tool_call_id: string
    questions: {
      question: string
      header?: string
      options?: {
        label: string
        description?: string
      }[]
      multi_select?: boolean
    }[]
    /** Whether the answer decides about a call or a limit: then it takes the scope `approvals:write` too. */
    needs_approver: boolean
  } | null
  created_at: string
  updated_at: string
  artifact: Artifact
  artifact_id: string
}

export interface AnswerArtifactInput {
  /** The answer to each question, by the text of the question. If it has options: the label of one, or with `multi_select` a list of labels. */
  answers: Record<string, string | string[]>
  /** The `tool_call_id` of `pending_question`. If another question is open by now, the answer is refused. Also accepted as `toolCallId`. */
  tool_call_id?: string
}

export type AnswerArtifactAnswer = {
  id: string
  team_id: string
  created_by_user_id: string
  title: string | null
  kind: "dashboard" | "document"
  /** While a question is open, the artifact is `running`. */
  status: "not_started" | "pending" | "running" | "completed" | "failed" | "interrupted"
  /** Whether there is a page to render. */
  html_code_present: boolean
  visibility: "private" | "team" | "public"
  publish_permission: "view" | "edit"
  public_url: string | null
  thumbnail_url: string | null
  refresh_frequency: "every_15_minutes" | "every_30_minutes" | "hourly" | "every_6_hours" | "daily" | "weekly" | null
  last_refresh_at: string | null
  next_refresh_at: string | null
  refresh_error: string | null
  current_revision_id: string | null
  current_version: number
  pending_question: {
    tool_call_id: string
    questions: {
      question: string
      header?: string
      options?: {
        label: string
        description?: string
      }[]
      multi_select?: boolean
    }[]
    /** Whether the answer decides about a call or a limit: then it takes the scope `approvals:write` too. */
    needs_approver: boolean
  } | null
  created_at: string
  updated_at: string
  artifact: Artifact
  artifact_id: string
  ok: true
}

export interface ListArtifactConnectionsAnswer {
  connections: AttachedConnection[]
}

export interface AttachArtifactConnectionInput {
  connection_id: string
}

export interface AttachArtifactConnectionAnswer {
  success: true
}

export interface DetachArtifactConnectionAnswer {
  success: true
}

export interface ListArtifactRevisionsAnswer {
  revisions: ArtifactRevision[]
  total: number
  current_revision_id: string | null
  current_version: number
}

export interface RenderArtifactRevisionInput {
  /** Light or dark; without it, as the reader’s system says. */
  theme?: "light" | "dark"
}

export interface RestoreArtifactRevisionAnswer {
  success: true
  current_revision_id: string
  current_version: number
}

export interface ListViewsInput {
  /** Only views of this screen. */
  screen?: "runs" | "cases" | "human_requests"
  /** How many to give, at most 200. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListViewsAnswer {
  views: SavedView[]
  total: number
  limit: number
  offset: number
}

export interface CreateViewInput {
  /** The list that it is a view of. */
  screen: "runs" | "cases" | "human_requests"
  name: string
  /** The query of the list, name by name. At most 8 KiB. */
  filter: Record<string, string>
  /** Whether the whole team sees it. Only its maker can change it. */
  is_shared?: boolean
}

export interface CreateViewAnswer {
  view: SavedView
  view_id: string
}

export interface GetViewAnswer {
  view: SavedView
  view_id: string
}

export interface UpdateViewInput {
  name?: string
  /** The query of the list, name by name. At most 8 KiB. */
  filter?: Record<string, string>
  /** Whether the whole team sees it. Only its maker can change it. */
  is_shared?: boolean
}

export interface UpdateViewAnswer {
  view: SavedView
  view_id: string
}

export interface DeleteViewAnswer {
  success: true
}

export type GetSystemAnswer = {
  version: string
  node_version: string
  base_url: string
  now: string
  database: {
    version: string
    bytes: number
    is_embedded: boolean
    /** Open connections, of everybody who uses the server. */
    connections: number
    connections_max: number
  }
  object_store: {
    name: string
    is_answering: boolean | null
    answered_at: string | null
    last_failure: {
      at: string
      says: string
    } | null
  } | null
  processes: SystemProcess[]
  /** Since when the oldest work of each kind is due without anybody having begun it. */
  waiting_work: {
    what: string
    since: string | null
  }[]
  sizes: StoredSize[]
  settings: ShownSetting[]
}

export interface ListDrillsInput {
  /** How many to give, at most 100. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListDrillsAnswer {
  drills: Drill[]
  total: number
  limit: number
  offset: number
}

export interface StartDrillInput {
  /** How many runs are started. */
  runs: number
  /** How many workers are killed; the drill starts a new one for each. */
  kills: number
}

export interface StartDrillAnswer {
  drill: Drill
  drill_id: string
}

export interface StopDrillAnswer {
  drill: Drill
  drill_id: string
}

export interface ListWebhooksAnswer {
  webhooks: Webhook[]
}

export interface CreateWebhookInput {
  /** A public http or https URL. Each event is sent there by POST. */
  url: string
  /** The events it gets; `*` is all there are and will be. */
  events: ("run.started" | "run.paused" | "run.completed" | "run.failed" | "run.message.created" | "run.tool_call.completed" | "run.file.created" | "human_request.created" | "human_request.responded" | "queue.case.created" | "queue.case.claimed" | "queue.case.completed" | "assignment.build.published" | "connection.updated" | "connection.action_required" | "*")[]
  description?: string | null
}

export interface CreateWebhookAnswer {
  webhook: Webhook
  subscription_id: string
}

export interface UpdateWebhookInput {
  /** A public http or https URL. Each event is sent there by POST. */
  url?: string
  /** The events it gets; `*` is all there are and will be. */
  events?: ("run.started" | "run.paused" | "run.completed" | "run.failed" | "run.message.created" | "run.tool_call.completed" | "run.file.created" | "human_request.created" | "human_request.responded" | "queue.case.created" | "queue.case.claimed" | "queue.case.completed" | "assignment.build.published" | "connection.updated" | "connection.action_required" | "*")[]
  /** Nothing is sent while it is false. */
  active?: boolean
  description?: string | null
}

export interface UpdateWebhookAnswer {
  webhook: Webhook
  subscription_id: string
}

export interface DeleteWebhookAnswer {
  success: true
}

export interface TestWebhookInput {
  /** The event of the example, also one that the webhook does not get. Absent: the first that it gets. */
  event?: "run.started" | "run.paused" | "run.completed" | "run.failed" | "run.message.created" | "run.tool_call.completed" | "run.file.created" | "human_request.created" | "human_request.responded" | "queue.case.created" | "queue.case.claimed" | "queue.case.completed" | "assignment.build.published" | "connection.updated" | "connection.action_required"
}

export interface TestWebhookAnswer {
  delivery: DeliveryWithAttempts
  delivery_id: string
}

export interface ReplayWebhookInput {
  /** Events from this time on. */
  since: string
}

export interface ReplayWebhookAnswer {
  subscription_id: string
  /** How many will be sent again. In a team with more than 100000 deliveries only the newest are counted; older ones are sent again too. */
  deliveries: number
}

export interface GetWebhookSecretAnswer {
  /** Signs every delivery of the team. */
  secret: string
  created_at: string
  previous_expires_at: string | null
}

export interface RotateWebhookSecretInput {
  /** How long the old secret still signs beside the new one; 0: not at all. */
  overlap_seconds?: number
}

export interface RotateWebhookSecretAnswer {
  /** Signs every delivery of the team. */
  secret: string
  created_at: string
  previous_expires_at: string | null
}

export interface ListWebhookDeliveriesInput {
  /** Only deliveries in this state. */
  status?: "new" | "retrying" | "replaying" | "delivered" | "dead"
  /** Only deliveries of this event. */
  event?: "run.started" | "run.paused" | "run.completed" | "run.failed" | "run.message.created" | "run.tool_call.completed" | "run.file.created" | "human_request.created" | "human_request.responded" | "queue.case.created" | "queue.case.claimed" | "queue.case.completed" | "assignment.build.published" | "connection.updated" | "connection.action_required"
  /** Only deliveries to this webhook. */
  subscription_id?: string
  /** Only deliveries of events of this run. */
  run_id?: string
  /** How many to give, at most 200. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListWebhookDeliveriesAnswer {
  deliveries: Delivery[]
  /** How many there are; a list that goes on for longer is counted to 10000 beyond this page. */
  total: number
  limit: number
  offset: number
}

export interface GetWebhookDeliveryAnswer {
  delivery: DeliveryWithAttempts
  delivery_id: string
}

export interface GetWebhookDeliveryRequestAnswer {
  delivery_id: string
  url: string
  body: string | null
  truncated: boolean
}

export interface ReplayWebhookDeliveryAnswer {
  delivery: DeliveryWithAttempts
  delivery_id: string
}

export interface ListDeliveryTargetsAnswer {
  targets: DeliveryTarget[]
}

export interface ListAlertRulesInput {
  /** How many to give, at most 100. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListAlertRulesAnswer {
  alert_rules: AlertRule[]
  total: number
  limit: number
  offset: number
}

export interface CreateAlertRuleInput {
  name: string
  /** `failure_rate`: of the runs that began in the window and have completed or failed, the percentage that failed. `waiting_age`: minutes that the oldest open request to a person has waited. `cost`: model cost in USD of the days in the window, in UTC, today included; of an agent without its replays. `queue_age`: minutes that the oldest case of a queue has waited. `delivery_failures`: deliveries that wait for another attempt, or were given up in the window. `schedule_misses`: how often in the window a schedule was due and started nothing. */
  signal: "failure_rate" | "waiting_age" | "cost" | "queue_age" | "delivery_failures" | "schedule_misses"
  /** What it is measured for. `failure_rate`, `waiting_age` and `cost`: `team` or `agent`. `queue_age`: `queue`. `delivery_failures`: `team` or `webhook`. `schedule_misses`: `team`, `agent` or `schedule`. */
  scope?: "team" | "agent" | "queue" | "webhook" | "schedule"
  scope_id?: string | null
  /** An incident opens when the value is this or more. */
  threshold: number
  /** It closes only below this; four fifths of `threshold` unless given. */
  clear_threshold?: number
  window_minutes?: number | null
  min_runs?: number | null
  /** How long the value must be `threshold` or more before an incident opens. 0 unless given. */
  for_minutes?: number
  /** How long it must be below `clear_threshold` before the incident closes. 5 unless given. */
  clear_minutes?: number
  remind_hours?: number | null
  tells?: string[] | null
  /** Whether an incident pauses the agent, which only a person resumes. Only with the scope `agent`. */
  pause_agent?: boolean
  /** When false nothing is measured, and its open incident closes. */
  enabled?: boolean
}

export interface CreateAlertRuleAnswer {
  alert_rule: AlertRule
  alert_rule_id: string
}

export interface PreviewAlertRuleInput {
  name: string
  /** `failure_rate`: of the runs that began in the window and have completed or failed, the percentage that failed. `waiting_age`: minutes that the oldest open request to a person has waited. `cost`: model cost in USD of the days in the window, in UTC, today included; of an agent without its replays. `queue_age`: minutes that the oldest case of a queue has waited. `delivery_failures`: deliveries that wait for another attempt, or were given up in the window. `schedule_misses`: how often in the window a schedule was due and started nothing. */
  signal: "failure_rate" | "waiting_age" | "cost" | "queue_age" | "delivery_failures" | "schedule_misses"
  /** What it is measured for. `failure_rate`, `waiting_age` and `cost`: `team` or `agent`. `queue_age`: `queue`. `delivery_failures`: `team` or `webhook`. `schedule_misses`: `team`, `agent` or `schedule`. */
  scope?: "team" | "agent" | "queue" | "webhook" | "schedule"
  scope_id?: string | null
  /** An incident opens when the value is this or more. */
  threshold: number
  /** It closes only below this; four fifths of `threshold` unless given. */
  clear_threshold?: number
  window_minutes?: number | null
  min_runs?: number | null
  /** How long the value must be `threshold` or more before an incident opens. 0 unless given. */
  for_minutes?: number
  /** How long it must be below `clear_threshold` before the incident closes. 5 unless given. */
  clear_minutes?: number
  remind_hours?: number | null
  tells?: string[] | null
  /** Whether an incident pauses the agent, which only a person resumes. Only with the scope `agent`. */
  pause_agent?: boolean
  /** When false nothing is measured, and its open incident closes. */
  enabled?: boolean
}

export interface PreviewAlertRuleAnswer {
  value: number | null
  unit: "percent" | "minutes" | "usd" | "count"
  /** Whether the value is `threshold` or more now. */
  is_over: boolean
  says: string
  behind: AlertBehind[]
  history: {
    at: string
    value: number | null
  }[] | null
  over_in_history: number | null
}

export interface GetAlertRuleAnswer {
  alert_rule: AlertRule
  alert_rule_id: string
}

export interface UpdateAlertRuleInput {
  name?: string
  /** An incident opens when the value is this or more. */
  threshold?: number
  /** It closes only below this; four fifths of `threshold` unless given. */
  clear_threshold?: number
  window_minutes?: number | null
  min_runs?: number | null
  /** How long the value must be `threshold` or more before an incident opens. 0 unless given. */
  for_minutes?: number
  /** How long it must be below `clear_threshold` before the incident closes. 5 unless given. */
  clear_minutes?: number
  remind_hours?: number | null
  tells?: string[] | null
  /** Whether an incident pauses the agent, which only a person resumes. Only with the scope `agent`. */
  pause_agent?: boolean
  /** When false nothing is measured, and its open incident closes. */
  enabled?: boolean
}

export interface UpdateAlertRuleAnswer {
  alert_rule: AlertRule
  alert_rule_id: string
}

export interface DeleteAlertRuleAnswer {
  success: true
}

export interface ListAlertIncidentsInput {
  /** Only these. */
  state?: "open" | "closed"
  /** Only incidents of this rule. */
  rule_id?: string
  /** How many to give, at most 100. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListAlertIncidentsAnswer {
  incidents: AlertIncident[]
  total: number
  limit: number
  offset: number
}

export interface GetAlertIncidentAnswer {
  incident: AlertIncident
  incident_id: string
}

export interface AcknowledgeAlertIncidentInput {
  note?: string | null
}

export interface AcknowledgeAlertIncidentAnswer {
  incident: AlertIncident
  incident_id: string
}

export interface GetNotificationsAnswer {
  notifications: NotificationChoices
  mailbox: Mailbox
}

export interface UpdateNotificationsInput {
  mail?: {
    human_requests?: "at_once" | "digest" | "off"
    failed_runs?: "at_once" | "digest" | "off"
    connections?: "at_once" | "digest" | "off"
    deliveries?: "at_once" | "digest" | "off"
    alerts?: "at_once" | "digest" | "off"
  }
  browser?: {
    human_requests?: boolean
    failed_runs?: boolean
    connections?: boolean
    deliveries?: boolean
    alerts?: boolean
  }
  /** The name of a time zone, for the times below. */
  time_zone?: string
  /** When the digest is sent, every day with news. */
  digest_time?: string
  /** From then until `quiet_until` no mail is sent; it comes afterwards. Null for both: never quiet. */
  quiet_from?: string | null
  quiet_until?: string | null
}

export interface UpdateNotificationsAnswer {
  notifications: NotificationChoices
  mailbox: Mailbox
}

export interface SendTestMailAnswer {
  mail: MemberMail
  mail_id: string
}

export interface ListMailsInput {
  /** How many to give, at most 100. */
  limit?: number
  /** How many to skip. */
  offset?: number
}

export interface ListMailsAnswer {
  mails: MemberMail[]
  total: number
  limit: number
  offset: number
}

export interface RequestEmailConfirmationAnswer {
  mail: MemberMail
  mail_id: string
}

export interface ConfirmEmailInput {
  token: string
}

export interface ConfirmEmailAnswer {
  mailbox: Mailbox
}

export interface ListPluginCatalogAnswer {
  plugins: Plugin[]
}

export interface CallMcpInput {
  jsonrpc: "2.0"
  id?: string | number
  /** Absent in an answer to us. */
  method?: string
  params?: Record<string, unknown>
  result?: Record<string, unknown>
  error?: Record<string, unknown>
}

export type CallMcpAnswer = McpAnswer
