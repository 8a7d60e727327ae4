-- owner: features/alerts/. Rules over what a team's agents do, and the incidents that they open.
-- Older code: works.

create table alert_rules (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  name text not null,
  signal text not null check (signal in ('failure_rate', 'waiting_age', 'cost', 'queue_age', 'delivery_failures', 'schedule_misses')),
  -- what of the team is measured: all of it, or one record. No reference: the record may go, and then the rule says so.
  scope text not null check (scope in ('team', 'agent', 'queue', 'webhook', 'schedule')),
  scope_id uuid,
  threshold float8 not null,
  -- an incident closes only below this
  clear_threshold float8 not null,
  -- null: the signal has none
  window_minutes int,
  min_runs int,
  -- how long it must be over before it opens, and below before it closes
  for_minutes int not null,
  clear_minutes int not null,
  remind_hours int,
  -- the members to tell; null: all who want to know of alerts
  tells uuid[],
  pause_agent boolean not null,
  enabled boolean not null,
  created_by uuid not null,
  -- ok → pending → open → closing → ok; it may turn back from pending and closing
  state text not null default 'ok' check (state in ('ok', 'pending', 'open', 'closing')),
  state_since timestamptz(3) not null default now(),
  -- null: there was nothing to measure
  measured_value float8,
  measured_at timestamptz(3),
  -- why it could not be measured
  problem text,
  -- when it is measured next; null: never
  next_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  check ((scope = 'team') = (scope_id is null)),
  check (clear_threshold <= threshold),
  check (enabled = (next_at is not null)),
  check (enabled or state = 'ok')
) with (fillfactor = 80);
create unique index alert_rules_by_name on alert_rules (team_id, name);
create index alert_rules_by_team on alert_rules (team_id, id);
create index alert_rules_due on alert_rules (next_at) where next_at is not null;

-- What a rule found, from when it opened until it closed. It outlives its rule, so it has what is needed to read it.
create table alert_incidents (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  rule_id uuid not null,
  rule_name text not null,
  signal text not null,
  scope text not null,
  scope_id uuid,
  scope_name text,
  threshold float8 not null,
  tells uuid[],
  opened_at timestamptz(3) not null default now(),
  last_value float8,
  peak_value float8 not null,
  peak_at timestamptz(3) not null default now(),
  -- the runs, cases, requests, deliveries and schedules behind it: ids with a reason, a few
  behind jsonb not null default '[]',
  -- the agent that it paused
  paused_agent_id uuid,
  acknowledged_at timestamptz(3),
  acknowledged_by uuid,
  note text,
  closed_at timestamptz(3),
  closed_because text check (closed_because in ('recovered', 'rule_disabled', 'rule_deleted', 'scope_gone')),
  check ((closed_at is null) = (closed_because is null)),
  check ((acknowledged_at is null) = (acknowledged_by is null))
) with (fillfactor = 80);
create unique index alert_incidents_one_open on alert_incidents (rule_id) where closed_at is null;
create index alert_incidents_by_team on alert_incidents (team_id, id);
create index alert_incidents_open on alert_incidents (team_id, id) where closed_at is null;
create index alert_incidents_by_rule on alert_incidents (rule_id, id);
create index alert_incidents_by_age on alert_incidents (closed_at) where closed_at is not null;

-- What was said about an incident, each thing once; written with what it tells.
create table alert_tellings (
  id uuid primary key,
  team_id uuid not null,
  incident_id uuid not null references alert_incidents (id) on delete cascade,
  what text not null check (what in ('opened', 'reminder', 'closed')),
  told_at timestamptz(3) not null default now()
);
create unique index alert_tellings_once on alert_tellings (incident_id, what) where what <> 'reminder';
create index alert_tellings_by_incident on alert_tellings (incident_id, told_at);
