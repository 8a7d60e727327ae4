-- owner: kit/. Events are read from the rows of event_batches; the table that had one row for each is gone.
drop table events;
drop function events_are_copied();

create function event_id(batch uuid, place int) returns uuid language sql immutable parallel safe as $$
  select case when place = 0 then batch else (left(batch::text, 32) || lpad(to_hex(place), 4, '0'))::uuid end
$$;

-- The batch of an event, if the event is not the first of it.
create function event_batch_id(event uuid) returns uuid language sql immutable parallel safe as $$
  select (left(event::text, 32) || '0000')::uuid
$$;

-- The events of a batch, without their data. `last` is its last sequence.
create function event_places(batch uuid, last bigint, kinds text) returns table (place int, id uuid, sequence bigint, event text)
  language sql immutable parallel safe rows 5 as $$
  select p, event_id(batch, p), last - length(kinds) + 1 + p, event_name(substr(kinds, p + 1, 1))
  from generate_series(0, length(kinds) - 1) p
$$;

-- The events of a batch with their data, which is read once for all of them.
create function event_rows(batch uuid, last bigint, kinds text, entries json)
  returns table (place int, id uuid, sequence bigint, event text, data json) language sql immutable parallel safe rows 5 as $$
  select n::int - 1, event_id(batch, n::int - 1), last - length(kinds) + n, event_name(substr(kinds, n::int, 1)), entry
  from json_array_elements(entries) with ordinality as a (entry, n)
$$;

-- The data of an event as everybody gets it, always the same. Of an event without an agent it is stored as it is.
create function event_text(id uuid, team_id uuid, run_id uuid, agent_id uuid, case_id uuid, sequence bigint, data json) returns text
  language sql immutable parallel safe as $$
  select case when agent_id is null then data::text else concat('{"event_id":"', id, '","team_id":"', team_id, '","run_id":"', run_id,
    '","agent_id":"', agent_id, '",', '"case_id":"' || case_id || '",', '"sequence":', sequence, ',', substr(data::text, 2)) end
$$;

-- One row for each event, for people and for processes of the version before. Nothing here finds an event by its id: it is computed.
create view events as
  select e.id, b.team_id, b.run_id, e.sequence, e.event,
    event_text(e.id, b.team_id, b.run_id, b.agent_id, b.case_id, e.sequence, e.data)::json as data, b.created_at, b.xid
  from event_batches b cross join lateral event_rows(b.id, b.last, b.kinds, b.entries) e;
create function events_become_batches() returns trigger language plpgsql as $$
begin
  insert into event_batches (id, team_id, run_id, last, xid, created_at, kinds, entries)
  values (new.id, new.team_id, new.run_id, new.sequence, coalesce(new.xid, event_xid()), coalesce(new.created_at, now()),
    event_kind(new.event), concat('[', new.data, ']')::json);
  return new;
end $$;
create trigger events_become_batches instead of insert on events for each row execute function events_become_batches();

-- As before: whoever writes events, their deliveries are written with them. Without targets nothing is looked at but the batch itself.
create or replace function events_are_delivered() returns trigger language plpgsql as $$
begin
  if exists (
    select from fresh b join delivery_targets t on t.team_id = b.team_id
    where t.kind = 'subscription' and t.deleted_at is null and (t.active or t.disabled_at is not null)
  ) then
    insert into deliveries (id, team_id, target_id, run_id, event_id, event, created_at, state, reason, settled_at)
    select delivery_id(e.id, t.id), b.team_id, t.id, b.run_id, e.id, e.event, b.created_at,
      case when t.active then 'new' else 'dead' end,
      case when not t.active then 'The subscription was disabled when this happened.' end,
      case when not t.active then now() end
    from fresh b cross join lateral event_places(b.id, b.last, b.kinds) e join delivery_targets t on t.team_id = b.team_id
    where t.kind = 'subscription' and t.deleted_at is null and (t.active or t.disabled_at is not null)
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
    insert into deliveries (id, team_id, target_id, run_id, event_id, event, created_at)
    select delivery_id(e.id, t.id), b.team_id, t.id, b.run_id, e.id, e.event, b.created_at
    from fresh b cross join lateral event_places(b.id, b.last, b.kinds) e join runs r on r.id = b.run_id
    join delivery_targets t on t.team_id = r.team_id and t.kind = 'callback' and md5(t.url) = md5(r.callback_url)
    where is_called_back(e.event)
      and r.callback_url is not null and not exists (select from ended_callbacks x where x.run_id = r.id)
    order by b.run_id, e.sequence;
  end if;
  return null;
end $$;
create trigger events_are_delivered after insert on event_batches
  referencing new table as fresh for each statement execute function events_are_delivered();

-- As before: an event that is erased takes its deliveries with it.
create or replace function events_are_forgotten() returns trigger language plpgsql as $$
begin
  delete from deliveries d using gone b cross join lateral event_places(b.id, b.last, b.kinds) e
    join delivery_targets t on t.team_id = b.team_id
  where d.id = delivery_id(e.id, t.id);
  return null;
end $$;
create trigger events_are_forgotten after delete on event_batches
  referencing old table as gone for each statement execute function events_are_forgotten();

-- As before (0091): an event that no trigger waits for costs its writer little.
create or replace function events_reach_triggers() returns trigger language plpgsql as $$
begin
  -- most databases have none
  if not exists (select from triggers t where t.kind = 'event' and t.enabled) then
    return null;
  end if;
  -- one look into the index for each event: in a join the planner expects a match at once, and reads all triggers of the team where there is none
  if not exists (
    select from fresh b cross join lateral event_places(b.id, b.last, b.kinds) e where (
      select t.id from triggers t where t.team_id = b.team_id and t.event = e.event and t.kind = 'event' and t.enabled limit 1) is not null
  ) then
    return null;
  end if;
  insert into trigger_deliveries (id, team_id, trigger_id, content, size_bytes, caused_by_run_id)
  select new_id(), e.team_id, t.id, e.content, octet_length(e.content::text),
    coalesce(e.run_id, (e.data ->> 'run_id')::uuid,
      (select k.created_by_run_id from cases k where k.id = (e.data ->> 'case_id')::uuid and k.team_id = e.team_id))
  from (
    select f.*, json_build_object('event', json_build_object('id', f.id, 'event', f.event,
      'created_at', to_char(f.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'data', f.data)) as content
    from (
      select e.id, e.event, e.sequence, b.team_id, b.run_id, b.created_at,
        event_text(e.id, b.team_id, b.run_id, b.agent_id, b.case_id, e.sequence, e.data)::json as data
      from fresh b cross join lateral event_rows(b.id, b.last, b.kinds, b.entries) e
    ) f
  ) e join triggers t on t.team_id = e.team_id and t.event = e.event
  where t.kind = 'event' and t.enabled
    and (t.event_agent_id is null or t.event_agent_id::text = e.data ->> 'agent_id')
    and not exists (
      select from runs r where r.id = e.run_id and r.source = 'artifact' and artifact_reader(r.agent_id) is not null)
  order by e.run_id, e.sequence;
  return null;
end $$;
create trigger events_reach_triggers after insert on event_batches
  referencing new table as fresh for each statement execute function events_reach_triggers();
