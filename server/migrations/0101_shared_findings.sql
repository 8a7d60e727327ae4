-- owner: features/evaluations/. What is found of runs that pass every check is nearly always the same, so it is stored once and named by evaluations.
-- It says nothing of a run or a team: no flag that did not pass, and no evidence. There are as many as there are sets of checks that apply.
create table eval_findings (
  -- from the hash of what was found
  id uuid primary key,
  results jsonb not null,
  summary jsonb not null
);
-- in place of results and summary
alter table evaluations add column finding_id uuid;
