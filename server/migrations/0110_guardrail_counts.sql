-- owner: engine/. What the guardrails of teams count, hold back and stop, and approvals by two people.
-- Older code: works.

-- What a team with bounds of a day did on one (UTC). `runs` is read and raised only under the lock of the team's admission row; `counted_at`
-- is when it was last counted from the records.
create table guardrail_days (
  team_id uuid not null references teams (id) on delete cascade,
  day date not null,
  runs bigint not null default 0,
  counted_at timestamptz(3),
  -- how many calls were leased to processes, and how many of them by the last statement: what that statement itself reads back
  calls bigint not null default 0,
  granted bigint not null default 0,
  primary key (team_id, day)
) with (fillfactor = 50);

-- The most that a model call under way may cost, for teams that bound the cost of a day.
create table guardrail_holds (
  run_id uuid not null,
  step int not null,
  team_id uuid not null references teams (id) on delete cascade,
  usd numeric(20, 10) not null,
  held_at timestamptz(3) not null,
  primary key (run_id, step)
);
create index guardrail_holds_by_team on guardrail_holds (team_id);

create table guardrail_stops (
  run_id uuid not null,
  step int not null,
  rule text not null,
  team_id uuid not null references teams (id) on delete cascade,
  tool text not null,
  way text not null check (way in ('refused', 'asks', 'waits')),
  version int not null,
  says text not null,
  until timestamptz(3),
  at timestamptz(3) not null default now(),
  primary key (run_id, step, rule)
);
create index guardrail_stops_by_time on guardrail_stops (team_id, at, run_id, step, rule);
create index guardrail_stops_by_rule on guardrail_stops (team_id, rule, at, run_id, step);
-- who waits when the rules change
create index guardrail_stops_waiting on guardrail_stops (team_id, run_id) where way = 'waits';
-- what is old enough to be erased
create index guardrail_stops_by_age on guardrail_stops (at);

-- How many people must approve, and who has: [{"user_id", "at"}]. A release before answers with one person's yes; then the call is asked about again.
alter table human_requests
  add column approvals_needed smallint not null default 1,
  add column approvals jsonb not null default '[]';
