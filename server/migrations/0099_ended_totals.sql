-- owner: engine/. Totals of ended runs that words and other fields fit, so that they are counted once: of the runs with some statuses that
-- ended before `ended_before`, which were `runs`. Unlogged: what a crash or a restore takes is counted again.
create unlogged table run_ended_totals (
  team_id uuid not null,
  search text not null,
  total bigint not null,
  runs bigint not null,
  ended_before timestamptz not null,
  counted_at timestamptz(3) not null default now(),
  primary key (team_id, search)
);
