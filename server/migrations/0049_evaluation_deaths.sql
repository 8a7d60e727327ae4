-- owner: features/evaluations/. Which runs a process evaluates by rule now, and how many processes died over such a run.

-- one row for each process that evaluates; written before the evaluation, since its locks leave no trace when the process dies
create table evaluating (
  worker uuid primary key,
  run_ids uuid[] not null
);
create table evaluation_deaths (
  run_id uuid primary key,
  team_id uuid not null,
  deaths smallint not null,
  -- the process for suspects that evaluates it now
  worker uuid
);
