-- owner: engine/. What a team keeps besides the files of its sandboxes: cases and memory. Every change appends its difference, a job folds them,
-- and the sum is exact at any moment.
create table stored_bytes (
  team_id uuid not null,
  bytes bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
create index stored_bytes_by_team on stored_bytes (team_id) include (bytes);

create function new_cases_are_stored() returns trigger language plpgsql as $$
begin
  insert into stored_bytes select team_id, sum(octet_length(title) + octet_length(data)) from fresh group by team_id;
  return null;
end $$;
create function gone_cases_are_stored() returns trigger language plpgsql as $$
begin
  insert into stored_bytes select team_id, -sum(octet_length(title) + octet_length(data)) from gone group by team_id;
  return null;
end $$;
create function changed_case_is_stored() returns trigger language plpgsql as $$
begin
  insert into stored_bytes values (new.team_id,
    octet_length(new.title) + octet_length(new.data) - octet_length(old.title) - octet_length(old.data));
  return null;
end $$;
create trigger cases_stored_new after insert on cases referencing new table as fresh
  for each statement execute function new_cases_are_stored();
create trigger cases_stored_gone after delete on cases referencing old table as gone
  for each statement execute function gone_cases_are_stored();
create trigger cases_stored_changed after update of title, data on cases for each row
  when (octet_length(old.title) + octet_length(old.data) <> octet_length(new.title) + octet_length(new.data))
  execute function changed_case_is_stored();

create function memory_is_stored() returns trigger language plpgsql as $$
begin
  insert into stored_bytes
  values (coalesce(new.team_id, old.team_id), coalesce(new.size_bytes, 0) - coalesce(old.size_bytes, 0));
  return null;
end $$;
create trigger memory_stored_new after insert on memory_stores
  for each row when (new.size_bytes <> 0) execute function memory_is_stored();
create trigger memory_stored_changed after update of size_bytes on memory_stores
  for each row when (old.size_bytes <> new.size_bytes) execute function memory_is_stored();
create trigger memory_stored_gone after delete on memory_stores
  for each row when (old.size_bytes <> 0) execute function memory_is_stored();

-- What is there already.
insert into stored_bytes
select team_id, sum(bytes) from (
  select team_id, octet_length(title) + octet_length(data) as bytes from cases
  union all
  select team_id, size_bytes from memory_stores
) kept group by team_id having sum(bytes) <> 0;
