-- owner: features/evaluations/. A run that is evaluated with the write that ends it is not to be evaluated again. Only the first end of a run
-- is written so: then this very update gives the run its first summary.
drop trigger runs_ended_to_evaluate on runs;
create trigger runs_ended_to_evaluate after update of status on runs for each row
  when (new.status in ('completed', 'failed', 'stopped') and old.status is distinct from new.status and new.source <> 'artifact'
    and (old.eval_summary is not null or new.eval_summary is null))
  execute function note_run_to_evaluate();
