-- owner: features/evaluations/. Rubrics of builds, evaluations of ended runs with their counts, and the gate before a promotion.

-- Never changed but for its place and its end: what is said differently is a new rubric, so that old results keep their meaning.
create table eval_rubrics (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  agent_id uuid not null references agents (id) on delete cascade,
  build_id uuid not null references builds (id) on delete cascade,
  slug text not null,
  title text not null,
  description text not null,
  severity text not null check (severity in ('critical', 'medium', 'low')),
  sort_order int not null,
  -- the rubric whose place it took
  replaces uuid,
  created_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3),
  -- of those that are gone too: a flag in old results means one thing in its build
  unique (build_id, slug)
);
create index eval_rubrics_by_agent on eval_rubrics (agent_id, slug, id);
create index eval_rubrics_in_force on eval_rubrics (build_id, sort_order, id) where deleted_at is null;

-- Builds are made in many ways; what holds for the build that one is made of holds for it too.
create function carry_rubrics() returns trigger language plpgsql as $$
begin
  insert into eval_rubrics (id, team_id, agent_id, build_id, slug, title, description, severity, sort_order)
  select new_id(), new.team_id, new.agent_id, new.id, slug, title, description, severity, sort_order from eval_rubrics
  where build_id = new.parent_build_id and team_id = new.team_id and deleted_at is null
  order by sort_order, id;
  return null;
end
$$;
create trigger builds_carry_rubrics after insert on builds for each row when (new.parent_build_id is not null)
  execute function carry_rubrics();

-- Runs that ended and are not evaluated yet, one row for each end or request: only added and taken away, and without an index, since
-- it is all that an evaluation adds to the transaction in which a run ends. Nothing that a run writes ever waits for a row of it.
create table runs_to_evaluate (
  run_id uuid not null,
  team_id uuid not null,
  -- of a request: the evaluation that it was promised
  evaluation_id uuid
) with (autovacuum_vacuum_scale_factor = 0.05);

create function note_run_to_evaluate() returns trigger language plpgsql as $$
begin
  insert into runs_to_evaluate (run_id, team_id) values (new.id, new.team_id);
  return null;
end
$$;
create trigger runs_ended_to_evaluate after update of status on runs for each row
  when (new.status in ('completed', 'failed', 'stopped') and old.status is distinct from new.status)
  execute function note_run_to_evaluate();

-- Runs that ended before there were evaluations, the latest first.
insert into runs_to_evaluate (run_id, team_id)
select id, team_id from runs where status in ('completed', 'failed', 'stopped') and completed_at is not null and log_erased_at is null
order by completed_at desc;

create table evaluations (
  id uuid primary key,
  -- no references: written for many runs at once, and removed with their runs
  team_id uuid not null,
  agent_id uuid not null,
  build_id uuid not null,
  run_id uuid not null,
  source text not null check (source in ('run_end', 'request')),
  status text not null check (status in ('in_progress', 'ready', 'unavailable')),
  -- of the end that it speaks of: scores tell of the day on which a run ended, however late it is evaluated
  run_ended_at timestamptz(3) not null,
  results jsonb not null default '[]',
  summary jsonb,
  -- the flags that did not pass
  failed text[] not null default '{}',
  -- whether a model judged custom rubrics of it
  is_judged boolean not null default false,
  -- the share of what could be told that passed
  score numeric(6, 5),
  -- the latest finished one of its run: the one that lists, scores and gates speak of
  counts boolean not null default false,
  -- what the judge was and what it used, failed attempts included
  model text,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cost_usd numeric(20, 10) not null default 0,
  created_at timestamptz(3) not null default now(),
  completed_at timestamptz(3)
);
create index evaluations_by_run on evaluations (run_id, id);
create index evaluations_by_end on evaluations (agent_id, run_ended_at) where counts;
create index evaluations_by_build on evaluations (build_id, run_ended_at, id) where counts and status = 'ready';

-- How many evaluations count by the hour in which their runs ended, and how many of them had issues: differences, written with every
-- evaluation and folded by a job; their sum is exact at any moment. flag: 'all' counts all, 'custom' those that a model judged, any
-- other those in which that flag did not pass. By the hour, because a question may begin at any moment: only what is left of its
-- first hour is counted one by one.
create table eval_counts (
  team_id uuid not null,
  agent_id uuid not null,
  build_id uuid not null,
  -- counted from 1970, as run_hour tells it
  hour int not null,
  flag text not null,
  evaluated bigint not null,
  with_issues bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
create index eval_counts_by_hour on eval_counts (agent_id, hour);

-- Evaluations that wait for the judge. Held by whoever pushed due_at ahead; a holder that dies lets that time pass.
create table judgements (
  evaluation_id uuid primary key,
  team_id uuid not null,
  run_id uuid not null,
  due_at timestamptz(3) not null default now(),
  -- of the claim that holds it: a write with another one finds no row
  claim uuid,
  attempts int not null default 0
);
create index judgements_due on judgements (due_at);
create index judgements_by_team on judgements (team_id, due_at);

-- What a judge was asked and what it answered, for whoever must find out why: shown by no operation.
create table evaluation_transcripts (
  evaluation_id uuid primary key,
  team_id uuid not null,
  run_id uuid not null,
  run_ended_at timestamptz(3) not null,
  said jsonb not null default '[]'
);
create index evaluation_transcripts_by_run on evaluation_transcripts (run_id);
create index evaluation_transcripts_by_end on evaluation_transcripts (run_ended_at);

create table promotion_gates (
  agent_id uuid primary key references agents (id) on delete cascade,
  team_id uuid not null references teams (id) on delete cascade,
  min_score numeric(6, 5) not null check (min_score between 0 and 1),
  last_runs int not null check (last_runs > 0),
  updated_by uuid,
  updated_at timestamptz(3) not null default now()
);

-- Promotions that went past the gate, with the reason that was given and what the gate asked at that moment.
create table forced_promotions (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  agent_id uuid not null references agents (id) on delete cascade,
  build_id uuid not null references builds (id) on delete cascade,
  reason text not null,
  score numeric(6, 5),
  evaluated_runs int not null,
  min_score numeric(6, 5) not null,
  last_runs int not null,
  forced_by uuid,
  created_at timestamptz(3) not null default now()
);
create index forced_promotions_by_agent on forced_promotions (agent_id, id);
