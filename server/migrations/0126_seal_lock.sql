-- owner: engine/. Who seals is known by a lock instead of by the row of the cursor: to lock a row gives a transaction a number, and the events of all
-- teams wait for the oldest transaction that has one.
-- Older code: works.

-- As in 0125, but for the lock.
create or replace function forget_copies_of_runs() returns trigger language plpgsql as $$
declare
  ids uuid[] := array(select id from gone);
  nobody_seals boolean;
begin
  if cardinality(ids) = 0 then return null; end if;
  -- first the sets, as whoever adds to them or starts a replay locks them
  perform from replay_sets where id in (select set_id from replay_recordings where run_id = any(ids)) order by id for no key update;
  delete from replay_recordings where run_id = any(ids);
  -- reports keep only figures
  update replay_runs set report = null, run_title = '' where run_id = any(ids) and (report is not null or run_title <> '');
  -- what the builder was given of a run goes with it, also when it learnt from another one at the same time
  update builder_runs set lesson = null, updated_at = now() where lesson is not null and run_id = any(ids);
  update builder_runs set lesson = null, updated_at = now() where lesson is not null and id in (
    select g.builder_run_id from suggestions g join suggestion_runs r on r.suggestion_id = g.id where r.run_id = any(ids));
  delete from suggestion_runs where run_id = any(ids);
  delete from guardrail_stops where run_id = any(ids);
  -- Whoever seals has this lock alone until its commit (sealLock in base/locks.ts), and may be sealing one of these: its seals are seen only after
  -- that. A deletion does not wait for it, since sealing a long run takes minutes. A process of the release before has the row of the cursor instead.
  perform from evidence_cursor for key share skip locked;
  nobody_seals := found and pg_try_advisory_xact_lock_shared(1381564422);
  if not nobody_seals then
    perform graphile_worker.add_job('eraseSeals', json_build_object('run_ids', ids));
  end if;
  delete from run_seals where run_id = any(ids);
  return null;
end $$;
