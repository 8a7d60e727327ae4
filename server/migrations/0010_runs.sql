-- owner: engine/. Durable runs: their state, messages, ledger of steps, human requests, and the places that teams hold.

-- No foreign keys from here: every row is inserted by a statement that joins its agent, build or run, agents and builds are never
-- deleted, and the checks would lock the same agent's row once for each of a thousand starts a second.
create sequence run_numbers;
create table runs (
  id uuid primary key,
  team_id uuid not null,
  agent_id uuid not null,
  build_id uuid not null,
  run_number bigint not null,
  source text not null check (source in ('api', 'schedule', 'case_trigger', 'mcp', 'console', 'agent', 'retry')),
  user_id uuid,
  parent_run_id uuid,
  retry_of_run_id uuid,
  -- how many runs stand above this one
  depth smallint not null default 0,
  case_id uuid,
  case_queue_id uuid,
  case_title text,
  title text not null,
  message jsonb,
  metadata jsonb not null default '{}',
  limits jsonb not null default '{}',
  callback_url text,
  sandbox_id uuid,
  browser_session_id uuid,
  eval_summary jsonb,

  status text not null check (status in ('pending', 'running', 'waiting', 'completed', 'failed', 'stopped')),
  output jsonb,
  error jsonb,
  waiting_on jsonb,
  postponed_to timestamptz(3),
  created_at timestamptz(3) not null default now(),
  started_at timestamptz(3),
  completed_at timestamptz(3),
  updated_at timestamptz(3) not null default now(),
  -- when its messages and the inputs and outputs of its steps were erased while the run is kept: it cannot go on any more
  log_erased_at timestamptz(3),

  -- raised by every claim, stop and takeover: a write that carries an older one finds no row
  epoch int not null default 0,
  -- the process that holds the run (processes.id)
  worker uuid,
  -- raised by everyone who brings something while the run may be held; letting go needs the number that was seen
  wake_seq int not null default 0,
  -- since when it holds one of its team's places; null: it waits, has ended, or stands in line
  admitted_at timestamptz(3),
  -- since when it stands in line for a place
  queued_at timestamptz(3),
  -- a woken run goes before new ones
  is_woken boolean not null default false,
  -- when the clock wakes it
  due_at timestamptz(3),
  running_since timestamptz(3),
  active_ms bigint not null default 0,

  message_seq int not null default 0,
  event_seq int not null default 0,
  steps int not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cost_usd numeric(20, 10) not null default 0,
  reserved_usd numeric(20, 10) not null default 0
) with (fillfactor = 70);
create index runs_ready on runs (admitted_at) where admitted_at is not null and worker is null;
create index runs_admitted on runs (team_id, agent_id) where admitted_at is not null;
create index runs_in_line on runs (team_id, is_woken desc, queued_at) where queued_at is not null;
create index runs_held on runs (worker) where worker is not null;
create index runs_due on runs (due_at) where due_at is not null;
create index runs_by_parent on runs (parent_run_id) where parent_run_id is not null;
-- what retention has still to do, so that logs erased long ago cost it nothing; written once in a run's life, at its end
create index runs_with_log on runs (team_id, completed_at) where completed_at is not null and log_erased_at is null;

-- The table of api.md §7, held by the database too: whoever writes, no run takes a step that is not there.
create function runs_move_by_the_table() returns trigger language plpgsql as $$
begin
  if not (case old.status
    when 'pending' then new.status in ('running', 'stopped', 'failed')
    when 'running' then new.status in ('waiting', 'completed', 'failed', 'stopped')
    when 'waiting' then new.status in ('running', 'failed', 'stopped')
    else new.status = 'pending'
  end) then
    raise exception 'a run cannot go from % to %', old.status, new.status;
  end if;
  return new;
end $$;
create trigger runs_moves before update of status on runs
  for each row when (old.status is distinct from new.status) execute function runs_move_by_the_table();

-- Places of a team: how many its runs hold, how many stand in line. Counted anew by the sweep, so that nothing leaks.
create table admission (
  team_id uuid primary key,
  places int not null default 50,
  held int not null default 0,
  in_line int not null default 0,
  -- how many the last statement on this row admitted: what that statement itself reads back
  granted int not null default 0
) with (fillfactor = 50);

create table run_messages (
  run_id uuid not null,
  seq int not null,
  id uuid not null,
  -- the turn of the model that it belongs to; messages of people have the number of the last turn before them
  turn int not null,
  type text not null check (type in ('text', 'thinking', 'tool_call', 'tool_result', 'system')),
  role text not null check (role in ('user', 'assistant', 'tool', 'system')),
  text_content text,
  tool_call jsonb,
  tool_result jsonb,
  -- what the model's driver wants back with this turn; never shown
  opaque jsonb,
  restarts boolean not null default false,
  "timestamp" timestamptz(3) not null,
  primary key (run_id, seq)
);

create table run_steps (
  run_id uuid not null,
  seq int not null,
  turn int not null,
  kind text not null check (kind in ('model', 'tool', 'human', 'wait', 'sub_run')),
  tool text,
  arguments jsonb,
  -- intent: begun, its outcome not known yet. waiting: begun, its outcome comes from elsewhere. approval: a person must allow it first.
  state text not null check (state in ('intent', 'waiting', 'approval', 'done', 'failed', 'cut_off', 'in_doubt')),
  attempt int not null default 1,
  result jsonb,
  error text,
  input_tokens bigint,
  output_tokens bigint,
  cost_usd numeric(20, 10),
  reserved_usd numeric(20, 10) not null default 0,
  started_at timestamptz(3) not null,
  completed_at timestamptz(3),
  primary key (run_id, seq)
) with (fillfactor = 85);

create table human_requests (
  id uuid primary key,
  team_id uuid not null,
  run_id uuid not null,
  step int not null,
  type text not null check (type in ('approval', 'question', 'form', 'login')),
  title text not null,
  description text,
  questions jsonb,
  form_schema jsonb,
  action jsonb,
  status text not null default 'pending' check (status in ('pending', 'responded', 'cancelled', 'expired')),
  response jsonb,
  responded_by uuid,
  responded_at timestamptz(3),
  expires_at timestamptz(3),
  on_timeout text not null default 'fail' check (on_timeout in ('fail', 'approve', 'reject', 'continue')),
  assignee_user_id uuid,
  created_at timestamptz(3) not null default now()
);
-- a call asks once: a second request for the same step is a mistake that the database refuses
create unique index human_requests_one_open on human_requests (run_id, step) where status = 'pending';
create index human_requests_by_run on human_requests (run_id, id);
create index human_requests_by_team on human_requests (team_id, status, id desc);
create index human_requests_by_team_all on human_requests (team_id, id desc);
create index human_requests_by_expiry on human_requests (expires_at) where status = 'pending' and expires_at is not null;
