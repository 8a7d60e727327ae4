-- owner: kit/. Old rows of the audit log are erased by their key. A table in parts has a row at the same place in each of them.
-- Older code: works.

create or replace function erase_old_audit(only_refused boolean, days int, most int) returns int language plpgsql as $$
declare
  -- the first id that can be made at that time
  first_kept uuid := (lpad(to_hex((extract(epoch from now() - make_interval(days => days)) * 1000)::bigint), 12, '0')
    || '70008000000000000000')::uuid;
  erased int;
begin
  if days < 1 then
    raise exception 'the audit log is kept for a day at least';
  end if;
  perform set_config('runyard.erases_audit', 'on', true);
  if only_refused then
    delete from audit_log where id = any(array(
      select id from audit_log where status >= 400 and id < first_kept order by id limit most))
      and created_at < now() - make_interval(days => days);
  else
    delete from audit_log where id = any(array(
      select id from audit_log where id < first_kept order by id limit most))
      and created_at < now() - make_interval(days => days);
  end if;
  get diagnostics erased = row_count;
  perform set_config('runyard.erases_audit', 'off', true);
  return erased;
end $$;
