-- owner: features/queues/. Queues of cases: work that runs and people take one by one, each case held by one of them at a time.
create table queues (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  name text not null,
  description text,
  -- how many of its cases may be worked on at once; null: as many as the team has places
  concurrency int check (concurrency > 0),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create unique index queues_by_name on queues (team_id, name);
create index queues_by_team on queues (team_id, created_at, id);

create table cases (
  id uuid primary key,
  -- no reference: a case is written by a statement that joins its queue, and the checks would lock the team's row once for each
  team_id uuid not null,
  -- no reference: a deleted queue is gone at once, however many cases it had; they are erased afterwards
  queue_id uuid not null,
  title text not null,
  data text not null,
  -- the caller's own name for it: what is brought twice is there once
  external_id text,
  -- what a person sees; `status` on the wire is pending until it is completed or failed
  display_status text not null default 'pending'
    check (display_status in ('pending', 'in_progress', 'needs_input', 'postponed', 'completed', 'failed')),
  -- none, medium, high
  priority smallint not null default 0 check (priority between 0 and 2),
  -- exactly one holder: a run or a person
  claimed_at timestamptz(3),
  claimed_by_run_id uuid,
  claimed_by_user_id uuid,
  -- the agent of that run, for what an agent may hold at once
  claimed_by_agent_id uuid,
  -- handed over or given again to this agent alone
  for_agent_id uuid,
  postponed_to timestamptz(3),
  completed_at timestamptz(3),
  attempts int not null default 0,
  result jsonb,
  reason text,
  pending_human_request_id uuid,
  created_by_user_id uuid,
  created_by_run_id uuid,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  check ((display_status in ('in_progress', 'needs_input')) = (claimed_at is not null)),
  check (num_nonnulls(claimed_by_run_id, claimed_by_user_id) = (claimed_at is not null)::int),
  check ((display_status = 'postponed') = (postponed_to is not null))
);
create unique index cases_by_external_id on cases (queue_id, external_id) where external_id is not null;
-- the order of dispatch: those whose time has come, then by priority, then the oldest
create index cases_waiting on cases (queue_id, priority desc, created_at, id) where display_status = 'pending';
create index cases_postponed on cases (queue_id, postponed_to, id) where display_status = 'postponed';
create index cases_held on cases (queue_id, claimed_by_agent_id) where display_status = 'in_progress';
create unique index cases_by_run on cases (claimed_by_run_id) where claimed_by_run_id is not null;
-- lists
create index cases_by_time on cases (queue_id, created_at, id);
create index cases_by_status on cases (queue_id, display_status, created_at, id);
create index cases_by_change on cases (queue_id, updated_at, id);
create index cases_by_priority on cases (queue_id, priority, created_at, id);
-- who fills the queue (listQueueAgents): paid for by cases that runs make alone
create index cases_made_by_runs on cases (queue_id, created_at) where created_by_run_id is not null;

create table labels (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  -- erased with the cases of its queue
  queue_id uuid not null,
  key text not null,
  value text not null,
  color_hue int not null check (color_hue between 0 and 360),
  created_at timestamptz(3) not null default now()
);
create unique index labels_by_name on labels (queue_id, key, value);

create table case_labels (
  -- no reference: the triggers below remove the links of a deleted case, many at once, and count them
  case_id uuid not null,
  -- no reference: a deleted label is gone at once from however many cases; what is left of it here is erased afterwards
  label_id uuid not null,
  -- of the case, so that a label's cases are walked in the order of lists
  created_at timestamptz(3) not null,
  primary key (case_id, label_id)
);
create index case_labels_by_label on case_labels (label_id, created_at, case_id);

-- Who did what to a case, when and why.
create table case_events (
  id uuid primary key,
  -- no references: each row is written by the statement that holds its case; the trigger on deleted cases removes them, many at once
  team_id uuid not null,
  case_id uuid not null,
  type text not null,
  run_id uuid,
  user_id uuid,
  reason text,
  created_at timestamptz(3) not null default now()
);
create index case_events_by_case on case_events (case_id, created_at, id);

-- An agent that works the cases of a queue.
create table case_triggers (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  agent_id uuid not null unique references agents (id) on delete cascade,
  queue_id uuid not null references queues (id) on delete cascade,
  user_id uuid,
  enabled boolean not null,
  concurrency int check (concurrency > 0),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index case_triggers_by_queue on case_triggers (queue_id, id);

-- How many cases of each kind a queue has: every change appends its difference, a job folds them, the sum is exact at any moment.
create table case_counts (
  queue_id uuid not null,
  display_status text not null,
  priority smallint not null,
  cases bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
create index case_counts_by_queue on case_counts (queue_id);

-- The same of each label, for the totals of lists.
create table label_counts (
  label_id uuid not null,
  display_status text not null,
  priority smallint not null,
  cases bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
create index label_counts_by_label on label_counts (label_id);

-- And of each hour in which cases were made, counted from 1970.
create table case_hours (
  queue_id uuid not null,
  hour int not null,
  cases bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
create index case_hours_by_queue on case_hours (queue_id, hour) include (cases);

-- What a search looks for. Apart from the cases, for every move of a case would write its words into the index anew.
create table case_search (
  queue_id uuid not null,
  created_at timestamptz(3) not null,
  case_id uuid not null,
  words tsvector not null
);
create unique index case_search_by_time on case_search (queue_id, created_at, case_id);
create index case_search_by_word on case_search using gin (words);

-- Data that is JSON is read without the backslashes of its line breaks, which would stick to words.
create function case_words(queue_id uuid, title text, data text) returns tsvector language sql immutable parallel safe as $$
  select strip(run_words(queue_id, title || ' ' || case when left(data, 100) ~ '^\s*[[{"]'
    then regexp_replace(left(data, 20000), '\\[\\ntrbf]', ' ', 'g') else left(data, 20000) end))
$$;

-- By the index of words and nothing else, for the reason given at run_hits.
create function case_hits(queue uuid, query tsquery, most int) returns setof case_search
  language sql stable set enable_seqscan = off as $$
  select * from case_search where words @@ query and (queue_id = queue) is true limit most
$$;

create function count_new_cases() returns trigger language plpgsql as $$
begin
  insert into case_counts
    select queue_id, display_status, priority, count(*) from fresh group by queue_id, display_status, priority;
  insert into case_hours select queue_id, run_hour(created_at), count(*) from fresh group by 1, 2;
  insert into case_search select queue_id, created_at, id, case_words(queue_id, title, data) from fresh;
  return null;
end
$$;
create function count_gone_cases() returns trigger language plpgsql as $$
begin
  insert into case_counts
    select queue_id, display_status, priority, -count(*) from gone group by queue_id, display_status, priority;
  insert into case_hours select queue_id, run_hour(created_at), -count(*) from gone group by 1, 2;
  delete from case_events e using gone g where e.case_id = g.id;
  delete from case_search s using gone g where s.queue_id = g.queue_id and s.created_at = g.created_at and s.case_id = g.id;
  -- here, since the trigger on links no longer finds the case
  with unlinked as (
    delete from case_labels l using gone g where l.case_id = g.id returning l.label_id, g.display_status, g.priority
  )
  insert into label_counts
    select label_id, display_status, priority, -count(*) from unlinked group by label_id, display_status, priority;
  return null;
end
$$;
create function count_moved_cases() returns trigger language plpgsql as $$
begin
  insert into case_counts
    select queue_id, display_status, priority, sum(cases) from (
      select queue_id, display_status, priority, count(*) as cases from fresh group by queue_id, display_status, priority
      union all
      select queue_id, display_status, priority, -count(*) from gone group by queue_id, display_status, priority
    ) moved group by queue_id, display_status, priority having sum(cases) <> 0;
  -- a case that is moved is locked, and so is one that is linked: each sees what the other has done. Both tables are never joined: the plan
  -- is that of the first call, and one for a single case took 0.6 s for 2,000
  insert into label_counts
    select l.label_id, side.display_status, side.priority, sum(side.cases)
    from (
      select id, display_status, priority, 1 as cases from fresh union all select id, display_status, priority, -1 from gone
    ) side join case_labels l on l.case_id = side.id
    group by 1, 2, 3 having sum(side.cases) <> 0;
  return null;
end
$$;
create trigger cases_counted_new after insert on cases referencing new table as fresh
  for each statement execute function count_new_cases();
create trigger cases_counted_gone after delete on cases referencing old table as gone
  for each statement execute function count_gone_cases();
create trigger cases_counted_moved after update on cases referencing old table as gone new table as fresh
  for each statement execute function count_moved_cases();

create function read_case_anew() returns trigger language plpgsql as $$
begin
  update case_search set words = case_words(new.queue_id, new.title, new.data)
  where queue_id = new.queue_id and created_at = new.created_at and case_id = new.id;
  return null;
end
$$;
create trigger cases_read_anew after update of title, data on cases for each row
  when (old.title <> new.title or old.data <> new.data) execute function read_case_anew();

-- The case is locked before its state is read, so that it cannot move between the two.
create function count_new_links() returns trigger language plpgsql as $$
declare
  counted bigint;
begin
  with of_case as materialized (
    select id, display_status, priority from cases where id in (select case_id from fresh) order by id for no key update
  ),
  counts as (
    insert into label_counts
      select f.label_id, c.display_status, c.priority, count(*) from fresh f join of_case c on c.id = f.case_id group by 1, 2, 3
    returning cases
  )
  select coalesce(sum(cases), 0) into counted from counts;
  if counted < (select count(*) from fresh) then
    delete from case_labels l using fresh f
    where l.case_id = f.case_id and l.label_id = f.label_id and not exists (select from cases c where c.id = f.case_id);
  end if;
  return null;
end
$$;
create function count_gone_links() returns trigger language plpgsql as $$
begin
  with of_case as materialized (
    select id, display_status, priority from cases where id in (select case_id from gone) order by id for no key update
  )
  insert into label_counts
    select g.label_id, c.display_status, c.priority, -count(*) from gone g join of_case c on c.id = g.case_id group by 1, 2, 3;
  return null;
end
$$;
create trigger case_labels_counted_new after insert on case_labels referencing new table as fresh
  for each statement execute function count_new_links();
create trigger case_labels_counted_gone after delete on case_labels referencing old table as gone
  for each statement execute function count_gone_links();

-- As the wire spells times.
create function iso(at timestamptz) returns text language sql stable parallel safe as $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- RFC 9562 §5.7, for rows that a trigger writes.
create function new_id() returns uuid language sql volatile parallel safe as $$
  select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
    placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid
$$;

-- A case as events carry it.
create function case_json(c cases) returns json language sql stable parallel safe as $$
  select json_build_object('id', c.id, 'queue_id', c.queue_id, 'title', c.title, 'data', c.data,
    'status', case when c.display_status in ('completed', 'failed') then c.display_status else 'pending' end,
    'display_status', c.display_status, 'priority', (array['none', 'medium', 'high'])[c.priority + 1],
    'labels', coalesce((
      select json_agg(json_build_object('id', l.id, 'key', l.key, 'value', l.value, 'color_hue', l.color_hue) order by l.key, l.value, l.id)
      from case_labels cl join labels l on l.id = cl.label_id where cl.case_id = c.id), '[]'::json),
    'claimed_at', iso(c.claimed_at), 'claimed_by_run_id', c.claimed_by_run_id, 'completed_at', iso(c.completed_at),
    'postponed_to', iso(c.postponed_to), 'attempts', c.attempts, 'result', c.result, 'reason', c.reason,
    'pending_human_request_id', c.pending_human_request_id, 'created_by_user_id', c.created_by_user_id,
    'created_at', iso(c.created_at), 'updated_at', iso(c.updated_at))
$$;

create function case_event_data(event_id uuid, c cases, run_id uuid, agent_id uuid, event text) returns json
  language sql stable parallel safe as $$
  select concat('{"event_id":"', event_id, '","team_id":"', c.team_id, '","queue_id":"', c.queue_id, '","case_id":"', c.id, '",',
    '"run_id":"' || run_id || '",', '"agent_id":"' || agent_id || '",',
    case when event = 'queue.case.completed' then '"status":"' || c.display_status || '",' end,
    '"case":', case_json(c), '}')::json
$$;

-- What a run's move means for the case it holds, whoever moved the run and in whatever statement: it shows that the run waits for a
-- person, and a run that ends without having closed its case fails it.
create function follow_run_of_case() returns trigger language plpgsql as $$
declare
  asks boolean := new.status = 'waiting' and new.waiting_on ->> 'kind' = 'human';
  closed cases;
  told uuid := new_id();
begin
  if new.status in ('running', 'waiting') then
    update cases set display_status = case when asks then 'needs_input' else 'in_progress' end, updated_at = now(),
      pending_human_request_id = case when asks then (new.waiting_on #>> '{detail,human_request_id}')::uuid end
    where claimed_by_run_id = new.id and (display_status = 'needs_input') is distinct from asks;
    return null;
  end if;
  update cases set display_status = 'failed', completed_at = now(), updated_at = now(), claimed_at = null, claimed_by_run_id = null,
    claimed_by_agent_id = null, pending_human_request_id = null,
    reason = case new.status
      when 'completed' then 'The run ended without closing the case.'
      when 'stopped' then 'The run was stopped before it closed the case.'
      else 'The run failed: ' || coalesce(new.error ->> 'message', 'no reason is known') end
  where claimed_by_run_id = new.id returning * into closed;
  if not found then return null; end if;
  insert into case_events (id, team_id, case_id, type, run_id, reason)
  values (new_id(), closed.team_id, closed.id, 'failed', new.id, closed.reason);
  insert into events (id, team_id, event, data)
  values (told, closed.team_id, 'queue.case.completed',
    case_event_data(told, closed, new.id, new.agent_id, 'queue.case.completed'));
  return null;
end
$$;
create trigger runs_followed_by_case after update of status on runs for each row
  when (new.case_id is not null and new.status <> old.status and new.status <> 'pending')
  execute function follow_run_of_case();

-- The runs of a case, newest first.
create index runs_by_case on runs (case_id, created_at, id) where case_id is not null;

-- Actions on many cases that go on in the background.
create table bulk_actions (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  queue_id uuid not null references queues (id) on delete cascade,
  user_id uuid,
  kind text not null check (kind in ('delete', 'reprocess', 'update_status', 'update_priority')),
  -- what is done, and to which cases
  settings jsonb not null,
  status text not null default 'running' check (status in ('running', 'completed', 'failed')),
  -- how far it has come: the last case that was looked at
  after_created_at timestamptz(3),
  after_case_id uuid,
  -- cases made after it began are not its own
  until_created_at timestamptz(3) not null,
  changed_count int not null default 0,
  skipped_count int not null default 0,
  stopped_run_ids uuid[] not null default '{}',
  error text,
  created_at timestamptz(3) not null default now(),
  completed_at timestamptz(3)
);
create index bulk_actions_by_queue on bulk_actions (queue_id);
