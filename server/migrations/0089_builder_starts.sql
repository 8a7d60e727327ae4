-- owner: features/agents/. What a builder run proposes beside the config: what starts runs of the agent by itself.
alter table builder_runs
  -- [{kind, title, settings}], settings as the body of the operation that makes it
  add column proposed_triggers jsonb,
  -- [{kind, id}]: made paused when the proposal was accepted, to be switched on when its build becomes live
  add column waiting_triggers jsonb;
create index builder_runs_with_waiting_triggers on builder_runs (build_id) where waiting_triggers is not null;
