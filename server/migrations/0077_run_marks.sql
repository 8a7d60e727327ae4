-- owner: features/evaluations/. What people think of runs: a mark of each member, beside what the checks and the judge found.
create table run_marks (
  -- no reference: removed with its run, as evaluations are
  run_id uuid not null,
  member_id uuid not null references members (id) on delete cascade,
  team_id uuid not null references teams (id) on delete cascade,
  agent_id uuid not null,
  verdict text not null check (verdict in ('good', 'bad')),
  note text,
  marked_at timestamptz(3) not null default now(),
  primary key (run_id, member_id)
);
create index run_marks_by_agent on run_marks (agent_id, marked_at);
create index run_marks_by_member on run_marks (member_id);
