-- owner: engine/. Entitlements: limits that the operator sets for a team, and what it has used of those that are counted by the month.

-- No row: no limit. max_concurrent_runs is not among them, for it is admission.places.
create table entitlements (
  team_id uuid not null references teams (id) on delete cascade,
  key text not null check (key in ('monthly_runs', 'monthly_cost_usd', 'storage_bytes', 'agents')),
  value numeric(30, 10) not null check (value >= 0),
  -- processes hear of a limit some seconds late: what they did meanwhile is counted from the records, until this is long past
  set_at timestamptz(3) not null default now(),
  primary key (team_id, key)
);

-- Runs that a team with such a limit started, month by month (UTC). Read and raised only under the lock of the team's admission row.
create table monthly_runs (
  team_id uuid not null references teams (id) on delete cascade,
  month date not null,
  used bigint not null,
  -- when `used` was last counted from the records instead of being raised
  counted_at timestamptz(3) not null,
  primary key (team_id, month)
) with (fillfactor = 50);

create function entitlements_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('entitlements', '');
  return null;
end $$;
create trigger entitlements_changed after insert or update or delete on entitlements
  for each statement execute function entitlements_changed();
