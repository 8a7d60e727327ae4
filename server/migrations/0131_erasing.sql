-- owner: engine/. Outside transactions: what is erased. Deliveries that were not delivered are found by their event; what runs asked people, and what the
-- builder was given of runs, is emptied where their logs were; the rows of a team are erased some at a time.
-- Older code: works.
-- Each statement ends with an empty line, and may be run again after a process was killed in the middle of it.

-- Whoever drops old events looks for those that somebody still has to get, while everybody waits. No other index has them by their event.
create index concurrently if not exists deliveries_undelivered on deliveries (event_id) where state <> 'delivered'

-- From now on the job that erases a log does this (eraseRunLogs.job.ts).
do $$
declare
  after uuid := '00000000-0000-0000-0000-000000000000';
  page uuid[];
begin
  loop
    page := array(select id from human_requests where id > after order by id limit 10000);
    exit when cardinality(page) = 0;
    update human_requests h set description = null, questions = null, form_schema = null, bound = null,
      action = action || '{"arguments": null}',
      response = case when response ? 'approved' then jsonb_build_object('approved', response -> 'approved') end
    from runs r
    where h.id = any(page) and r.id = h.run_id and r.log_erased_at is not null
      and (num_nonnulls(h.description, h.questions, h.form_schema, h.bound) > 0
        or h.action ->> 'arguments' is not null or h.response - 'approved' <> '{}');
    commit;
    after := page[cardinality(page)];
  end loop;
end $$

update builder_runs b set lesson = null, updated_at = now() from runs r
where b.lesson is not null and r.id = b.run_id and r.log_erased_at is not null

update builder_runs b set lesson = null, updated_at = now()
from suggestions g join suggestion_runs s on s.suggestion_id = g.id join runs r on r.id = s.run_id
where b.lesson is not null and g.builder_run_id = b.id and r.log_erased_at is not null

-- Where the rows of a team are in one of its tables. Nothing is changed, so whoever reads for long has no number that the events of all teams wait for.
create or replace function places_of_team(team uuid, name text) returns setof tid language plpgsql stable as $$
begin
  return query execute format('select ctid from %I where team_id = $1', name) using team;
end $$

-- Erases the rows at these places that are still of the team.
create or replace function erase_places(team uuid, name text, places tid[]) returns void language plpgsql as $$
begin
  execute format('delete from %I where ctid = any ($2) and team_id = $1', name) using team, places;
end $$

-- As in 0108, without what is erased a table at a time before. Foreign keys make PostgreSQL read those tables whole that go with the team and have no index
-- by it.
create or replace function erase_team_itself(team uuid) returns void language plpgsql as $$
begin
  delete from credential_uses u using api_keys k where k.team_id = team and u.credential_id = k.id;
  delete from teams where id = team;
end $$
