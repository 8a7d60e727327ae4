-- owner: engine/. What ended runs cost rides on the rows that count runs, so that money over time is read from the same counts.
alter table run_count_deltas
  -- of runs that have ended; what the others cost so far is in no count
  add column was_cost numeric(30, 10) not null default 0,
  add column became_cost numeric(30, 10) not null default 0;
alter table run_counts add column cost_usd numeric(30, 10) not null default 0;

create or replace function runs_listed() returns trigger language plpgsql as $$
begin
  insert into run_search (team_id, created_at, run_id, run_number, agent_id, source, user_id, case_queue_id, written_by, words)
  select team_id, created_at, id, run_number, agent_id, source, user_id, case_queue_id, pg_current_xact_id()::text::bigint,
    strip(run_words(team_id, run_text(title, case_title, message)))
  from fresh where source <> 'artifact';
  insert into run_count_deltas (team_id, agent_id, hour, source, user_id, case_queue_id, became, became_issues, runs, became_cost)
  select team_id, agent_id, run_hour(created_at), source, user_id, case_queue_id, counted_as, issues, count(*),
    coalesce(sum(cost_usd) filter (where completed_at is not null), 0)
  from fresh group by 1, 2, 3, 4, 5, 6, 7, 8;
  return null;
end $$;

create or replace function runs_unlisted() returns trigger language plpgsql as $$
begin
  delete from run_search s using gone g where s.team_id = g.team_id and s.created_at = g.created_at and s.run_id = g.id;
  insert into run_count_deltas (team_id, agent_id, hour, source, user_id, case_queue_id, was, was_issues, runs, was_cost)
  select team_id, agent_id, run_hour(created_at), source, user_id, case_queue_id, counted_as, issues, count(*),
    coalesce(sum(cost_usd) filter (where completed_at is not null), 0)
  from gone group by 1, 2, 3, 4, 5, 6, 7, 8;
  insert into run_search_deletions as d (team_id, deletions)
  select distinct team_id, 1 from gone where source <> 'artifact' order by team_id
  on conflict (team_id) do update set deletions = d.deletions + 1;
  return null;
end $$;

create or replace function runs_counted_anew() returns trigger language plpgsql as $$
begin
  insert into run_count_deltas (team_id, agent_id, hour, source, user_id, case_queue_id, was, was_issues, became, became_issues, runs,
    active_ms, active_day, was_cost, became_cost)
  values (new.team_id, new.agent_id, run_hour(new.created_at), new.source, new.user_id, new.case_queue_id,
    old.counted_as, old.issues, new.counted_as, new.issues, 1,
    new.active_ms - old.active_ms, case when new.active_ms <> old.active_ms then (now() at time zone 'utc')::date end,
    case when old.completed_at is null then 0 else old.cost_usd end, case when new.completed_at is null then 0 else new.cost_usd end);
  return null;
end $$;
drop trigger runs_counted_anew on runs;
create trigger runs_counted_anew after update of status, waiting_on, eval_summary, active_ms, cost_usd, completed_at on runs
  for each row when (old.counted_as is distinct from new.counted_as or old.issues is distinct from new.issues
    or old.active_ms <> new.active_ms
    or (old.completed_at is null) <> (new.completed_at is null)
    or (new.completed_at is not null and old.cost_usd <> new.cost_usd))
  execute function runs_counted_anew();

-- Runs from before this column: in the transaction that makes the trigger, because the sum must be exact.
insert into run_count_deltas (team_id, agent_id, hour, source, user_id, case_queue_id, became, became_issues, runs, became_cost)
select team_id, agent_id, run_hour(created_at), source, user_id, case_queue_id, counted_as, issues, 0, sum(cost_usd)
from runs where completed_at is not null and cost_usd <> 0 group by 1, 2, 3, 4, 5, 6, 7, 8;
