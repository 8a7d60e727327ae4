-- owner: features/schedules/. Due times for which nothing was started, for those who must know.
-- Older code: works.

-- One row for each moment at which a schedule was due and some due time of it started no run.
create table schedule_misses (
  id uuid primary key,
  team_id uuid not null,
  schedule_id uuid not null,
  agent_id uuid not null,
  -- late: found after more than a minute, and not made up for. limit: a limit of the team. paused: the agent is. no_live_build. given_up: the
  -- schedule disabled itself.
  reason text not null check (reason in ('late', 'limit', 'paused', 'no_live_build', 'given_up')),
  missed_at timestamptz(3) not null default now()
);
create index schedule_misses_by_team on schedule_misses (team_id, missed_at);
create index schedule_misses_by_agent on schedule_misses (agent_id, missed_at);
create index schedule_misses_by_schedule on schedule_misses (schedule_id, missed_at);
create index schedule_misses_by_age on schedule_misses (missed_at);
