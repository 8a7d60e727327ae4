-- owner: engine/. Finding runs: what lists filter, sort and search by, and the counts behind their exact totals.

-- As lists tell runs apart: a run that waits for a person is `needs_attention`, any other is its status.
alter table runs add column counted_as text not null generated always as (
  case when status = 'waiting' and waiting_on ->> 'kind' = 'human' then 'needs_attention' else status end) stored;
-- What the latest evaluation found, from eval_summary {passed, total, severity_counts: {critical, medium, low}}:
-- null before there is one, 0 without issues, else the sum of 1 (critical), 2 (medium) and 4 (low).
alter table runs add column issues smallint generated always as (
  case when jsonb_typeof(eval_summary) = 'object' then
    (coalesce(eval_summary #> '{severity_counts,critical}', '0') > '0')::int
    + 2 * (coalesce(eval_summary #> '{severity_counts,medium}', '0') > '0')::int
    + 4 * (coalesce(eval_summary #> '{severity_counts,low}', '0') > '0')::int end) stored;

-- Only what changes is indexed on runs itself. A change of status also moves worker or admitted_at, which the engine's own indexes
-- hold, so it was never HOT; but it writes every index of runs anew: one here costs a run about three entries, one of run_search
-- below costs it one. What changes between two moves (numbers, tokens, updated_at) is in no index and stays HOT.
-- with all that a list asks beside a status, so that what fits is counted in the index alone
create index runs_by_status on runs (team_id, counted_as, created_at, id)
  include (agent_id, source, user_id, case_queue_id, issues);
-- "the failed runs of this agent" is the commonest pair; an agent's runs of any status are seven ranges of it
create index runs_by_agent on runs (team_id, agent_id, counted_as, created_at, id);
create index runs_by_end on runs (team_id, completed_at, id);
create index runs_by_issues on runs (team_id, issues, created_at, id) where issues is not null;

-- What lists look for and what never changes: one row a run, never updated.
create table run_search (
  team_id uuid not null,
  created_at timestamptz(3) not null,
  run_id uuid not null,
  run_number bigint not null,
  agent_id uuid not null,
  source text not null,
  user_id uuid,
  case_queue_id uuid,
  -- the transaction that wrote it: tells what a remembered total has not seen yet
  written_by bigint not null,
  words tsvector not null
);
create unique index run_search_by_time on run_search (team_id, created_at, run_id);
create index run_search_by_number on run_search (team_id, run_number, run_id);
create index run_search_by_source on run_search (team_id, source, created_at, run_id);
create index run_search_by_user on run_search (team_id, user_id, created_at, run_id) where user_id is not null;
create index run_search_by_queue on run_search (team_id, case_queue_id, created_at, run_id) where case_queue_id is not null;
create index run_search_by_writer on run_search (team_id, written_by);
create index run_search_by_word on run_search using gin (words);

-- A word is a row of letters and digits, in lower case. The code in front keeps one team's words apart from another's inside the
-- index; two teams of one code only cost each other time, for team_id is asked as well.
create function run_words(team uuid, said text) returns tsvector language sql immutable parallel safe as $$
  select ts_delete(
    to_tsvector('pg_catalog.simple', regexp_replace(' ' || left(said, 20000), '[^[:alnum:]]+', ' x' || right(team::text, 5), 'g')),
    'x' || right(team::text, 5))
$$;

-- Every word must be there, the last one as the beginning of one where an asterisk ends the text; null: there is no word in it.
-- (Beginnings are not looked for unasked: a frequent one costs the index ten times what a frequent word does.)
create function run_query(team uuid, wanted text) returns tsquery language sql immutable parallel safe as $$
  select string_agg(quote_literal(lexeme) || case when place = last and wanted ~ '\*\s*$' then ':*' else '' end, ' & ' order by lexeme)::tsquery
  from (
    select lexeme, positions[cardinality(positions)] as place, max(positions[cardinality(positions)]) over () as last
    from unnest(run_words(team, wanted))
  ) word
$$;

-- By the index of words and nothing else: for a word that it takes for frequent the planner would rather read the whole table, and
-- for a rare one that it takes for frequent that is half a second at a million runs.
create function run_hits(team uuid, query tsquery, most int) returns setof run_search
  language sql stable set enable_seqscan = off as $$
  select * from run_search where words @@ query and (team_id = team) is true limit most
$$;

-- Objects are read without the backslashes of their JSON, which would stick to words.
create function run_text(title text, case_title text, message jsonb) returns text language sql immutable parallel safe as $$
  select concat_ws(' ', title, case_title, case when jsonb_typeof(message) = 'string' then message #>> '{}'
    else regexp_replace(message::text, '\\[\\ntrbf]', ' ', 'g') end)
$$;

-- Totals of searches that many runs fit, so that they are counted once: of rows written before `written_before`, which no
-- transaction can add to any more, and by `deletions` as they were. Unlogged: what a crash or a restore takes is counted again.
create unlogged table run_search_totals (
  team_id uuid not null,
  search text not null,
  total bigint not null,
  written_before bigint not null,
  deletions bigint not null,
  counted_at timestamptz(3) not null default now(),
  primary key (team_id, search)
);
create table run_search_deletions (
  team_id uuid primary key,
  deletions bigint not null
);

-- Every change of what is counted, written with the change itself by the triggers below and folded into the counts by a job.
create table run_count_deltas (
  team_id uuid not null,
  agent_id uuid not null,
  -- of created_at, counted from 1970
  hour int not null,
  source text not null,
  user_id uuid,
  case_queue_id uuid,
  -- null: the run is new
  was text,
  was_issues smallint,
  -- null: the run is gone
  became text,
  became_issues smallint,
  runs int not null
) with (autovacuum_vacuum_scale_factor = 0.05);
create index run_count_deltas_by_agent on run_count_deltas (team_id, agent_id);

-- Totals by agent, status and time: a row for each hour, each day and all time, for each agent and for all of them together
-- (the nil id), so that no question reads more rows than there are days and statuses in it.
create table run_counts (
  team_id uuid not null,
  agent_id uuid not null,
  unit text not null check (unit in ('all', 'day', 'hour')),
  at int not null,
  counted_as text not null,
  runs bigint not null,
  primary key (team_id, agent_id, unit, at, counted_as)
) with (fillfactor = 70);

-- Totals by everything that a list can be narrowed by but time.
create table run_origin_counts (
  team_id uuid not null,
  agent_id uuid not null,
  counted_as text not null,
  source text not null,
  user_id uuid,
  case_queue_id uuid,
  issues smallint,
  runs bigint not null
) with (fillfactor = 70);
create unique index run_origin_counts_key on run_origin_counts
  (team_id, agent_id, counted_as, source, user_id, case_queue_id, issues) nulls not distinct;

-- Whoever inserts, changes or deletes runs, these keep the lists right in the same transaction. For new runs a trigger for the whole
-- statement, one for each row and CTEs in the insert itself were measured 64 at a time: they cost the same within the noise (two
-- thirds of it are the words). This one cannot be forgotten, and runs that start together leave one delta instead of many. Of changes
-- most move no count, which only the condition of a row's own trigger tells before it costs anything.
create function run_hour(created_at timestamptz) returns int language sql immutable parallel safe as $$
  select floor(extract(epoch from created_at) / 3600)::int
$$;

create function runs_listed() returns trigger language plpgsql as $$
begin
  insert into run_search (team_id, created_at, run_id, run_number, agent_id, source, user_id, case_queue_id, written_by, words)
  select team_id, created_at, id, run_number, agent_id, source, user_id, case_queue_id, pg_current_xact_id()::text::bigint,
    strip(run_words(team_id, run_text(title, case_title, message)))
  from fresh;
  insert into run_count_deltas (team_id, agent_id, hour, source, user_id, case_queue_id, became, became_issues, runs)
  select team_id, agent_id, run_hour(created_at), source, user_id, case_queue_id, counted_as, issues, count(*)
  from fresh group by 1, 2, 3, 4, 5, 6, 7, 8;
  return null;
end $$;
create trigger runs_listed after insert on runs
  referencing new table as fresh for each statement execute function runs_listed();

create function runs_counted_anew() returns trigger language plpgsql as $$
begin
  insert into run_count_deltas (team_id, agent_id, hour, source, user_id, case_queue_id, was, was_issues, became, became_issues, runs)
  values (new.team_id, new.agent_id, run_hour(new.created_at), new.source, new.user_id, new.case_queue_id,
    old.counted_as, old.issues, new.counted_as, new.issues, 1);
  return null;
end $$;
create trigger runs_counted_anew after update of status, waiting_on, eval_summary on runs
  for each row when (old.counted_as is distinct from new.counted_as or old.issues is distinct from new.issues)
  execute function runs_counted_anew();

create function runs_unlisted() returns trigger language plpgsql as $$
begin
  delete from run_search s using gone g where s.team_id = g.team_id and s.created_at = g.created_at and s.run_id = g.id;
  insert into run_count_deltas (team_id, agent_id, hour, source, user_id, case_queue_id, was, was_issues, runs)
  select team_id, agent_id, run_hour(created_at), source, user_id, case_queue_id, counted_as, issues, count(*)
  from gone group by 1, 2, 3, 4, 5, 6, 7, 8;
  insert into run_search_deletions as d (team_id, deletions) select distinct team_id, 1 from gone order by team_id
  on conflict (team_id) do update set deletions = d.deletions + 1;
  return null;
end $$;
create trigger runs_unlisted after delete on runs
  referencing old table as gone for each statement execute function runs_unlisted();

-- Runs of a backup from before these tables.
insert into run_search (team_id, created_at, run_id, run_number, agent_id, source, user_id, case_queue_id, written_by, words)
select team_id, created_at, id, run_number, agent_id, source, user_id, case_queue_id, pg_current_xact_id()::text::bigint,
  strip(run_words(team_id, run_text(title, case_title, message)))
from runs;
insert into run_count_deltas (team_id, agent_id, hour, source, user_id, case_queue_id, became, became_issues, runs)
select team_id, agent_id, run_hour(created_at), source, user_id, case_queue_id, counted_as, issues, count(*)
from runs group by 1, 2, 3, 4, 5, 6, 7, 8;
