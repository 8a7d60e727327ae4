-- owner: features/replays/. Recorded runs of an agent, replays of builds against them, and the gate that asks for one before a promotion.
-- Older code: works.

-- Models that answer in a replay are used for a purpose of its own. What is there fits the old constraints, and so the new ones.
alter table usage_entries drop constraint usage_entries_purpose_check,
  add constraint usage_entries_purpose_check check (purpose in ('run', 'builder', 'judge', 'replay')) not valid;
alter table usage_entries validate constraint usage_entries_purpose_check;

create table replay_sets (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  agent_id uuid not null references agents (id) on delete cascade,
  name text not null,
  -- raised with every recording that is added: a replay from before does not know those
  version int not null default 0,
  recordings int not null default 0,
  size_bytes bigint not null default 0,
  created_by uuid references members (id) on delete set null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create unique index replay_sets_by_agent on replay_sets (agent_id, name);
create index replay_sets_by_team on replay_sets (team_id);
create index replay_sets_by_member on replay_sets (created_by);

create table replay_recordings (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  set_id uuid not null references replay_sets (id) on delete cascade,
  -- no reference: removed with its run, as evaluations are
  run_id uuid not null,
  run_number bigint not null,
  run_title text not null,
  run_status text not null,
  run_ended_at timestamptz(3) not null,
  calls int not null,
  -- a copy of what a replay needs: it outlives the log of its run
  content jsonb not null,
  size_bytes int not null,
  created_at timestamptz(3) not null default now()
);
create unique index replay_recordings_by_set on replay_recordings (set_id, run_id);
create index replay_recordings_by_number on replay_recordings (set_id, run_number);
create index replay_recordings_by_run on replay_recordings (run_id);
create index replay_recordings_by_team on replay_recordings (team_id);

-- The counts of a set follow its recordings, however those come and go.
create function replay_sets_are_counted() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    update replay_sets s set recordings = s.recordings + n.added, size_bytes = s.size_bytes + n.bytes, version = s.version + 1, updated_at = now()
    from (select set_id, count(*) as added, sum(size_bytes) as bytes from changed group by set_id) n where s.id = n.set_id;
  else
    update replay_sets s set recordings = s.recordings - n.gone, size_bytes = s.size_bytes - n.bytes, updated_at = now()
    from (select set_id, count(*) as gone, sum(size_bytes) as bytes from changed group by set_id) n where s.id = n.set_id;
  end if;
  return null;
end $$;
create trigger replay_sets_count_added after insert on replay_recordings
  referencing new table as changed for each statement execute function replay_sets_are_counted();
create trigger replay_sets_count_gone after delete on replay_recordings
  referencing old table as changed for each statement execute function replay_sets_are_counted();

create table replays (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  agent_id uuid not null references agents (id) on delete cascade,
  set_id uuid not null references replay_sets (id) on delete cascade,
  set_version int not null,
  build_id uuid not null references builds (id) on delete cascade,
  -- as it was at the start: a draft may change while it is replayed
  config jsonb not null,
  config_hash text not null,
  state text not null default 'running' check (state in ('running', 'completed', 'cancelled')),
  -- null: no limit
  max_cost_usd numeric(20, 10),
  cost_usd numeric(20, 10) not null default 0,
  -- what calls may have cost whose answers nobody has
  unsettled_usd numeric(20, 10) not null default 0,
  unsettled_calls int not null default 0,
  -- what calls under way may cost
  reserved_usd numeric(20, 10) not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  runs int not null,
  runs_same int not null default 0,
  runs_changed int not null default 0,
  runs_not_replayed int not null default 0,
  match_sum numeric not null default 0,
  recorded_cost_usd numeric(20, 10) not null default 0,
  recorded_model_ms bigint not null default 0,
  model_ms bigint not null default 0,
  -- of the runs that both have a score
  scored int not null default 0,
  recorded_score_sum numeric not null default 0,
  score_sum numeric not null default 0,
  started_by uuid references members (id) on delete set null,
  created_at timestamptz(3) not null default now(),
  completed_at timestamptz(3)
);
create index replays_by_agent on replays (agent_id, id desc);
create index replays_by_build on replays (build_id, id desc);
create index replays_by_set on replays (set_id);
create index replays_by_team on replays (team_id);
create index replays_by_member on replays (started_by);

create table replay_runs (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  replay_id uuid not null references replays (id) on delete cascade,
  -- null: the recording was erased
  recording_id uuid references replay_recordings (id) on delete set null,
  run_id uuid not null,
  run_number bigint not null,
  run_title text not null,
  state text not null default 'pending' check (state in ('pending', 'done')),
  -- who works on it, and until when; without a claim: when it is due
  claim uuid,
  worker uuid,
  due_at timestamptz(3) not null default now(),
  attempts int not null default 0,
  deaths int not null default 0,
  -- how often in a row no model answered
  troubles int not null default 0,
  reserved_usd numeric(20, 10) not null default 0,
  reserved_model text,
  unsettled_calls int not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cost_usd numeric(20, 10) not null default 0,
  model_ms bigint not null default 0,
  verdict text check (verdict in ('same', 'changed', 'not_replayed')),
  match numeric,
  -- why it was not replayed
  reason text,
  findings int not null default 0,
  -- null: not replayed yet, or erased with its run
  report jsonb,
  completed_at timestamptz(3)
);
create index replay_runs_by_replay on replay_runs (replay_id, run_number);
create index replay_runs_due on replay_runs (due_at) where state = 'pending';
create index replay_runs_due_by_team on replay_runs (team_id, due_at) where state = 'pending';
create index replay_runs_by_worker on replay_runs (worker) where worker is not null;
create index replay_runs_by_run on replay_runs (run_id);
create index replay_runs_by_recording on replay_runs (recording_id);
create index replay_runs_by_team on replay_runs (team_id);

-- What models answered in a replay: paid for once, whoever continues.
create table replay_turns (
  replay_run_id uuid not null references replay_runs (id) on delete cascade,
  seq int not null,
  model text not null,
  turn jsonb not null,
  primary key (replay_run_id, seq)
);

create table replay_gates (
  agent_id uuid primary key references agents (id) on delete cascade,
  team_id uuid not null references teams (id) on delete cascade,
  set_id uuid not null references replay_sets (id) on delete cascade,
  min_match numeric not null check (min_match between 0 and 1),
  max_cost_usd numeric(20, 10),
  updated_by uuid references members (id) on delete set null,
  updated_at timestamptz(3) not null default now()
);
create index replay_gates_by_set on replay_gates (set_id);
create index replay_gates_by_team on replay_gates (team_id);
create index replay_gates_by_member on replay_gates (updated_by);

-- Promotions in spite of the gate.
create table replay_gate_bypasses (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  agent_id uuid not null references agents (id) on delete cascade,
  build_id uuid not null references builds (id) on delete cascade,
  reason text not null,
  replay_id uuid,
  match numeric,
  min_match numeric not null,
  forced_by uuid references members (id) on delete set null,
  created_at timestamptz(3) not null default now()
);
create index replay_gate_bypasses_by_agent on replay_gate_bypasses (agent_id, id desc);
create index replay_gate_bypasses_by_build on replay_gate_bypasses (build_id);
create index replay_gate_bypasses_by_team on replay_gate_bypasses (team_id);
create index replay_gate_bypasses_by_member on replay_gate_bypasses (forced_by);
