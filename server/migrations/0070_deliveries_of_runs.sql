-- owner: features/webhooks/. Outside transactions: the deliveries of a run, and of each of its events.

-- no more than this, since every delivery enters it twice: what a run's list filters by is read from the rows, which are few
create index concurrently if not exists deliveries_by_run on deliveries (run_id, event_id) where run_id is not null
