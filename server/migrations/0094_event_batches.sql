-- owner: kit/. Outside transactions: the events that one change writes are one row. Processes of the version before go on meanwhile.
-- Each statement ends with an empty line, and may be run again after a process was killed in the middle of it.

-- A kind of event is one letter in the table.
create or replace function event_kind(event text) returns text language sql immutable parallel safe as $$
  select
    case event when 'run.started' then 's' when 'run.paused' then 'p' when 'run.completed' then 'c' when 'run.failed' then 'f'
    when 'run.message.created' then 'm' when 'run.tool_call.completed' then 't' when 'run.file.created' then 'w'
    when 'human_request.created' then 'h' when 'human_request.responded' then 'r' when 'queue.case.created' then 'a'
    when 'queue.case.claimed' then 'k' when 'queue.case.completed' then 'l' when 'assignment.build.published' then 'b'
    when 'connection.updated' then 'u' when 'connection.action_required' then 'o' end
$$

create or replace function event_name(kind text) returns text language sql immutable parallel safe as $$
  select
    case kind when 's' then 'run.started' when 'p' then 'run.paused' when 'c' then 'run.completed' when 'f' then 'run.failed'
    when 'm' then 'run.message.created' when 't' then 'run.tool_call.completed' when 'w' then 'run.file.created'
    when 'h' then 'human_request.created' when 'r' then 'human_request.responded' when 'a' then 'queue.case.created'
    when 'k' then 'queue.case.claimed' when 'l' then 'queue.case.completed' when 'b' then 'assignment.build.published'
    when 'u' then 'connection.updated' when 'o' then 'connection.action_required' end
$$

-- What one change of a run wrote, or one event of no run.
create table if not exists event_batches (
  -- that of its first event; the others have the place in the last four digits, which are 0 where there are others
  id uuid primary key,
  team_id uuid not null,
  run_id uuid,
  agent_id uuid,
  case_id uuid,
  -- the sequence of its last event
  last bigint,
  xid bigint not null default event_xid(),
  created_at timestamptz(3) not null default now(),
  -- a letter for each event
  kinds text not null,
  -- the data of each event; of a run without the ids and the sequence, which are known
  entries json not null
)

create unique index concurrently if not exists event_batches_by_run on event_batches (run_id, last)

create index concurrently if not exists event_batches_by_xid on event_batches (team_id, xid, created_at)

-- Texts repeat themselves. Not every server can do this; the usual compression needs more time.
do $$ begin
  alter table event_batches alter column entries set compression lz4;
exception when feature_not_supported then null;
end $$

-- What processes of the version before write and erase meanwhile. Their data is whole, which a row without an agent says.
create or replace function events_are_copied() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into event_batches (id, team_id, run_id, last, xid, created_at, kinds, entries)
    select id, team_id, run_id, sequence, xid, created_at, event_kind(event), concat('[', data, ']')::json from fresh on conflict do nothing;
  else
    delete from event_batches b using gone where b.id = gone.id;
  end if;
  return null;
end $$

do $$ begin
  if not exists (select from pg_trigger where tgname = 'events_copied_new') then
    create trigger events_copied_new after insert on events referencing new table as fresh
      for each statement execute function events_are_copied();
    create trigger events_copied_gone after delete on events referencing old table as gone
      for each statement execute function events_are_copied();
  end if;
end $$

do $$
declare
  first uuid;
  next uuid := '00000000-0000-0000-0000-000000000000';
begin
  while next is not null loop
    first := next;
    next := (select id from events where id >= first order by id offset 10000 limit 1);
    insert into event_batches (id, team_id, run_id, last, xid, created_at, kinds, entries)
    -- locked: an event that is erased now must not come back
    select id, team_id, run_id, sequence, xid, created_at, event_kind(event), concat('[', data, ']')::json from events
    where id >= first and (next is null or id < next) for share on conflict do nothing;
    commit;
  end loop;
end $$
