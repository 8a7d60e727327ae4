-- owner: kit/. The audit log is kept for a time and not for ever: this function alone may take rows out of it, and only old ones.
-- Refused requests are kept for less long; a later migration builds the index that finds them.

create or replace function audit_log_is_append_only() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('runyard.erases_audit', true) = 'on' then
    return null;
  end if;
  raise exception 'the audit log is append-only';
end $$;

-- Ids begin with the time (RFC 9562), so the oldest rows are the first ones of the key; the time itself is asked too. Answers with how many
-- it has erased.
create function erase_old_audit(only_refused boolean, days int, most int) returns int language plpgsql as $$
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
    delete from audit_log where ctid = any(array(
      select ctid from audit_log where status >= 400 and id < first_kept order by id limit most))
      and created_at < now() - make_interval(days => days);
  else
    delete from audit_log where ctid = any(array(
      select ctid from audit_log where id < first_kept order by id limit most))
      and created_at < now() - make_interval(days => days);
  end if;
  get diagnostics erased = row_count;
  perform set_config('runyard.erases_audit', 'off', true);
  return erased;
end $$;
