-- owner: engine/. What one asks about a step afterwards: its attempts, whose death cut it off, what its turn said, and where its run comes from.

alter table runs
  -- for a run that another run started: the step of that run
  add column parent_step int,
  -- for a retry: the step from which it was asked to begin, and how many steps it has from the run that it retries
  add column retried_from_step int,
  add column copied_steps int;

alter table run_steps
  -- for a turn of a model: the beginning of what it said
  add column said text,
  -- what happened between its beginning and its end, in order; null for nearly every step, which is begun once and ends
  add column moments jsonb;

-- Each time that a process lost a run on which it was at work. A run that was never cut off has no row.
create table run_cuts (
  run_id uuid not null,
  -- the one that the run got with it
  epoch int not null,
  at timestamptz(3) not null default now(),
  -- died: its lock was free. left: it was not listed any more. gave_back: it stopped or could not continue, in the middle of a step.
  reason text not null check (reason in ('died', 'left', 'gave_back')),
  -- the process (processes.id), which is forgotten soon after
  worker uuid not null,
  host text,
  pid int,
  -- the steps that were begun and had no outcome, each as [number, attempt]
  steps jsonb not null,
  primary key (run_id, epoch)
);
