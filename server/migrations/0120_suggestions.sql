-- owner: features/agents/. Suggestions: drafts that the builder makes by itself when a check fails again and again, for a person to decide.
-- Older code: works.

-- An agent without a row gets none.
create table suggestion_settings (
  agent_id uuid primary key references agents (id) on delete cascade,
  team_id uuid not null references teams (id) on delete cascade,
  -- a check must fail in so many of the last runs of the live build
  failures int not null check (failures between 1 and of_runs),
  of_runs int not null check (of_runs <= 100),
  -- how many of the last runs a draft is replayed against, beside those behind it
  replay_runs int not null check (replay_runs between 0 and 100),
  -- null: no limit
  max_replay_cost_usd numeric(20, 10),
  -- the builder sees what this member may use
  updated_by uuid references members (id) on delete set null,
  -- why none is made although a check fails
  held_back text,
  -- when a job last looked for failing checks
  checked_at timestamptz(3) not null default '-infinity',
  updated_at timestamptz(3) not null default now()
);
create index suggestion_settings_by_look on suggestion_settings (checked_at);
create index suggestion_settings_by_team on suggestion_settings (team_id);
create index suggestion_settings_by_member on suggestion_settings (updated_by);

create table suggestions (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  agent_id uuid not null references agents (id) on delete cascade,
  -- the check, as evaluations name it
  flag text not null,
  label text not null,
  failed_runs int not null,
  of_runs int not null,
  -- the live build whose runs failed, and the draft that would take its place
  base_build_id uuid not null references builds (id) on delete cascade,
  draft_build_id uuid not null references builds (id) on delete cascade,
  builder_run_id uuid not null references builder_runs (id) on delete cascade,
  state text not null default 'drafting' check (state in ('drafting', 'replaying', 'open', 'accepted', 'rejected', 'stale', 'failed')),
  -- of the draft when its replay began: what a person decides on
  config_hash text,
  replay_runs int not null,
  max_replay_cost_usd numeric(20, 10),
  replay_id uuid references replays (id) on delete set null,
  -- why there is no replay
  replay_problem text,
  -- why it was rejected, or why it failed
  reason text,
  decided_by uuid references members (id) on delete set null,
  decided_at timestamptz(3),
  -- when a job last tried to bring it forward
  checked_at timestamptz(3) not null default '-infinity',
  -- its builder run and its replay are ended, and its recordings erased
  is_cleared boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create unique index suggestions_one_open on suggestions (agent_id, flag) where state in ('drafting', 'replaying', 'open');
create index suggestions_by_agent on suggestions (agent_id, id desc);
create index suggestions_by_base on suggestions (base_build_id, flag);
create index suggestions_by_draft on suggestions (draft_build_id);
create index suggestions_by_builder_run on suggestions (builder_run_id);
create index suggestions_by_replay on suggestions (replay_id);
create index suggestions_by_team on suggestions (team_id) where state in ('drafting', 'replaying');
create index suggestions_of_team on suggestions (team_id);
create index suggestions_by_member on suggestions (decided_by);
create index suggestions_under_way on suggestions (checked_at) where state in ('drafting', 'replaying');
create index suggestions_to_clear on suggestions (checked_at) where state in ('accepted', 'rejected', 'stale', 'failed') and not is_cleared;

-- The runs behind a suggestion. A run that is deleted is forgotten here too.
create table suggestion_runs (
  suggestion_id uuid not null references suggestions (id) on delete cascade,
  team_id uuid not null references teams (id) on delete cascade,
  run_id uuid not null,
  run_number bigint not null,
  run_title text not null,
  run_ended_at timestamptz(3) not null,
  -- what the check said of it
  comment text,
  primary key (suggestion_id, run_id)
);
create index suggestion_runs_by_run on suggestion_runs (run_id);
create index suggestion_runs_by_team on suggestion_runs (team_id);

-- Whoever promotes, in whichever way: a suggestion speaks of the build that was live, so it ends with it.
create function end_suggestions() returns trigger language plpgsql as $$
begin
  update suggestions set state = case when draft_build_id = new.id then 'accepted' else 'stale' end, decided_at = now(), updated_at = now()
  where agent_id = new.agent_id and state in ('drafting', 'replaying', 'open');
  return null;
end
$$;
create trigger builds_end_suggestions after update of status on builds for each row
  when (new.status = 'live' and old.status is distinct from new.status)
  execute function end_suggestions();
