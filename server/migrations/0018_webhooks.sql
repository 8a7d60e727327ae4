-- owner: features/webhooks/. Delivery targets, what is delivered to them, and the secrets that sign it.

-- Whom events are delivered to: a subscription of a team, or an address that runs of a team call back.
create table delivery_targets (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  kind text not null check (kind in ('subscription', 'callback')),
  url text not null,
  -- names of events, or `*`; empty for a callback, whose events are fixed
  events text[] not null default '{}',
  active boolean not null default true,
  description text,
  created_at timestamptz(3) not null default now(),
  disabled_at timestamptz(3),
  disabled_reason text,
  deleted_at timestamptz(3),

  -- the process that delivers to it now (processes.id); it alone writes what follows
  worker uuid,
  -- when the first retry or replay is due
  retry_at timestamptz(3),
  -- in a row; and since when, and until when nothing is tried after too many
  failures int not null default 0,
  failing_since timestamptz(3),
  paused_until timestamptz(3)
);
create index delivery_targets_by_team on delivery_targets (team_id, id) where kind = 'subscription' and deleted_at is null;
create unique index delivery_targets_callback on delivery_targets (team_id, md5(url)) where kind = 'callback';
create index delivery_targets_by_retry on delivery_targets (retry_at) where retry_at is not null;
create index delivery_targets_by_worker on delivery_targets (worker) where worker is not null;

-- Runs whose receiver said that it is gone: nothing more is sent for them.
create table ended_callbacks (
  run_id uuid primary key
);

-- One event to one target. Written with the event itself; the body is the event's, so it is not kept twice.
create table deliveries (
  -- first attempts of one run go in this order: events of a run are written one commit after another
  n bigint generated always as identity,
  id uuid primary key,
  team_id uuid not null,
  target_id uuid not null,
  run_id uuid,
  event_id uuid not null,
  event text not null,
  -- of a test, which tells of no event: what it sends
  data json,
  -- of the event: part of the body, which is the same whenever it is sent
  created_at timestamptz(3) not null,
  -- new: not tried yet. retrying: tried, and due again. replaying: asked for again. dead: given up, and kept.
  state text not null default 'new' check (state in ('new', 'retrying', 'replaying', 'delivered', 'dead')),
  due_at timestamptz(3),
  -- of this round: a replay begins another one
  attempts int not null default 0,
  -- every attempt of every round
  log jsonb not null default '[]',
  reason text,
  settled_at timestamptz(3)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
create index deliveries_new on deliveries (target_id, n) where state = 'new';
create index deliveries_retrying on deliveries (target_id, due_at) where state = 'retrying';
create index deliveries_replaying on deliveries (target_id, n) where state = 'replaying';
create index deliveries_dead on deliveries (settled_at) where state = 'dead';
create index deliveries_tests on deliveries (settled_at) where data is not null;
-- Every delivery enters the table once and is changed once: each index here costs it two entries, the partial ones above none or one.
-- With all that lists filter by, so that what fits is found in the index alone.
create index deliveries_by_team on deliveries (team_id, n) include (target_id, event, state);
create index deliveries_by_state on deliveries (team_id, state, n) include (target_id, event)
  where state in ('retrying', 'replaying', 'dead');

-- The first half of the event's id, which is its time, and a hash of both ids: the same event to the same target is the same delivery,
-- whoever makes it, and can be made only once.
create function delivery_id(event uuid, target uuid) returns uuid language sql immutable parallel safe as $$
  select (overlay(overlay(overlay(md5(event::text || target::text)
    placing left(replace(event::text, '-', ''), 12) from 1 for 12)
    placing '8' from 13 for 1) placing 'a' from 17 for 1))::uuid
$$;

-- What a run's callback gets.
create function is_called_back(event text) returns boolean language sql immutable parallel safe as $$
  select event in ('run.started', 'run.paused', 'run.completed', 'run.failed', 'human_request.created', 'human_request.responded')
$$;

-- Whoever writes events, their deliveries are written with them. One look for the whole statement; a team without targets costs it little.
create function events_are_delivered() returns trigger language plpgsql as $$
begin
  insert into deliveries (id, team_id, target_id, run_id, event_id, event, created_at, state, reason, settled_at)
  select delivery_id(e.id, t.id), e.team_id, t.id, e.run_id, e.id, e.event, e.created_at,
    case when t.active then 'new' else 'dead' end,
    case when not t.active then 'The subscription was disabled when this happened.' end,
    case when not t.active then now() end
  from fresh e join delivery_targets t on t.team_id = e.team_id
  where t.kind = 'subscription' and t.deleted_at is null and (t.active or t.disabled_at is not null)
    and t.events && array['*', e.event]
  order by e.run_id, e.sequence;
  if exists (
    select from fresh e join runs r on r.id = e.run_id
    where is_called_back(e.event)
      and r.callback_url is not null
  ) then
    insert into delivery_targets (id, team_id, kind, url)
    select gen_random_uuid(), r.team_id, 'callback', r.callback_url
    from fresh e join runs r on r.id = e.run_id where r.callback_url is not null group by r.team_id, r.callback_url
    on conflict (team_id, md5(url)) where kind = 'callback' do nothing;
    insert into deliveries (id, team_id, target_id, run_id, event_id, event, created_at)
    select delivery_id(e.id, t.id), e.team_id, t.id, e.run_id, e.id, e.event, e.created_at
    from fresh e join runs r on r.id = e.run_id
    join delivery_targets t on t.team_id = r.team_id and t.kind = 'callback' and md5(t.url) = md5(r.callback_url)
    where is_called_back(e.event)
      and r.callback_url is not null and not exists (select from ended_callbacks x where x.run_id = r.id)
    order by e.run_id, e.sequence;
  end if;
  return null;
end $$;
create trigger events_are_delivered after insert on events
  referencing new table as fresh for each statement execute function events_are_delivered();

-- An event that is erased takes its deliveries with it: they have no body any more.
create function events_are_forgotten() returns trigger language plpgsql as $$
begin
  delete from deliveries d using gone join delivery_targets t on t.team_id = gone.team_id where d.id = delivery_id(gone.id, t.id);
  return null;
end $$;
create trigger events_are_forgotten after delete on events
  referencing old table as gone for each statement execute function events_are_forgotten();

-- One secret a team; for a while after a rotation also the one before.
create table webhook_secrets (
  team_id uuid primary key references teams (id) on delete cascade,
  secret bytea not null,
  created_at timestamptz(3) not null default now(),
  previous bytea,
  previous_expires_at timestamptz(3)
);
