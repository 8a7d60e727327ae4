-- owner: engine/. Outside transactions: a team that may store no more gets nothing of events for its triggers, and what replays keep counts as stored.
-- Older code: works.

-- What a team may store unless it has a limit of its own; 0: no limit. Processes are told by their settings, functions here read it: the process that
-- started last has written it.
create table if not exists storage_default (
  is_only boolean primary key default true check (is_only),
  bytes bigint not null
)

insert into storage_default (bytes) values (0) on conflict do nothing

-- Files of sandboxes, as their quota counts them, and everything else that counts.
create or replace function bytes_stored(team uuid) returns bigint language plpgsql stable as $$
begin
  return coalesce((select sum(sandbox_bytes) from usage_days where team_id = team and sandbox_bytes <> 0), 0)
    + coalesce((select sum(sandbox_bytes) from usage_entries where team_id = team), 0)
    + coalesce((select sum(bytes) from stored_bytes where team_id = team), 0);
end $$

-- How many more bytes a team may store; null: there is no limit. Nothing is locked, so writers at the same moment may exceed the limit together.
create or replace function storage_left(team uuid) returns numeric language plpgsql stable as $$
declare
  allowed numeric := coalesce(
    (select value from entitlements where team_id = team and key = 'storage_bytes'), (select nullif(bytes, 0) from storage_default));
begin
  return case when allowed is not null then allowed - bytes_stored(team) end;
end $$

-- As before (0095), but for what does not fit: of that nothing is kept but a row an hour for each trigger, which says so. Code from before reads
-- `{}` where nothing was kept.
create or replace function events_reach_triggers() returns trigger language plpgsql as $$
declare
  full_says text := 'The team may store no more (storage_bytes), so this event was not kept, and neither are those that follow until there is room.';
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
  insert into trigger_deliveries (id, team_id, trigger_id, state, content, size_bytes, caused_by_run_id, reason, settled_at)
  with come as materialized (
    select f.*, made.content, octet_length(made.content::text) as bytes,
      coalesce(f.run_id, (f.data ->> 'run_id')::uuid,
        (select k.created_by_run_id from cases k where k.id = (f.data ->> 'case_id')::uuid and k.team_id = f.team_id)) as caused_by_run_id
    from (
      select e.id, e.event, e.sequence, b.team_id, b.run_id, b.created_at,
        event_text(e.id, b.team_id, b.run_id, b.agent_id, b.case_id, e.sequence, e.data)::json as data
      from fresh b cross join lateral event_rows(b.id, b.last, b.kinds, b.entries) e
      where exists (select from triggers t where t.team_id = b.team_id and t.event = e.event and t.kind = 'event' and t.enabled)
    ) f cross join lateral (
      select json_build_object('event', json_build_object('id', f.id, 'event', f.event,
        'created_at', to_char(f.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'data', f.data)) as content offset 0
    ) made
  ),
  -- without the contents: an event may have a hundred triggers
  reached as (
    select e.id, e.team_id, e.run_id, e.sequence, e.bytes, t.id as trigger_id
    from come e join triggers t on t.team_id = e.team_id and t.event = e.event
    where t.kind = 'event' and t.enabled
      and (t.event_agent_id is null or t.event_agent_id::text = e.data ->> 'agent_id')
      and not exists (
        select from runs r where r.id = e.run_id and r.source = 'artifact' and artifact_reader(r.agent_id) is not null)
  ),
  room as materialized (
    select team_id, storage_left(team_id) as bytes from (select distinct team_id from reached) teams
  ),
  judged as (
    select r.*, room.bytes is null
      or sum(r.bytes) over (partition by r.team_id order by r.run_id, r.sequence, r.id, r.trigger_id rows unbounded preceding) <= room.bytes as fits
    from reached r join room on room.team_id = r.team_id
  ),
  placed as (
    select j.*, row_number() over (partition by j.trigger_id, j.fits order by j.run_id, j.sequence, j.id) = 1 as is_first from judged j
  )
  select new_id(), p.team_id, p.trigger_id, case when p.fits then 'waiting' else 'dropped' end, case when p.fits then e.content else '{}' end,
    case when p.fits then p.bytes else 0 end,
    e.caused_by_run_id, case when not p.fits then full_says end, case when not p.fits then now() end
  from placed p join come e on e.id = p.id
  where p.fits or p.is_first and not coalesce((
    select d.reason = full_says and d.received_at > now() - interval '1 hour' from trigger_deliveries d
    where d.trigger_id = p.trigger_id order by d.n desc limit 1), false)
  order by p.run_id, p.sequence;
  return null;
end $$

-- What is emptied afterwards gives its bytes back.
create or replace function changed_trigger_delivery_is_stored() returns trigger language plpgsql as $$
begin
  insert into stored_bytes values (new.team_id, new.size_bytes - old.size_bytes);
  return null;
end $$

create or replace trigger trigger_deliveries_stored_changed after update of size_bytes on trigger_deliveries
  for each row when (old.size_bytes <> new.size_bytes) execute function changed_trigger_delivery_is_stored()

-- Recordings count by their sets, which count them already.
create or replace function replay_set_is_stored() returns trigger language plpgsql as $$
begin
  insert into stored_bytes values (coalesce(new.team_id, old.team_id), coalesce(new.size_bytes, 0) - coalesce(old.size_bytes, 0));
  return null;
end $$

-- What is there is counted in the transaction that makes the triggers, for which writers wait: there are few sets.
do $$ begin
  if not exists (select from pg_trigger where tgname = 'replay_sets_stored_changed') then
    create trigger replay_sets_stored_changed after update of size_bytes on replay_sets
      for each row when (old.size_bytes <> new.size_bytes) execute function replay_set_is_stored();
    create trigger replay_sets_stored_gone after delete on replay_sets
      for each row when (old.size_bytes <> 0) execute function replay_set_is_stored();
    insert into stored_bytes select team_id, sum(size_bytes) from replay_sets group by team_id having sum(size_bytes) <> 0;
  end if;
end $$

-- The length of the report, so that nobody reads it when it goes. It is counted by the database: code from before does not know the column.
alter table replay_runs add column if not exists report_bytes int not null default 0

create or replace function replay_report_is_measured() returns trigger language plpgsql as $$
begin
  new.report_bytes := coalesce(octet_length(new.report::text), 0);
  return new;
end $$

create or replace function replay_report_is_stored() returns trigger language plpgsql as $$
begin
  insert into stored_bytes values (new.team_id, new.report_bytes - old.report_bytes);
  return null;
end $$

create or replace function gone_replay_reports_are_stored() returns trigger language plpgsql as $$
begin
  insert into stored_bytes select team_id, -sum(report_bytes) from gone group by team_id having sum(report_bytes) <> 0;
  return null;
end $$

do $$ begin
  if not exists (select from pg_trigger where tgname = 'replay_reports_measured') then
    create trigger replay_reports_measured before update of report on replay_runs
      for each row execute function replay_report_is_measured();
    create trigger replay_reports_stored after update of report on replay_runs
      for each row when (old.report_bytes <> new.report_bytes) execute function replay_report_is_stored();
    create trigger replay_reports_stored_gone after delete on replay_runs referencing old table as gone
      for each statement execute function gone_replay_reports_are_stored();
  end if;
end $$

-- Reports of before, a thousand at a time: each is written again as it is, and so it is measured.
do $$
declare
  first uuid;
  next uuid := '00000000-0000-0000-0000-000000000000';
begin
  while next is not null loop
    first := next;
    next := (select id from replay_runs where id >= first order by id offset 1000 limit 1);
    update replay_runs set report = report
    where id >= first and (next is null or id < next) and report is not null and report_bytes = 0;
    commit;
  end loop;
end $$
