-- owner: features/evaluations/. Runs of artifacts are not evaluated: nobody promotes the builds behind a page.
drop trigger runs_ended_to_evaluate on runs;
create trigger runs_ended_to_evaluate after update of status on runs for each row
  when (new.status in ('completed', 'failed', 'stopped') and old.status is distinct from new.status and new.source <> 'artifact')
  execute function note_run_to_evaluate();
