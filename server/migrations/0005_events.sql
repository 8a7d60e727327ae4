-- owner: kit/. The one log of events: streams, webhooks and reports read it.
create table events (
  id uuid primary key,
  -- no foreign key, as in 0004: events are written many at a time
  team_id uuid not null,
  run_id uuid,
  sequence bigint,
  event text not null,
  data jsonb not null,
  created_at timestamptz(3) not null default now(),
  unique (run_id, sequence)
);
create index events_by_team on events (team_id, id);
