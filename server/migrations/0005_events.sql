-- owner: kit/. The one log of events: streams, webhooks and reports read it.
create table events (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  run_id uuid,
  sequence bigint,
  event text not null,
  data jsonb not null,
  created_at timestamptz(3) not null default now(),
  unique (run_id, sequence)
);
create index events_by_team on events (team_id, id);
