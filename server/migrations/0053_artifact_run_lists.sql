-- owner: engine/. Runs of artifacts are in no list of runs that does not ask for them: run_search does not have them, nor do the
-- counts. Their deltas are written, because usage is folded from the same rows; the fold leaves them out of the counts of lists.
create or replace function runs_listed() returns trigger language plpgsql as $$
begin
  insert into run_search (team_id, created_at, run_id, run_number, agent_id, source, user_id, case_queue_id, written_by, words)
  select team_id, created_at, id, run_number, agent_id, source, user_id, case_queue_id, pg_current_xact_id()::text::bigint,
    strip(run_words(team_id, run_text(title, case_title, message)))
  from fresh where source <> 'artifact';
  insert into run_count_deltas (team_id, agent_id, hour, source, user_id, case_queue_id, became, became_issues, runs)
  select team_id, agent_id, run_hour(created_at), source, user_id, case_queue_id, counted_as, issues, count(*)
  from fresh group by 1, 2, 3, 4, 5, 6, 7, 8;
  return null;
end $$;

create or replace function runs_unlisted() returns trigger language plpgsql as $$
begin
  delete from run_search s using gone g where s.team_id = g.team_id and s.created_at = g.created_at and s.run_id = g.id;
  insert into run_count_deltas (team_id, agent_id, hour, source, user_id, case_queue_id, was, was_issues, runs)
  select team_id, agent_id, run_hour(created_at), source, user_id, case_queue_id, counted_as, issues, count(*)
  from gone group by 1, 2, 3, 4, 5, 6, 7, 8;
  insert into run_search_deletions as d (team_id, deletions)
  select distinct team_id, 1 from gone where source <> 'artifact' order by team_id
  on conflict (team_id) do update set deletions = d.deletions + 1;
  return null;
end $$;
