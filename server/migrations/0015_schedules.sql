-- owner: features/schedules/. Schedules: the times at which agents start runs by themselves.
create table schedules (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  agent_id uuid not null references agents (id) on delete cascade,
  -- who made it: the user of the runs that it starts, also when they have left the team
  user_id uuid not null,
  enabled boolean not null,
  frequency text not null check (frequency in
    ('every_5_minutes', 'every_15_minutes', 'hourly', 'daily', 'workday', 'weekly', 'monthly', 'custom')),
  time text,
  day text,
  day_of_month smallint,
  cron text,
  timezone text not null,
  message text,
  recurring boolean not null,
  overlap text not null check (overlap in ('skip', 'queue', 'allow')),
  catch_up text not null check (catch_up in ('none', 'last', 'all')),
  -- moved on in the transaction that starts the run of this time: so each due time is fired once, whoever fires it
  next_run_at timestamptz(3),
  -- due times that wait for the end of the run before them, oldest first
  held timestamptz(3)[] not null default '{}',
  held_since timestamptz(3) generated always as (held[1]) stored,
  last_run_at timestamptz(3),
  last_run_id uuid,
  -- due times in a row that came to nothing for a reason that only a person can mend
  failures int not null default 0,
  -- the last run whose end is in that number
  judged_run_id uuid,
  auto_disabled_at timestamptz(3),
  auto_disabled_reason text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  check (enabled or next_run_at is null)
);
create index schedules_by_agent on schedules (agent_id, id);
create index schedules_due on schedules (next_run_at) where next_run_at is not null;
create index schedules_held on schedules (held_since) where held_since is not null;
