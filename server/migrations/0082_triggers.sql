-- owner: features/triggers/. Triggers: what starts runs of an agent when something happens outside, and what came in for them.
create table triggers (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  agent_id uuid not null references agents (id) on delete cascade,
  -- who made it: the user of the runs that it starts, also when they have left the team
  user_id uuid not null,
  -- on whose behalf those runs act
  changed_by uuid not null,
  kind text not null check (kind in ('webhook', 'event', 'poll', 'email')),
  name text,
  enabled boolean not null,
  filter text,
  message text,
  dedupe_key text,
  concurrency int,

  -- webhook, email: the secret part of its address, sealed, and its hash, by which what comes in finds it
  token bytea,
  token_hash bytea,
  -- webhook: how a sender proves itself, and the sealed secret of that
  verifier text check (verifier in ('none', 'github', 'stripe', 'slack', 'standard_webhooks', 'secret')),
  secret_header text,
  secret bytea,

  -- event: which one, and of which agent; null: of any
  event text,
  event_agent_id uuid,

  -- poll: what is called, and where in its result the items are
  connection_id uuid,
  tool text,
  arguments jsonb,
  items text,
  every_minutes int,
  start_existing boolean,
  next_poll_at timestamptz(3),
  -- the process that polls now (processes.id) writes with this claim, and has lost it when the time is over
  poll_worker uuid,
  poll_claim uuid,
  poll_until timestamptz(3),
  last_polled_at timestamptz(3),
  -- polls in a row that failed, and why the last one did
  failures int not null default 0,
  last_problem text,

  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  check (enabled or next_poll_at is null)
);
create unique index triggers_by_token on triggers (token_hash) where token_hash is not null;
create index triggers_by_agent on triggers (agent_id, id);
create index triggers_of_events on triggers (team_id, event) where kind = 'event' and enabled;
create index triggers_to_poll on triggers (next_poll_at) where next_poll_at is not null;
create index triggers_by_worker on triggers (poll_worker) where poll_worker is not null;
create index triggers_by_connection on triggers (connection_id) where connection_id is not null;

-- One thing that came in. It waits until the transaction that decides what becomes of it, which also makes its run.
create table trigger_deliveries (
  n bigint generated always as identity,
  id uuid primary key,
  team_id uuid not null,
  -- no reference: whoever writes an event must not wait for somebody who deletes a trigger
  trigger_id uuid not null,
  state text not null default 'waiting' check (state in ('waiting', 'started', 'filtered', 'repeated', 'dropped', 'failed')),
  -- what expressions read; the roots of its kind
  content json not null,
  size_bytes int not null,
  received_at timestamptz(3) not null default now(),
  -- the beginning of its key, for people; whether the key was taken when it was stored
  key text,
  has_key boolean not null default false,
  replay_of uuid,
  -- the run that the event tells of: from there loops are found
  caused_by_run_id uuid,
  run_id uuid,
  -- its run counts for the trigger's concurrency until it has ended
  holds_place boolean not null default false,
  reason text,
  settled_at timestamptz(3)
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);
create index trigger_deliveries_waiting on trigger_deliveries (trigger_id, n) include (team_id) where state = 'waiting';
create index trigger_deliveries_by_trigger on trigger_deliveries (trigger_id, n) include (team_id, state);
create index trigger_deliveries_by_run on trigger_deliveries (run_id) where run_id is not null;
create index trigger_deliveries_in_place on trigger_deliveries (trigger_id) where holds_place;
create index trigger_deliveries_settled on trigger_deliveries (settled_at) where settled_at is not null;

-- Keys that have started a run, or that a poll has seen: the hash of each.
create table trigger_keys (
  trigger_id uuid not null,
  key bytea not null,
  team_id uuid not null,
  seen_at timestamptz(3) not null default now(),
  primary key (trigger_id, key)
);
create index trigger_keys_by_time on trigger_keys (seen_at);

-- What came in counts as stored until it is erased.
create function new_trigger_deliveries_are_stored() returns trigger language plpgsql as $$
begin
  insert into stored_bytes select team_id, sum(size_bytes) from fresh group by team_id;
  return null;
end $$;
create function gone_trigger_deliveries_are_stored() returns trigger language plpgsql as $$
begin
  insert into stored_bytes select team_id, -sum(size_bytes) from gone group by team_id;
  return null;
end $$;
create trigger trigger_deliveries_stored_new after insert on trigger_deliveries referencing new table as fresh
  for each statement execute function new_trigger_deliveries_are_stored();
create trigger trigger_deliveries_stored_gone after delete on trigger_deliveries referencing old table as gone
  for each statement execute function gone_trigger_deliveries_are_stored();

-- Whoever writes events, what they mean for triggers is written with them: neither is ever without the other. Runs of artifacts that only
-- one member may read stay out of it, as with webhooks.
create function events_reach_triggers() returns trigger language plpgsql as $$
begin
  if not exists (select from fresh e join triggers t on t.team_id = e.team_id and t.event = e.event where t.kind = 'event' and t.enabled) then
    return null;
  end if;
  insert into trigger_deliveries (id, team_id, trigger_id, content, size_bytes, caused_by_run_id)
  select new_id(), e.team_id, t.id, e.content, octet_length(e.content::text),
    coalesce(e.run_id, (e.data ->> 'run_id')::uuid,
      (select k.created_by_run_id from cases k where k.id = (e.data ->> 'case_id')::uuid and k.team_id = e.team_id))
  from (
    select f.*, json_build_object('event', json_build_object('id', f.id, 'event', f.event,
      'created_at', to_char(f.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'data', f.data)) as content
    from fresh f
  ) e join triggers t on t.team_id = e.team_id and t.event = e.event
  where t.kind = 'event' and t.enabled
    and (t.event_agent_id is null or t.event_agent_id::text = e.data ->> 'agent_id')
    and not exists (
      select from runs r where r.id = e.run_id and r.source = 'artifact' and artifact_reader(r.agent_id) is not null)
  order by e.run_id, e.sequence;
  return null;
end $$;
create trigger events_reach_triggers after insert on events
  referencing new table as fresh for each statement execute function events_reach_triggers();
