-- owner: features/system/. Drills: what was asked for, how far it is, what it found; and how all of a team is erased.
-- Older code: works.

create table drills (
  id uuid primary key,
  state text not null check (state in ('requested', 'running', 'held', 'failed', 'stopped', 'broken_off')),
  runs int not null,
  kills int not null,
  -- null: the command line
  requested_by uuid,
  requested_at timestamptz(3) not null default now(),
  started_at timestamptz(3),
  ended_at timestamptz(3),
  stop_asked_at timestamptz(3),
  -- the process that runs it (processes.id), at first the one that starts that process
  process_id uuid,
  -- not named team_id: the row outlives this team
  scratch_team_id uuid,
  is_erased boolean not null default false,
  progress jsonb,
  result jsonb,
  problem text
);
-- one at a time in an installation
create unique index drills_one_active on drills ((true)) where state in ('requested', 'running');
create index drills_to_erase on drills (id) where scratch_team_id is not null and not is_erased;

-- Tables that have rows of a team, also those that later migrations make. The audit log is not among them: it is never changed.
-- `is_quick`: an index begins with the team, so that its rows are found without reading the table.
create function tables_of_teams() returns table (name text, goes_with_team boolean, is_quick boolean) language sql stable as $$
  select c.relname::text,
    exists (
      select from pg_constraint f
      where f.conrelid = c.oid and f.contype = 'f' and f.confrelid = t.oid and f.confdeltype = 'c'),
    exists (select from pg_index i where i.indrelid = c.oid and i.indkey[0] = a.attnum and i.indpred is null)
  from pg_class t join pg_class c on c.relnamespace = t.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'team_id' and a.atttypid = 'uuid'::regtype and not a.attisdropped
  where t.oid = 'teams'::regclass and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'audit_log'
$$;

-- How many rows a team has, and where.
create function rows_of_team(team uuid, only_quick boolean) returns table (name text, rows bigint) language plpgsql stable as $$
declare
  one record;
begin
  for one in select t.name from tables_of_teams() t where t.is_quick or not only_quick order by t.name loop
    execute format('select count(*) from %I where team_id = $1', one.name) using team into rows;
    name := one.name;
    if rows > 0 then
      return next;
    end if;
  end loop;
end $$;

-- Erases a team whose runs are deleted, with everything that it has. Tables without an index for it are read once.
create function erase_team(team uuid) returns void language plpgsql as $$
declare
  one record;
begin
  delete from credential_uses u using api_keys k where k.team_id = team and u.credential_id = k.id;
  -- twice: what goes with the team may be counted by triggers, into tables that were emptied before. First what jobs fold into others.
  for turn in 1..2 loop
    for one in
      select t.name from tables_of_teams() t where not t.goes_with_team and (turn = 1 or t.is_quick)
      order by t.name like '%delta%' desc, t.name
    loop
      execute format('delete from %I where team_id = $1', one.name) using team;
    end loop;
    delete from teams where id = team;
  end loop;
end $$;
