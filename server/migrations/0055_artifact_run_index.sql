-- owner: engine/. Outside transactions: the index of the runs of artifacts, and the check of the sources of runs.

-- with all that a list asks beside the time, so that what fits is counted in the index alone
create index concurrently if not exists runs_of_artifacts on runs (team_id, created_at, id)
  include (agent_id, user_id, case_queue_id, source, counted_as, issues) where source = 'artifact'

alter table runs validate constraint runs_source_check
