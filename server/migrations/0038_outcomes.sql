-- owner: engine/. What keeps an outcome when the database was away: the last change of a run, and answers that came after a takeover.

alter table runs
  -- the id of the change that was written last: after a lost connection its writer asks whether it was committed
  add column last_change uuid;

alter table run_steps
  -- the outcome of one attempt, written by a process that lives although it was declared dead: {attempt, outcome}
  add column arrived jsonb;

alter table processes
  -- the start of the server on which it holds its lock: on any other server it had no time to take it yet
  add column server_started_at timestamptz,
  -- since when it was seen without its lock on a server where it never held it
  add column missed_since timestamptz;
