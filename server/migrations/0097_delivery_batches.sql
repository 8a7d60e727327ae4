-- owner: features/webhooks/. What one change tells one target is one row (decision 0057).
-- Deliveries from before stay rows of their own, and so does each one that needs more than a first attempt.

-- The events of one row of event_batches on their way to one target.
create table delivery_batches (
  batch_id uuid not null,
  target_id uuid not null,
  -- one order with deliveries
  n bigint not null default nextval('deliveries_n_seq'),
  team_id uuid not null,
  run_id uuid,
  created_at timestamptz(3) not null,
  -- of the events, a letter for each
  kinds text not null,
  -- a bit for each event: not tried yet, or delivered at the first attempt. One with neither is not for this target, or a row of deliveries.
  waiting bit varying not null,
  delivered bit varying not null,
  has_waiting boolean not null generated always as (bit_count(waiting) > 0) stored,
  -- of those that were delivered, the writes one after the other, joined by commas: [milliseconds, [attempt, …]], an attempt being
  -- [place, milliseconds when it began, status, latency_ms, [dns_ms, connect_ms, tls_ms, wait_ms, answer_ms], answer]
  log text not null default '',
  primary key (batch_id, target_id)
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05);
create index delivery_batches_waiting on delivery_batches (target_id, n) where has_waiting;
create index delivery_batches_by_team on delivery_batches (team_id, n);

-- The next batches of a target, without some. By the index and in its order, however few a plan expects: a backlog is not read whole.
create function next_batches(target uuid, known bigint[], max int) returns table (n bigint, batch_id uuid, waiting bit varying)
  language plpgsql stable set enable_bitmapscan = off set enable_sort = off as $$
begin
  return query
    select b.n, b.batch_id, b.waiting from delivery_batches b where b.target_id = target and b.has_waiting and b.n <> all (known)
    order by b.n limit max;
end $$;

-- Which of the events a target wants, a bit for each.
create function wanted_events(kinds text, events text[], withheld text[]) returns bit varying language sql immutable parallel safe as $$
  select string_agg(case when events && array['*', event_name(k)] and event_name(k) <> all (withheld) then '1' else '0' end, '' order by p)
    ::bit varying
  from string_to_table(kinds, null) with ordinality as x (k, p)
$$;

-- An attempt as deliveries have it in their log.
create function delivery_attempt(stored json) returns jsonb language sql stable parallel safe as $$
  select jsonb_build_object('at', to_char(to_timestamp((stored ->> 1)::bigint / 1000.0) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'ok', true, 'status', (stored ->> 2)::int, 'stage', null, 'error', null, 'latency_ms', (stored ->> 3)::int,
    'timing', jsonb_build_object('dns_ms', (stored -> 4 ->> 0)::int, 'connect_ms', (stored -> 4 ->> 1)::int,
      'tls_ms', (stored -> 4 ->> 2)::int, 'wait_ms', (stored -> 4 ->> 3)::int, 'answer_ms', (stored -> 4 ->> 4)::int),
    'answer', stored ->> 5)
$$;

-- The deliveries that are in batches, as rows of deliveries. They are found by batch_id, by target and n, and by team and n.
create view delivery_places as
  select b.batch_id, p.place, b.n, delivery_id(p.event_id, b.target_id) as id, b.team_id, b.target_id, b.run_id, p.event_id, p.event,
    null::json as data, b.created_at, case when p.is_delivered then 'delivered' else 'new' end as state, null::timestamptz(3) as due_at,
    p.is_delivered::int as attempts, case when a.stored is null then '[]'::jsonb else jsonb_build_array(delivery_attempt(a.stored)) end as log,
    null::text as reason, case when p.is_delivered then to_timestamp(a.written_ms / 1000.0)::timestamptz(3) end as settled_at
  from delivery_batches b
  cross join lateral (
    select place, event_id(b.batch_id, place) as event_id, event_name(substr(b.kinds, place + 1, 1)) as event,
      get_bit(b.delivered, place) = 1 as is_delivered
    from generate_series(0, length(b.kinds) - 1) place where get_bit(b.waiting | b.delivered, place) = 1
  ) p
  -- of two attempts that were made, the first one written counts
  left join lateral (
    select (w.written ->> 0)::bigint as written_ms, x.stored
    from json_array_elements(concat('[', b.log, ']')::json) with ordinality as w (written, turn)
    cross join lateral json_array_elements(w.written -> 1) as x (stored)
    where p.is_delivered and (x.stored ->> 0)::int = p.place order by w.turn limit 1
  ) a on true;

-- Every delivery, wherever it is.
create view every_delivery as
  select n, id, team_id, target_id, run_id, event_id, event, data, created_at, state, due_at, attempts, log, reason, settled_at
  from deliveries
  union all
  select n, id, team_id, target_id, run_id, event_id, event, data, created_at, state, due_at, attempts, log, reason, settled_at
  from delivery_places;

-- Makes some deliveries of a batch rows of their own, as they are: then anything can become of them.
create function set_apart(batch uuid, target uuid, places bit varying) returns void language plpgsql as $$
begin
  perform from delivery_batches where batch_id = batch and target_id = target for update;
  insert into deliveries (n, id, team_id, target_id, run_id, event_id, event, created_at, state, attempts, log, settled_at)
    overriding system value
  select p.n, p.id, p.team_id, p.target_id, p.run_id, p.event_id, p.event, p.created_at, p.state, p.attempts, p.log, p.settled_at
  from delivery_places p where p.batch_id = batch and p.target_id = target and get_bit(places, p.place) = 1
  on conflict do nothing;
  update delivery_batches set waiting = waiting & ~places, delivered = delivered & ~places where batch_id = batch and target_id = target;
end $$;

-- As before: whoever writes events, their deliveries are written with them.
create or replace function events_are_delivered() returns trigger language plpgsql as $$
begin
  if exists (
    select from fresh b join delivery_targets t on t.team_id = b.team_id
    where t.kind = 'subscription' and t.deleted_at is null and (t.active or t.disabled_at is not null)
  ) then
    insert into delivery_batches (batch_id, target_id, team_id, run_id, created_at, kinds, waiting, delivered)
    select b.id, t.id, b.team_id, b.run_id, b.created_at, b.kinds, w.wanted, w.wanted # w.wanted
    from fresh b join delivery_targets t on t.team_id = b.team_id
    cross join lateral (
      select case when '*' = any (t.events) and t.withheld = '{}' then repeat('1', length(b.kinds))::bit varying
        else wanted_events(b.kinds, t.events, t.withheld) end as wanted) w
    where t.kind = 'subscription' and t.deleted_at is null and t.active and bit_count(w.wanted) > 0
      and not exists (
        select from runs r where r.id = b.run_id and r.source = 'artifact' and artifact_reader(r.agent_id) is not null)
    order by b.run_id, b.last;
    insert into deliveries (id, team_id, target_id, run_id, event_id, event, created_at, state, reason, settled_at)
    select delivery_id(e.id, t.id), b.team_id, t.id, b.run_id, e.id, e.event, b.created_at,
      'dead', 'The subscription was disabled when this happened.', now()
    from fresh b join delivery_targets t on t.team_id = b.team_id cross join lateral event_places(b.id, b.last, b.kinds) e
    where t.kind = 'subscription' and t.deleted_at is null and not t.active and t.disabled_at is not null
      and t.events && array['*', e.event] and e.event <> all (t.withheld)
      and not exists (
        select from runs r where r.id = b.run_id and r.source = 'artifact' and artifact_reader(r.agent_id) is not null)
    order by b.run_id, e.sequence;
  end if;
  if exists (select from fresh b join runs r on r.id = b.run_id where r.callback_url is not null) then
    insert into delivery_targets (id, team_id, kind, url)
    select gen_random_uuid(), r.team_id, 'callback', r.callback_url
    from fresh b join runs r on r.id = b.run_id where r.callback_url is not null group by r.team_id, r.callback_url
    on conflict (team_id, md5(url)) where kind = 'callback' do nothing;
    insert into delivery_batches (batch_id, target_id, team_id, run_id, created_at, kinds, waiting, delivered)
    select b.id, t.id, b.team_id, b.run_id, b.created_at, b.kinds, w.wanted, w.wanted # w.wanted
    from fresh b join runs r on r.id = b.run_id
    join delivery_targets t on t.team_id = r.team_id and t.kind = 'callback' and md5(t.url) = md5(r.callback_url)
    cross join lateral (
      select string_agg(is_called_back(event_name(k))::int::text, '' order by p)::bit varying as wanted
      from string_to_table(b.kinds, null) with ordinality as x (k, p)) w
    where r.callback_url is not null and bit_count(w.wanted) > 0
      and not exists (select from ended_callbacks x where x.run_id = r.id)
    order by b.run_id, b.last;
  end if;
  return null;
end $$;

-- As before: an event that is erased takes its deliveries with it.
create or replace function events_are_forgotten() returns trigger language plpgsql as $$
begin
  delete from delivery_batches d using gone b where d.batch_id = b.id;
  delete from deliveries d using gone b cross join lateral event_places(b.id, b.last, b.kinds) e
    join delivery_targets t on t.team_id = b.team_id
  where d.id = delivery_id(e.id, t.id);
  return null;
end $$;
