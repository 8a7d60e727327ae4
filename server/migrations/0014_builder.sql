-- owner: features/agents/. Builder runs: how a draft's procedure is written by a model or by rule, proposed, and taken or left.
create table builder_runs (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  agent_id uuid not null references agents (id) on delete cascade,
  build_id uuid not null references builds (id) on delete cascade,
  status text not null check (status in ('pending', 'running', 'waiting', 'review', 'completed', 'discarded', 'failed')),
  -- who writes: `provider:model`, or `builtin:runbook` for the builder that needs none
  model text not null,
  -- empty: improve what is there
  prompt text not null,
  -- the run to learn from, and what is known of it: read once, and kept no longer than it is needed
  run_id uuid,
  lesson jsonb,
  -- the draft's config as it was, and as it would be
  checkpoint_config jsonb not null,
  proposed_config jsonb,
  diff text,
  -- what it asks now; and what was answered so far, by the text of the question
  pending_user_questions jsonb,
  answers jsonb not null default '{}',
  error jsonb,
  progress jsonb not null default '[]',
  -- the talk with the model so far: each turn is written here before the next one is asked
  messages jsonb not null default '[]',
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cost_usd numeric(20, 10) not null default 0,
  -- raised by every claim, and by whoever ends it: a write that carries an older one finds no row
  epoch int not null default 0,
  -- since it last came forward: how often it was claimed, and how often its provider failed
  attempt int not null default 0,
  troubles int not null default 0,
  -- not to be claimed before: its provider wants to be left alone
  due_at timestamptz(3),
  created_by uuid,
  created_at timestamptz(3) not null default now(),
  started_at timestamptz(3),
  completed_at timestamptz(3),
  updated_at timestamptz(3) not null default now()
);
-- one a build at a time, whoever asks and however many at once
create unique index builder_runs_one_active on builder_runs (build_id) where status in ('pending', 'running', 'waiting', 'review');
create index builder_runs_by_build on builder_runs (build_id, created_at desc, id desc);
create index builder_runs_of_agent on builder_runs (agent_id) where status in ('pending', 'running', 'waiting', 'review');
create index builder_runs_under_way on builder_runs (updated_at) where status in ('pending', 'running');
create index builder_runs_with_lesson on builder_runs (run_id) where lesson is not null;
