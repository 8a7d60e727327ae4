-- owner: features/guardrails/. Guardrails of teams, version by version, and dry runs of them.
-- Older code: works.

-- A version is never changed; the highest one of a team is live.
create table guardrails (
  team_id uuid not null references teams (id) on delete cascade,
  version int not null,
  rules jsonb not null,
  -- whether a rule bounds starts: processes remember this, so that the starts of other teams cost nothing
  limits_starts boolean not null generated always as (rules ->> 'runs_per_day' is not null or rules ->> 'cost_usd_per_day' is not null) stored,
  comment text,
  -- the version whose rules these are again
  restores int,
  user_id uuid,
  created_at timestamptz(3) not null default now(),
  primary key (team_id, version)
);
create index guardrails_by_time on guardrails (created_at);

create function guardrails_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('guardrails', '');
  return null;
end $$;
create trigger guardrails_changed after insert on guardrails for each statement execute function guardrails_changed();

create table guardrail_dry_runs (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  user_id uuid,
  rules jsonb not null,
  status text not null default 'running' check (status in ('running', 'done', 'failed')),
  since timestamptz(3) not null,
  until timestamptz(3) not null,
  report jsonb,
  created_at timestamptz(3) not null default now(),
  completed_at timestamptz(3)
);
create index guardrail_dry_runs_by_team on guardrail_dry_runs (team_id, created_at);
