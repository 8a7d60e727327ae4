-- owner: kit/. Outside transactions: events, deliveries of events and the audit log are partitioned by the time in their ids (decision 0069).
-- Older code: works.
-- Same result as: 4f7dab51d396299a2fa45cb52d2ad186a9cedda27013bcd13ad2a79f835b3e74
-- What is there becomes the first partition as it is. Each statement ends with an empty line, and may be run again after a process was killed
-- in the middle of it.

-- The first id that can be made at this time.
create or replace function first_id(at timestamptz) returns uuid language sql immutable parallel safe as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid
$$

-- The partitions of a table, none if it has none. `first` is in it, `past` is not; the first one of all has no `first`, and the one for what
-- belongs into no other has neither.
create or replace function partitions_of(root text) returns table (name text, first uuid, past uuid, is_rest boolean) language sql stable as $$
  select c.relname, substring(b.bound from 'FROM \(''([0-9a-f-]+)''\)')::uuid, substring(b.bound from 'TO \(''([0-9a-f-]+)''\)')::uuid,
    b.bound = 'DEFAULT'
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  cross join lateral (select pg_get_expr(c.relpartbound, c.oid) as bound) b
  where i.inhparent = to_regclass(quote_ident(root)) order by 2 nulls first
$$

-- Gives a new table the storage settings of another: `like` does not.
create or replace function store_alike(name text, other text) returns void language plpgsql as $$
declare
  settings text := (select array_to_string(reloptions, ', ') from pg_class where oid = to_regclass(quote_ident(other)));
begin
  if settings is not null then
    execute format('alter table %I set (%s)', name, settings);
  end if;
end $$

-- Writers go on meanwhile: only the partition for the rest is locked, which is read for what would belong into the new one.
create or replace function add_partition(root text, name text, first uuid, past uuid) returns void language plpgsql as $$
begin
  execute format('create table %I (like %I including all)', name, root || '_rest');
  perform store_alike(name, root || '_rest');
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', root, name, first, past);
end $$

-- Drops a partition with all of its rows, except those whose key is among `kept`.
create or replace function drop_partition(root text, name text, key text, kept uuid[]) returns void language plpgsql as $$
declare
  columns text := (
    select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
    where attrelid = to_regclass(quote_ident(name)) and attnum > 0 and not attisdropped and attgenerated = '');
begin
  execute format('alter table %I detach partition %I', root, name);
  -- not through the table itself: whoever is told about new rows has been told about these
  execute format('insert into %I (%s) select %s from %I where %I = any ($1)', root || '_rest', columns, columns, name, key) using kept;
  execute format('drop table %I', name);
end $$

-- The oldest rows of one partition of the events, without those that somebody changes.
create or replace function old_events(partition text, after uuid, past uuid, most int) returns table (id uuid, created_at timestamptz)
  language plpgsql as $$
begin
  return query execute format(
    'select id, created_at::timestamptz from %I where id > $1 and id < $2 order by id limit $3 for update skip locked', partition)
    using after, past, most;
end $$

-- Erases old rows of one partition of the audit log, or of all of it where it has none. Answers with how many.
create or replace function erase_old_audit(only_refused boolean, days int, most int, partition text) returns int language plpgsql as $$
declare
  found uuid[];
  erased int;
begin
  if days < 1 then
    raise exception 'the audit log is kept for a day at least';
  end if;
  execute format('select array(select id from %I where id < $1 and (status >= 400 or not $2) order by id limit $3)', partition)
    using first_id(now() - make_interval(days => days)), only_refused, most into found;
  perform set_config('runyard.erases_audit', 'on', true);
  delete from audit_log where id = any(found) and created_at < now() - make_interval(days => days);
  get diagnostics erased = row_count;
  perform set_config('runyard.erases_audit', 'off', true);
  return erased;
end $$

-- What is there, and what is written within the next days, has smaller ids than this. A row whose id says that it is from a later time was
-- made by a clock that is wrong; such a table stays as it is.
create or replace function promise_bound(root text, key text) returns void language plpgsql as $$
declare
  bound uuid := first_id(date_trunc('day', now(), 'utc') + interval '2 days');
  is_beyond boolean;
begin
  if (select relkind from pg_class where oid = to_regclass(root)) = 'p'
    or exists (select from pg_constraint where conrelid = to_regclass(root) and conname = root || '_before') then
    return;
  end if;
  execute format('select exists (select from %I where %I >= %L)', root, key, bound) into is_beyond;
  if is_beyond then
    raise warning 'the table % has ids from the future and is not partitioned', root;
    return;
  end if;
  execute format('alter table %I add constraint %I check (%I < %L) not valid', root, root || '_before', key, bound);
end $$

-- Makes the table a partition of a new one with its name, with all that the others know of it. No row is read.
create or replace function partition_by_time(root text, key text) returns void language plpgsql as $$
declare
  before text := root || '_before';
  rest text := root || '_rest';
  was regclass := to_regclass(root);
  bound text := (select substring(pg_get_constraintdef(oid) from '''([0-9a-f-]+)''') from pg_constraint
    where conrelid = was and conname = before and convalidated);
  primary_key text := (select pg_get_constraintdef(oid) from pg_constraint where conrelid = was and contype = 'p');
  one record;
begin
  if bound is null then
    return;
  end if;
  -- First the views, as whoever comes through one locks it before the table: with the table alone each would wait for the other, and where there are
  -- always some of them, every try would end so.
  for one in
    select distinct r.ev_class::regclass as view from pg_depend d join pg_rewrite r on r.oid = d.objid
    where d.classid = 'pg_rewrite'::regclass and d.refobjid = was
  loop
    execute format('lock table %s in access exclusive mode', one.view);
  end loop;
  execute format('lock table %I in access exclusive mode', root);
  for one in select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = was loop
    execute format('alter index %I rename to %I', one.relname, replace(one.relname, root, before));
  end loop;
  execute format('alter table %I rename to %I', root, before);
  execute format('create table %I (like %I including defaults including generated including storage including compression) partition by range (%I)',
    root, before, key);
  execute format('alter table %I add constraint %I %s', root, root || '_pkey', primary_key);
  for one in select pg_get_indexdef(indexrelid) as text from pg_index where indrelid = was and not indisunique loop
    execute replace(one.text, before, root);
  end loop;
  execute format('alter table %I attach partition %I for values from (minvalue) to (%L)', root, before, bound);
  execute format('alter table %I drop constraint %I', before, before);
  execute format('create table %I partition of %I default', rest, root);
  perform store_alike(rest, before);
  -- one that is unique can be so in each partition only
  for one in select pg_get_indexdef(indexrelid) as text from pg_index where indrelid = was and indisunique and not indisprimary loop
    execute replace(one.text, before, rest);
  end loop;
  for one in select tgname, pg_get_triggerdef(oid) as text from pg_trigger where tgrelid = was and not tgisinternal loop
    execute format('drop trigger %I on %I', one.tgname, before);
    execute replace(one.text, before, root);
  end loop;
  for one in
    select distinct r.ev_class::regclass as view from pg_depend d join pg_rewrite r on r.oid = d.objid
    where d.classid = 'pg_rewrite'::regclass and d.refobjid = was
  loop
    execute format('create or replace view %s as %s', one.view, replace(pg_get_viewdef(one.view), before, root));
  end loop;
end $$

-- Nobody waits for longer than a fraction of a second: what cannot have its lock by then is tried again.
do $$
declare
  step text;
begin
  foreach step in array array[
    'select promise_bound(''event_batches'', ''id'')',
    'select promise_bound(''delivery_batches'', ''batch_id'')',
    'select promise_bound(''audit_log'', ''id'')']
  loop
    loop
      begin
        perform set_config('lock_timeout', '200', true);
        execute step;
        exit;
      exception when lock_not_available or deadlock_detected then null;
      end;
      perform pg_sleep(0.2);
      commit;
    end loop;
    commit;
  end loop;
end $$

-- All rows are read, while others write.
do $$
declare
  one record;
begin
  for one in
    select conrelid::regclass as root, conname from pg_constraint
    where conname in ('event_batches_before', 'delivery_batches_before', 'audit_log_before') and not convalidated
  loop
    execute format('alter table %s validate constraint %I', one.root, one.conname);
    commit;
  end loop;
end $$

do $$
declare
  step text;
begin
  foreach step in array array[
    'select partition_by_time(''event_batches'', ''id'')',
    'select partition_by_time(''delivery_batches'', ''batch_id'')',
    'select partition_by_time(''audit_log'', ''id'')']
  loop
    loop
      begin
        perform set_config('lock_timeout', '200', true);
        execute step;
        exit;
      exception when lock_not_available or deadlock_detected then null;
      end;
      perform pg_sleep(0.2);
      commit;
    end loop;
    commit;
  end loop;
end $$

-- PostgreSQL knows nothing yet of what all partitions have together.
analyze delivery_batches

analyze event_batches

analyze audit_log

drop function if exists promise_bound(text, text)

drop function if exists partition_by_time(text, text)

-- Whoever goes to a partition of the audit log cannot change it either.
create or replace function audit_row_stays() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('runyard.erases_audit', true) = 'on' then
    return old;
  end if;
  raise exception 'the audit log is append-only';
end $$

do $$
begin
  if not exists (select from pg_trigger where tgname = 'audit_log_row_stays') then
    create trigger audit_log_row_stays before delete or update on audit_log for each row execute function audit_row_stays();
  end if;
end $$
