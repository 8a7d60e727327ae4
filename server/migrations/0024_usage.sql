-- owner: engine/. What teams use: written in the transaction of the work itself, folded into a row a day, read as both together.

-- Days are UTC's, by the database's clock. Nothing of this shrinks when runs are erased.
create table usage_entries (
  team_id uuid not null,
  -- null: of no agent
  agent_id uuid,
  day date not null default (now() at time zone 'utc')::date,
  -- null: no model was asked
  model text,
  purpose text check (purpose in ('run', 'builder', 'judge')),
  -- answers of a model that were written down
  calls int not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cost_usd numeric(20, 10) not null default 0,
  -- calls that may have been answered and paid for, and whose answer nobody has: what was set aside for them
  unsettled_calls int not null default 0,
  unsettled_usd numeric(20, 10) not null default 0,
  deliveries int not null default 0,
  -- more or fewer than before
  sandbox_bytes bigint not null default 0
) with (autovacuum_vacuum_scale_factor = 0.05);
create index usage_entries_by_team on usage_entries (team_id);

create table usage_days (
  team_id uuid not null,
  day date not null,
  agent_id uuid,
  model text,
  purpose text,
  -- by the day on which they were created, and how those have ended
  runs bigint not null default 0,
  completed bigint not null default 0,
  failed bigint not null default 0,
  stopped bigint not null default 0,
  active_ms bigint not null default 0,
  calls bigint not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cost_usd numeric(30, 10) not null default 0,
  unsettled_calls bigint not null default 0,
  unsettled_usd numeric(30, 10) not null default 0,
  deliveries bigint not null default 0,
  sandbox_bytes bigint not null default 0
) with (fillfactor = 70);
create unique index usage_days_key on usage_days (team_id, day, agent_id, model, purpose) nulls not distinct;
-- what is stored is the sum of all days
create index usage_days_stored on usage_days (team_id, day) include (sandbox_bytes) where sandbox_bytes <> 0;

-- Runs and their active time cost no row of their own: they ride on the rows that count runs.
alter table run_count_deltas
  add column active_ms bigint not null default 0,
  -- when that was; null where there is none
  add column active_day date;

create or replace function runs_counted_anew() returns trigger language plpgsql as $$
begin
  insert into run_count_deltas (team_id, agent_id, hour, source, user_id, case_queue_id, was, was_issues, became, became_issues, runs,
    active_ms, active_day)
  values (new.team_id, new.agent_id, run_hour(new.created_at), new.source, new.user_id, new.case_queue_id,
    old.counted_as, old.issues, new.counted_as, new.issues, 1,
    new.active_ms - old.active_ms, case when new.active_ms <> old.active_ms then (now() at time zone 'utc')::date end);
  return null;
end $$;
drop trigger runs_counted_anew on runs;
-- active time alone changes when a run is taken over from a worker that died
create trigger runs_counted_anew after update of status, waiting_on, eval_summary, active_ms on runs
  for each row when (old.counted_as is distinct from new.counted_as or old.issues is distinct from new.issues
    or old.active_ms <> new.active_ms)
  execute function runs_counted_anew();

-- Attempts of a model call that may have been answered without anybody having the answer: the worker died, the run was stopped
-- meanwhile, or the connection broke.
alter table run_steps add column unsettled int not null default 0;

-- A model's call is inserted as an intent, so what it used is always an update; a step that is copied to another run was paid for there.
-- By the key of runs and nothing else: a plan from when there were few runs would read all of them, at every call of a model.
create function steps_are_used() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  insert into usage_entries (team_id, agent_id, model, purpose, calls, input_tokens, output_tokens, cost_usd, unsettled_calls, unsettled_usd)
  select r.team_id, r.agent_id, new.tool, 'run',
    ((old.input_tokens, old.output_tokens) is distinct from (new.input_tokens, new.output_tokens))::int,
    coalesce(new.input_tokens, 0) - coalesce(old.input_tokens, 0), coalesce(new.output_tokens, 0) - coalesce(old.output_tokens, 0),
    coalesce(new.cost_usd, 0) - coalesce(old.cost_usd, 0),
    new.unsettled - old.unsettled, (new.unsettled - old.unsettled) * greatest(old.reserved_usd, new.reserved_usd)
  from runs r where r.id = new.run_id;
  return null;
end $$;
create trigger steps_are_used after update of input_tokens, output_tokens, cost_usd, unsettled on run_steps
  for each row when (new.kind = 'model' and (old.input_tokens is distinct from new.input_tokens
    or old.output_tokens is distinct from new.output_tokens or old.cost_usd is distinct from new.cost_usd
    or old.unsettled <> new.unsettled))
  execute function steps_are_used();

-- For models that are asked outside of runs. `is_unsettled`: nobody has its answer, and cost_usd is what it may have cost.
create function note_model_use(team_id uuid, agent_id uuid, model text, input_tokens bigint, output_tokens bigint, cost_usd numeric,
  purpose text, is_unsettled boolean default false) returns void language sql as $$
  insert into usage_entries (team_id, agent_id, model, purpose, calls, input_tokens, output_tokens, cost_usd, unsettled_calls, unsettled_usd)
  values ($1, $2, $3, $7, (not $8)::int, $4, $5, case when $8 then 0 else $6 end, $8::int, case when $8 then $6 else 0 end)
$$;

-- A builder run that is claimed again without having come forward was cut off, maybe while it asked; one that was put off was not.
create function builder_runs_are_used() returns trigger language plpgsql as $$
begin
  if (new.input_tokens, new.output_tokens, new.cost_usd) <> (old.input_tokens, old.output_tokens, old.cost_usd) then
    perform note_model_use(new.team_id, new.agent_id, new.model, new.input_tokens - old.input_tokens,
      new.output_tokens - old.output_tokens, new.cost_usd - old.cost_usd, 'builder');
  end if;
  if new.attempt > old.attempt and old.attempt > 0 and old.due_at is null and new.model <> 'builtin:runbook' then
    perform note_model_use(new.team_id, new.agent_id, new.model, 0, 0, 0, 'builder', true);
  end if;
  return null;
end $$;
create trigger builder_runs_are_used after update of input_tokens, output_tokens, cost_usd, attempt on builder_runs
  for each row when (old.input_tokens <> new.input_tokens or old.output_tokens <> new.output_tokens or old.cost_usd <> new.cost_usd
    or new.attempt > old.attempt)
  execute function builder_runs_are_used();

create function sandboxes_are_stored() returns trigger language plpgsql as $$
begin
  insert into usage_entries (team_id, sandbox_bytes)
  values (coalesce(new.team_id, old.team_id), coalesce(new.kept_bytes, 0) - coalesce(old.kept_bytes, 0));
  return null;
end $$;
create trigger sandboxes_are_stored after update of kept_bytes on sandboxes
  for each row when (old.kept_bytes <> new.kept_bytes) execute function sandboxes_are_stored();
create trigger sandboxes_are_stored_at_first after insert on sandboxes
  for each row when (new.kept_bytes <> 0) execute function sandboxes_are_stored();
create trigger sandboxes_are_stored_no_more after delete on sandboxes
  for each row when (old.kept_bytes <> 0) execute function sandboxes_are_stored();

-- What was used before there were these tables, as far as it is still known. Runs whose deltas are not folded yet come with them.
insert into usage_days (team_id, day, agent_id, runs, completed, failed, stopped)
select team_id, date '1970-01-01' + at, agent_id, sum(runs), coalesce(sum(runs) filter (where counted_as = 'completed'), 0),
  coalesce(sum(runs) filter (where counted_as = 'failed'), 0), coalesce(sum(runs) filter (where counted_as = 'stopped'), 0)
from run_counts where unit = 'day' and agent_id <> '00000000-0000-0000-0000-000000000000' group by 1, 2, 3;
insert into usage_days as d (team_id, day, agent_id, active_ms)
select team_id, (coalesce(completed_at, updated_at) at time zone 'utc')::date, agent_id, sum(active_ms)
from runs where active_ms > 0 group by 1, 2, 3
on conflict (team_id, day, agent_id, model, purpose) do update set active_ms = d.active_ms + excluded.active_ms;
insert into usage_entries (team_id, agent_id, day, model, purpose, calls, input_tokens, output_tokens, cost_usd)
select r.team_id, r.agent_id, (coalesce(s.completed_at, s.started_at) at time zone 'utc')::date, s.tool, 'run', count(*),
  sum(s.input_tokens), coalesce(sum(s.output_tokens), 0), coalesce(sum(s.cost_usd), 0)
from run_steps s join runs r on r.id = s.run_id where s.kind = 'model' and s.input_tokens is not null group by 1, 2, 3, 4;
insert into usage_entries (team_id, agent_id, day, model, purpose, input_tokens, output_tokens, cost_usd)
select team_id, agent_id, (updated_at at time zone 'utc')::date, model, 'builder', sum(input_tokens), sum(output_tokens), sum(cost_usd)
from builder_runs where input_tokens + output_tokens > 0 group by 1, 2, 3, 4;
insert into usage_entries (team_id, day, deliveries)
select team_id, (settled_at at time zone 'utc')::date, count(*) from deliveries where state = 'delivered' group by 1, 2;
insert into usage_entries (team_id, sandbox_bytes)
select team_id, sum(kept_bytes) from sandboxes group by 1 having sum(kept_bytes) <> 0;
